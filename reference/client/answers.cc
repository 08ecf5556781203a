#include "reference/client/answers.h"

#include <algorithm>
#include <utility>

#include "reference/client/tasks.h"
#include "reference/model/extension.h"
#include "reference/wire/compose.h"

namespace assay::client {
namespace {

const Json& member(const Json& object, std::string_view name) {
  static const Json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(name);
  return found == object.end() ? kNothing : *found;
}

Json list_roots(const std::vector<Root>& roots) {
  Json list = Json::array();
  for (const Root& root : roots) {
    Json entry{{"uri", root.uri}};
    if (!root.name.empty()) entry["name"] = root.name;
    list.push_back(std::move(entry));
  }
  return Json{{"roots", std::move(list)}};
}

// The blocks of a message of that type; one may stand for an array of one.
std::size_t blocks(const Json& message, std::string_view type) {
  const auto is_it = [&](const Json& block) { return member(block, "type") == type; };
  const Json& content = member(message, "content");
  if (!content.is_array()) return is_it(content) ? 1 : 0;
  return static_cast<std::size_t>(std::count_if(content.begin(), content.end(), is_it));
}

// What tools gave stands alone, behind a message that used so many.
bool are_results_in_place(const Json& messages) {
  std::size_t due = 0;
  for (const Json& message : messages) {
    const std::size_t results = blocks(message, "tool_result");
    const Json& content = member(message, "content");
    const std::size_t all = content.is_array() ? content.size() : 1;
    if (results != due || (results != 0 && results != all)) return false;
    due = blocks(message, "tool_use");
  }
  return due == 0;
}

// Of somebody, and not empty.
bool is_message(const Json& message) {
  const Json& role = member(message, "role");
  return (role == "user" || role == "assistant") && member(message, "content").is_structured();
}

Answer create_message(const Json& params, bool has_tools) {
  const Json& messages = member(params, "messages");
  if (!messages.is_array() || !member(params, "maxTokens").is_number()) {
    return ErrorAnswer{wire::kInvalidParams, "messages and maxTokens are required"};
  }
  if (!std::all_of(messages.begin(), messages.end(), is_message)) {
    return ErrorAnswer{wire::kInvalidParams, "a message lacks its role or its content"};
  }
  const Json& tools = member(params, "tools");
  const bool wants_tools = !tools.is_null() || !member(params, "toolChoice").is_null();
  if (wants_tools && !has_tools) {
    return ErrorAnswer{wire::kInvalidParams, "sampling with tools was not declared"};
  }
  if (has_tools && !are_results_in_place(messages)) {
    return ErrorAnswer{wire::kInvalidParams, "tool results do not stand where they belong"};
  }
  Json answer{{"role", "assistant"}, {"model", "reference-client"}};
  const bool has_to_use = member(member(params, "toolChoice"), "mode") == "required";
  if (has_to_use && tools.is_array() && !tools.empty()) {
    answer["content"] = {{"type", "tool_use"},
                         {"id", "call-of-the-reference-client"},
                         {"name", member(tools.front(), "name")},
                         {"input", Json::object()}};
    answer["stopReason"] = "toolUse";
    return answer;
  }
  answer["content"] = {{"type", "text"}, {"text", "A sampled message of the reference client."}};
  answer["stopReason"] = "endTurn";
  return answer;
}

// The first value of an enumeration, in each of the ways in which the specification writes one.
Json first_choice(const Json& schema) {
  if (const Json& values = member(schema, "enum"); values.is_array() && !values.empty()) {
    return values.front();
  }
  for (const char* name : {"oneOf", "anyOf"}) {
    const Json& choices = member(schema, name);
    if (choices.is_array() && !choices.empty()) return member(choices.front(), "const");
  }
  return nullptr;
}

Json plain_string(const Json& schema) {
  const Json& format = member(schema, "format");
  if (format == "email") return "someone@example.com";
  if (format == "uri") return "https://example.com/";
  if (format == "date") return "2025-01-01";
  if (format == "date-time") return "2025-01-01T00:00:00Z";
  // A server may ask for any length; nobody needs more than this.
  constexpr std::uint64_t kLongest = 10000;
  const Json& shortest = member(schema, "minLength");
  const Json& longest = member(schema, "maxLength");
  std::string text = "text";
  if (longest.is_number_unsigned()) {
    text.resize(std::min<std::uint64_t>(text.size(), longest.get<std::uint64_t>()));
  }
  if (shortest.is_number_unsigned()) {
    const auto length = std::min(shortest.get<std::uint64_t>(), kLongest);
    if (length > text.size()) text.resize(length, 'x');
  }
  return text;
}

Json plain_number(const Json& schema) {
  const Json& minimum = member(schema, "minimum");
  if (minimum.is_number()) return minimum;
  const Json& maximum = member(schema, "maximum");
  if (maximum.is_number() && maximum < Json(1)) return maximum;
  return 1;
}

Json plain_array(const Json& schema) {
  Json list = Json::array();
  const Json& minimum = member(schema, "minItems");
  if (minimum.is_number() && minimum >= Json(1)) {
    list.push_back(first_choice(member(schema, "items")));
  }
  return list;
}

Json plain_value(const Json& schema) {
  if (Json choice = first_choice(schema); !choice.is_null()) return choice;
  const Json& type = member(schema, "type");
  if (type == "boolean") return true;
  if (type == "number" || type == "integer") return plain_number(schema);
  if (type == "array") return plain_array(schema);
  return plain_string(schema);
}

Answer elicit(const Json& params, const Offer& offer) {
  const bool is_url = member(params, "mode") == "url";
  if (!(is_url ? offer.elicitation_url : offer.elicitation_form)) {
    return ErrorAnswer{wire::kInvalidParams, "this mode of elicitation was not declared"};
  }
  if (is_url) return Json{{"action", "decline"}};
  return Json{{"action", "accept"},
              {"content", default_content(member(params, "requestedSchema"))}};
}

}  // namespace

Json client_capabilities(const Offer& offer, model::Revision revision) {
  Json capabilities = Json::object();
  if (offer.roots && revision.has_roots_changes()) capabilities["roots"] = {{"listChanged", true}};
  if (offer.roots && !revision.has_roots_changes()) capabilities["roots"] = Json::object();
  if (offer.sampling) {
    const bool has_tools = offer.sampling_tools && revision.has_sampling_tools();
    capabilities["sampling"] = Json::object();
    if (has_tools) capabilities["sampling"]["tools"] = Json::object();
  }
  if (revision.has_url_elicitation()) {
    Json modes = Json::object();
    if (offer.elicitation_form) modes["form"] = Json::object();
    if (offer.elicitation_url) modes["url"] = Json::object();
    if (!modes.empty()) capabilities["elicitation"] = std::move(modes);
  } else if (revision.has_elicitation() && offer.elicitation_form) {
    capabilities["elicitation"] = Json::object();
  }
  if (offer.tasks && revision.has_core_tasks()) {
    Json requests = Json::object();
    if (capabilities.contains("sampling")) requests["sampling"]["createMessage"] = Json::object();
    if (capabilities.contains("elicitation")) requests["elicitation"]["create"] = Json::object();
    if (!requests.empty()) {
      capabilities["tasks"] = {
          {"list", Json::object()}, {"cancel", Json::object()}, {"requests", requests}};
    }
  }
  const auto declare = [&](bool is_offered, std::string_view name) {
    const model::Extension* const extension = model::find_extension(name);
    if (!is_offered || extension == nullptr || !extension->extends(revision)) return;
    capabilities.update(extension->capability(), true);
  };
  declare(offer.durable_tasks, "tasks");
  declare(offer.apps, "apps");
  for (const model::Extension* extension : offer.extensions) {
    if (extension->extends(revision)) capabilities.update(extension->capability(), true);
  }
  return capabilities;
}

std::map<std::string, Handler, std::less<>> default_handlers(const Offer& offer,
                                                             model::Revision revision,
                                                             const Notify& notify) {
  std::map<std::string, Handler, std::less<>> handlers;
  handlers["ping"] = [](const Json&) { return Json::object(); };
  const Json capabilities = client_capabilities(offer, revision);
  if (capabilities.contains("roots")) {
    handlers["roots/list"] = [roots = offer.root_list](const Json&) { return list_roots(roots); };
  }
  if (capabilities.contains("sampling")) {
    const bool has_tools = capabilities["sampling"].contains("tools");
    // Before there were any, nobody asks for them, and their members mean nothing.
    const bool knows_tools = revision.has_sampling_tools();
    handlers["sampling/createMessage"] = [has_tools, knows_tools](const Json& params) {
      if (knows_tools) return create_message(params, has_tools);
      Json known = params;
      if (known.is_object()) {
        known.erase("tools");
        known.erase("toolChoice");
      }
      return create_message(known, false);
    };
  }
  if (capabilities.contains("elicitation")) {
    handlers["elicitation/create"] = [offer](const Json& params) { return elicit(params, offer); };
  }
  if (capabilities.contains("tasks")) add_task_handlers(handlers, notify);
  return handlers;
}

Json default_content(const Json& requested_schema) {
  Json content = Json::object();
  const Json& properties = member(requested_schema, "properties");
  if (!properties.is_object()) return content;
  const Json& required = member(requested_schema, "required");
  for (const auto& [name, schema] : properties.items()) {
    const bool is_required =
        required.is_array() && std::find(required.begin(), required.end(), name) != required.end();
    if (const Json& value = member(schema, "default"); !value.is_null()) {
      content[name] = value;
    } else if (is_required) {
      content[name] = plain_value(schema);
    }
  }
  return content;
}

}  // namespace assay::client
