// Judges which tools a client calls as tasks: by what the server declares, and what each tool says;
// and how it asks after its tasks.
//
// Specification: basic/utilities/tasks, "Capability Negotiation", "Tool-Level Negotiation", "Task
// Listing", "Associating Task-Related Messages" (2025-11-25).
#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/monitors/task_sightings.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;

class ClientTaskMonitor : public Monitor {
 public:
  // Tools of a server that are remembered.
  static constexpr std::size_t kMostTools = 10'000;

  std::string_view name() const override { return "client_task_monitor"; }
  std::vector<RequirementId> client_requirements() const override {
    return {"tasks.tool-required-augmented",
            "tasks.tool-forbidden-not-augmented",
            "tasks.tool-not-augmented-without-capability",
            "tasks.none-without-capability",
            "tasks.only-declared-augmented",
            "tasks.related-task-not-in-requests",
            "tasks.list-cursor-opaque"};
  }
  bool holds_in(model::Revision revision) const override { return revision.has_core_tasks(); }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!session.revision().has_core_tasks()) return;
    if (sighting.is_result_of("tools/list")) {
      for (const Json& tool : array_member(sighting.message.result(), "tools")) note(tool);
      return;
    }
    if (sighting.is_result_of("tasks/list")) {
      const Json& cursor = member(sighting.message.result(), "nextCursor");
      const bool is_kept = cursor.is_string() && cursors_.size() < kMostTools;
      if (is_kept) cursors_.insert(cursor.get<std::string>());
    }
    if (sighting.is_from_judged && sighting.is_request()) judge_request(sighting, session, judge);
    const bool is_call = sighting.is_from_judged && sighting.is_request() &&
                         sighting.message.method() == "tools/call";
    if (is_call && !session.server().is_null()) judge_call(sighting, session, judge);
  }

 private:
  void note(const Json& tool) {
    if (support_.size() >= kMostTools) return;
    support_[std::string(text_member(tool, "name"))] =
        text_member(member(tool, "execution"), "taskSupport");
  }

  void judge_request(const Sighting& sighting, const SessionView& session, Judge& judge) const {
    const Json& params = sighting.message.params();
    const std::string_view method = sighting.message.method();
    if (!session.server().is_null()) {
      const bool is_task = member(params, "task").is_object();
      const bool is_call = method == "tools/call";
      if (is_call && !session.server_declares("tasks")) {
        judge.check("tasks.none-without-capability", !is_task,
                    "the client asked for a task, and the server does not declare tasks",
                    sighting.event, "/params/task");
      } else if (is_task) {
        judge.check("tasks.only-declared-augmented",
                    is_call && session.server_declares("tasks.requests.tools.call"),
                    fmt::format("{} is asked for as a task, and the server does not declare tasks "
                                "of it",
                                method),
                    sighting.event, "/params/task");
      }
    }
    if (!method.starts_with("tasks/")) return;
    judge.check("tasks.related-task-not-in-requests", related_task(params).is_null(),
                fmt::format("{} also names its task in _meta", method), sighting.event,
                "/params/_meta");
    const Json& cursor = member(params, "cursor");
    if (method != "tasks/list" || !cursor.is_string()) return;
    judge.check("tasks.list-cursor-opaque", cursors_.contains(cursor.get<std::string>()),
                "the server did not give this cursor", sighting.event, "/params/cursor");
  }

  void judge_call(const Sighting& sighting, const SessionView& session, Judge& judge) const {
    const Json& params = sighting.message.params();
    const auto tool = support_.find(text_member(params, "name"));
    // What a tool says that was not listed here, nobody can tell.
    if (tool == support_.end()) return;
    const bool is_task = !member(params, "task").is_null();
    const std::string& support = tool->second;
    if (!session.server_declares("tasks.requests.tools.call")) {
      judge.check("tasks.tool-not-augmented-without-capability", !is_task,
                  "a tool is called as a task, and the server does not declare "
                  "tasks.requests.tools.call",
                  sighting.event, "/params/task");
    } else if (support == "required") {
      judge.check("tasks.tool-required-augmented", is_task,
                  "a tool whose taskSupport is \"required\" is called without a task",
                  sighting.event, "/params");
    } else if (support.empty() || support == "forbidden") {
      judge.check("tasks.tool-forbidden-not-augmented", !is_task,
                  "a tool that is not to be called as a task is called as one", sighting.event,
                  "/params/task");
    }
  }

  std::set<std::string, std::less<>> cursors_;               // that the server gave
  std::map<std::string, std::string, std::less<>> support_;  // taskSupport, by the tool's name
};

const MonitorRegistration<ClientTaskMonitor> kClientTaskMonitorRegistration;

}  // namespace
}  // namespace assay::harness
