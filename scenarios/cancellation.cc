// Scenarios about requests that are cancelled.
//
// Specification: basic/utilities/cancellation.
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

Json call_with_token(const ToolUse& tool, std::string_view token) {
  return {
      {"name", tool.name}, {"arguments", tool.arguments}, {"_meta", {{"progressToken", token}}}};
}

// Returns the notification, for evidence; null where it is not seen yet.
EventPtr cancel(Connection& session, const wire::Id& id) {
  const std::size_t from = session.mark();
  session.notify("notifications/cancelled",
                 {{"requestId", wire::to_json(id)}, {"reason", "mcp-assay tries it"}});
  for (const EventPtr& event : session.transcript().events(from)) {
    if (event->is_from_client()) return event;
  }
  return nullptr;
}

std::vector<EventPtr> progress_of(Connection& session, std::size_t from, std::string_view token) {
  std::vector<EventPtr> found;
  for (const EventPtr& event : session.transcript().events(from)) {
    if (event->is_from_client() || event->message() == nullptr) continue;
    if (event->message()->method() != "notifications/progress") continue;
    if (member(event->message()->params(), "progressToken") == token) found.push_back(event);
  }
  return found;
}

// How often a call is made anew that was over, or nearly so, when its cancellation arrived: more
// often where it costs little, as a busy machine may be in the way.
constexpr int kMostTries = 5;
constexpr int kMostQuickTries = 12;
constexpr std::chrono::seconds kQuick{1};

// What takes time is waited for longer than any other answer.
constexpr int kLongCalls = 4;

// A call that was cancelled, and what came of it while a companion of the same length ran.
struct Trial {
  Reply companion;
  std::vector<EventPtr> sent;     // the call, and its cancellation
  std::optional<Reply> answer;    // to the cancelled call
  std::vector<EventPtr> later;    // its reports after the cancellation had arrived
  bool has_reported_all = false;  // as often as the companion: there was nothing left to stop
};

struct CancelledCall {
  Pending call;
  EventPtr cancellation;
};

bool is_failure(const Reply& reply) {
  return reply.is_error() || member(reply.result(), "isError") == true;
}

// Waits for the first report of a call, or for its answer, after which none comes.
void await_report(Connection& session, const Pending& call) {
  session.wait_for(
      call.from,
      [&](const Event& event) {
        const bool is_report = event.is_from_server() && event.message() != nullptr &&
                               event.message()->method() == "notifications/progress";
        return is_report || session.poll(call).has_value();
      },
      session.patience().request);
}

// Starts the call, cancels it at its first report (or at once, if it makes none), and waits until
// the cancellation has arrived. Nothing if it had succeeded by then.
std::optional<CancelledCall> cancelled_call(Connection& session, const ToolUse& tool,
                                            std::string_view token) {
  const Pending call = session.start("tools/call", call_with_token(tool, token));
  if (tool.can(Ability::kReportsProgress)) {
    await_report(session, call);
  } else {
    session.fence();
  }
  const EventPtr cancellation = cancel(session, call.id);
  if (!session.fence()) throw Abandoned("after the cancellation a ping was not answered");
  // Over HTTP its stream may be closed by now without an answer.
  const auto reply = session.poll(call);
  if (reply && reply->is_answered() && !is_failure(*reply)) return std::nullopt;
  return CancelledCall{call, cancellation};
}

std::optional<Trial> try_cancellation(Connection& session, const ToolUse& tool, int number) {
  const std::string token = fmt::format("assay-cancelled-{}", number);
  const std::string companions = fmt::format("assay-companion-{}", number);
  const auto cancelled = cancelled_call(session, tool, token);
  if (!cancelled) return std::nullopt;
  const Pending& call = cancelled->call;
  const std::size_t from = session.mark();
  const Pending companion = session.start("tools/call", call_with_token(tool, companions));
  Trial trial{session.await(companion, kLongCalls * session.patience().request),
              {call.sent, cancelled->cancellation},
              {},
              {}};
  trial.answer = session.poll(call);
  trial.later = progress_of(session, from, token);
  trial.has_reported_all =
      tool.can(Ability::kReportsProgress) && progress_of(session, call.from, token).size() >=
                                                 progress_of(session, from, companions).size();
  return trial;
}

// The rules that a call breaks which goes on after its cancellation: `rule`, and where there are no
// sessions the one that lets nothing more be sent for it. (There it is cancelled over stdio alone.)
std::vector<RequirementId> with_silence(const Script& script, RequirementId rule) {
  if (!script.revision().is_stateless()) return {rule};
  return {rule, RequirementId("stdio.cancelled-no-messages")};
}

