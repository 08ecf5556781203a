// Judges the target where it is the one who asks: requests that it makes tasks of its client's, and
// how it follows them.
//
// Specification: basic/utilities/tasks (2025-11-25).
#include <fmt/format.h>

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/monitors/task_sightings.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;

struct Augmentable {
  std::string_view method;
  std::string_view capability;  // of the client
};

constexpr std::array kAugmentable = {
    Augmentable{"sampling/createMessage", "tasks.requests.sampling.createMessage"},
    Augmentable{"elicitation/create", "tasks.requests.elicitation.create"},
};

class TaskRequestMonitor : public Monitor {
 public:
  std::string_view name() const override { return "task_request_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {"tasks.none-without-capability", "tasks.only-declared-augmented",
            "tasks.related-task-not-in-requests", "tasks.list-cursor-opaque"};
  }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!session.revision().has_core_tasks()) return;
    if (!sighting.is_from_judged && sighting.is_result_of("tasks/list")) {
      const std::string_view cursor = text_member(sighting.message.result(), "nextCursor");
      if (!cursor.empty()) cursors_.insert(std::string(cursor));
    }
    if (!sighting.is_from_judged || !sighting.is_request()) return;
    const std::string_view method = sighting.message.method();
    for (const Augmentable& request : kAugmentable) {
      if (request.method == method) judge_augmented(request, sighting, session, judge);
    }
    if (method.starts_with("tasks/")) judge_task_request(method, sighting, judge);
  }

 private:
  static void judge_augmented(const Augmentable& request, const Sighting& sighting,
                              const SessionView& session, Judge& judge) {
    const bool is_task = !member(sighting.message.params(), "task").is_null();
    if (!session.client_declares("tasks")) {
      judge.check(
          "tasks.none-without-capability", !is_task,
          "the server asked for a task, but the client does not declare the tasks capability",
          sighting.event, "/params/task");
    } else if (is_task || !session.client_declares(request.capability)) {
      judge.check("tasks.only-declared-augmented",
                  !is_task || session.client_declares(request.capability),
                  fmt::format("the server asked for a task, but the client does not declare {}",
                              request.capability),
                  sighting.event, "/params/task");
    }
  }

  void judge_task_request(std::string_view method, const Sighting& sighting, Judge& judge) const {
    const Json& params = sighting.message.params();
    judge.check("tasks.related-task-not-in-requests", related_task(params).is_null(),
                fmt::format("{} also names its task in _meta", method), sighting.event,
                "/params/_meta");
    if (method != "tasks/list" || member(params, "cursor").is_null()) return;
    judge.check("tasks.list-cursor-opaque",
                cursors_.contains(std::string(text_member(params, "cursor"))),
                "the client did not give this cursor", sighting.event, "/params/cursor");
  }

  std::set<std::string> cursors_;  // that we gave out: a few
};

const MonitorRegistration<TaskRequestMonitor> kTaskRequestMonitorRegistration;

}  // namespace
}  // namespace assay::harness
