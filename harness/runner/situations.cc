#include "harness/runner/situations.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/monitors/monitor.h"
#include "harness/runner/authority_scenario.h"
#include "harness/runner/client_scenario.h"
#include "harness/runner/scenario.h"

namespace assay::harness {
namespace {

constexpr const char* kNoCheck = "the suite has no check for this rule yet";

// What the hints of the catalogue ask of a profile, as what traffic should have in it.
std::string traffic_for(std::string_view hint) {
  constexpr std::string_view kName = "name ";
  hint = hint.substr(0, hint.find(" in a --profile file"));
  if (hint.starts_with(kName)) hint.remove_prefix(kName.size());
  if (hint.ends_with(',')) hint.remove_suffix(1);
  const bool is_about_options = hint.find("--") != std::string_view::npos;
  return hint.empty() || is_about_options ? "" : fmt::format("record traffic with {}", hint);
}

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
  bool is_named_at_home = false;
  for (const Scenario& each : scenarios()) {
    if (!each.may_judge(id)) continue;
    judges.has_any = true;
    is_wanted = is_wanted || wants(each.name);
    // That of its own topic says most: many ping, few are about it.
    const bool is_at_home = id.substr(0, id.find('.')) == each.topic;
    if (judges.left_out.empty() || (is_at_home && !is_named_at_home)) judges.left_out = each.name;
    is_named_at_home = is_named_at_home || is_at_home;
  }
  if (is_wanted) judges.left_out = "";
  return judges;
}

}  // namespace

Situation situation_of(const catalogue::Requirement& requirement, const Wanted& wants) {
  const Judges judges = judges_of(requirement.id, wants);
  if (!judges.has_any) {
    return {kNoCheck,
            "nothing that you can do: 'mcp-assay list requirements --uncovered' lists such rules"};
  }
  if (!judges.left_out.empty() && !judges.has_monitor) {
    return {fmt::format("the scenario {} was left out by --scenario", judges.left_out),
            fmt::format("run it: --scenario {}", judges.left_out)};
  }
  return {std::string(requirement.unexercised), std::string(requirement.hint)};
}

Situation situation_of_client(const catalogue::Requirement& requirement, const Wanted& wants) {
  const ClientScenario* wanted = nullptr;
  const ClientScenario* left_out = nullptr;
  for (const ClientScenario& each : client_scenarios()) {
    if (!names(each.requirements, requirement.id)) continue;
    (wants(each.name) ? wanted : left_out) = &each;
  }
  if (wanted != nullptr) {
    return {"nothing that the client did showed whether it keeps the rule",
            fmt::format("in the scenario {} the client {}", wanted->name, wanted->task)};
  }
  if (left_out != nullptr) {
    return {fmt::format("the scenario {} was left out by --scenario", left_out->name),
            fmt::format("run it: --scenario {}", left_out->name)};
  }
  const auto watchers = monitors();
  const bool has_monitor = std::any_of(watchers.begin(), watchers.end(), [&](MonitorFactory each) {
    return names(each()->client_requirements(), requirement.id);
  });
  if (has_monitor) return {"nothing that the client did showed whether it keeps the rule", ""};
  return {kNoCheck, ""};
}

Situation situation_of_authority(const catalogue::Requirement& requirement, const Wanted& wants) {
  std::string_view left_out;
  for (const AuthorityScenario& each : authority_scenarios()) {
    if (!names(each.requirements, requirement.id)) continue;
    if (wants(each.name)) return {"nothing that was asked of it showed whether it is kept", ""};
    left_out = each.name;
  }
  if (left_out.empty()) return {kNoCheck, ""};
  return {fmt::format("the scenario {} was left out by --scenario", left_out),
          fmt::format("run it: --scenario {}", left_out)};
}

Situation situation_in_traffic(const catalogue::Requirement& requirement, Party party) {
  const auto watchers = monitors();
  const bool has_monitor = std::any_of(watchers.begin(), watchers.end(), [&](MonitorFactory each) {
    return names(each()->requirements(party), requirement.id);
  });
  if (party == Party::kClient) {
    // What the catalogue says of situations it says of servers.
    return {has_monitor ? "nothing in this traffic showed whether the rule is kept" : kNoCheck, ""};
  }
  if (has_monitor) return {std::string(requirement.unexercised), traffic_for(requirement.hint)};
  const Judges judges = judges_of(requirement.id, [](std::string_view) { return true; });
  if (!judges.has_any) return {kNoCheck, ""};
  return {"traffic alone does not show this: somebody has to provoke it",
          "'mcp-assay server' provokes it"};
}

}  // namespace assay::harness