// Reports may come late, each by itself over HTTP, and work may stop at its next step only. When a
// call stopped that made fewer reports than one like it cannot be told.
void judge_later_reports(Script& script, const Trial& trial,
                         const std::vector<EventPtr>& evidence) {
  constexpr RequirementId kRule = "cancellation.stop-processing";
  const char* const detail =
      "the answer was withheld, but the cancelled call went on to report progress";
  const bool has_stopped = trial.later.size() < 2;
  if (has_stopped || trial.has_reported_all) {
    for (const RequirementId rule : with_silence(script, kRule)) {
      script.check(rule, has_stopped, evidence, detail, Crossed{});
    }
  } else {
    for (const RequirementId rule : with_silence(script, kRule)) {
      script.unclear(rule,
                     "reports of the cancelled call came after its cancellation, and may have been "
                     "on their way",
                     evidence);
    }
  }
}

// What cannot be cancelled may be answered, and from outside that cannot be told. But a call that
// fails where one like it succeeds was stopped by its cancellation, and should say nothing more.
void judge_answer(Script& script, const Trial& trial) {
  constexpr RequirementId kRule = "cancellation.no-response";
  const bool is_answered = trial.answer && trial.answer->is_answered();
  if (!is_answered) return script.check(kRule, true, trial.companion);
  if (!is_failure(*trial.answer) || is_failure(trial.companion)) {
    for (const RequirementId rule : with_silence(script, kRule)) {
      script.unclear(rule,
                     "the cancelled call was answered, as one that cannot be cancelled may be",
                     trial.answer->events());
    }
    return;
  }
  for (const RequirementId rule : with_silence(script, kRule)) {
    script.check(
        rule, false, *trial.answer,
        fmt::format("the cancelled call was answered with {}, and a call like it that was not "
                    "cancelled succeeded",
                    trial.answer->is_error() ? "an error" : "a result that says isError"));
  }
}

void judge_cancellation(Script& script, const ToolUse& tool, const Trial& trial) {
  const bool is_answered = trial.answer && trial.answer->is_answered();
  std::vector<EventPtr> evidence = trial.sent;
  evidence.insert(evidence.end(), trial.later.begin(), trial.later.end());
  if (is_answered) {
    // It may be one that cannot be cancelled: then the work is done, and the cancellation ignored.
    script.unclear("cancellation.stop-processing",
                   "the call was answered, as one that cannot be cancelled is", evidence);
  } else if (!tool.can(Ability::kReportsProgress)) {
    script.not_exercised("cancellation.stop-processing",
                         fmt::format("{} takes time, but does not show that it works", tool.name),
                         "name a tool that does both: [takes-time, reports-progress]");
  } else {
    // One report may have been on its way.
    judge_later_reports(script, trial, evidence);
  }
  judge_answer(script, trial);
}

// Without sessions, a client that listens over HTTP cancels by going away.
bool cancels_by_message(Script& script) {
  return script.revision().has_sessions() || !script.transport().answers_in_exchanges();
}

// Cancelled work stops, and is not answered. A companion that is started afterwards and takes as
// long shows when the answer would have been there.
SCENARIO(cancellation_stops_running_work, in_both_eras(), last_in_turn(),
         judges({"cancellation.stop-processing", "cancellation.no-response",
                 "stdio.cancelled-no-messages"})) {
  if (!cancels_by_message(script)) return;
  const auto tool = script.tool_with(Ability::kTakesTime);
  if (!tool) {
    script.lacks("cancellation.stop-processing", Ability::kTakesTime);
    for (const RequirementId rule : with_silence(script, "cancellation.no-response")) {
      script.lacks(rule, Ability::kTakesTime);
    }
    return;
  }
  std::string why = "the call had ended each time before it could be cancelled";
  int most = kMostTries;
  for (int i = 1; i <= most; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const auto trial = try_cancellation(script.session(), *tool, i);
    if (std::chrono::steady_clock::now() - start < kQuick) most = kMostQuickTries;
    if (!trial) continue;
    if (!trial->companion.is_result()) {
      why = "a second call did not succeed";
      break;
    }
    if (trial->has_reported_all && trial->later.size() < 2) continue;
    judge_cancellation(script, *tool, *trial);
    return;
  }
  script.unclear("cancellation.stop-processing", why);
  for (const RequirementId rule : with_silence(script, "cancellation.no-response")) {
    script.unclear(rule, why);
  }
}

// Of two calls that run at the same time, the one that is not cancelled is answered.
SCENARIO(cancellation_spares_other_requests, in_both_eras(), in_turn(),
         judges({"jsonrpc.request-answered-once"})) {
  const auto tool = script.tool_with(Ability::kTakesTime);
  if (!tool || !cancels_by_message(script)) return;
  Connection& session = script.session();
  const Pending cancelled = session.start("tools/call", call_with_token(*tool, "assay-given-up"));
  const Pending spared = session.start("tools/call", call_with_token(*tool, "assay-spared"));
  await_report(session, cancelled);
  cancel(session, cancelled.id);
  // It is meant to take its time.
  const Reply reply = session.await(spared, 3 * session.patience().request);
  script.check(
      "jsonrpc.request-answered-once", reply.is_answered(), reply,
      fmt::format("a call beside one that was cancelled was answered with {}", reply.describe()));
}

