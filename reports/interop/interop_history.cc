#include "reports/interop/interop_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "reports/escape.h"

namespace assay::reports {
namespace {

constexpr std::size_t kMostOutcomes = 200'000;
constexpr std::size_t kMostChangesTold = 500;

using nlohmann::json;

std::string version_of(const PairParty& party) {
  return party.package.empty() ? party.introduced_as : party.package;
}

// Whether an outcome says that the act works, or that it fails; nothing where it says neither.
std::optional<bool> works(ActOutcome outcome) {
  if (is_failing(outcome)) return false;
  if (outcome == ActOutcome::kWorks || outcome == ActOutcome::kWorksThough) return true;
  return std::nullopt;
}

// "; sdk@1.2.3 is now sdk@1.3.0", of the parties of the cell.
std::string new_versions(const PairCell& cell, const InteropPoint& before,
                         const InteropPoint& now) {
  std::string out;
  for (const std::string& party :
       {"client " + cell.client, "server " + cell.server, "gateway " + cell.gateway}) {
    const auto then = before.versions.find(party);
    const auto today = now.versions.find(party);
    const bool has_changed = then != before.versions.end() && today != now.versions.end() &&
                             then->second != today->second && !then->second.empty() &&
                             !today->second.empty();
    if (has_changed) out += fmt::format("; {} is now {}", then->second, today->second);
  }
  return out;
}

std::optional<InteropPoint> read_point(const std::string& line) {
  const json parsed = json::parse(line, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("started") || !parsed["started"].is_string()) {
    return std::nullopt;
  }
  InteropPoint point;
  point.started = parsed["started"];
  const json versions = parsed.value("versions", json::object());
  for (const auto& [party, version] : versions.items()) {
    if (version.is_string()) point.versions[party] = version;
  }
  const json outcomes = parsed.value("outcomes", json::object());
  for (const auto& [key, name] : outcomes.items()) {
    if (!name.is_string() || point.outcomes.size() >= kMostOutcomes) continue;
    if (const auto outcome = parse_act_outcome(name.get<std::string>())) {
      point.outcomes[key] = *outcome;
    }
  }
  return point;
}

}  // namespace

std::string act_key(const PairCell& cell, const PairAct& act) {
  return fmt::format("{} > {} > {} > {} > {} > {}", cell.client, cell.server, cell.transport,
                     cell.era, cell.gateway, act.act);
}

InteropPoint interop_point(const InteropResult& result) {
  InteropPoint out;
  out.started = result.started;
  const auto note = [&out](const char* side, const std::vector<PairParty>& parties) {
    for (const PairParty& party : parties) {
      out.versions[fmt::format("{} {}", side, party.name)] = version_of(party);
    }
  };
  note("client", result.clients);
  note("server", result.servers);
  note("gateway", result.gateways);
  for (const PairCell& cell : result.cells) {
    for (const PairAct& act : cell.acts) out.outcomes[act_key(cell, act)] = act.outcome;
  }
  return out;
}

std::vector<InteropPoint> parse_interop_history(std::string_view text) {
  std::vector<InteropPoint> out;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (auto point = read_point(line)) out.push_back(*std::move(point));
  }
  return out;
}

void add_to_interop_history(std::vector<InteropPoint>& history, const InteropResult& result) {
  history.push_back(interop_point(result));
  if (history.size() > kMostInteropRuns) {
    history.erase(history.begin(), history.end() - static_cast<std::ptrdiff_t>(kMostInteropRuns));
  }
}

std::string render_interop_history(const std::vector<InteropPoint>& history) {
  std::string out;
  for (const InteropPoint& point : history) {
    json line = {{"started", point.started}, {"versions", point.versions}};
    json& outcomes = line["outcomes"] = json::object();
    for (const auto& [key, outcome] : point.outcomes) outcomes[key] = name(outcome);
    out += line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  }
  return out;
}

void note_changes(InteropResult& result, const InteropPoint& before) {
  const InteropPoint now = interop_point(result);
  result.changed_since = before.started;
  result.changes.clear();
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const PairCell& cell = result.cells[i];
    for (const PairAct& act : cell.acts) {
      const auto then = before.outcomes.find(act_key(cell, act));
      if (then == before.outcomes.end() || result.changes.size() >= kMostChangesTold) continue;
      const auto did = works(then->second);
      const auto does = works(act.outcome);
      if (!did || !does || *did == *does) continue;
      const PairActInfo* info = find_pair_act(act.act);
      result.changes.push_back(
          {!*does, i,
           printable_line(fmt::format(
               "{}: {} {}{}", cell.title(), info == nullptr ? act.act : std::string(info->label),
               *does ? "works now" : "worked, and fails now", new_versions(cell, before, now)))});
    }
  }
  std::stable_partition(result.changes.begin(), result.changes.end(),
                        [](const PairChange& change) { return change.is_worse; });
}

}  // namespace assay::reports
