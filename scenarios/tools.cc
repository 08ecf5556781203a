// Scenarios about tools.
//
// Specification: server/tools.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/failure_words.h"
#include "harness/script/json_member.h"
#include "harness/script/sample_value.h"
#include "reference/model/schema_check.h"
#include "reference/wire/compose.h"

namespace assay::scenarios {
namespace {

using namespace harness;

// The most tools of a stranger's server that one scenario calls.
constexpr std::size_t kMostCalls = 12;
constexpr std::size_t kMostRefusals = 6;
constexpr std::size_t kMostLeftOut = 3;     // of what one tool requires
constexpr std::size_t kMostForbidden = 12;  // of one tool

// Refused in either of the two ways that tools have.
bool is_refused(const Reply& reply) {
  return reply.is_error() || member(reply.result(), "isError") == true;
}

bool is_success(const Reply& reply) {
  return reply.is_result() && !is_refused(reply);
}

// Why the verdict on such a result is inconclusive.
constexpr const char* kInWordsAlone =
    "the result speaks of a failure, and does not say isError: it may be a refusal";
bool is_refused_in_words(const Reply& reply) {
  return is_success(reply) && speaks_of_failure(reply.result());
}

Json call_params(const std::string& name, Json arguments) {
  return {{"name", name}, {"arguments", std::move(arguments)}};
}

// A server that answers tools/list with tools has declared that it has them.
SCENARIO(tools_are_declared, in_both_eras(), judges({"tools.capability-declared"})) {
  if (script.survey().tools().is_declared) {
    script.check("tools.capability-declared", true, {}, "");
    return;
  }
  if (!script.session().server().contains("capabilities")) {
    script.unclear("tools.capability-declared", "the server declared no capabilities at all");
    return;
  }
  const Reply reply = script.request("tools/list");
  if (array_member(reply.result(), "tools").empty()) {
    script.not_applicable("tools.capability-declared", "the server has no tools");
  } else {
    script.check("tools.capability-declared", false, reply,
                 "tools/list gives tools, but the capability is not declared");
  }
}

// Every tool that may be called and needs no argument is called, so that monitors see its result.
SCENARIO(tools_answer_calls, in_both_eras(), judges({})) {
  for (const ToolUse& tool : plain_tools(script.survey(), script.tool_policy(), kMostCalls)) {
    script.call(tool);
  }
}

// The codes that the specification defines itself (since 2026-07-28): of headers, capabilities and
// versions.
constexpr std::array<std::int64_t, 3> kDefinedCodes = {-32020, -32021, -32022};

// A tool that does not exist is refused with an error of the protocol.
SCENARIO(tools_refuse_unknown_names, in_both_eras(),
         judges({"tools.unknown-tool-error", "jsonrpc.reserved-codes-meaning"})) {
  if (!script.survey().tools().is_declared) return;
  const Reply reply =
      script.request("tools/call", call_params("assay_no_such_tool", Json::object()));
  const bool has_error_result = member(reply.result(), "isError") == true;
  script.check("tools.unknown-tool-error", reply.is_error(), reply,
               fmt::format("the call of a tool that does not exist was answered with {}",
                           has_error_result ? "a result that says isError" : reply.describe()));
  // None of their meanings is this.
  if (script.revision().has_sessions() || !reply.is_error()) return;
  const std::int64_t code = reply.error_code().value_or(0);
  const bool is_defined =
      std::find(kDefinedCodes.begin(), kDefinedCodes.end(), code) != kDefinedCodes.end();
  script.check("jsonrpc.reserved-codes-meaning", !is_defined, reply,
               fmt::format("the call of a tool that does not exist was answered with error {}, "
                           "which means something else",
                           code),
               "/error/code");
}

// A tool is known by its whole name: one that begins like it is another, and none has no name.
SCENARIO(tools_are_called_by_their_whole_names, in_both_eras(),
         judges({"tools.unknown-tool-error"})) {
  std::vector<std::string> names = {""};
  for (const ToolUse& tool : plain_tools(script.survey(), script.tool_policy(), 1)) {
    if (!is_success(script.call(tool))) return;
    names.push_back(tool.name + "_assay_no_such_tool");
  }
  for (const std::string& name : names) {
    if (script.survey().tool(name) != nullptr) continue;
    const Reply reply = script.request("tools/call", call_params(name, Json::object()));
    if (!reply.is_answered()) continue;
    script.check("tools.unknown-tool-error", reply.is_error(), reply,
                 fmt::format("the call of \"{}\", which is not listed, was answered with {}", name,
                             reply.describe()));
  }
}

// Arguments that the tool's inputSchema forbids, and how.
struct Forbidden {
  Json arguments;
  std::string how;  // "with an object for the number count"
};

// A value that is not of this type, and that nobody could take for one.
Json of_another_type(std::string_view type) {
  return type == "object" ? Json(47'110'815) : Json{{"assay", true}};
}

// What the schema forbids for certain: what is required is missing, of another type, or none of the
// choices. Numbers out of their range are left alone: who brings them back into it has dealt with
// them.
std::vector<Forbidden> forbidden_arguments(const Json& schema, const Json& sound) {
  std::vector<Forbidden> all;
  const auto add = [&](Json arguments, std::string how) {
    const auto outcome = model::check_against_schema(schema, arguments).outcome;
    if (outcome == model::SchemaOutcome::kInvalid) {
      all.push_back({std::move(arguments), std::move(how)});
    }
  };
  const auto with = [&](const std::string& name, Json value) {
    Json arguments = sound;
    arguments[name] = std::move(value);
    return arguments;
  };
  std::set<std::string> types;
  const Json& properties = member(schema, "properties");
  if (!properties.is_object()) return all;
  for (const auto& [name, property] : properties.items()) {
    if (!array_member(property, "enum").empty()) {
      add(with(name, "assay-no-such-choice"), fmt::format("with no choice of {}", name));
      continue;
    }
    const std::string type(text_member(property, "type"));
    if (type.empty() || !types.insert(type).second) continue;
    add(with(name, of_another_type(type)),
        fmt::format("with {} for the {} {}", type == "object" ? "a number" : "an object", type,
                    name));
    const std::string_view items = text_member(member(property, "items"), "type");
    if (type == "array" && !items.empty()) {
      add(with(name, Json::array({of_another_type(items)})),
          fmt::format("with an item of another type in {}", name));
    }
    if (type == "object") {
      add(with(name, Json::object()), fmt::format("with nothing in the object {}", name));
    }
  }
  std::size_t left_out = 0;
  for (const Json& each : array_member(schema, "required")) {
    if (!each.is_string()) continue;
    if (++left_out > kMostLeftOut) break;
    const auto& name = each.get_ref<const std::string&>();
    Json arguments = sound;
    arguments.erase(name);
    add(std::move(arguments), fmt::format("without the required argument {}", name));
    // Who takes null for nothing lacks the argument all the same.
    add(with(name, nullptr), fmt::format("with null for the required argument {}", name));
  }
  if (!all.empty()) add(Json::array({"assay"}), "with an array for its arguments");
  if (all.size() > kMostForbidden) all.resize(kMostForbidden);
  return all;
}

// Arguments that the tool may succeed with: the profile's, or a guess.
std::optional<Json> sound_arguments(const Script& script, const Json& tool) {
  const KnownTool* known = script.profile().tool(text_member(tool, "name"));
  if (known != nullptr && !known->uses.empty()) return known->uses.front().arguments;
  return sample_arguments(member(tool, "inputSchema"));
}

// What is forbidden is refused, where the same call succeeds with arguments that are not. Where
// even that fails, a refusal shows nothing.
void judge_arguments(Script& script, const std::string& name, const Json& sound,
                     const std::vector<Forbidden>& forbidden) {
  constexpr catalogue::RequirementId kRule = "tools.inputs-validated";
  const Reply sane = script.call_tool(name, sound);
  const auto on_purpose = script.session().malformed_on_purpose();
  for (const Forbidden& wrong : forbidden) {
    const Reply reply = script.call_tool(name, wrong.arguments);
    if (is_refused_in_words(reply)) {
      script.unclear(kRule, fmt::format("of a call {} {}", wrong.how, kInWordsAlone),
                     reply.events());
    } else if (is_success(reply)) {
      script.check(kRule, false, reply, fmt::format("a call {} succeeded", wrong.how));
    } else if (is_refused(reply) && is_success(sane)) {
      script.check(kRule, true, reply);
    } else {
      script.unclear(kRule, fmt::format("{} does not succeed with sound arguments either", name),
                     reply.events());
    }
  }
}

// Arguments that lack what inputSchema requires, or are of another type or none of the choices, are
// refused: a server validates all inputs of its tools.
SCENARIO(tools_validate_arguments, in_both_eras(), judges({"tools.inputs-validated"})) {
  std::size_t tried = 0;
  for (const Json& tool : script.survey().tools().items) {
    const std::string name(text_member(tool, "name"));
    const bool is_task = member(member(tool, "execution"), "taskSupport") == "required";
    if (is_task || !script.may_call(name)) continue;
    const auto sound = sound_arguments(script, tool);
    if (!sound) continue;
    const auto forbidden = forbidden_arguments(member(tool, "inputSchema"), *sound);
    if (forbidden.empty()) continue;
    if (++tried > kMostRefusals) break;
    judge_arguments(script, name, *sound, forbidden);
  }
  if (tried > 0 || !script.survey().tools().is_declared) return;
  script.not_exercised("tools.inputs-validated", "no tool that may be called has arguments",
                       "let one be called: name it in a --profile file, or allow it with --tools");
}

// What fails inside a tool is told in its result, so that a model can see it.
SCENARIO(tools_report_failures_in_results, in_both_eras(), judges({"tools.errors-in-result"})) {
  const auto tool = script.tool_with(Ability::kFails);
  if (!tool) {
    script.lacks("tools.errors-in-result", Ability::kFails);
    return;
  }
  const Reply reply = script.call(*tool);
  if (is_success(reply)) {
    script.unclear("tools.errors-in-result", "the tool did not fail", reply.events());
  } else if (reply.is_error(wire::kMethodNotFound)) {
    script.unclear("tools.errors-in-result", "the server does not serve tools/call",
                   reply.events());
  } else {
    script.check("tools.errors-in-result", reply.is_result(), reply);
  }
}

// A name in other letters is the name of another tool.
SCENARIO(tools_tell_names_apart_by_case, in_both_eras(), judges({"tools.name-case-sensitive"})) {
  for (const ToolUse& tool : plain_tools(script.survey(), script.tool_policy(), kMostCalls)) {
    std::string other = tool.name;
    for (char& c : other) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (other == tool.name || script.survey().tool(other) != nullptr) continue;
    if (!is_success(script.call(tool))) continue;
    const Reply reply = script.request("tools/call", call_params(other, tool.arguments));
    if (is_refused_in_words(reply)) {
      script.unclear("tools.name-case-sensitive", kInWordsAlone, reply.events());
    } else {
      script.check("tools.name-case-sensitive", is_refused(reply), reply,
                   "the tool could be called by its name in upper case");
    }
    return;
  }
  script.not_exercised("tools.name-case-sensitive", "no tool could be called without arguments",
                       "name one that only answers, with its arguments, in a --profile file");
}

}  // namespace
}  // namespace assay::scenarios
