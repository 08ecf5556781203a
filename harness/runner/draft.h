// A first profile of a server, for its author to correct: what trying its tools has shown, and what
// it has not.
#pragma once

#include <stop_token>
#include <string>
#include <variant>

#include "harness/script/explorer.h"
#include "harness/script/link.h"
#include "harness/script/survey.h"
#include "reference/transport/client_transport.h"

namespace assay::harness {

// What was found in one session of a server.
struct Draft {
  Json server;  // the result with which it began
  Survey survey;
  ToolPolicy tools;  // `known` holds what trying has shown
};

// Begins in the newest revision that the server speaks, those with a handshake first, reads its
// lists and tries its tools. A Failure says why it could not be done.
std::variant<Draft, transport::Failure> make_draft(const TargetAccess& access,
                                                   const Patience& patience, ToolPolicy tools,
                                                   const ExplorerLimits& limits,
                                                   const std::stop_token& stop);

// The profile as YAML (harness/profile/README.md): the tools that were tried, with the arguments
// and what they did, and in comments the tools that were not called, those whose arguments are to
// be put right, and what no tool was seen to do.
std::string draft_text(const Draft& draft);

}  // namespace assay::harness
