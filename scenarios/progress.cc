// Scenarios that make a server report progress; the monitor judges what it reports.
//
// Specification: basic/utilities/progress.
#include <cstdint>
#include <string>
#include <vector>

#include "harness/runner/scenario.h"

namespace assay::scenarios {
namespace {

using namespace harness;

Json params_with_token(const ToolUse& tool, Json token) {
  return {{"name", tool.name},
          {"arguments", tool.arguments},
          {"_meta", {{"progressToken", std::move(token)}}}};
}

// Progress names the token of its own request: text or number, also where two calls run at once.
SCENARIO(progress_is_reported_for_its_token, in_both_eras(),
         judges({"progress.token-of-active-request", "progress.token-of-running-operation",
                 "progress.value-increases", "progress.stops-on-completion"})) {
  const auto tool = script.tool_with(Ability::kReportsProgress);
  if (!tool) {
    for (const catalogue::RequirementId rule :
         {catalogue::RequirementId("progress.token-of-active-request"),
          catalogue::RequirementId("progress.token-of-running-operation"),
          catalogue::RequirementId("progress.value-increases"),
          catalogue::RequirementId("progress.stops-on-completion")}) {
      script.lacks(rule, Ability::kReportsProgress);
    }
    return;
  }
  Connection& session = script.session();
  const Pending text = session.start("tools/call", params_with_token(*tool, "assay-progress"));
  const Pending number = session.start("tools/call", params_with_token(*tool, 20241105));
  session.await(text);
  session.await(number);
  // Tokens that come back as others where they are read for what they mean.
  std::vector<Pending> odd;
  for (const Json& token : {Json((std::int64_t{1} << 53) - 1), Json("007"),
                            Json("\xe2\x9c\x93 " + std::string(300, 'a'))}) {
    odd.push_back(session.start("tools/call", params_with_token(*tool, token)));
  }
  for (const Pending& call : odd) session.await(call);
  // What is refused does not run.
  session.request("tools/call",
                  params_with_token({"assay-no-such-tool", Json::object()}, "refused"));
  session.request("tools/call", {{"name", tool->name}, {"arguments", tool->arguments}});
  // What comes late comes before the answer to this.
  session.fence();
}

}  // namespace
}  // namespace assay::scenarios
