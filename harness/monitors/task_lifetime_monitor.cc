// Judges whether tasks live as long as the target says: a task that tasks/get gave with a ttl is
// not gone before that time is over.
//
// Specification: basic/utilities/tasks, "TTL and Resource Management" (2025-11-25): the answer to
// tasks/get holds the actual ttl, which the schema describes as how long the task is really kept,
// counted from its creation; only afterwards may it be deleted. Cancelled tasks may go at any time.
#include <fmt/format.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/monitors/task_sightings.h"
#include "harness/script/json_member.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

// Hostile targets may create as many tasks as they are asked for; more are not followed.
constexpr std::size_t kMostLifetimes = 20'000;

struct Lifetime {
  EventPtr asked;              // the request that created it: the task is no older than that
  EventPtr told;               // where its ttl was given last; null before tasks/get gave it
  std::optional<double> ttl;   // in milliseconds; nothing: without limit
  bool was_cancelled = false;  // or was to be
};

class TaskLifetimeMonitor : public Monitor {
 public:
  std::string_view name() const override { return "task_lifetime_monitor"; }
  std::vector<catalogue::RequirementId> server_requirements() const override {
    return {"tasks.ttl-reported"};
  }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!session.revision().has_core_tasks()) return;
    if (!sighting.is_from_judged) {
      note_cancellation(sighting);
      return;
    }
    for (const SeenTask& seen : tasks_in(sighting)) note(seen, sighting);
    if (sighting.is_error() && sighting.exchange != nullptr) judge_refusal(sighting, judge);
  }

 private:
  void note_cancellation(const Sighting& sighting) {
    if (!sighting.is_request() || sighting.message.method() != "tasks/cancel") return;
    const auto found = lifetimes_.find(text_member(sighting.message.params(), "taskId"));
    if (found != lifetimes_.end()) found->second.was_cancelled = true;
  }

  void note(const SeenTask& seen, const Sighting& sighting) {
    const std::string id(text_member(*seen.task, "taskId"));
    const auto found = lifetimes_.find(id);
    if (seen.place == TaskPlace::kCreated && found == lifetimes_.end()) {
      if (lifetimes_.size() < kMostLifetimes) {
        lifetimes_[id].asked = sighting.exchange->request_event;
      }
      return;
    }
    if (found == lifetimes_.end()) return;
    if (text_member(*seen.task, "status") == "cancelled") found->second.was_cancelled = true;
    if (seen.place != TaskPlace::kGot || !is_of_its_request(id, sighting)) return;
    const Json& ttl = member(*seen.task, "ttl");
    if (!seen.task->contains("ttl") || (!ttl.is_null() && !ttl.is_number())) return;
    found->second.told = sighting.event;
    found->second.ttl = ttl.is_number() ? std::optional(ttl.get<double>()) : std::nullopt;
  }

  static bool is_of_its_request(std::string_view id, const Sighting& sighting) {
    return text_member(sighting.exchange->request.params(), "taskId") == id;
  }

  // The age of the task is at most the time since its creator asked for it. Timers come a little
  // early: half of the time is plainly too little.
  void judge_refusal(const Sighting& sighting, Judge& judge) const {
    const wire::Message& request = sighting.exchange->request;
    if (request.method() != "tasks/get" || !member(request.params(), "_meta").is_null()) return;
    if (sighting.message.error_code() != wire::kInvalidParams) return;
    const auto found = lifetimes_.find(text_member(request.params(), "taskId"));
    if (found == lifetimes_.end()) return;
    const Lifetime& life = found->second;
    if (!life.told || life.was_cancelled) return;
    const std::chrono::duration<double, std::milli> age = sighting.event->at - life.asked->at;
    if (life.ttl && age.count() >= *life.ttl / 2) return;
    const std::string ttl = life.ttl ? fmt::format("a ttl of {:.0f} ms", *life.ttl)
                                     : std::string("no limit to its ttl");
    judge.broke("tasks.ttl-reported",
                fmt::format("tasks/get gave the task with {}, and did not know it any more {:.0f} "
                            "ms after it was asked for",
                            ttl, age.count()),
                {life.asked, life.told, sighting.event}, "/error");
  }

  std::map<std::string, Lifetime, std::less<>> lifetimes_;  // by the ids of the tasks
};

const MonitorRegistration<TaskLifetimeMonitor> kTaskLifetimeMonitorRegistration;

}  // namespace
}  // namespace assay::harness
