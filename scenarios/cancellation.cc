// Scenarios about requests that are cancelled.
//
// Specification: basic/utilities/cancellation.
#include <set>
#include <string_view>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

Json call_with_token(const ToolUse& tool, std::string_view token) {
  return {
      {"name", tool.name}, {"arguments", tool.arguments}, {"_meta", {{"progressToken", token}}}};
}

void cancel(Connection& session, const wire::Id& id) {
  session.notify("notifications/cancelled",
                 {{"requestId", wire::to_json(id)}, {"reason", "mcp-assay tries it"}});
}

std::vector<EventPtr> progress_of(Connection& session, std::size_t from, std::string_view token) {
  std::vector<EventPtr> found;
  for (const EventPtr& event : session.transcript().events(from)) {
    if (event->is_sent() || event->message() == nullptr) continue;
    if (event->message()->method() != "notifications/progress") continue;
    if (member(event->message()->params(), "progressToken") == token) found.push_back(event);
  }
  return found;
}

// Cancelled work stops, and is not answered. A companion that is started afterwards and takes as
// long shows when the answer would have been there.
SCENARIO(cancellation_stops_running_work, own_session(),
         judges({"cancellation.stop-processing", "cancellation.no-response"})) {
  const auto tool = script.tool_with(Ability::kTakesTime);
  if (!tool) {
    for (const RequirementId rule : {RequirementId("cancellation.stop-processing"),
                                     RequirementId("cancellation.no-response")}) {
      script.not_exercised(rule, "no tool is known to take its time", hint(Ability::kTakesTime));
    }
    return;
  }
  Connection& session = script.session();
  const Pending cancelled = session.start("tools/call", call_with_token(*tool, "assay-cancelled"));
  session.wait_for_notification(cancelled.from, "notifications/progress",
                                session.patience().request);
  cancel(session, cancelled.id);
  if (!session.barrier() || session.poll(cancelled)) {
    script.unclear("cancellation.stop-processing", "it had ended before it could be cancelled");
    script.unclear("cancellation.no-response", "it had ended before it could be cancelled");
    return;
  }
  const std::size_t from = session.mark();
  const Reply companion =
      session.await(session.start("tools/call", call_with_token(*tool, "assay-companion")));
  if (!companion.is_result()) {
    script.unclear("cancellation.stop-processing", "a second call did not succeed");
    script.unclear("cancellation.no-response", "a second call did not succeed");
    return;
  }
  // One report may have been on its way.
  const auto later = progress_of(session, from, "assay-cancelled");
  script.check("cancellation.stop-processing", later.size() < 2, later,
               "the cancelled call went on to report progress");
  const auto answer = session.poll(cancelled);
  const bool is_answered = answer && answer->is_answered();
  script.check("cancellation.no-response", !is_answered,
               is_answered ? answer->events() : companion.events(),
               "the cancelled call was answered");
}

// An answer without an id, of which only a notification can be the cause.
EventPtr complaint(Connection& session, std::size_t from) {
  for (const EventPtr& event : session.transcript().events(from)) {
    if (event->is_sent() || event->message() == nullptr) continue;
    const auto& id = event->message()->id();
    const bool is_error = event->message()->kind() == wire::MessageKind::kError;
    if (is_error && (!id || id->kind() == wire::Id::Kind::kNull)) return event;
  }
  return nullptr;
}

void judge_ignored(Script& script, RequirementId rule, Json params) {
  Connection& session = script.session();
  if (!session.barrier()) {
    script.unclear(rule, "a ping before it was not answered");
    return;
  }
  const std::size_t from = session.mark();
  session.notify("notifications/cancelled", std::move(params));
  const bool goes_on = session.barrier();
  const EventPtr error = complaint(session, from);
  const auto evidence = error ? std::vector<EventPtr>{error} : session.transcript().events(from);
  script.check(rule, goes_on && !error, evidence,
               error ? "the cancellation was answered with an error"
                     : "after the cancellation a ping was not answered",
               !error);
}

// A cancellation of what is unknown, finished or malformed changes nothing.
SCENARIO(cancellation_of_nothing_is_ignored,
         judges({"cancellation.unknown-ignored", "cancellation.completed-ignored",
                 "cancellation.malformed-ignored"})) {
  judge_ignored(script, "cancellation.unknown-ignored", {{"requestId", "assay-never-sent"}});
  const wire::Id finished = script.session().next_id();
  script.session().request_with_id(finished, "ping");
  judge_ignored(script, "cancellation.completed-ignored", {{"requestId", wire::to_json(finished)}});
  const auto on_purpose = script.session().malformed_on_purpose();
  judge_ignored(script, "cancellation.malformed-ignored", {{"requestId", {{"no", "id"}}}});
  judge_ignored(script, "cancellation.malformed-ignored", nullptr);
}

// The second answer to one and the same request; null if there is none.
EventPtr second_answer(Connection& session, std::size_t from) {
  std::set<wire::Id> answered;
  for (const EventPtr& event : session.transcript().events(from)) {
    if (event->is_sent() || event->message() == nullptr || !event->message()->id()) continue;
    if (!event->message()->id()->is_valid()) continue;
    const auto kind = event->message()->kind();
    if (kind != wire::MessageKind::kResult && kind != wire::MessageKind::kError) continue;
    if (!answered.insert(*event->message()->id()).second) return event;
  }
  return nullptr;
}

// A cancellation that crosses the answer disturbs nothing, whichever comes first.
SCENARIO(cancellation_races_are_handled, judges({"cancellation.races-handled"})) {
  constexpr int kRounds = 8;
  Connection& session = script.session();
  if (!session.barrier()) {
    script.unclear("cancellation.races-handled", "a ping before it was not answered");
    return;
  }
  const std::size_t from = session.mark();
  for (int round = 0; round < kRounds; ++round) cancel(session, session.start("ping").id);
  const Reply reply = session.request("ping");
  if (const EventPtr twice = second_answer(session, from)) {
    script.check("cancellation.races-handled", false, {twice},
                 "a request was answered, and answered again when its cancellation came");
    return;
  }
  script.check("cancellation.races-handled", reply.is_result(), session.transcript().events(from),
               "after cancellations at the heels of their requests a ping was not answered",
               reply.kind() == Reply::Kind::kSilence);
}

}  // namespace
}  // namespace assay::scenarios
