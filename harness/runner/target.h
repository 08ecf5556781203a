// The targets that the command line can name: a command to start, or a URL.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/script/link.h"

namespace assay::harness {

// What a target may make us hold, over all connections to it. With the program itself, and what is
// needed to work on the largest message, a run stays below 150 MB.
inline constexpr std::size_t kMostHeld = 60u << 20;
wire::BudgetPtr make_budget();

struct CommandTarget {
  std::vector<std::string> words;                                // the command and its arguments
  std::vector<std::pair<std::string, std::string>> environment;  // added to our own
  std::string directory;                                         // where to start it; empty: here
};

// Each connection is a fresh child.
TargetAccess over_stdio(const CommandTarget& target);

struct UrlTarget {
  std::string url;
  // Sent with every request; their values never reach a transcript or a report.
  transport::Headers headers;
  // One for all ways to reach the same target.
  wire::BudgetPtr budget = make_budget();
  // The first good one goes with every request, like a header.
  std::vector<UserToken> tokens = {};
};

// Streamable HTTP: the URL is the MCP endpoint. A URL that cannot be read is a Failure.
std::variant<TargetAccess, transport::Failure> over_http(const UrlTarget& target);
// The older pair of endpoints of 2024-11-05: the URL is the event stream's.
std::variant<TargetAccess, transport::Failure> over_http_sse(const UrlTarget& target);

}  // namespace assay::harness
