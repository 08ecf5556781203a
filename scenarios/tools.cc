// Scenarios about tools.
//
// Specification: server/tools.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"

namespace assay::scenarios {
namespace {

using namespace harness;

// The most tools of a stranger's server that one scenario calls.
constexpr std::size_t kMostCalls = 12;
constexpr std::size_t kMostRefusals = 4;

// Refused in either of the two ways that tools have.
bool is_refused(const Reply& reply) {
  return reply.is_error() || member(reply.result(), "isError") == true;
}

bool is_success(const Reply& reply) {
  return reply.is_result() && !is_refused(reply);
}

Json call_params(const std::string& name, Json arguments) {
  return {{"name", name}, {"arguments", std::move(arguments)}};
}

// A server that answers tools/list with tools has declared that it has them.
SCENARIO(tools_are_declared, judges({"tools.capability-declared"})) {
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
SCENARIO(tools_answer_calls, judges({})) {
  for (const ToolUse& tool : plain_tools(script.survey(), script.tool_policy(), kMostCalls)) {
    script.call(tool);
  }
}

// A tool that does not exist is refused with an error of the protocol.
SCENARIO(tools_refuse_unknown_names, judges({"tools.unknown-tool-error"})) {
  if (!script.survey().tools().is_declared) return;
  const Reply reply =
      script.request("tools/call", call_params("assay_no_such_tool", Json::object()));
  const bool has_error_result = member(reply.result(), "isError") == true;
  script.check("tools.unknown-tool-error", reply.is_error(), reply,
               fmt::format("the call of a tool that does not exist was answered with {}",
                           has_error_result ? "a result that says isError" : reply.describe()));
}

// Arguments that lack what inputSchema requires, or are of another type, are refused.
SCENARIO(tools_validate_arguments, judges({"tools.inputs-validated"})) {
  constexpr catalogue::RequirementId kRule = "tools.inputs-validated";
  std::size_t tried = 0;
  for (const Json& tool : script.survey().tools().items) {
    const auto required = required_arguments(tool);
    const std::string name(text_member(tool, "name"));
    const bool is_task = member(member(tool, "execution"), "taskSupport") == "required";
    if (required.empty() || is_task || !script.may_call(name)) continue;
    if (++tried > kMostRefusals) break;
    const Reply missing = script.call_tool(name);
    script.check(kRule, is_refused(missing), missing,
                 fmt::format("a call without the required argument {} succeeded", required[0]));
    const Json& property =
        member(member(member(tool, "inputSchema"), "properties"), required.front());
    if (required.size() != 1 || member(property, "type") != "string") continue;
    const Reply wrong = script.call_tool(name, {{required[0], {{"assay", true}}}});
    script.check(kRule, is_refused(wrong), wrong,
                 fmt::format("a call with an object for the string {} succeeded", required[0]));
  }
  if (tried > 0 || !script.survey().tools().is_declared) return;
  script.not_exercised(kRule, "no tool that may be called requires an argument",
                       "let one be called: name it in a --profile file, or allow it with --tools");
}

// What fails inside a tool is told in its result, so that a model can see it.
SCENARIO(tools_report_failures_in_results, judges({"tools.errors-in-result"})) {
  const auto tool = script.tool_with(Ability::kFails);
  if (!tool) {
    script.lacks("tools.errors-in-result", Ability::kFails);
    return;
  }
  const Reply reply = script.call(*tool);
  if (is_success(reply)) {
    script.unclear("tools.errors-in-result", "the tool did not fail", reply.events());
  } else {
    script.check("tools.errors-in-result", reply.is_result(), reply);
  }
}

// A name in other letters is the name of another tool.
SCENARIO(tools_tell_names_apart_by_case, judges({"tools.name-case-sensitive"})) {
  for (const ToolUse& tool : plain_tools(script.survey(), script.tool_policy(), kMostCalls)) {
    std::string other = tool.name;
    for (char& c : other) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (other == tool.name || script.survey().tool(other) != nullptr) continue;
    if (!is_success(script.call(tool))) continue;
    const Reply reply = script.request("tools/call", call_params(other, tool.arguments));
    script.check("tools.name-case-sensitive", is_refused(reply), reply,
                 "the tool could be called by its name in upper case");
    return;
  }
  script.not_exercised("tools.name-case-sensitive", "no tool could be called without arguments",
                       "name one that only answers, with its arguments, in a --profile file");
}

}  // namespace
}  // namespace assay::scenarios
