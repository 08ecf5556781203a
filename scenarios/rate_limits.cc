// Scenarios about limits on the rate of requests.
//
// Specification: server/tools, "Security Considerations"; server/utilities/completion, "Security"
// and "Implementation Considerations"; basic/utilities/tasks, "Security Considerations". The pages
// name no rate, so that nobody breaks these rules by serving what is asked for; but a limit can be
// seen.
#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/limit.h"
#include "harness/script/means.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

// Few enough to harm nobody.
constexpr int kBurst = 12;

void judge_burst(Script& script, std::initializer_list<RequirementId> rules,
                 std::string_view method, const Json& params) {
  Connection& session = script.session();
  std::vector<Pending> asked;
  for (int i = 0; i < kBurst; ++i) asked.push_back(session.start_out_of_turn(method, params));
  for (const Pending& pending : asked) {
    const Reply reply = session.await(pending);
    if (!limit_of(reply)) continue;
    for (const RequirementId rule : rules) script.check(rule, true, reply);
    return;
  }
  for (const RequirementId rule : rules) {
    script.unclear(rule, fmt::format("{} requests for {} at once met no limit; the text names no "
                                     "rate, so there may be one beyond them",
                                     kBurst, method));
  }
}

// A burst of calls of a tool that only answers meets a limit, or not.
SCENARIO(rate_limits_calls, in_both_eras(), in_turn(), judges({"tools.calls-rate-limited"})) {
  const auto tools = plain_tools(script.survey(), script.tool_policy(), 1);
  if (tools.empty()) {
    script.not_exercised(
        "tools.calls-rate-limited", "no tool is known that may be called",
        "let one be called: name it in a --profile file, or allow it with --tools");
    return;
  }
  judge_burst(script, {"tools.calls-rate-limited"}, "tools/call",
              {{"name", tools[0].name}, {"arguments", tools[0].arguments}});
}

// A burst of completions meets a limit, or not.
SCENARIO(rate_limits_completion, in_both_eras(), in_turn(),
         judges({"completion.rate-limited", "completion.server-limits-rate"})) {
  if (!script.is_declared("completions")) return;
  judge_burst(script, {"completion.rate-limited", "completion.server-limits-rate"},
              "completion/complete",
              {{"ref", {{"type", "ref/prompt"}, {"name", "assay-no-such-prompt"}}},
               {"argument", {{"name", "argument"}, {"value", ""}}}});
}

// So does a burst of looks at a task: of one that there is not, as nothing has to be made for it.
SCENARIO(rate_limits_looks_at_tasks, in_turn(), with_tasks(), judges({"tasks.rate-limited"})) {
  if (!script.is_declared("tasks.requests")) return;
  judge_burst(script, {"tasks.rate-limited"}, "tasks/get", {{"taskId", "assay-no-such-task"}});
}

}  // namespace
}  // namespace assay::scenarios
