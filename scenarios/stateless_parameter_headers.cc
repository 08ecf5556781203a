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
#include <utility>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/header_annotations.h"
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
constexpr const char* kBeyondAscii = "w\xC3\xA9st";

// A tool with a mirrored parameter that may be called, and how.
struct MirroredCall {
  std::string tool;
  Json arguments;
  MirroredParameter parameter;
  std::string type;
  bool is_required = false;

  // Where the parameter's value stands among these arguments of the tool.
  Json& value_in(Json& all) const {
    Json* at = &all;
    for (const std::string& name : parameter.path) at = &(*at)[name];
    return *at;
  }
  void remove_from(Json& all) const {
    Json* at = &all;
    for (std::size_t i = 0; i + 1 < parameter.path.size(); ++i) at = &(*at)[parameter.path[i]];
    at->erase(parameter.path.back());
  }
  // Text for its header that says something else.
  std::string other() const {
    if (type == "integer") return "43";
    return type == "boolean" ? "false" : "assay-other";
  }
};

const Json& schema_at(const Json& schema, const std::vector<std::string>& path) {
  const Json* at = &schema;
  for (const std::string& name : path) at = &member(member(*at, "properties"), name);
  return *at;
}

// A value for a parameter of that type; null if there is no such parameter.
Json value_of(std::string_view type) {
  if (type == "string") return "assay";
  if (type == "integer") return 42;
  return type == "boolean" ? Json(true) : Json(nullptr);
}

std::optional<MirroredCall> make_mirrored_call(const Json& tool,
                                               const MirroredParameter& parameter) {
  const Json& schema = member(tool, "inputSchema");
  const std::string type(text_member(schema_at(schema, parameter.path), "type"));
  const Json value = value_of(type);
  if (value.is_null()) return std::nullopt;
  MirroredCall call{std::string(text_member(tool, "name")),
                    sample_arguments(schema).value_or(Json::object()), parameter, type, false};
  // What is in the way of a nested parameter is a guess of ours.
  if (parameter.path.size() > 1 && !call.arguments[parameter.path[0]].is_object()) {
    call.arguments[parameter.path[0]] = Json::object();
  }
  call.value_in(call.arguments) = value;
  const auto parent = std::vector(parameter.path.begin(), parameter.path.end() - 1);
  const Json& required = array_member(schema_at(schema, parent), "required");
  call.is_required =
      std::find(required.begin(), required.end(), parameter.path.back()) != required.end();
  return call;
}

