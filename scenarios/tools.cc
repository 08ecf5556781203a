// Scenarios about tools.
//
// Specification: server/tools.
#include "harness/runner/scenario.h"

namespace assay::scenarios {
namespace {

using namespace harness;

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
  const Json tools = reply.result().is_object() ? reply.result().value("tools", Json()) : Json();
  if (tools.is_array() && !tools.empty()) {
    script.check("tools.capability-declared", false, reply,
                 "tools/list gives tools, but the capability is not declared");
  } else {
    script.not_applicable("tools.capability-declared", "the server has no tools");
  }
}

}  // namespace
}  // namespace assay::scenarios
