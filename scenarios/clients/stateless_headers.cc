// Header fields that repeat what the body of a request says: monitors judge them, these plays give
// them something to repeat.
//
// Specification of 2026-07-28: basic/transports/streamable-http, "Request Metadata".
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

using harness::Act;

Json mirrored(const char* type, const Json& header) {
  return {{"type", type}, {"x-mcp-header", header}};
}

Json tool_with(const std::string& name, const Json& properties) {
  return hosted_tool(name, "Repeats arguments in headers",
                     {{"type", "object"}, {"properties", properties}});
}

// Answers every call of a tool, whatever it is.
class AnsweringPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (visit.is_request("tools/call")) visit.answer(done_result(visit.message()));
  }
};

// Names that a header cannot hold as they are: beyond ASCII, with a blank at the end, and in the
// form of encoded ones.
constexpr const char* kToolBeyondAscii = "gr\u00fczi";
constexpr const char* kToolWithBlank = "test_headers ";
constexpr const char* kToolLikeEncoded = "=?base64?dGVzdA==?=";
constexpr const char* kPromptBeyondAscii = "gr\u00fcezi";

// Names of each kind: with a hyphen, with what no header may hold as it is, and URIs.
class StandardHeadersPlay : public AnsweringPlay {
 public:
  void on_message(Visit& visit) override {
    AnsweringPlay::on_message(visit);
    if (visit.is_request("prompts/get") || visit.is_request("resources/read")) {
      visit.answer(done_result(visit.message()));
    }
  }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() == "tools/list") {
      list_only(
          {hosted_tool("test_headers", "Takes nothing"),
           hosted_tool("my-hyphenated-tool", "Takes nothing"),
           hosted_tool(kToolBeyondAscii, "Takes nothing, and has a name beyond ASCII"),
           hosted_tool(kToolWithBlank, "Takes nothing, and has a name that ends with a blank"),
           hosted_tool(kToolLikeEncoded, "Takes nothing, and has a name that looks encoded")},
          result);
    } else if (request.method() == "resources/list") {
      result["resources"] = {
          {{"uri", "file:///path/to/file%20name.txt"}, {"name", "A file with a blank"}},
          {{"uri", "https://example.com/resource?id=123"}, {"name", "A resource with a query"}}};
    } else if (request.method() == "prompts/list") {
      result["prompts"] = {
          {{"name", "test_prompt"}, {"description", "Takes nothing"}},
          {{"name", kPromptBeyondAscii}, {"description", "Has a name beyond ASCII"}}};
    }
  }
};

const ClientScenarioRegistration kStandardHeaders(
    {.name = "http-standard-headers",
     .task = "lists tools, resources and prompts, and calls, reads and gets each of them",
     .requirements = {},
     .make = make_play<StandardHeadersPlay>,
     .concerns = &model::Revision::has_mirrored_headers,
     .transports = {TransportKind::kHttp},
     .deeds = {{Act::kListsTools},
               {Act::kListsResources},
               {Act::kListsPrompts},
               {Act::kCallsTool, "my-hyphenated-tool"},
               {Act::kCallsTool, kToolBeyondAscii},
               {Act::kCallsTool, kToolWithBlank},
               {Act::kCallsTool, kToolLikeEncoded},
               {Act::kReadsResource, "file:///path/to/file%20name.txt"},
               {Act::kGetsPrompt, "test_prompt"},
               {Act::kGetsPrompt, kPromptBeyondAscii}}});

// Parameters of each type, for values that need Base64 and values that do not.
class CustomHeadersPlay : public AnsweringPlay {
 public:
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() != "tools/list") return;
    const Json few = {{"region", mirrored("string", "Region")},
                      {"priority", mirrored("integer", "Priority")},
                      {"verbose", mirrored("boolean", "Verbose")},
                      {"query", {{"type", "string"}}}};
    Json many = few;
    const std::vector<std::pair<const char*, const char*>> texts = {
        {"empty_val", "EmptyVal"},
        {"method_val", "Method"},
        {"non_ascii_val", "NonAscii"},
        {"whitespace_val", "Whitespace"},
        {"leading_space_val", "Leading"},
        {"trailing_space_val", "Trailing"},
        {"internal_space_val", "Internal"},
        {"control_char_val", "ControlChar"},
        {"crlf_val", "CrLf"},
        {"tab_val", "Tab"},
        {"sentinel_val", "Sentinel"}};
    for (const auto& [name, header] : texts) many[name] = mirrored("string", header);
    many["debug"] = mirrored("boolean", "Debug");
    many["nested"] = {{"type", "object"}, {"properties", {{"zone", mirrored("string", "Zone")}}}};
    list_only({tool_with("test_custom_headers", many), tool_with("test_custom_headers_null", few)},
              result);
  }
};

