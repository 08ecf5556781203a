#include "harness/script/polite_client.h"

#include "harness/script/json_member.h"
#include "harness/script/sample_value.h"
#include "harness/script/usable.h"

namespace assay::harness {
namespace {

Answer answer_elicitation(const Json& params) {
  if (!params.is_object() || params.value("mode", Json("form")) == "url") {
    return Json{{"action", "accept"}};
  }
  Json content = Json::object();
  const Json schema = params.value("requestedSchema", Json::object());
  const Json properties = schema.is_object() ? schema.value("properties", Json::object()) : Json();
  if (properties.is_object()) {
    for (const auto& [field, field_schema] : properties.items()) {
      if (field_schema.is_object()) content[field] = sample_value(field_schema, field);
    }
  }
  return Json{{"action", "accept"}, {"content", std::move(content)}};
}

bool has_tool_results(const Json& message) {
  const Json& content = member(message, "content");
  const Json& first = content.is_array() && !content.empty() ? content[0] : content;
  return member(first, "type") == "tool_result";
}

Json tool_use(const Json& tool, const char* id) {
  return {{"type", "tool_use"},
          {"id", id},
          {"name", text_member(tool, "name")},
          {"input", sample_arguments(member(tool, "inputSchema")).value_or(Json::object())}};
}

// A model that is offered tools uses the first of them, twice at once, and says its word when it
// has the results.
Answer answer_sampling(const Json& params) {
  const Json& tools = array_member(params, "tools");
  const Json& messages = array_member(params, "messages");
  const bool may_use = !tools.empty() && is_named(tools[0]) &&
                       member(member(params, "toolChoice"), "mode") != "none";
  if (may_use && !messages.empty() && !has_tool_results(messages.back())) {
    return Json{{"role", "assistant"},
                {"content", {tool_use(tools[0], "assay-use-1"), tool_use(tools[0], "assay-use-2")}},
                {"model", "assay-model"},
                {"stopReason", "toolUse"}};
  }
  return Json{{"role", "assistant"},
              {"content", {{"type", "text"}, {"text", "A short answer."}}},
              {"model", "assay-model"},
              {"stopReason", "endTurn"}};
}

}  // namespace

Json full_client_capabilities(model::Revision revision) {
  Json capabilities = {{"roots", Json::object()}, {"sampling", Json::object()}};
  if (revision.has_roots_changes()) capabilities["roots"]["listChanged"] = true;
  if (revision.has_sampling_tools()) capabilities["sampling"]["tools"] = Json::object();
  if (revision.has_elicitation()) capabilities["elicitation"] = Json::object();
  if (revision.has_url_elicitation()) {
    capabilities["elicitation"] = {{"form", Json::object()}, {"url", Json::object()}};
  }
  return capabilities;
}

std::map<std::string, RequestHandler, std::less<>> polite_handlers(model::Revision revision) {
  std::map<std::string, RequestHandler, std::less<>> handlers;
  if (revision.has_ping()) handlers["ping"] = [](const Json&) { return Json::object(); };
  handlers["roots/list"] = [](const Json&) {
    return Json{{"roots", {{{"uri", "file:///tmp"}, {"name", "scratch"}}}}};
  };
  handlers["sampling/createMessage"] = answer_sampling;
  if (revision.has_elicitation()) handlers["elicitation/create"] = answer_elicitation;
  return handlers;
}

}  // namespace assay::harness
