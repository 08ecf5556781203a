// Judges what subscriptions to the status of tasks bring.
//
// Specification: the extension's page, "Task Status Notifications".
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "harness/monitors/durable_tasks.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;
using wire::Id;

constexpr std::size_t kMostTaskListens = 256;

struct TaskListen {
  EventPtr request;
  EventPtr acknowledged;
  std::set<std::string, std::less<>> agreed;
};

class ExtTaskListenMonitor : public Monitor {
 public:
  std::string_view name() const override { return "ext_task_listen_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {"ext-tasks.notified-as-agreed", "ext-tasks.no-progress-when-listening",
            "ext-tasks.listen-undeclared-error"};
  }
  bool holds_in(model::Revision revision) const override { return has_durable_tasks(revision); }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_judged) {
      note_listen(sighting);
      return;
    }
    note_call(sighting);
    if (!sighting.is_notification() || has_shared_ids_) return;
    const Id* id = nullptr;
    TaskListen* const listen = listen_of(sighting, session, id);
    if (listen == nullptr) return;
    const std::string_view method = sighting.message.method();
    if (method == "notifications/subscriptions/acknowledged") {
      note_acknowledgement(*listen, *id, sighting, session, judge);
    } else if (method == "notifications/tasks") {
      judge_status(*listen, sighting, judge);
    } else if (method == "notifications/progress" || method == "notifications/message") {
      judge.broke("ext-tasks.no-progress-when-listening",
                  fmt::format("{} came on a subscription for a task", method),
                  {listen->request, sighting.event}, "/method");
    }
  }

 private:
  // Only a call that asks for progress and log messages can have had them.
  void note_call(const Sighting& sighting) {
    if (!sighting.is_result() || sighting.exchange == nullptr ||
        !is_flat_task(sighting.message.result()))
      return;
    const Json& meta = member(sighting.exchange->request.params(), "_meta");
    const bool asks = !member(meta, "progressToken").is_null() &&
                      !member(meta, "io.modelcontextprotocol/logLevel").is_null();
    if (sighting.exchange->request.method() != "tools/call" || !asks) return;
    if (asking_.size() >= kMostTaskListens) return;
    asking_.emplace(text_member(sighting.message.result(), "taskId"));
  }

  // Those that ask for tasks.
  void note_listen(const Sighting& sighting) {
    if (!sighting.is_request() || sighting.message.method() != "subscriptions/listen") return;
    const Id id = *sighting.message.id();
    has_shared_ids_ = has_shared_ids_ || listens_.contains(id);
    const Json& filter = member(sighting.message.params(), "notifications");
    if (array_member(filter, "taskIds").empty() || listens_.size() >= kMostTaskListens) return;
    listens_[id].request = sighting.event;
  }

  // By the stream over HTTP, by the subscription's id over stdio.
  TaskListen* listen_of(const Sighting& sighting, const SessionView& session, const Id*& id) {
    const Json& tag = member(member(sighting.message.params(), "_meta"),
                             "io.modelcontextprotocol/subscriptionId");
    for (auto& [each, listen] : listens_) {
      const bool is_it = session.transport().is_streamable_http()
                             ? listen.request->observation.lane == sighting.event->observation.lane
                             : !tag.is_null() && each == Id::from_json_text(tag.dump());
      if (!is_it) continue;
      id = &each;
      return &listen;
    }
    return nullptr;
  }

  static void note_acknowledgement(TaskListen& listen, const Id& id, const Sighting& sighting,
                                   const SessionView& session, Judge& judge) {
    listen.acknowledged = sighting.event;
    for (const Json& task :
         array_member(member(sighting.message.params(), "notifications"), "taskIds")) {
      if (task.is_string()) listen.agreed.insert(task.get<std::string>());
    }
    const Exchange* const exchange = session.exchange(id, Party::kClient);
    if (exchange == nullptr || exchange->request_event != listen.request) return;
    const Json& capabilities = member(member(exchange->request.params(), "_meta"),
                                      "io.modelcontextprotocol/clientCapabilities");
    if (!capabilities.is_object()) return;
    if (declares_durable_tasks(session.revision(), capabilities)) return;
    judge.broke("ext-tasks.listen-undeclared-error",
                "a subscription with taskIds was acknowledged, and does not declare the extension",
                {listen.request, sighting.event});
  }

  void judge_status(const TaskListen& listen, const Sighting& sighting, Judge& judge) const {
    // What comes before the acknowledgement, the core protocol has a rule for.
    if (!listen.acknowledged) return;
    const RequirementId rule("ext-tasks.notified-as-agreed");
    const std::string_view task = text_member(sighting.message.params(), "taskId");
    if (listen.agreed.contains(task)) {
      judge.held(rule, sighting.event);
      if (asking_.contains(task)) {
        judge.held("ext-tasks.no-progress-when-listening", sighting.event);
      }
      return;
    }
    judge.broke(rule, "the subscription was told of a task that its acknowledgement does not list",
                {listen.acknowledged, sighting.event}, "/params/taskId");
  }

  std::map<Id, TaskListen> listens_;
  std::set<std::string, std::less<>> asking_;  // tasks whose calls ask for both
  bool has_shared_ids_ = false;
};

const MonitorRegistration<ExtTaskListenMonitor> kExtTaskListenMonitorRegistration;

}  // namespace
}  // namespace assay::harness
