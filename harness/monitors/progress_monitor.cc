// Judges the progress that the target reports: only of what is under way, and only upwards.
//
// Specification: basic/utilities/progress. What arrives on another stream than the answer did has
// no order that could be proved, so only what shares a lane is compared. A task goes on after the
// answer that created it, and its progress with it: basic/utilities/tasks.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/monitors/http_lanes.h"
#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/monitors/task_sightings.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;

// One operation of which progress may be reported.
struct Operation {
  Json token;
  EventPtr request;
  EventPtr answer;         // its end; null while it runs
  EventPtr given_up;       // its sender cancelled it, or closed its stream; null if it did not
  bool may_go_on = false;  // it was to be a task, and its answer does not say otherwise
  bool is_shared =
      false;  // another one had the token when it began: whose progress it is, nobody knows
  std::string task_id;             // it goes on as this task
  EventPtr task_end;               // where the task was seen at its end, or told to be there
  EventPtr late;                   // the first progress after that
  bool goes_on_elsewhere = false;  // progress was seen after that, on a lane of no known order
  EventPtr last;                   // the latest progress
  double progress = 0;
};

// Hostile targets may ask for as many operations as they like; we remember the latest.
constexpr std::size_t kMostOperations = 4096;

class ProgressMonitor : public Monitor {
 public:
  std::string_view name() const override { return "progress_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {"progress.token-type",
            "progress.token-unique",
            "progress.value-increases",
            "progress.token-of-active-request",
            "progress.token-of-running-operation",
            "progress.stops-on-completion",
            "progress.task-token-kept",
            "progress.task-stops-at-terminal",
            "tasks.related-task-given"};
  }
  std::vector<RequirementId> client_requirements() const override { return server_requirements(); }
  bool holds_in(model::Revision /*revision*/) const override { return true; }

  // Without a session, to close the stream of a request is to cancel it.
  void on_event(const EventPtr& event, const SessionView& session, Judge& /*judge*/) override {
    using Observed = transport::Observation::Kind;
    const Observed kind = event->observation.kind;
    const bool is_end = kind == Observed::kClosed || kind == Observed::kBroken;
    if (!is_end || !session.transport().answers_in_exchanges()) return;
    if (session.revision().has_sessions()) return;
    for (std::vector<Operation>* operations : {&theirs_, &own_}) {
      for (Operation& operation : *operations) {
        if (operation.answer || operation.given_up) continue;
        if (is_same_lane(operation.request, event)) operation.given_up = event;
      }
    }
  }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (sighting.is_request()) note_request(sighting, judge);
    if (sighting.message.method() == "notifications/cancelled")
      note_cancellation(sighting, session);
    note_task_ends(sighting);
    if (sighting.exchange != nullptr) {
      note_answer(sighting);
    } else if (sighting.is_from_judged && sighting.is_notification()) {
      const std::string_view method = sighting.message.method();
      if (method == "notifications/progress") judge_progress(sighting, judge);
    }
  }

  void on_end(const SessionView& /*session*/, Judge& judge) override {
    for (const Operation& operation : theirs_) {
      const bool has_stopped = !operation.late && !operation.goes_on_elsewhere;
      if (operation.task_end && operation.last && has_stopped) {
        judge.held("progress.task-stops-at-terminal", operation.task_end);
      }
    }
  }

 private:
  void note_request(const Sighting& sighting, Judge& judge) {
    const Json& meta = member(sighting.message.params(), "_meta");
    if (!meta.is_object() || !meta.contains("progressToken")) return;
    const Json& token = meta["progressToken"];
    const bool is_sound = token.is_string() || token.is_number_integer();
    if (sighting.is_from_judged) {
      judge.check("progress.token-type", is_sound,
                  "the progress token is neither a string nor an integer", sighting.event,
                  "/params/_meta/progressToken");
    }
    if (!is_sound) return;
    std::vector<Operation>& operations = sighting.is_from_judged ? own_ : theirs_;
    const Operation* other = find(operations, token);
    const bool is_unique = other == nullptr || is_over(*other);
    const bool is_of_one = judge.judged() == Party::kServer || is_of_one_client(*sighting.event);
    if (sighting.is_from_judged && is_of_one && !is_said_again(other, sighting)) {
      judge.check("progress.token-unique", is_unique,
                  "another request still under way has the same progress token", sighting.event,
                  "/params/_meta/progressToken");
    }
    Operation operation;
    operation.token = token;
    operation.request = sighting.event;
    operation.is_shared = !is_unique || (other != nullptr && other->is_shared);
    std::erase_if(operations, [&](const Operation& each) { return each.token == token; });
    if (operations.size() >= kMostOperations) operations.erase(operations.begin());
    operations.push_back(std::move(operation));
  }

  void note_answer(const Sighting& sighting) {
    const wire::Message& request = sighting.exchange->request;
    std::vector<Operation>& operations = sighting.is_from_judged ? theirs_ : own_;
    for (Operation& operation : operations) {
      if (operation.request != sighting.exchange->request_event) continue;
      operation.answer = sighting.event;
      operation.may_go_on = is_of_extension(sighting);
      if (!member(request.params(), "task").is_object() || sighting.is_error()) continue;
      operation.may_go_on = true;
      if (!sighting.is_result()) continue;
      operation.task_id =
          std::string(text_member(member(sighting.message.result(), "task"), "taskId"));
    }
  }

  void note_cancellation(const Sighting& sighting, const SessionView& session) {
    const Json& id = member(sighting.message.params(), "requestId");
    const Exchange* exchange =
        session.exchange(wire::Id::from_json_text(id.dump()), sighting.speaker());
    if (exchange == nullptr) return;
    for (Operation& operation : sighting.is_from_judged ? own_ : theirs_) {
      if (operation.request == exchange->request_event) operation.given_up = sighting.event;
    }
  }

  // The same message once more, because its exchange may have been lost.
  static bool is_said_again(const Operation* other, const Sighting& sighting) {
    return other != nullptr && !other->answer &&
           other->request->observation.bytes() == sighting.event->observation.bytes();
  }

  // What goes on behind a result of a type that an extension brings, only the extension says.
  static bool is_of_extension(const Sighting& sighting) {
    if (!sighting.is_result()) return false;
    const std::string_view type = text_member(sighting.message.result(), "resultType");
    return !type.empty() && type != "complete" && type != "input_required";
  }

  // A task that the other party runs goes on until it tells of its end: only then is its token free
  // again. What its sender gave up is over for it.
  static bool is_over(const Operation& operation) {
    if (operation.given_up) return true;
    return operation.answer != nullptr && (operation.task_id.empty() || operation.task_end);
  }

  void note_task_ends(const Sighting& sighting) {
    std::vector<Operation>& operations = sighting.is_from_judged ? theirs_ : own_;
    const auto note_end = [&](std::string_view id) {
      Operation* operation = find_task(operations, id);
      if (operation != nullptr && !operation->task_end) operation->task_end = sighting.event;
    };
    for (const SeenTask& seen : tasks_in(sighting)) {
      if (is_terminal_status(text_member(*seen.task, "status"))) {
        note_end(text_member(*seen.task, "taskId"));
      }
    }
    // Whoever has the result knows that the task is over; what refuses it may tell of that as well.
    const bool is_answer = !sighting.is_from_judged && sighting.exchange != nullptr;
    if (!is_answer || !sighting.exchange->request.method().starts_with("tasks/")) return;
    if (sighting.is_error() || sighting.exchange->request.method() == "tasks/result") {
      note_end(text_member(sighting.exchange->request.params(), "taskId"));
    }
  }

  // A task keeps the token of the request that created it.
  void judge_task_token(const Sighting& sighting, Judge& judge) {
    const Json& params = sighting.message.params();
    const Json& token = member(params, "progressToken");
    const Operation* task = find_task(theirs_, text_member(related_task(params), "taskId"));
    if (task == nullptr) return;
    if (task->token == token) {
      judge.held("progress.task-token-kept", sighting.event);
    } else if (find(theirs_, token) == nullptr) {
      judge.broke("progress.task-token-kept",
                  fmt::format("progress of a task whose request carried the token {}, with {}",
                              task->token.dump().substr(0, 80), token.dump().substr(0, 80)),
                  {task->request, sighting.event}, "/params/progressToken");
    }
  }

  static void judge_task_progress(Operation& operation, const Sighting& sighting, Judge& judge) {
    const Json& named = related_task(sighting.message.params());
    const std::vector<EventPtr> evidence = {operation.request, operation.answer, sighting.event};
    if (text_member(named, "taskId") == operation.task_id) {
      judge.held("tasks.related-task-given", sighting.event);
    } else {
      judge.broke("tasks.related-task-given",
                  fmt::format("progress of a task {} in its _meta",
                              named.is_null() ? "does not name it" : "names another one"),
                  evidence, "/params/_meta");
    }
    if (!operation.task_end) return;
    if (!is_same_lane(operation.task_end, sighting.event)) {
      operation.goes_on_elsewhere = true;
      return;
    }
    // One report may have been on its way when the task ended.
    if (!operation.late) {
      operation.late = sighting.event;
      return;
    }
    judge.broke("progress.task-stops-at-terminal", "progress was reported after the task had ended",
                {operation.task_end, operation.late, sighting.event}, "/params/progressToken");
  }

  void judge_progress(const Sighting& sighting, Judge& judge) {
    const Json& params = sighting.message.params();
    const Json& token = member(params, "progressToken");
    judge_task_token(sighting, judge);
    Operation* operation = find(theirs_, token);
    if (operation == nullptr) {
      judge.broke(
          "progress.token-of-active-request",
          fmt::format("no request carried the progress token {}", token.dump().substr(0, 80)),
          {sighting.event}, "/params/progressToken");
      return;
    }
    judge.held("progress.token-of-active-request", sighting.event);
    if (operation->is_shared) return;
    judge_end(*operation, sighting, judge);
    const Json& progress = member(params, "progress");
    if (!progress.is_number()) return;
    const double value = progress.get<double>();
    if (operation->last && is_same_lane(operation->last, sighting.event)) {
      if (value > operation->progress) {
        judge.held("progress.value-increases", sighting.event);
      } else {
        judge.broke("progress.value-increases",
                    fmt::format("the progress went from {} to {}", operation->progress, value),
                    {operation->last, sighting.event}, "/params/progress");
      }
    }
    operation->last = sighting.event;
    operation->progress = value;
  }

  static void judge_end(Operation& operation, const Sighting& sighting, Judge& judge) {
    // A task goes on after the answer that created it, and its progress with it.
    if (operation.answer && !operation.task_id.empty()) {
      judge_task_progress(operation, sighting, judge);
      return;
    }
    if (operation.answer && operation.may_go_on) return;
    if (!operation.answer) {
      judge.held("progress.token-of-running-operation", sighting.event);
      judge.held("progress.stops-on-completion", sighting.event);
      return;
    }
    if (!is_same_lane(operation.answer, sighting.event)) return;
    const std::vector<EventPtr> evidence = {operation.request, operation.answer, sighting.event};
    constexpr std::string_view kDetail =
        "progress was reported after the request had been answered";
    judge.broke("progress.token-of-running-operation", std::string(kDetail), evidence,
                "/params/progressToken");
    judge.broke("progress.stops-on-completion", std::string(kDetail), evidence,
                "/params/progressToken");
  }

  // The request that became this task; null if there is none.
  static Operation* find_task(std::vector<Operation>& operations, std::string_view id) {
    if (id.empty()) return nullptr;
    const auto found =
        std::find_if(operations.begin(), operations.end(),
                     [&](const Operation& operation) { return operation.task_id == id; });
    return found == operations.end() ? nullptr : &*found;
  }

  static bool is_same_lane(const EventPtr& one, const EventPtr& other) {
    return one->observation.lane == other->observation.lane;
  }

  static Operation* find(std::vector<Operation>& operations, const Json& token) {
    const auto found =
        std::find_if(operations.begin(), operations.end(),
                     [&](const Operation& operation) { return operation.token == token; });
    return found == operations.end() ? nullptr : &*found;
  }

  std::vector<Operation> theirs_;  // requests of the other party
  std::vector<Operation> own_;     // requests of the party that is judged
};

const MonitorRegistration<ProgressMonitor> kProgressMonitorRegistration;

}  // namespace
}  // namespace assay::harness
