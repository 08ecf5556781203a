// What a server offers for the acts of clients: which tool, which prompt and which resource a
// client is asked to use, and with which arguments.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "harness/interop/entries.h"
#include "harness/profile/profile.h"
#include "harness/script/conversation.h"
#include "harness/script/link.h"
#include "reference/wire/json.h"

namespace assay::harness {

struct Offer {
  std::string trouble;             // why nothing is known of it; empty if all is
  std::string introduced_as;       // "server-everything 2.0.0"
  std::string newest;              // the newest revision that it speaks
  std::vector<std::string> lists;  // "tools/list", ...: those that have at least one item
  bool has_pages = false;          // one of them has more than one page

  std::optional<ToolUse> call;           // that only answers
  std::optional<ToolUse> progress;       // that reports progress
  std::optional<ToolUse> slow;           // that takes its time
  std::optional<ToolUse> sample;         // that asks the client's model
  std::optional<ToolUse> elicit;         // that asks the user
  std::optional<ToolUse> update;         // that changes the resource which it names
  std::optional<ToolUse> breaks_stream;  // that closes its stream before it answers
  std::string resource;                  // to be read; empty: there is none
  std::string prompt;                    // empty: there is none
  Json prompt_arguments = Json::object();
  std::optional<KnownCompletion> completion;
};

// What a server offers to clients that begin with a handshake, and to those that do not: a tool
// that asks the client does so in another way. `trouble` says where it speaks one of them only.
struct EraOffers {
  Offer handshake;
  Offer stateless;

  // The one for a session in that revision; for an unknown one that of those which there are.
  const Offer& in(std::string_view revision) const;
};

// Asks the server what it lists, in its newest revision with a handshake and in that without one,
// and chooses.
EraOffers take_offers(const TargetAccess& access, const InteropServer& server,
                      const Patience& patience, const std::stop_token& stop);

}  // namespace assay::harness