Json custom_header_calls() {
  return {{"name", "http-custom-headers"},
          {"toolCalls",
           {{{"name", "test_custom_headers"},
             {"arguments",
              {{"region", "us-west1"},
               {"priority", 42},
               {"verbose", false},
               {"debug", true},
               {"empty_val", ""},
               {"method_val", "test-method"},
               {"non_ascii_val", "Hello, \u4e16\u754c"},
               {"whitespace_val", " padded "},
               {"leading_space_val", " us-west1"},
               {"trailing_space_val", "us-west1 "},
               {"internal_space_val", "us west 1"},
               {"control_char_val", "line1\nline2"},
               {"crlf_val", "line1\r\nline2"},
               {"tab_val", "\tindented"},
               {"sentinel_val", "=?base64?literal?="},
               {"nested", {{"zone", "b"}}},
               {"query", "SELECT * FROM users"}}}},
            {{"name", "test_custom_headers_null"},
             {"arguments",
              {{"region", "us-east1"},
               {"priority", 1},
               {"verbose", nullptr},
               {"query", "SELECT 1"}}}}}}};
}

std::vector<harness::Deed> custom_header_deeds() {
  std::vector<harness::Deed> deeds;
  const Json context = custom_header_calls();
  for (const Json& call : context["toolCalls"]) {
    deeds.push_back({Act::kCallsTool, call["name"].get<std::string>(), call["arguments"]});
  }
  return deeds;
}

const ClientScenarioRegistration kCustomHeaders(
    {.name = "http-custom-headers",
     .task = "lists the tools and makes the calls that toolCalls in its context names",
     .requirements = {},
     .make = make_play<CustomHeadersPlay>,
     .concerns = &model::Revision::has_mirrored_headers,
     .transports = {TransportKind::kHttp},
     .context = custom_header_calls,
     .deeds = custom_header_deeds()});

