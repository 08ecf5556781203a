// Judges the times that the target gives of its tasks: each was created once, and is updated when
// its status changes.
//
// Specification: basic/utilities/tasks, "TTL and Resource Management" (2025-11-25): createdAt tells
// when the task was created, and lastUpdatedAt when it was last updated, in all task responses.
// Their form is the schema monitor's; here only texts of one form are compared, so that a server
// may round them as it likes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "harness/monitors/monitor.h"
#include "harness/monitors/task_sightings.h"
#include "harness/script/json_member.h"

namespace assay::harness {
namespace {

// Hostile targets may show as many tasks as they like; more are not followed.
constexpr std::size_t kMostTimes = 20'000;
// A task that was looked at so long after its creation and changed later has another time of its
// last update, if the server counts in milliseconds.
constexpr std::chrono::milliseconds kClearlyLater{50};
constexpr std::chrono::milliseconds kLaterBySeconds{2'000};

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Milliseconds of "2025-11-25T10:30:00.123Z" since some beginning. Nothing of another form: without
// milliseconds, or of another zone.
std::optional<std::int64_t> moment_of(std::string_view text) {
  if (text.size() < 24 || text[10] != 'T' || text[19] != '.' || text.back() != 'Z') {
    return std::nullopt;
  }
  std::optional<std::int64_t> parts[7];
  const std::size_t places[7][2] = {{0, 4}, {5, 2}, {8, 2}, {11, 2}, {14, 2}, {17, 2}, {20, 3}};
  for (std::size_t i = 0; i < 7; ++i) {
    parts[i] = number_in(text.substr(places[i][0], places[i][1]));
    if (!parts[i]) return std::nullopt;
  }
  const std::chrono::year_month_day day(std::chrono::year(static_cast<int>(*parts[0])),
                                        std::chrono::month(static_cast<unsigned>(*parts[1])),
                                        std::chrono::day(static_cast<unsigned>(*parts[2])));
  if (!day.ok()) return std::nullopt;
  const auto days = std::chrono::sys_days(day).time_since_epoch().count();
  return (((days * 24 + *parts[3]) * 60 + *parts[4]) * 60 + *parts[5]) * 1000 + *parts[6];
}

// What was last seen of a task.
struct Times {
  EventPtr first;               // where it was seen first
  std::string created;          // as it was given then
  EventPtr seen;                // the latest sighting of the status below
  std::chrono::nanoseconds at;  // when that was asked for
  std::string status;
  std::string updated;
};

class TaskTimesMonitor : public Monitor {
 public:
  std::string_view name() const override { return "task_times_monitor"; }
  std::vector<catalogue::RequirementId> server_requirements() const override {
    return {"tasks.created-at-given", "tasks.last-updated-given"};
  }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    if (!sighting.is_from_judged || !session.revision().has_core_tasks()) return;
    for (const SeenTask& seen : tasks_in(sighting)) {
      if (seen.place == TaskPlace::kNotified) continue;  // it may be overtaken on its way
      judge_order(seen, sighting, judge);
      if (is_the_one_named(seen, sighting)) follow(seen, sighting, judge);
    }
  }

 private:
  static bool is_the_one_named(const SeenTask& seen, const Sighting& sighting) {
    if (seen.place != TaskPlace::kGot && seen.place != TaskPlace::kCancelled) return true;
    return member(sighting.exchange->request.params(), "taskId") == member(*seen.task, "taskId");
  }

  // No task is updated before it is created.
  static void judge_order(const SeenTask& seen, const Sighting& sighting, Judge& judge) {
    const auto created = moment_of(text_member(*seen.task, "createdAt"));
    const auto updated = moment_of(text_member(*seen.task, "lastUpdatedAt"));
    if (!created || !updated || *updated >= *created) return;
    judge.broke("tasks.last-updated-given", "the task was last updated before it was created",
                {sighting.event}, seen.pointer + "/lastUpdatedAt");
  }

  void follow(const SeenTask& seen, const Sighting& sighting, Judge& judge) {
    const std::string id(text_member(*seen.task, "taskId"));
    const std::string created(text_member(*seen.task, "createdAt"));
    if (id.empty() || sighting.exchange == nullptr) return;
    const auto known = times_.find(id);
    if (known == times_.end()) {
      if (times_.size() >= kMostTimes) return;
      Times& times = times_[id];
      times.first = sighting.event;
      times.created = created;
      note(seen, sighting, times);
      return;
    }
    Times& times = known->second;
    judge_creation(times, created, seen, sighting, judge);
    judge_update(times, seen, sighting, judge);
    note(seen, sighting, times);
  }

  static void note(const SeenTask& seen, const Sighting& sighting, Times& times) {
    times.seen = sighting.event;
    times.at = sighting.exchange->request_event->at;
    times.status = text_member(*seen.task, "status");
    times.updated = text_member(*seen.task, "lastUpdatedAt");
  }

  // A task was created at one time, whenever it is asked.
  static void judge_creation(const Times& times, const std::string& created, const SeenTask& seen,
                             const Sighting& sighting, Judge& judge) {
    const auto first = moment_of(times.created);
    const auto now = moment_of(created);
    if (!first || !now || times.created.size() != created.size()) return;
    if (std::max(*first, *now) - std::min(*first, *now) < 2) return;  // rounded another way
    judge.broke("tasks.created-at-given",
                fmt::format("the task was created at {}, and is said to have been created at {}",
                            times.created, created),
                {times.first, sighting.event}, seen.pointer + "/createdAt");
  }

  static bool is_status(std::string_view status) {
    constexpr std::array<std::string_view, 5> kAll = {"working", "input_required", "completed",
                                                      "failed", "cancelled"};
    return std::find(kAll.begin(), kAll.end(), status) != kAll.end();
  }

  // A change of status is an update. Only of a later question can it be said that the change came
  // after the sighting before, and only if that was well after the task's creation that the times
  // have to differ.
  static void judge_update(const Times& times, const SeenTask& seen, const Sighting& sighting,
                           Judge& judge) {
    const std::string updated(text_member(*seen.task, "lastUpdatedAt"));
    const auto before = moment_of(times.updated);
    const auto now = moment_of(updated);
    const bool is_later = sighting.exchange->request_event->n > times.seen->n;
    if (!before || !now || !is_later || times.updated.size() != updated.size()) return;
    if (*now + 1 < *before) {
      judge.broke("tasks.last-updated-given", "the time of the last update went backwards",
                  {times.seen, sighting.event}, seen.pointer + "/lastUpdatedAt");
      return;
    }
    // Times that are cut to seconds are equal within one.
    const bool is_cut = updated.find('.') == std::string::npos;
    const bool was_long_after =
        times.at - times.first->at >= (is_cut ? kLaterBySeconds : kClearlyLater);
    const bool is_that_of_creation = updated == times.updated && updated == times.created;
    const std::string_view status = text_member(*seen.task, "status");
    if (times.status == status || !was_long_after) return;
    // That a status does not exist is judged elsewhere; whether it is a change nobody can tell.
    if (!is_status(times.status) || !is_status(status) || !is_that_of_creation) return;
    judge.broke("tasks.last-updated-given",
                fmt::format("the status went from {} to {}, and the time of the last update is "
                            "still that of the creation",
                            times.status, text_member(*seen.task, "status")),
                {times.seen, sighting.event}, seen.pointer + "/lastUpdatedAt");
  }

  std::map<std::string, Times, std::less<>> times_;  // by the ids of the tasks
};

const MonitorRegistration<TaskTimesMonitor> kTaskTimesMonitorRegistration;

}  // namespace
}  // namespace assay::harness
