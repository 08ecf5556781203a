// Scenarios about _meta.
//
// Specification: basic, "_meta".
#include <fmt/format.h>

#include "harness/runner/scenario.h"

namespace assay::scenarios {
namespace {

using namespace harness;

// Whatever value stands at a key that MCP keeps for itself, the request that carries it is served.
SCENARIO(meta_values_at_reserved_keys_are_left_alone, in_revisions(&model::Revision::has_titles),
         judges({"meta.no-assumptions"})) {
  constexpr catalogue::RequirementId kRule = "meta.no-assumptions";
  if (!script.request("ping").is_result()) {
    script.unclear(kRule, "a ping without _meta was not answered with a result");
    return;
  }
  const Reply plain_list = script.request("tools/list");
  for (const Json& value : {Json(true), Json(1.5), Json("assay"), Json::array({1, nullptr}),
                            Json{{"of", "assay"}}, Json(nullptr)}) {
    const Reply reply = script.request("ping", {{"_meta", {{"io.mcp.assay/value", value}}}});
    script.check(kRule, reply.is_result(), reply,
                 fmt::format("a ping with the value {} at a reserved key of _meta was answered "
                             "with {}",
                             value.dump(), reply.describe()),
                 "");
    // A list may read the params that a ping has none of.
    if (!plain_list.is_result()) continue;
    const Reply list = script.request("tools/list", {{"_meta", {{"io.mcp.assay/value", value}}}});
    script.check(kRule, list.is_result(), list,
                 fmt::format("tools/list with the value {} at a reserved key of _meta was answered "
                             "with {}",
                             value.dump(), list.describe()));
  }
}

}  // namespace
}  // namespace assay::scenarios
