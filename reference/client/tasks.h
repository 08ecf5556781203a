// What a client runs as tasks for servers: requests that it takes as usual, and whose results wait
// to be fetched.
//
// Specification: basic/utilities/tasks (2025-11-25).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "reference/client/answers.h"

namespace assay::client {

// Puts handlers for `tasks/*` among these, and lets those for sampling and elicitation run as
// tasks where a server asks for that. The handlers share the tasks; they are called one at a time.
// Of a task whose request asks for progress, that is told when it comes to its end.
void add_task_handlers(std::map<std::string, Handler, std::less<>>& handlers, Notify notify);

}  // namespace assay::client
