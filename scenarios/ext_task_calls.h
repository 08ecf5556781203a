// Calls of tools that go on as tasks of the extension `io.modelcontextprotocol/tasks`, for the
// scenarios about them. Each request declares the extension for itself, as clients have to.
//
// Specification: the page of the extension.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/script/means.h"
#include "harness/script/script.h"
#include "reference/model/extension.h"

namespace assay::scenarios {

// The extension.
const model::Extension& tasks_extension();
// The params with `_meta` that declares the extension beside all that the suite declares.
Json declaring_tasks(harness::Connection& session, Json params);
// A request that declares the extension. One that does not is a request as any other.
harness::Reply ask_about_tasks(harness::Connection& session, std::string_view method, Json params);

// A call of a tool, and what came of it.
struct DurableCall {
  harness::ToolUse tool;
  harness::Reply reply;
  std::string id;  // of the task; empty if none was created
  bool is_task() const { return !id.empty(); }
};
// `meta` is what its _meta says beside what each request says.
DurableCall call_durably(harness::Script& script, const harness::ToolUse& tool,
                         const Json& meta = Json::object());
// The same call by a client without the extension.
harness::Reply call_plainly(harness::Script& script, const harness::ToolUse& tool);

// Calls the tools that may be called and are known to be tasks of that ability, until one is a
// task; without one each of the rules is noted as not exercised.
std::optional<DurableCall> create_durable(harness::Script& script, harness::Ability ability,
                                          std::initializer_list<catalogue::RequirementId> rules,
                                          const Json& meta = Json::object());
// Of any ability, those first that take their time.
std::optional<DurableCall> create_any_durable(
    harness::Script& script, std::initializer_list<catalogue::RequirementId> rules);
// The tools that may be called and are known to be tasks, whatever they do: each once.
std::vector<harness::ToolUse> durable_tools(harness::Script& script);

harness::Reply get_durable(harness::Connection& session, const std::string& id);
harness::Reply update_durable(harness::Connection& session, const std::string& id, Json responses);
harness::Reply cancel_durable(harness::Connection& session, const std::string& id);
// Polls until the status is another than these, or patience ends; the last answer to tasks/get.
harness::Reply poll_durable_while(harness::Connection& session, const std::string& id,
                                  std::initializer_list<std::string_view> statuses);
// Answers what the task asks, as a polite client does, until it is at its end or patience ends.
harness::Reply lead_to_end(harness::Script& script, const std::string& id);
// Cancels what is no longer needed.
void drop_durable(harness::Connection& session, const std::string& id);

// Listens to these tasks. A listener that does not declare the extension says nothing of it.
harness::Pending listen_to_tasks(harness::Connection& session, const std::vector<std::string>& ids,
                                 bool declares = true);
// The first of the answer to a subscription and its acknowledgement; null if neither came.
harness::EventPtr first_word(harness::Connection& session, const harness::Pending& pending);
bool is_acknowledgement(const harness::EventPtr& word);
void stop_listening(harness::Connection& session, const harness::Pending& pending);

// What a polite client answers to each of the questions that a task asks.
Json polite_responses(harness::Script& script, const Json& requests);

}  // namespace assay::scenarios