// An id is a text or a number, and one is not the other: who cancels "7" does not cancel 7.
SCENARIO(cancellation_tells_texts_from_numbers, in_both_eras(), in_turn(),
         judges({"cancellation.unknown-ignored"})) {
  constexpr std::int64_t kNumber = 471'108;
  const auto tool = script.tool_with(Ability::kTakesTime);
  if (!tool || !cancels_by_message(script)) return;
  Connection& session = script.session();
  const Pending call = session.start_with_id(wire::Id::of(kNumber), "tools/call",
                                             call_with_token(*tool, "assay-by-number"));
  session.fence();
  cancel(session, wire::Id::of_string(std::to_string(kNumber)));
  const auto patience = kLongCalls * session.patience().request;
  const Reply reply = session.await(call, patience);
  if (!reply.is_answered()) {
    const Json again = call_with_token(*tool, "assay-uncancelled");
    if (!session.await(session.start("tools/call", again), patience).is_answered()) {
      script.unclear("cancellation.unknown-ignored",
                     "a call that was not cancelled was not answered", reply.events());
      return;
    }
  }
  script.check("cancellation.unknown-ignored", reply.is_answered(), reply,
               fmt::format("a call with the number {} for its id was answered with {} after the "
                           "text \"{}\" was cancelled",
                           kNumber, reply.describe(), kNumber));
}

void judge_ignored(Script& script, RequirementId rule, Json params) {
  Connection& session = script.session();
  if (!session.fence()) {
    script.unclear(rule, "a ping before it was not answered");
    return;
  }
  const std::size_t from = session.mark();
  session.notify("notifications/cancelled", std::move(params));
  const bool goes_on = session.fence();
  // Only the notification can be its cause.
  const EventPtr error = session.error_without_id(from);
  const auto evidence = error ? std::vector<EventPtr>{error} : session.transcript().events(from);
  script.check(rule, goes_on && !error, evidence,
               error ? "the cancellation was answered with an error"
                     : "after the cancellation a ping was not answered",
               error ? std::nullopt : std::optional(Awaited{"the answer to a ping"}));
}

// A cancellation of what is unknown, finished or malformed changes nothing.
SCENARIO(cancellation_of_nothing_is_ignored, in_both_eras(),
         judges({"cancellation.unknown-ignored", "cancellation.completed-ignored",
                 "cancellation.malformed-ignored"})) {
  if (!cancels_by_message(script)) return;
  judge_ignored(script, "cancellation.unknown-ignored", {{"requestId", "assay-never-sent"}});
  const wire::Id finished = script.session().next_id();
  script.session().request_with_id(finished, script.session().fence_method());
  judge_ignored(script, "cancellation.completed-ignored", {{"requestId", wire::to_json(finished)}});
  const auto on_purpose = script.session().malformed_on_purpose();
  judge_ignored(script, "cancellation.malformed-ignored", {{"requestId", {{"no", "id"}}}});
  judge_ignored(script, "cancellation.malformed-ignored", nullptr);
}

// The second answer to one and the same request; null if there is none.
EventPtr second_answer(Connection& session, std::size_t from) {
  std::set<wire::Id> answered;
  for (const EventPtr& event : session.transcript().events(from)) {
    if (event->is_from_client() || event->message() == nullptr || !event->message()->id()) continue;
    if (!event->message()->id()->is_valid()) continue;
    const auto kind = event->message()->kind();
    if (kind != wire::MessageKind::kResult && kind != wire::MessageKind::kError) continue;
    if (!answered.insert(*event->message()->id()).second) return event;
  }
  return nullptr;
}

// A cancellation that crosses the answer disturbs nothing, whichever comes first.
SCENARIO(cancellation_races_are_handled, in_both_eras(), judges({"cancellation.races-handled"})) {
  constexpr int kRounds = 8;
  if (!cancels_by_message(script)) return;
  Connection& session = script.session();
  if (!session.fence()) {
    script.unclear("cancellation.races-handled", "a ping before it was not answered");
    return;
  }
  const std::size_t from = session.mark();
  for (int round = 0; round < kRounds; ++round) cancel(session, session.start_fence().id);
  const Reply reply = session.probe();
  if (const EventPtr twice = second_answer(session, from)) {
    script.check("cancellation.races-handled", false, {twice},
                 "a request was answered, and answered again when its cancellation came");
    return;
  }
  script.check("cancellation.races-handled", reply.is_result(), session.transcript().events(from),
               "after cancellations sent right after their requests, a ping was not answered",
               Awaited{"the answer to a ping"});
}

}  // namespace
}  // namespace assay::scenarios
