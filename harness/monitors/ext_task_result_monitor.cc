// Judges the results that a server gives about tasks of the extension: which they are, what they
// hold, and who gets them.
//
// Specification: the extension's page, "Capability Negotiation" to "Task Cancellation", "Task
// Execution Errors".
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "harness/monitors/durable_tasks.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;
using model::Deviation;

constexpr std::int64_t kTasksNotDeclared = -32021;

// The rule about tasks/get of a task in that status.
std::optional<RequirementId> rule_of_status(std::string_view status) {
  if (status == "working") return RequirementId("ext-tasks.get-working");
  if (status == "input_required") return RequirementId("ext-tasks.get-input-required");
  if (status == "completed") return RequirementId("ext-tasks.get-completed");
  if (status == "failed") return RequirementId("ext-tasks.get-failed");
  if (status == "cancelled") return RequirementId("ext-tasks.get-cancelled");
  return std::nullopt;
}

bool says_nothing(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

class ExtTaskResultMonitor : public Monitor {
 public:
  std::string_view name() const override { return "ext_task_result_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {"ext-tasks.may-create",
            "ext-tasks.undeclared-no-task",
            "ext-tasks.supported-methods-only",
            "ext-tasks.create-result-type",
            "ext-tasks.result-type-reserved",
            "ext-tasks.schema",
            "ext-tasks.failed-only-for-errors",
            "ext-tasks.inputs-before-task",
            "ext-tasks.get-answers-status",
            "ext-tasks.get-working",
            "ext-tasks.get-input-required",
            "ext-tasks.get-completed",
            "ext-tasks.get-cancelled",
            "ext-tasks.get-failed",
            "ext-tasks.get-result-type",
            "ext-tasks.update-acknowledged",
            "ext-tasks.update-result-type",
            "ext-tasks.cancel-acknowledged",
            "ext-tasks.cancel-result-type",
            "ext-tasks.methods-undeclared-error",
            "ext-tasks.failure-explained",
            "ext-tasks.may-notify"};
  }
  bool holds_in(model::Revision revision) const override { return has_durable_tasks(revision); }
  bool rests_on_history(RequirementId /*id*/) const override { return false; }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_judged) return;
    if (sighting.is_notification() && sighting.message.method() == "notifications/tasks") {
      return judge_notification(sighting, session, judge);
    }
    if (sighting.exchange == nullptr) return;
    const std::string_view method = sighting.exchange->request.method();
    if (is_about_durable_task(method)) judge_gate(sighting, session, judge);
    if (!sighting.is_result() || !sighting.message.result().is_object()) return;
    if (method == "tools/call") {
      judge_call(sighting, session, judge);
    } else if (method == "tasks/get") {
      judge_got(sighting, session, judge);
    } else if (is_about_durable_task(method)) {
      judge_acknowledged(sighting, judge);
    } else {
      judge_other(sighting, session, judge);
    }
  }

 private:
  // The one who asks has to declare the extension. A request that says nothing of capabilities is
  // malformed, which other rules speak of.
  static void judge_gate(const Sighting& sighting, const SessionView& session, Judge& judge) {
    if (!session.client_capabilities().is_object() || declares_durable_tasks(session)) return;
    const RequirementId rule("ext-tasks.methods-undeclared-error");
    if (sighting.is_result()) {
      judge.broke(rule,
                  fmt::format("{} was answered with a result, and does not declare the extension",
                              sighting.exchange->request.method()),
                  {sighting.event}, "/result");
    } else if (sighting.message.error_code() == kTasksNotDeclared) {
      judge.held(rule, sighting.event);
    }
  }

  // The first deviation from the type that is a breach, `but_for` that member of the result.
  static std::optional<Deviation> deviation_of(const Sighting& sighting, const SessionView& session,
                                               std::string_view type,
                                               std::string_view but_for = "") {
    const auto all =
        model::validate(with_durable_tasks(session.revision()), type, sighting.message.result());
    const auto found = std::find_if(all.begin(), all.end(), [&](const Deviation& each) {
      return each.strength == model::Strength::kMust && each.pointer != but_for &&
             !is_within_payload("/result" + each.pointer) && !each.pointer.starts_with("/_meta");
    });
    return found == all.end() ? std::nullopt : std::optional(*found);
  }

  static void judge_call(const Sighting& sighting, const SessionView& session, Judge& judge) {
    const Json& result = sighting.message.result();
    const bool says_task = text_member(result, "resultType") == "task";
    const bool is_task = is_flat_task(result) || is_nested_task(result);
    if (!says_task && !is_task) {
      if (declares_durable_tasks(session)) {
        judge.held("ext-tasks.result-type-reserved", sighting.event);
      }
      return;
    }
    // The form of what says that it is a task is the schema's matter.
    const bool is_other = says_task && !is_task && member(result, "content").is_array();
    if (is_other) {
      judge.broke("ext-tasks.result-type-reserved",
                  "the resultType is \"task\", and the result is that of the tool",
                  {sighting.event}, "/result/resultType");
      return;
    }
    judge.check("ext-tasks.create-result-type", says_task,
                "the result is a task, and its resultType is not \"task\"", sighting.event,
                "/result/resultType");
    judge_creation(sighting, session, judge);
  }

  static void judge_creation(const Sighting& sighting, const SessionView& session, Judge& judge) {
    const auto deviation = deviation_of(sighting, session, "CreateTaskResult", "/resultType");
    if (deviation) {
      judge.broke("ext-tasks.schema", model::to_text(*deviation), {sighting.event},
                  "/result" + deviation->pointer);
    } else {
      judge.held("ext-tasks.schema", sighting.event);
    }
    const bool is_declared = declares_durable_tasks(session);
    if (is_declared) judge.held("ext-tasks.may-create", sighting.event);
    if (!is_declared && session.client_capabilities().is_object()) {
      judge.broke("ext-tasks.undeclared-no-task",
                  "a call that does not declare the extension was answered with a task",
                  {sighting.event}, "/result");
    }
    judge_inputs(sighting, judge);
  }

  // Whoever asked has been answered, and the task carries nothing of it.
  static void judge_inputs(const Sighting& sighting, Judge& judge) {
    const RequirementId rule("ext-tasks.inputs-before-task");
    const Json& result = sighting.message.result();
    const Json& params = sighting.exchange->request.params();
    for (const char* member_of_round : {"inputRequests", "requestState"}) {
      if (!result.contains(member_of_round)) continue;
      judge.broke(rule,
                  fmt::format("the result that creates the task holds {}, as one that still asks",
                              member_of_round),
                  {sighting.event}, fmt::format("/result/{}", member_of_round));
      return;
    }
    if (member(params, "inputResponses").is_object()) judge.held(rule, sighting.event);
  }

  static void judge_got(const Sighting& sighting, const SessionView& session, Judge& judge) {
    const Json& result = sighting.message.result();
    judge.check("ext-tasks.get-result-type", text_member(result, "resultType") == "complete",
                "the resultType of a result of tasks/get is not \"complete\"", sighting.event,
                "/result/resultType");
    const std::string_view status = text_member(result, "status");
    const auto rule = rule_of_status(status);
    judge.check("ext-tasks.get-answers-status", rule.has_value(),
                status.empty() ? "the result of tasks/get is no task: it has no status"
                               : "the result of tasks/get has a status that does not exist",
                sighting.event, "/result/status");
    if (!rule) return;
    const Json& asked = member(sighting.exchange->request.params(), "taskId");
    const auto deviation = deviation_of(sighting, session, "GetTaskResult", "/resultType");
    if (deviation) {
      judge.broke(*rule, model::to_text(*deviation), {sighting.event},
                  "/result" + deviation->pointer);
    } else if (asked.is_string() && member(result, "taskId") != asked) {
      judge.broke(*rule, "the task is another one than was asked for",
                  {sighting.exchange->request_event, sighting.event}, "/result/taskId");
    } else {
      judge.held(*rule, sighting.event);
    }
    if (status == "failed") judge_failure(sighting, judge);
  }

  static void judge_failure(const Sighting& sighting, Judge& judge) {
    const Json& result = sighting.message.result();
    judge.check("ext-tasks.failure-explained", !says_nothing(text_member(result, "statusMessage")),
                "the failed task has no statusMessage", sighting.event, "/result");
    if (member(member(result, "result"), "isError") == true) {
      judge.broke("ext-tasks.failed-only-for-errors",
                  "the status is failed, and what the task holds is a result with isError",
                  {sighting.event}, "/result/status");
    }
  }

  static void judge_acknowledged(const Sighting& sighting, Judge& judge) {
    const bool is_update = sighting.exchange->request.method() == "tasks/update";
    const Json& result = sighting.message.result();
    judge.check(is_update ? RequirementId("ext-tasks.update-result-type")
                          : RequirementId("ext-tasks.cancel-result-type"),
                text_member(result, "resultType") == "complete",
                fmt::format("the resultType of a result of {} is not \"complete\"",
                            sighting.exchange->request.method()),
                sighting.event, "/result/resultType");
    const std::string more = superfluous_member(result);
    judge.check(is_update ? RequirementId("ext-tasks.update-acknowledged")
                          : RequirementId("ext-tasks.cancel-acknowledged"),
                more.empty(),
                fmt::format("{} was not acknowledged with an empty result",
                            sighting.exchange->request.method()),
                sighting.event, (Json::json_pointer("/result") / more).to_string());
  }

  static void judge_other(const Sighting& sighting, const SessionView& session, Judge& judge) {
    const Json& result = sighting.message.result();
    const bool says_task = text_member(result, "resultType") == "task";
    if (!says_task) {
      if (declares_durable_tasks(session)) {
        judge.held("ext-tasks.supported-methods-only", sighting.event);
      }
      return;
    }
    if (is_flat_task(result)) {
      judge.broke("ext-tasks.supported-methods-only",
                  fmt::format("{} was answered with a task",
                              sighting.exchange->request.method().substr(0, 80)),
                  {sighting.event}, "/result/resultType");
    } else {
      judge.broke("ext-tasks.result-type-reserved",
                  "the resultType is \"task\", and the result is none", {sighting.event},
                  "/result/resultType");
    }
  }

  static void judge_notification(const Sighting& sighting, const SessionView& session,
                                 Judge& judge) {
    judge.held("ext-tasks.may-notify", sighting.event);
    const auto all = model::validate(with_durable_tasks(session.revision()),
                                     "TaskStatusNotificationParams", sighting.message.params());
    const auto found = std::find_if(all.begin(), all.end(), [](const Deviation& each) {
      return each.strength == model::Strength::kMust && !each.pointer.starts_with("/_meta") &&
             !is_within_payload(each.pointer);
    });
    if (found == all.end()) return judge.held("ext-tasks.schema", sighting.event);
    judge.broke("ext-tasks.schema", model::to_text(*found), {sighting.event},
                "/params" + found->pointer);
  }
};

const MonitorRegistration<ExtTaskResultMonitor> kExtTaskResultMonitorRegistration;

}  // namespace
}  // namespace assay::harness
