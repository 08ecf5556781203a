// The methods that a client may call, one file per topic, and the table that finds them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "reference/model/revision.h"
#include "reference/server/answer.h"

namespace assay::server {

class Call;
class Context;
class Session;
class StatelessContext;

using CallHandler = Answer (*)(Session&, const std::shared_ptr<Call>&);
using NotificationHandler = void (*)(Session&, const wire::Message&);

struct Method {
  CallHandler handle = nullptr;
  // Which revisions have the method; every one where this is null.
  model::Revision::Question exists = nullptr;
  bool needs_session = true;  // refused before `initialize` has been answered
  bool is_limited = false;    // in rate
};

// Nothing for a method that no revision has.
const Method* find_method(std::string_view name);
// Nothing for a notification that needs no reaction.
NotificationHandler find_notification(std::string_view name);

// lifecycle.cc
Answer initialize(Session& session, Call& call);
Answer ping(Session& session, Call& call);
void initialized(Session& session, const wire::Message& notification);
// cancellation.cc
void cancelled(Session& session, const wire::Message& notification);
void client_task_status(Session& session, const wire::Message& notification);
// tools.cc
Answer list_tools(Context& context, Call& call);
Answer call_tool(Context& context, const std::shared_ptr<Call>& call);
// resources.cc
Answer list_resources(Context& context, Call& call);
Answer list_resource_templates(Context& context, Call& call);
Answer read_resource(Context& context, Call& call);
Answer subscribe(Session& session, Call& call);
Answer unsubscribe(Session& session, Call& call);
// prompts.cc
Answer list_prompts(Context& context, Call& call);
Answer get_prompt(Context& context, Call& call);
// completion.cc
Answer complete(Context& context, Call& call);
// logging.cc
Answer set_log_level(Session& session, Call& call);
// tasks.cc
Answer get_task(Session& session, Call& call);
Answer list_tasks(Session& session, Call& call);
Answer cancel_task(Session& session, Call& call);
Answer task_result(Session& session, const std::shared_ptr<Call>& call);
// skills.cc
Answer list_skills(Context& context, Call& call);
Answer get_skill(Context& context, Call& call);
Answer read_directory(Context& context, Call& call);

// durable_methods.cc
Answer get_durable_task(StatelessContext& context, Call& call);
Answer update_durable_task(StatelessContext& context, Call& call);
Answer cancel_durable_task(StatelessContext& context, Call& call);
// What answers a request that has to declare the extension of tasks, and does not.
Refusal tasks_not_declared();

// Whether a client with these capabilities can be asked that: sampling, roots, elicitation.
bool allows_asking(const Json& capabilities, std::string_view method, const Json& params);

// A member of `object` that is a string; nothing if `object` is no object or lacks it.
std::optional<std::string> string_member(const Json& object, const char* key);
// A member of `object`; null if `object` is no object or lacks it.
const Json& member(const Json& object, const char* key);

}  // namespace assay::server
