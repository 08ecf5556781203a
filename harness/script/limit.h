// That a peer limits how often, or how many times at once, it may be asked.
//
// The pages tell servers to limit rates (server/tools, "Security Considerations"), and clients
// (client/sampling and client/elicitation), so a limit breaks no rule: what it keeps from us is
// asked again later, more slowly, or stays unclear.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/script/reply.h"
#include "harness/transcript/transcript.h"

namespace assay::harness {

struct Limit {
  EventPtr event;    // what says so
  std::string said;  // "HTTP 429", "error -32000"
  // How long the server asks us to wait (Retry-After in seconds); nothing where it does not say.
  std::optional<std::chrono::milliseconds> retry_after;
  Party party = Party::kServer;  // who limits

  // One sentence, for a verdict that stays unclear because of it.
  std::string words() const;
};

// The words of an error, or of a result that says isError, about a limit on how often one may ask.
bool speaks_of_a_limit(std::string_view words);

// Of one reply.
std::optional<Limit> limit_of(const Reply& reply);

// The first of that party's events that speaks of a limit: HTTP 429 or 503, another refusal with
// Retry-After, or an error whose words do.
std::optional<Limit> limit_in(std::span<const EventPtr> events, Party party = Party::kServer);

}  // namespace assay::harness
