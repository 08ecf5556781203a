// Scenarios about the roots that a client names.
//
// Specification: client/roots, "Security Considerations" and "Implementation Guidelines".
#include <fmt/format.h>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

struct Outside {
  RequirementId rule;
  const char* uri;
};

// A server that has asked for roots reads no file outside them, by whatever path.
SCENARIO(roots_bound_what_is_read, own_session(),
         judges({"roots.boundaries-respected", "roots.paths-validated"})) {
  if (!script.survey().resources().is_declared) return;
  Connection& session = script.open_connection();
  bool was_asked = false;
  session.on_request("roots/list", [&](const Json&) -> Answer {
    was_asked = true;
    return Json{{"roots", {{{"uri", "file:///assay/root"}, {"name", "root"}}}}};
  });
  session.begin();
  if (!session.has_begun()) return;
  if (const auto tool = script.tool_with(Ability::kAsksRoots)) {
    session.request("tools/call", {{"name", tool->name}, {"arguments", tool->arguments}});
  }
  const auto has_read = [](const Reply& reply) {
    return !array_member(reply.result(), "contents").empty();
  };
  // Who finds something even where nothing is reads no file at all.
  if (has_read(session.request("resources/read", {{"uri", "file:///assay/root/nothing"}}))) return;
  // The first is where every system that has it lets everybody read.
  for (const Outside& outside :
       {Outside{"roots.boundaries-respected", "file:///etc/hosts"},
        Outside{"roots.paths-validated", "file:///assay/root/../../etc/hosts"}}) {
    if (!was_asked) {
      script.not_exercised(outside.rule, "the server did not ask for the roots",
                           hint(Ability::kAsksRoots));
      continue;
    }
    const Reply reply = session.request("resources/read", {{"uri", outside.uri}});
    if (!reply.is_answered()) continue;
    script.check(
        outside.rule, !has_read(reply), reply,
        fmt::format("{} was read, though the only root is file:///assay/root", outside.uri));
  }
}

}  // namespace
}  // namespace assay::scenarios
