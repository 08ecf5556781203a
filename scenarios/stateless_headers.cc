// Scenarios about the header fields that repeat parts of a request.
//
// Specification of 2026-07-28: basic/transports/streamable-http, "Request Metadata".
#include <fmt/format.h>

#include <algorithm>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "harness/script/mirrored_headers.h"
#include "harness/script/sample_value.h"
#include "reference/transport/header_value.h"
#include "scenarios/stateless_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;
using transport::Headers;

constexpr const char* kVersionField = "MCP-Protocol-Version";
constexpr const char* kMethodField = "Mcp-Method";
constexpr const char* kNameField = "Mcp-Name";

// With every letter in the other case.
std::string in_other_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    if (c >= 'a' && c <= 'z') return static_cast<char>(c - 'a' + 'A');
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

// A request that has been refused for its fields says so by status and code.
void judge_field_refusal(Script& script, RequirementId rule, const HttpAnswer& answer,
                         std::string_view what) {
  const std::string detail = fmt::format("{} was answered with {}", what, answer.describe());
  script.check(rule, !answer.is_served() && answer.is_refusal(), answer.events, detail);
  if (answer.is_served() || !answer.is_refusal()) return;
  script.check("http.header-failure-400", answer.status == kBadRequest, answer.events, detail);
  script.check("http.header-failure-error", has_error(answer, kHeaderMismatch), answer.events,
               detail);
}

// A request whose name is repeated: the arguments need not be right for the fields to be wrong.
std::optional<Json> named_request(Script& script) {
  Connection& session = script.session();
  const Survey& survey = script.survey();
  for (const Json& tool : survey.tools().items) {
    if (!script.tool_policy().allows(tool) || text_member(tool, "name").empty()) continue;
    return request_as_sent(session, "tools/call",
                           {{"name", tool["name"]}, {"arguments", Json::object()}});
  }
  for (const Json& prompt : survey.prompts().items) {
    if (text_member(prompt, "name").empty()) continue;
    return request_as_sent(session, "prompts/get", {{"name", prompt["name"]}});
  }
  for (const Json& resource : survey.resources().items) {
    if (text_member(resource, "uri").empty()) continue;
    return request_as_sent(session, "resources/read", {{"uri", resource["uri"]}});
  }
  return std::nullopt;
}

SCENARIO(headers_of_other_methods_are_refused, stateless(), over_http(),
         judges({"http.header-body-mismatch-rejected", "http.header-failure-400",
                 "http.header-failure-error"})) {
  constexpr RequirementId kRule("http.header-body-mismatch-rejected");
  if (!serves(script, {kRule})) return;
  Connection& session = script.session();
  const std::string method = cheap_method(script);
  for (const std::string& other : {std::string("assay/other"), in_other_case(method)}) {
    const Json request = request_as_sent(session, method);
    const HttpAnswer answer =
        post_as_is(session, request, with(fields_of(request), kMethodField, other));
    judge_field_refusal(script, kRule, answer,
                        fmt::format("{} with Mcp-Method: {}", method, other));
  }
  const Json request = request_as_sent(session, method);
  const HttpAnswer answer = post_as_is(session, request, without(fields_of(request), kMethodField));
  judge_field_refusal(script, kRule, answer, fmt::format("{} without Mcp-Method", method));
}

