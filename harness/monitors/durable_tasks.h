// What messages of the extension `io.modelcontextprotocol/tasks` say, for the monitors that follow
// its tasks.
//
// Specification: the page of the extension.
#pragma once

#include <string>
#include <string_view>

#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "reference/model/extension.h"
#include "reference/model/validate.h"

namespace assay::harness {

// Whether the extension extends the revision; and the revision with it.
bool has_durable_tasks(model::Revision revision);
model::Protocol with_durable_tasks(model::Revision revision);

// tasks/get, tasks/update and tasks/cancel.
bool is_about_durable_task(std::string_view method);
bool declares_durable_tasks(model::Revision revision, const Json& capabilities);
// Whether the request at hand declares the extension; false where it says nothing of capabilities.
bool declares_durable_tasks(const SessionView& session);
// The result of a call that is a task by what it holds, whatever it says of its type: flat, as the
// extension has it; or in a member `task`, as 2025-11-25 had it.
bool is_flat_task(const Json& result);
bool is_nested_task(const Json& result);
bool is_durable_status(std::string_view status);
bool is_durable_end(std::string_view status);

// The first member of an empty result that does not belong there; empty if there is none.
std::string superfluous_member(const Json& result);
// Where the forms of requests and results begin that are judged by themselves, as they are without
// a task.
bool is_within_payload(std::string_view pointer);

}  // namespace assay::harness
