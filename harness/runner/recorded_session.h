// One conversation between a client and a server, as it passed, and what it shows by itself: what
// monitors find, who the two say they are, what it cost.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/runner/judgement.h"
#include "harness/script/link.h"
#include "harness/transcript/transcript.h"
#include "reference/wire/json.h"
#include "reports/result.h"

namespace assay::harness {

// One session as it passed, or as much of it as is known.
struct RecordedSession {
  std::vector<EventPtr> events;  // numbered from 1 on, in order
  TransportKind transport = TransportKind::kStdio;
  std::string gap;          // see Trace
  bool is_altered = false;  // see Trace
  bool is_whole = false;    // the events go on to the end of the connection
  // What is spoken where the traffic does not tell.
  std::optional<model::Revision> fallback;
};

// What the two say of themselves.
struct Introductions {
  Json server;  // results of `initialize` and `server/discover`, with the name as `serverInfo`
  Json client;  // the params of `initialize`, or only `clientInfo` where each request names it
};
Introductions introductions_in(std::span<const EventPtr> events);
// Gives the target the name and version of these, where it has none yet.
void name_target(const Json& info, reports::Target& target);

// As a certification counts it: what reached the party that is judged, and what came from it.
reports::Cost cost_of_session(std::span<const EventPtr> events, Party judged);

// What monitors find of the party, with its evidence. `from` is the part of the plan.
Judgements judge_session(const RecordedSession& conversation, Party party, model::Revision revision,
                         const std::string& from);
// Gives each finding its evidence out of these events, and lets go of them.
Judgements with_evidence(Findings findings, std::span<const EventPtr> events,
                         const std::string& from);

}  // namespace assay::harness