// Calls of tools that may be called, one for each parameter that they mirror.
std::vector<MirroredCall> mirrored_calls(Script& script) {
  constexpr std::size_t kMostCalls = 8;
  std::vector<MirroredCall> calls;
  for (const Json& tool : script.survey().tools().items) {
    const std::string name(text_member(tool, "name"));
    if (name.empty() || !script.may_call(name)) continue;
    // What the annotations of such a tool ask for is another finding.
    if (header_annotation_trouble(member(tool, "inputSchema"))) continue;
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

// With a header that says something else than the argument, in each way.
std::vector<std::pair<std::string, std::string>> mismatches(const MirroredCall& call) {
  const std::string& field = call.parameter.header;
  Json arguments = call.arguments;
  const Json& value = call.value_in(arguments);
  const std::string own = value.is_string() ? value.get<std::string>() : value.dump();
  std::string marked_otherwise = transport::encode_header_value_in_base64(own);
  marked_otherwise.replace(0, std::string_view("=?base64?").size(), "=?BASE64?");
  // What comes near to it: an integer has no case.
  std::string near = call.type == "integer" ? own + "abc" : in_other_case(own);
  std::string near_words = fmt::format("whose {} is {} where its argument is {}", field, near, own);
  return {{std::move(near), std::move(near_words)},
          {call.other(), fmt::format("whose {} differs from its argument", field)},
          {transport::encode_header_value_in_base64(call.other()),
           fmt::format("whose {}, in base64, differs from its argument", field)},
          {std::move(marked_otherwise),
           fmt::format("whose {} has marks of base64 in capitals, which mean nothing", field)}};
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
  const auto with_field = [&](const std::string& value) {
    return post_call(script, call,
                     [&](Json&, Headers& headers) { headers = with(headers, field, value); });
  };
  for (const auto& [value, what] : mismatches(call)) judge(kMatches, with_field(value), what);
  judge(
      kMissing,
      post_call(script, call, [&](Json&, Headers& headers) { headers = without(headers, field); }),
      fmt::format("without {}", field));
  judge(kCharacters, with_field("=?base64?***?="), fmt::format("whose {} is no base64", field));
  if (call.type != "string") return;
  // No header may have such bytes, also where the argument has them.
  judge(kCharacters,
        post_call(script, call,
                  [&](Json& arguments, Headers& headers) {
                    call.value_in(arguments) = kBeyondAscii;
                    headers = with(headers, field, kBeyondAscii);
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

// What is encoded is decoded before it is compared: once, and as UTF-8.
void judge_encoded(Script& script, const MirroredCall& call) {
  const std::string& field = call.parameter.header;
  std::vector<Json> values = {value_of(call.type)};
  if (call.type == "string") {
    for (const char* text : {kBeyondAscii, " assay ", "=?base64?YXNzYXk=?="}) {
      values.emplace_back(text);
    }
  }
  for (const Json& value : values) {
    const HttpAnswer answer = post_call(script, call, [&](Json& arguments, Headers& headers) {
      call.value_in(arguments) = value;
      headers = with(headers, field,
                     transport::encode_header_value_in_base64(
                         value.is_string() ? value.get<std::string>() : value.dump()));
    });
    judge_taken(script, {"http.base64-decoded", "http.base64-decoded-before-compare"}, answer,
                fmt::format("whose {} is its argument {} in base64", field, value.dump()));
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
    call.remove_from(arguments);
    headers = without(headers, call.parameter.header);
  });
  judge_taken(script, {kNotExpected}, answer,
              fmt::format("with neither {} nor its argument", call.parameter.header));
}

// The same for an argument that is null. A schema that has no null is another reason to refuse it.
void judge_null(Script& script, const MirroredCall& call) {
  const HttpAnswer answer = post_call(script, call, [&](Json& arguments, Headers& headers) {
    call.value_in(arguments) = nullptr;
    headers = without(headers, call.parameter.header);
  });
  if (!answer.is_served() && !has_error(answer, kHeaderMismatch)) return;
  judge_taken(script, {kNotExpected}, answer,
              fmt::format("without {}, whose argument is null,", call.parameter.header));
}

// Drops the calls that are not served as they are: what is refused for its fields, though they say
// what its arguments say, is refused with a code that means something else.
void keep_served(Script& script, std::vector<MirroredCall>& calls) {
  std::erase_if(calls, [&](const MirroredCall& call) {
    const HttpAnswer answer = post_call(script, call, [](Json&, Headers&) {});
    if (has_error(answer, kHeaderMismatch)) {
      script.check("jsonrpc.reserved-codes-meaning", false, answer.events,
                   fmt::format("a call whose {} says what its argument says was answered with {}",
                               call.parameter.header, answer.describe()));
    }
    return !answer.is_served();
  });
}

SCENARIO(headers_of_parameters_are_checked, stateless(), over_http(),
         judges({"http.parameter-header-matches-body", "http.parameter-header-mismatch-400",
                 "http.parameter-header-missing-rejected", "http.parameter-header-not-expected",
                 "http.parameter-header-characters", "http.integer-headers-numeric",
                 "http.base64-decoded", "http.base64-decoded-before-compare",
                 "jsonrpc.reserved-codes-meaning"})) {
  std::vector<MirroredCall> calls = mirrored_calls(script);
  keep_served(script, calls);
  if (calls.empty()) {
    for (const RequirementId rule :
         {kMatches, kMismatch400, kMissing, kNotExpected, kCharacters, kNumeric}) {
      script.not_exercised(rule, "no tool that may be called mirrors a parameter into a header",
                           "a tool with x-mcp-header that says readOnlyHint");
    }
    return;
  }
  for (const MirroredCall& call : calls) {
    judge_parameter_refusals(script, call);
    judge_encoded(script, call);
    if (call.type == "integer") judge_numeric(script, call);
    if (!call.is_required) judge_absent(script, call);
    judge_null(script, call);
  }
  script.tried({kMatches, kMismatch400, kMissing, kNotExpected, kCharacters, kNumeric},
               calls.size(), "mirrored parameters");
}

}  // namespace
}  // namespace assay::scenarios
