// Scenarios about _meta.
//
// Specification: basic, "_meta".
#include <fmt/format.h>

#include <string>

#include "harness/runner/scenario.h"
#include "scenarios/stateless_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;

// Whatever value stands at a key that MCP keeps for itself, the request that carries it is served.
SCENARIO(meta_values_at_reserved_keys_are_left_alone, in_both_eras(),
         in_revisions(&model::Revision::has_meta_key_rules), judges({"meta.no-assumptions"})) {
  constexpr catalogue::RequirementId kRule = "meta.no-assumptions";
  const std::string method(script.session().fence_method());
  if (!script.request(method).is_result()) {
    script.unclear(kRule, method + " without the key was not answered with a result");
    return;
  }
  const std::string list = script.revision().has_sessions() ? "tools/list" : cheap_method(script);
  const Reply plain_list = script.request(list);
  for (const Json& value : {Json(true), Json(1.5), Json("assay"), Json::array({1, nullptr}),
                            Json{{"of", "assay"}}, Json(nullptr)}) {
    const Reply reply = script.request(method, {{"_meta", {{"io.mcp.assay/value", value}}}});
    script.check(kRule, reply.is_result(), reply,
                 fmt::format("{} with the value {} at a reserved key of _meta was answered with {}",
                             method, value.dump(), reply.describe()),
                 "");
    // A list may read the params that the other has none of.
    if (!plain_list.is_result()) continue;
    const Reply items = script.request(list, {{"_meta", {{"io.mcp.assay/value", value}}}});
    script.check(kRule, items.is_result(), items,
                 fmt::format("{} with the value {} at a reserved key of _meta was answered "
                             "with {}",
                             list, value.dump(), items.describe()));
  }
}

}  // namespace
}  // namespace assay::scenarios
