// The tasks that a message shows, for the monitors that follow them.
//
// Specification: basic/utilities/tasks (2025-11-25).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/catalogue/requirement_id.h"
#include "harness/monitors/session_view.h"
#include "reference/model/validate.h"
#include "reference/wire/message.h"

namespace assay::harness {

// The key of `_meta` under which a message names the task that it belongs to.
inline constexpr std::string_view kRelatedTask = "io.modelcontextprotocol/related-task";

enum class TaskPlace { kCreated, kGot, kListed, kCancelled, kNotified };

struct SeenTask {
  TaskPlace place;
  const Json* task;     // an object; points into the message
  std::string pointer;  // where it stands in the message
};

// True for the answer to a task-augmented request that holds a task: a CreateTaskResult.
bool is_create_task_result(const Sighting& sighting);

// Every Task object in a message, whichever side runs the task.
std::vector<SeenTask> tasks_in(const Sighting& sighting);

// Which request each task was created for.
class TaskOrigins {
 public:
  void note(const Sighting& sighting);
  // The request whose result this result of tasks/result is; null if it is none, or not known.
  const wire::Message* find(const Sighting& sighting) const;

 private:
  std::map<std::string, wire::Message, std::less<>> requests_;  // by task
};

// The related task that a message names in its `_meta`: the value as it stands, or null.
const Json& related_task(const Json& params_or_result);

// completed, failed or cancelled.
bool is_terminal_status(std::string_view status);
// One of the five that there are.
bool is_known_status(std::string_view status);

// The sentence of its own that what breaks the form of a task in the result of `method` breaks, if
// there is one. A taskId that is missing is no id of any kind.
std::optional<catalogue::RequirementId> sentence_about_task(std::string_view method,
                                                            const model::Deviation& deviation);

}  // namespace assay::harness
