// Calls a tool as a task, to find out what it can be used for as one.
//
// Specification: basic/utilities/tasks (2025-11-25).
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "harness/profile/profile.h"
#include "harness/script/connection.h"

namespace assay::harness {

// What a server declares that runs tools as tasks.
inline constexpr std::string_view kToolsAsTasks = "tasks.requests.tools.call";
bool runs_tools_as_tasks(const Connection& connection);
// "forbidden" where the tool says nothing.
std::string_view task_support(const Json& tool);

// What the tool did when it was called as a task; nothing if no task was created, or none that came
// to its end in time. Then it is cancelled where that can be done.
std::optional<ToolUse> try_as_task(Connection& connection, const std::string& tool,
                                   const Json& arguments, std::chrono::milliseconds at_most);

}  // namespace assay::harness