SCENARIO(headers_of_other_names_are_refused, stateless(), over_http(),
         judges({"http.header-body-mismatch-rejected", "http.base64-decoded",
                 "http.base64-decoded-before-compare", "http.header-failure-400",
                 "http.header-failure-error"})) {
  constexpr RequirementId kRule("http.header-body-mismatch-rejected");
  constexpr RequirementId kDecoded("http.base64-decoded");
  constexpr RequirementId kBeforeCompare("http.base64-decoded-before-compare");
  const auto sane = named_request(script);
  if (!sane) {
    for (const RequirementId rule : {kRule, kDecoded, kBeforeCompare}) {
      script.not_exercised(rule,
                           "the server offers no tool, prompt or resource that may be asked for");
    }
    return;
  }
  Connection& session = script.session();
  const auto again = [&] {
    Json request = *sane;
    request["id"] = Json::parse(wire::encode(wire::make_result(session.next_id(), nullptr)))["id"];
    return request;
  };
  const auto name = std::string(*transport::find_header(fields_of(*sane), kNameField));
  const std::string method(text_member(*sane, "method"));
  // What is wrong with the arguments is another question: only a refusal for its fields counts.
  const HttpAnswer before = post_as_is(session, *sane, fields_of(*sane));
  if (has_error(before, kHeaderMismatch) || !before.answer()) return;
  for (const std::string& other :
       {std::string("assay-other"), transport::encode_header_value_in_base64("assay-other"),
        in_other_case(name)}) {
    if (other == name) continue;
    const Json request = again();
    judge_field_refusal(script, kRule,
                        post_as_is(session, request, with(fields_of(request), kNameField, other)),
                        fmt::format("{} with Mcp-Name: {}", method, other));
  }
  const Json bare = again();
  judge_field_refusal(script, kRule,
                      post_as_is(session, bare, without(fields_of(bare), kNameField)),
                      fmt::format("{} without Mcp-Name", method));
  const Json request = again();
  const HttpAnswer answer = post_as_is(
      session, request,
      with(fields_of(request), kNameField, transport::encode_header_value_in_base64(name)));
  const bool is_taken = answer.answer() != nullptr && !has_error(answer, kHeaderMismatch);
  for (const RequirementId rule : {kDecoded, kBeforeCompare}) {
    script.check(rule, is_taken, answer.events,
                 fmt::format("{} with its own name in base64 as Mcp-Name was answered with {}",
                             method, answer.describe()));
  }
}

SCENARIO(headers_of_other_versions_are_refused, stateless(), over_http(),
         judges({"http.version-mismatch-rejected", "http.version-header-absent-rejected",
                 "http.header-failure-400", "http.header-failure-error"})) {
  constexpr RequirementId kMismatch("http.version-mismatch-rejected");
  constexpr RequirementId kAbsent("http.version-header-absent-rejected");
  if (!serves(script, {kMismatch, kAbsent})) return;
  Connection& session = script.session();
  const Json request = request_as_sent(session, cheap_method(script));
  const HttpAnswer other =
      post_as_is(session, request, with(fields_of(request), kVersionField, "1900-01-01"));
  // The version of the header is unknown, too: that may be said first.
  const bool is_refused = other.status == kBadRequest && (has_error(other, kHeaderMismatch) ||
                                                          has_error(other, kUnsupportedVersion));
  script.check(kMismatch, is_refused, other.events,
               fmt::format("a request for {} with MCP-Protocol-Version: 1900-01-01 was answered "
                           "with {}",
                           script.revision().text(), other.describe()));
  if (has_older_era(script)) {
    script.not_applicable(kAbsent, "the server also serves clients of older revisions");
    return;
  }
  const Json bare = request_as_sent(session, cheap_method(script));
  judge_field_refusal(script, kAbsent,
                      post_as_is(session, bare, without(fields_of(bare), kVersionField)),
                      "a request without MCP-Protocol-Version");
}

