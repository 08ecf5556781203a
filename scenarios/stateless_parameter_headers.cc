// Scenarios about the header fields that repeat parameters of tools.
//
// Specification of 2026-07-28: basic/transports/streamable-http, "Custom Headers from Tool
// Parameters"; server/tools, "x-mcp-header".
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

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
    judge_refused(script, rule, answer, detail);
    if (!is_refused(answer)) return;
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

// The call is served with the field as it is now, or refused for it; anything else tells nothing.
void judge_taken(Script& script, std::initializer_list<RequirementId> rules,
                 const HttpAnswer& answer, const std::string& what) {
  const std::string detail = fmt::format("a call {} was answered with {}", what, answer.describe());
  for (const RequirementId rule : rules) {
    if (answer.is_served() || has_error(answer, kHeaderMismatch)) {
      script.check(rule, answer.is_served(), answer.events, detail);
    } else {
      script.unclear(rule, detail, answer.events);
    }
  }
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
  judge_taken(script, {"http.base64-decoded", "http.base64-decoded-before-compare"}, answer,
              fmt::format("whose {} is its argument in base64", field));
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
  judge_taken(script, {kNotExpected}, answer,
              fmt::format("with neither {} nor its argument", call.parameter.header));
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
