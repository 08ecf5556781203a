#include "harness/monitors/task_sightings.h"

#include <fmt/format.h>

#include "harness/monitors/session_view.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

// What one list may make us look at.
constexpr std::size_t kMostListed = 10'000;

void add(TaskPlace place, const Json& task, std::string pointer, std::vector<SeenTask>& seen) {
  if (task.is_object()) seen.push_back({place, &task, std::move(pointer)});
}

void add_listed(const Json& result, std::vector<SeenTask>& seen) {
  std::size_t index = 0;
  for (const Json& task : array_member(result, "tasks")) {
    if (index == kMostListed) return;
    add(TaskPlace::kListed, task, fmt::format("/result/tasks/{}", index++), seen);
  }
}

}  // namespace

bool is_create_task_result(const Sighting& sighting) {
  if (!sighting.is_result() || sighting.exchange == nullptr) return false;
  const Json& result = sighting.message.result();
  return member(sighting.exchange->request.params(), "task").is_object() &&
         member(result, "task").is_object() && member(result, "content").is_null();
}

std::vector<SeenTask> tasks_in(const Sighting& sighting) {
  std::vector<SeenTask> seen;
  if (sighting.is_notification() && sighting.message.method() == "notifications/tasks/status") {
    add(TaskPlace::kNotified, sighting.message.params(), "/params", seen);
  } else if (is_create_task_result(sighting)) {
    add(TaskPlace::kCreated, member(sighting.message.result(), "task"), "/result/task", seen);
  } else if (sighting.is_result_of("tasks/get")) {
    add(TaskPlace::kGot, sighting.message.result(), "/result", seen);
  } else if (sighting.is_result_of("tasks/cancel")) {
    add(TaskPlace::kCancelled, sighting.message.result(), "/result", seen);
  } else if (sighting.is_result_of("tasks/list")) {
    add_listed(sighting.message.result(), seen);
  }
  return seen;
}

void TaskOrigins::note(const Sighting& sighting) {
  if (!is_create_task_result(sighting)) return;
  const std::string_view id = text_member(member(sighting.message.result(), "task"), "taskId");
  if (!id.empty()) requests_.insert_or_assign(std::string(id), sighting.exchange->request);
}

const wire::Message* TaskOrigins::find(const Sighting& sighting) const {
  if (!sighting.is_result_of("tasks/result")) return nullptr;
  const auto found = requests_.find(text_member(sighting.exchange->request.params(), "taskId"));
  return found == requests_.end() ? nullptr : &found->second;
}

const Json& related_task(const Json& params_or_result) {
  return member(member(params_or_result, "_meta"), kRelatedTask);
}

bool is_terminal_status(std::string_view status) {
  return status == "completed" || status == "failed" || status == "cancelled";
}

bool is_known_status(std::string_view status) {
  return is_terminal_status(status) || status == "working" || status == "input_required";
}

std::optional<catalogue::RequirementId> sentence_about_task(std::string_view method,
                                                            const model::Deviation& deviation) {
  const std::string_view pointer = deviation.pointer;
  if (pointer.ends_with("/createdAt")) return catalogue::RequirementId("tasks.created-at-given");
  if (pointer.ends_with("/lastUpdatedAt"))
    return catalogue::RequirementId("tasks.last-updated-given");
  if (pointer == "/result/ttl" && method == "tasks/get") {
    return catalogue::RequirementId("tasks.ttl-reported");
  }
  if (pointer.ends_with("/taskId") && deviation.found != "nothing") {
    return catalogue::RequirementId("tasks.id-string");
  }
  return std::nullopt;
}

}  // namespace assay::harness
