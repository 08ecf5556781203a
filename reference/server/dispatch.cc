#include <unordered_map>

#include "reference/server/handlers.h"
#include "reference/server/session.h"

namespace assay::server {
namespace {

using model::Revision;

template <auto kHandler>
Answer at_once(Session& session, const std::shared_ptr<Call>& call) {
  return kHandler(session, *call);
}

Answer call_tool_in_session(Session& session, const std::shared_ptr<Call>& call) {
  return call_tool(session, call);
}

const std::unordered_map<std::string_view, Method>& methods() {
  static const std::unordered_map<std::string_view, Method> kMethods = {
      {"initialize", {.handle = at_once<initialize>, .needs_session = false}},
      {"ping", {.handle = at_once<ping>, .needs_session = false}},
      {"tools/list", {.handle = at_once<list_tools>}},
      {"tools/call", {.handle = call_tool_in_session, .is_limited = true}},
      {"resources/list", {.handle = at_once<list_resources>}},
      {"resources/templates/list", {.handle = at_once<list_resource_templates>}},
      {"resources/read", {.handle = at_once<read_resource>}},
      {"resources/subscribe", {.handle = at_once<subscribe>}},
      {"resources/unsubscribe", {.handle = at_once<unsubscribe>}},
      {"prompts/list", {.handle = at_once<list_prompts>}},
      {"prompts/get", {.handle = at_once<get_prompt>}},
      {"completion/complete", {.handle = at_once<complete>, .is_limited = true}},
      {"logging/setLevel", {.handle = at_once<set_log_level>}},
      {"tasks/get",
       {.handle = at_once<get_task>, .exists = &Revision::has_core_tasks, .is_limited = true}},
      {"tasks/list", {.handle = at_once<list_tasks>, .exists = &Revision::has_core_tasks}},
      {"tasks/cancel", {.handle = at_once<cancel_task>, .exists = &Revision::has_core_tasks}},
      {"tasks/result", {.handle = task_result, .exists = &Revision::has_core_tasks}},
  };
  return kMethods;
}

const std::unordered_map<std::string_view, NotificationHandler>& notifications() {
  static const std::unordered_map<std::string_view, NotificationHandler> kNotifications = {
      {"notifications/initialized", initialized},
      {"notifications/cancelled", cancelled},
      {"notifications/tasks/status", client_task_status},
  };
  return kNotifications;
}

}  // namespace

const Method* find_method(std::string_view name) {
  const auto found = methods().find(name);
  return found == methods().end() ? nullptr : &found->second;
}

NotificationHandler find_notification(std::string_view name) {
  const auto found = notifications().find(name);
  return found == notifications().end() ? nullptr : found->second;
}

std::optional<std::string> string_member(const Json& object, const char* key) {
  const Json& value = member(object, key);
  if (!value.is_string()) return std::nullopt;
  return value.get<std::string>();
}

const Json& member(const Json& object, const char* key) {
  static const Json kNull = nullptr;
  if (!object.is_object()) return kNull;
  const auto found = object.find(key);
  return found == object.end() ? kNull : *found;
}

}  // namespace assay::server
