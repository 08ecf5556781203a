#include "harness/runner/situations.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/monitors/monitor.h"
#include "harness/runner/scenario.h"

namespace assay::harness {
namespace {

bool names(const auto& requirements, std::string_view id) {
  return std::any_of(requirements.begin(), requirements.end(),
                     [&](const catalogue::RequirementId& each) { return each.text() == id; });
}

struct Judges {
  bool has_any = false;
  bool has_monitor = false;
  std::string_view left_out;  // a scenario that judges it, if none of those that do is wanted
};

Judges judges_of(std::string_view id, const Wanted& wants) {
  Judges judges;
  const auto watchers = monitors();
  judges.has_monitor = std::any_of(watchers.begin(), watchers.end(), [&](MonitorFactory each) {
    return names(each()->server_requirements(), id);
  });
  judges.has_any = judges.has_monitor;
  bool is_wanted = false;
  for (const Scenario& each : scenarios()) {
    if (!names(each.requirements, id)) continue;
    judges.has_any = true;
    is_wanted = is_wanted || wants(each.name);
    if (judges.left_out.empty()) judges.left_out = each.name;
  }
  if (is_wanted) judges.left_out = "";
  return judges;
}

}  // namespace

Situation situation_of(const catalogue::Requirement& requirement, const Wanted& wants) {
  const Judges judges = judges_of(requirement.id, wants);
  if (!judges.has_any) {
    return {"the suite has no check for this rule yet",
            "nothing that you can do: 'mcp-assay list requirements --uncovered' lists such rules"};
  }
  if (!judges.left_out.empty() && !judges.has_monitor) {
    return {fmt::format("the scenario {} was left out by --scenario", judges.left_out),
            fmt::format("run it: --scenario {}", judges.left_out)};
  }
  return {std::string(requirement.unexercised), std::string(requirement.hint)};
}

}  // namespace assay::harness
