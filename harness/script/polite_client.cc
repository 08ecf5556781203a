#include "harness/script/polite_client.h"

namespace assay::harness {
namespace {

// A value that a form field accepts: its default if it has one, else the smallest that fits.
Json fill_in(const Json& schema) {
  if (schema.contains("default")) return schema["default"];
  if (schema.contains("enum") && schema["enum"].is_array() && !schema["enum"].empty()) {
    return schema["enum"][0];
  }
  if (schema.contains("oneOf") && schema["oneOf"].is_array() && !schema["oneOf"].empty() &&
      schema["oneOf"][0].is_object()) {
    return schema["oneOf"][0].value("const", Json(""));
  }
  const std::string type = schema.value("type", Json()).is_string()
                               ? schema["type"].get<std::string>()
                               : std::string("string");
  if (type == "boolean") return true;
  if (type == "integer" || type == "number") {
    const Json minimum = schema.value("minimum", Json(1));
    return minimum.is_number() ? minimum : Json(1);
  }
  if (type == "array") {
    const Json items = schema.value("items", Json::object());
    return Json::array({items.is_object() ? fill_in(items) : Json("a")});
  }
  const std::string format = schema.value("format", Json("")).is_string()
                                 ? schema.value("format", std::string())
                                 : std::string();
  if (format == "email") return "ada@example.com";
  if (format == "uri") return "https://example.com/";
  if (format == "date") return "2025-01-31";
  if (format == "date-time") return "2025-01-31T12:00:00Z";
  const Json shortest = schema.value("minLength", Json(0));
  const std::size_t length = shortest.is_number_unsigned() ? shortest.get<std::size_t>() : 0;
  // A hostile schema may ask for any length; no honest form needs more than this.
  constexpr std::size_t kLongestAnswer = 1024;
  return std::string(std::min(std::max<std::size_t>(length, 4), kLongestAnswer), 'a');
}

Answer answer_elicitation(const Json& params) {
  if (!params.is_object() || params.value("mode", Json("form")) == "url") {
    return Json{{"action", "accept"}};
  }
  Json content = Json::object();
  const Json schema = params.value("requestedSchema", Json::object());
  const Json properties = schema.is_object() ? schema.value("properties", Json::object()) : Json();
  if (properties.is_object()) {
    for (const auto& [field, field_schema] : properties.items()) {
      if (field_schema.is_object()) content[field] = fill_in(field_schema);
    }
  }
  return Json{{"action", "accept"}, {"content", std::move(content)}};
}

}  // namespace

Json full_client_capabilities(model::Revision revision) {
  Json capabilities = {{"roots", {{"listChanged", true}}}, {"sampling", Json::object()}};
  if (revision.has_elicitation()) capabilities["elicitation"] = Json::object();
  if (revision.has_url_elicitation()) {
    capabilities["elicitation"] = {{"form", Json::object()}, {"url", Json::object()}};
  }
  return capabilities;
}

std::map<std::string, RequestHandler, std::less<>> polite_handlers(model::Revision revision) {
  std::map<std::string, RequestHandler, std::less<>> handlers;
  handlers["ping"] = [](const Json&) { return Json::object(); };
  handlers["roots/list"] = [](const Json&) {
    return Json{{"roots", {{{"uri", "file:///tmp"}, {"name", "scratch"}}}}};
  };
  handlers["sampling/createMessage"] = [](const Json&) {
    return Json{{"role", "assistant"},
                {"content", {{"type", "text"}, {"text", "A short answer."}}},
                {"model", "assay-model"},
                {"stopReason", "endTurn"}};
  };
  if (revision.has_elicitation()) handlers["elicitation/create"] = answer_elicitation;
  return handlers;
}

}  // namespace assay::harness