// Tools that a client has to leave out of its list, beside two that it has not.
class InvalidToolHeadersPlay : public AnsweringPlay {
 public:
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() == "tools/list") list_only(every_tool(), result);
  }

  void review(Review& review) override {
    std::vector<harness::EventPtr> lists;
    for (const Said& said : review.requests("tools/list")) lists.push_back(said.event);
    // Who calls a tool by a name that somebody gave him may never have seen a list.
    if (lists.empty()) return;
    std::vector<std::string> called;
    for (const Said& call : review.requests("tools/call")) {
      const std::string tool = called_tool(call.message);
      called.push_back(tool);
      if (!tool.starts_with("invalid_") || call.event->at < lists.front()->at) continue;
      for (const catalogue::RequirementId rule : kRules) {
        review.broke(rule,
                     fmt::format("the client lists the tools and calls {}, whose x-mcp-header "
                                 "breaks the rules",
                                 tool),
                     {lists.front(), call.event}, "/params/name");
      }
    }
    for (const catalogue::RequirementId rule : kRules) {
      const bool calls_all = std::all_of(std::begin(kSound), std::end(kSound), [&](auto* tool) {
        return std::find(called.begin(), called.end(), tool) != called.end();
      });
      if (calls_all) {
        review.held(rule, lists.front());
      } else {
        review.not_exercised(rule, "the client did not call all sound tools that it had listed");
      }
    }
  }

 private:
  static constexpr const char* kSound[] = {"valid_tool", "valid_tool_too"};
  static constexpr catalogue::RequirementId kRules[] = {"tools.invalid-header-rejected",
                                                        "tools.invalid-header-excluded"};

  static std::vector<Json> every_tool() {
    std::vector<Json> tools = tools_on_top();
    for (const std::vector<Json>& more : {unreachable_tools(), nested_tools()}) {
      tools.insert(tools.begin() + 1, more.begin(), more.end());
    }
    return tools;
  }

  // No chain of properties alone leads to the annotation.
  static std::vector<Json> unreachable_tools() {
    const Json region = {{"properties", {{"region", mirrored("string", "Region")}}}};
    const Json other = {{"required", Json::array({"other"})}};
    Json forbidden = region;
    forbidden.update(other);
    const auto in_schema = [](const char* name, Json schema) {
      schema["type"] = "object";
      return hosted_tool(name, "Repeats arguments in headers", std::move(schema));
    };
    const Json list = {{"type", "array"}, {"items", mirrored("string", "Item")}};
    const Json tuple = {{"type", "array"},
                        {"prefixItems", Json::array({mirrored("string", "Item")})}};
    return {tool_with("invalid_in_items", {{"list", list}}),
            tool_with("invalid_in_prefix_items", {{"tuple", tuple}}),
            tool_with("invalid_in_one_of",
                      {{"place", {{"oneOf", Json::array({mirrored("string", "Place")})}}}}),
            in_schema("invalid_in_any_of", {{"anyOf", Json::array({region})}}),
            in_schema("invalid_in_all_of", {{"allOf", Json::array({region})}}),
            in_schema("invalid_in_not", {{"not", forbidden}}),
            in_schema("invalid_in_if", {{"if", region}}),
            in_schema("invalid_in_then", {{"if", other}, {"then", region}}),
            in_schema("invalid_in_else", {{"if", other}, {"else", region}}),
            in_schema("invalid_by_ref", {{"properties", {{"place", {{"$ref", "#/$defs/place"}}}}},
                                         {"$defs", {{"place", mirrored("string", "Place")}}}})};
  }

  // The annotation may stand there, and is wrong.
  static std::vector<Json> nested_tools() {
    const auto with = [](const char* name, const Json& nested) {
      return tool_with(name,
                       {{"region", mirrored("string", "Region")},
                        {"place", {{"type", "object"}, {"properties", {{"inner", nested}}}}}});
    };
    return {with("invalid_nested_duplicate", mirrored("string", "region")),
            with("invalid_nested_name", mirrored("string", "My Region")),
            with("invalid_nested_number", mirrored("number", "Ratio"))};
  }

  static std::vector<Json> tools_on_top() {
    const Json text = {{"type", "string"}};
    const auto of_value = [](const char* name, const Json& header) {
      return tool_with(name, {{"value", mirrored("string", header)}});
    };
    Json list_of_texts = mirrored("array", "Items");
    list_of_texts["items"] = text;
    return {
        tool_with("valid_tool", {{"region", mirrored("string", "Region")}}),
        of_value("invalid_empty_header", ""),
        tool_with("invalid_object_header", {{"data", mirrored("object", "Data")}}),
        tool_with("invalid_array_header", {{"items", list_of_texts}}),
        tool_with("invalid_null_header", {{"nil", mirrored("null", "Nil")}}),
        tool_with("invalid_number_header", {{"ratio", mirrored("number", "Ratio")}}),
        tool_with("invalid_duplicate_same_case", {{"field1", mirrored("string", "Region")},
                                                  {"field2", mirrored("string", "Region")}}),
        tool_with("invalid_duplicate_diff_case", {{"field1", mirrored("string", "MyField")},
                                                  {"field2", mirrored("string", "myfield")}}),
        of_value("invalid_space_in_name", "My Region"),
        of_value("invalid_colon_in_name", "Region:Primary"),
        of_value("invalid_non_ascii_name", "R\u00e9gion"),
        of_value("invalid_control_char_name", "Region\t1"),
        hosted_tool("valid_tool_too", "Takes nothing"),
    };
  }
};

const ClientScenarioRegistration kInvalidToolHeaders(
    {.name = "http-invalid-tool-headers",
     .task = "lists the tools and calls each of them that it has not to leave out",
     .requirements = {"tools.invalid-header-rejected", "tools.invalid-header-excluded"},
     .make = make_play<InvalidToolHeadersPlay>,
     .transports = {TransportKind::kHttp},
     .may_fail = true});

}  // namespace
}  // namespace assay::scenarios
