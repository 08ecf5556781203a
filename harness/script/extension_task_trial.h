// Calls a tool for a client that has the extension for tasks, to find out what it does as one.
//
// Specification: extensions/tasks.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "harness/profile/profile.h"
#include "harness/script/connection.h"
#include "reference/model/extension.h"

namespace assay::harness {

// What the tool did when its call became a task, followed for `at_most`; nothing if it did not
// become one, or showed nothing. What is not over then is cancelled. A task that took `slow` takes
// time.
std::optional<ToolUse> try_as_extension_task(Connection& connection, const model::Extension& tasks,
                                             const std::string& tool, const Json& arguments,
                                             std::chrono::milliseconds at_most,
                                             std::chrono::milliseconds slow);

}  // namespace assay::harness
