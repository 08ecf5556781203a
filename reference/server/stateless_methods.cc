// Specification: server/discover, basic/patterns/subscriptions.
#include "reference/server/stateless_methods.h"

#include <unordered_map>
#include <utility>

#include "reference/server/call.h"
#include "reference/server/durable_task.h"
#include "reference/server/extensions.h"
#include "reference/server/handlers.h"
#include "reference/server/identity.h"
#include "reference/server/resources.h"
#include "reference/server/skills.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

using std::chrono::milliseconds;

// Fixtures do not change; but whoever shares a cache with others has to know whose they are.
constexpr CachingHints kForEverybody{milliseconds(60'000), true};
constexpr CachingHints kForTheCaller{milliseconds(1'000), false};
// Some tools have a user interface for clients that render it.
constexpr CachingHints kForItsCapabilities{milliseconds(60'000), false};

template <auto kHandler>
Answer answer_now(StatelessContext& context, const std::shared_ptr<Call>& call) {
  return kHandler(context, *call);
}

Answer call_tool_without_session(StatelessContext& context, const std::shared_ptr<Call>& call) {
  return call_tool(context, call);
}

Answer discover(StatelessContext& context, const std::shared_ptr<Call>&) {
  return Json{{"supportedVersions", supported_versions(context.options())},
              {"capabilities", declared_capabilities(context.options(), context.speaks())},
              {"_meta", {{kServerInfoKey, server_info(context.speaks())}}},
              {"instructions", kInstructions}};
}

// Takes what a filter says under `key` if it is a boolean, or left out.
bool read_flag(const Json& filter, const char* key, bool& flag) {
  const Json& value = member(filter, key);
  if (value.is_boolean()) flag = value.get<bool>();
  return value.is_boolean() || !filter.contains(key);
}

// Of the tasks those that there are for the user are honoured.
bool read_task_ids(StatelessContext& context, const Json& filter, std::set<std::string>& tasks) {
  const Json& given = filter["taskIds"];
  if (!given.is_array()) return false;
  StatelessSession& connection = context.connection();
  for (const Json& id : given) {
    if (!id.is_string()) return false;
    const auto& text = id.get_ref<const std::string&>();
    const bool has_room = tasks.size() < context.options().bounds.listened_uris;
    auto& known = connection.services().durable_tasks;
    const bool is_known = context.options().has(Switch::kListensToAnyTask) ||
                          known.find(text, connection.user(), Switch::kListensToTasksOfAll);
    if (has_room && is_known) tasks.insert(text);
  }
  return true;
}

// Of the URIs those that name something are honoured; of very many, the first ones.
bool read_uris(const Context& context, const Json& filter, std::set<std::string>& uris) {
  if (!filter.contains("resourceSubscriptions")) return true;
  const Json& given = filter["resourceSubscriptions"];
  if (!given.is_array()) return false;
  const Bounds& bounds = context.options().bounds;
  for (const Json& uri : given) {
    if (!uri.is_string()) return false;
    const auto& text = uri.get_ref<const std::string&>();
    const bool has_room = uris.size() < bounds.listened_uris && text.size() <= bounds.uri_bytes;
    if (has_room && has_resource(context, text)) uris.insert(text);
  }
  return true;
}

std::optional<SubscriptionFilter> read_filter(const Context& context, const Json& filter) {
  SubscriptionFilter read;
  const bool is_valid = filter.is_object() && read_flag(filter, "toolsListChanged", read.tools) &&
                        read_flag(filter, "promptsListChanged", read.prompts) &&
                        read_flag(filter, "resourcesListChanged", read.resources) &&
                        read_uris(context, filter, read.uris);
  if (!is_valid) return std::nullopt;
  read.is_ignored = context.options().has(Switch::kIgnoresFilters);
  return read;
}

Answer listen(StatelessContext& context, const std::shared_ptr<Call>& call) {
  const Json& wanted = member(call->params(), "notifications");
  auto filter = read_filter(context, wanted);
  if (filter && context.options().has_tasks_extension && wanted.contains("taskIds")) {
    if (!context.declares_tasks()) return tasks_not_declared();
    if (!read_task_ids(context, wanted, filter->tasks)) filter.reset();
  }
  if (!filter) {
    return rejection(wire::kInvalidParams, "notifications must be a filter of notifications");
  }
  if (!context.calls().add(call)) {
    return Refusal{wire::kInvalidRequest, "Too many requests, or one of that id, are under way"};
  }
  StatelessSession& connection = context.connection();
  const auto subscription = std::make_shared<Subscription>(
      call, *std::move(filter), [connection = connection.weak_from_this()](const Call& ended) {
        if (const auto open = connection.lock()) open->calls().remove(ended);
      });
  if (connection.services().subscriptions.add(&connection, subscription)) return Later{};
  context.calls().remove(*call);
  return Refusal{wire::kInternalError, "Too many subscriptions"};
}

const std::unordered_map<std::string_view, StatelessMethod>& stateless_methods() {
  static const std::unordered_map<std::string_view, StatelessMethod> kMethods = {
      {"server/discover", {.handle = discover, .hints = kForEverybody}},
      {"tools/list", {.handle = answer_now<list_tools>, .hints = kForItsCapabilities}},
      {"tools/call",
       {.handle = call_tool_without_session, .may_need_input = true, .is_limited = true}},
      {"resources/list", {.handle = answer_now<list_resources>, .hints = kForEverybody}},
      {"resources/templates/list",
       {.handle = answer_now<list_resource_templates>, .hints = kForEverybody}},
      {"resources/read",
       {.handle = answer_now<read_resource>, .hints = kForTheCaller, .may_need_input = true}},
      {"prompts/list", {.handle = answer_now<list_prompts>, .hints = kForEverybody}},
      {"prompts/get", {.handle = answer_now<get_prompt>, .may_need_input = true}},
      {"completion/complete", {.handle = answer_now<complete>, .is_limited = true}},
      {"subscriptions/listen", {.handle = listen}},
      {"tasks/get", {.handle = answer_now<get_durable_task>, .extension = tasks_extension}},
      {"tasks/update", {.handle = answer_now<update_durable_task>, .extension = tasks_extension}},
      {"tasks/cancel", {.handle = answer_now<cancel_durable_task>, .extension = tasks_extension}},
      {"skills/list",
       {.handle = answer_now<list_skills>, .hints = kForEverybody, .extension = skills_extension}},
      {"skills/get",
       {.handle = answer_now<get_skill>, .hints = kForEverybody, .extension = skills_extension}},
      {"resources/directory/read",
       {.handle = answer_now<read_directory>, .extension = skills_extension}},
  };
  return kMethods;
}

}  // namespace

const StatelessMethod* find_stateless_method(const Options& options, std::string_view name) {
  const auto found = stateless_methods().find(name);
  if (found == stateless_methods().end()) return nullptr;
  const StatelessMethod& method = found->second;
  const bool is_there = method.extension == nullptr || is_offered(options, method.extension());
  return is_there ? &method : nullptr;
}

}  // namespace assay::server