SCENARIO(headers_are_named_without_case, stateless(), over_http(),
         judges({"http.header-names-case-insensitive"})) {
  constexpr RequirementId kRule("http.header-names-case-insensitive");
  if (!serves(script, {kRule})) return;
  Connection& session = script.session();
  for (const bool is_upper : {false, true}) {
    const Json request = request_as_sent(session, cheap_method(script));
    Headers headers = fields_of(request);
    for (auto& [name, value] : headers) {
      std::transform(name.begin(), name.end(), name.begin(), [is_upper](char c) {
        if (is_upper && c >= 'a' && c <= 'z') return static_cast<char>(c - 'a' + 'A');
        if (!is_upper && c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
        return c;
      });
    }
    const HttpAnswer answer = post_as_is(session, request, headers);
    script.check(kRule, answer.is_served(), answer.events,
                 fmt::format("a request whose header names are in {} case was answered with {}",
                             is_upper ? "upper" : "lower", answer.describe()));
  }
}

// --- Parameters of tools ---

constexpr RequirementId kMatches("http.parameter-header-matches-body");
constexpr RequirementId kMismatch400("http.parameter-header-mismatch-400");
constexpr RequirementId kMissing("http.parameter-header-missing-rejected");
constexpr RequirementId kNotExpected("http.parameter-header-not-expected");
constexpr RequirementId kCharacters("http.parameter-header-characters");
constexpr RequirementId kNumeric("http.integer-headers-numeric");

// A tool with a mirrored parameter that may be called, and how.
struct MirroredCall {
  std::string tool;
  Json arguments;
  MirroredParameter parameter;
  bool is_integer = false;
  bool is_required = false;
};

const Json& schema_at(const Json& schema, const std::vector<std::string>& path) {
  const Json* at = &schema;
  for (const std::string& name : path) at = &member(member(*at, "properties"), name);
  return *at;
}

std::optional<MirroredCall> make_mirrored_call(const Json& tool,
                                               const MirroredParameter& parameter) {
  if (parameter.path.size() != 1) return std::nullopt;
  const Json& schema = member(tool, "inputSchema");
  const std::string_view type = text_member(schema_at(schema, parameter.path), "type");
  if (type != "string" && type != "integer") return std::nullopt;
  MirroredCall call{std::string(text_member(tool, "name")),
                    sample_arguments(schema).value_or(Json::object()), parameter, type == "integer",
                    false};
  call.arguments[parameter.path[0]] = call.is_integer ? Json(42) : Json("assay");
  const Json& required = array_member(schema, "required");
  call.is_required =
      std::find(required.begin(), required.end(), parameter.path[0]) != required.end();
  return call;
}

// Calls of tools that may be called, one for each parameter that they mirror.
std::vector<MirroredCall> mirrored_calls(Script& script) {
  constexpr std::size_t kMostCalls = 8;
  std::vector<MirroredCall> calls;
  for (const Json& tool : script.survey().tools().items) {
    const std::string name(text_member(tool, "name"));
    if (name.empty() || !script.may_call(name)) continue;
    MirroredParameters parameters;
    parameters.note({{"tools", {tool}}});
    const auto* mirrored = parameters.of(name);
    if (mirrored == nullptr) continue;
    for (const MirroredParameter& parameter : *mirrored) {
      if (calls.size() == kMostCalls) return calls;
      if (auto call = make_mirrored_call(tool, parameter)) calls.push_back(*std::move(call));
    }
  }
  return calls;
}

// The fields of the call, whose mirrored ones hold what its arguments say.
Headers fields_of_call(Script& script, const Json& request) {
  MirroredParameters parameters;
  parameters.note({{"tools", script.survey().tools().items}});
  return mirrored_headers(request, parameters);
}

HttpAnswer post_call(Script& script, const MirroredCall& call,
                     const std::function<void(Json& arguments, Headers& headers)>& change) {
  Connection& session = script.session();
  Json arguments = call.arguments;
  Json request =
      request_as_sent(session, "tools/call", {{"name", call.tool}, {"arguments", arguments}});
  Headers headers = fields_of_call(script, request);
  change(request["params"]["arguments"], headers);
  return post_as_is(session, request, headers);
}

void judge_parameter_refusals(Script& script, const MirroredCall& call) {
  const std::string& field = call.parameter.header;
  const auto judge = [&](RequirementId rule, const HttpAnswer& answer, const std::string& what) {
    const std::string detail =
        fmt::format("a call {} was answered with {}", what, answer.describe());
    const bool is_refused = !answer.is_served() && answer.is_refusal();
    script.check(rule, is_refused, answer.events, detail);
    if (!is_refused) return;
    script.check(kMismatch400, answer.status == kBadRequest && has_error(answer, kHeaderMismatch),
                 answer.events, detail);
  };
  const std::string other = call.is_integer ? "43" : "assay-other";
  judge(kMatches,
        post_call(script, call,
                  [&](Json&, Headers& headers) { headers = with(headers, field, other); }),
        fmt::format("whose {} differs from its argument", field));
  judge(kMatches,
        post_call(script, call,
                  [&](Json&, Headers& headers) {
                    headers = with(headers, field, transport::encode_header_value_in_base64(other));
                  }),
        fmt::format("whose {}, in base64, differs from its argument", field));
  judge(
      kMissing,
      post_call(script, call, [&](Json&, Headers& headers) { headers = without(headers, field); }),
      fmt::format("without {}", field));
  judge(
      kCharacters,
      post_call(script, call,
                [&](Json&, Headers& headers) { headers = with(headers, field, "=?base64?***?="); }),
      fmt::format("whose {} is no base64", field));
  if (call.is_integer) return;
  // No header may have such bytes, also where the argument has them.
  const std::string beyond_ascii = "w\xC3\xA9st";
  judge(kCharacters,
        post_call(script, call,
                  [&](Json& arguments, Headers& headers) {
                    arguments[call.parameter.path[0]] = beyond_ascii;
                    headers = with(headers, field, beyond_ascii);
                  }),
        fmt::format("whose {} holds other bytes than ASCII", field));
}

// What is encoded is decoded before it is compared.
void judge_encoded(Script& script, const MirroredCall& call) {
  const std::string& field = call.parameter.header;
  const HttpAnswer answer = post_call(script, call, [&](Json& arguments, Headers& headers) {
    const Json& value = arguments[call.parameter.path[0]];
    headers = with(headers, field,
                   transport::encode_header_value_in_base64(
                       value.is_string() ? value.get<std::string>() : value.dump()));
  });
  for (const RequirementId rule : {RequirementId("http.base64-decoded"),
                                   RequirementId("http.base64-decoded-before-compare")}) {
    script.check(rule, !has_error(answer, kHeaderMismatch), answer.events,
                 fmt::format("a call whose {} is its argument in base64 was answered with {}",
                             field, answer.describe()));
  }
}

void judge_numeric(Script& script, const MirroredCall& call) {
  const HttpAnswer answer = post_call(script, call, [&](Json&, Headers& headers) {
    headers = with(headers, call.parameter.header, "42.0");
  });
  script.check(kNumeric, answer.is_served(), answer.events,
               fmt::format("a call whose {} is 42.0 where its argument is 42 was answered with {}",
                           call.parameter.header, answer.describe()));
}

void judge_absent(Script& script, const MirroredCall& call) {
  const HttpAnswer answer = post_call(script, call, [&](Json& arguments, Headers& headers) {
    arguments.erase(call.parameter.path[0]);
    headers = without(headers, call.parameter.header);
  });
  script.check(kNotExpected, !has_error(answer, kHeaderMismatch), answer.events,
               fmt::format("a call with neither {} nor its argument was answered with {}",
                           call.parameter.header, answer.describe()));
}

SCENARIO(headers_of_parameters_are_checked, stateless(), over_http(),
         judges({"http.parameter-header-matches-body", "http.parameter-header-mismatch-400",
                 "http.parameter-header-missing-rejected", "http.parameter-header-not-expected",
                 "http.parameter-header-characters", "http.integer-headers-numeric",
                 "http.base64-decoded", "http.base64-decoded-before-compare"})) {
  std::vector<MirroredCall> calls = mirrored_calls(script);
  std::erase_if(calls, [&](const MirroredCall& call) {
    return !post_call(script, call, [](Json&, Headers&) {}).is_served();
  });
  if (calls.empty()) {
    for (const RequirementId rule :
         {kMatches, kMismatch400, kMissing, kNotExpected, kCharacters, kNumeric}) {
      script.not_exercised(rule, "no tool that may be called mirrors a parameter into a header",
                           "a tool with x-mcp-header that says readOnlyHint");
    }
    return;
  }
  judge_parameter_refusals(script, calls.front());
  judge_encoded(script, calls.front());
  const auto integer = std::find_if(calls.begin(), calls.end(),
                                    [](const MirroredCall& call) { return call.is_integer; });
  if (integer != calls.end()) judge_numeric(script, *integer);
  const auto optional = std::find_if(calls.begin(), calls.end(),
                                     [](const MirroredCall& call) { return !call.is_required; });
  if (optional != calls.end()) judge_absent(script, *optional);
}

}  // namespace
}  // namespace assay::scenarios
