#include "reports/interop/interop_result.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/text.h"

namespace assay::reports {

std::string_view name(ActSeen seen) {
  switch (seen) {
    case ActSeen::kWorked:
      return "worked";
    case ActSeen::kFailed:
      return "failed";
    case ActSeen::kNotBegun:
      return "not_begun";
    case ActSeen::kNotReached:
      return "not_reached";
  }
  return "";
}

std::optional<ActSeen> parse_act_seen(std::string_view text) {
  for (const ActSeen each :
       {ActSeen::kWorked, ActSeen::kFailed, ActSeen::kNotBegun, ActSeen::kNotReached}) {
    if (name(each) == text) return each;
  }
  return std::nullopt;
}

std::string_view name(ActOutcome outcome) {
  switch (outcome) {
    case ActOutcome::kWorks:
      return "works";
    case ActOutcome::kWorksThough:
      return "works_though";
    case ActOutcome::kUnsteady:
      return "unsteady";
    case ActOutcome::kFailsBroken:
      return "fails_broken";
    case ActOutcome::kFailsUnclear:
      return "fails_unclear";
    case ActOutcome::kFailsSound:
      return "fails_sound";
    case ActOutcome::kUnsupported:
      return "unsupported";
    case ActOutcome::kNotTested:
      return "not_tested";
  }
  return "";
}

std::string_view words(ActOutcome outcome) {
  switch (outcome) {
    case ActOutcome::kWorks:
      return "works";
    case ActOutcome::kWorksThough:
      return "works, though a rule was broken";
    case ActOutcome::kUnsteady:
      return "failed once, and worked alone";
    case ActOutcome::kFailsBroken:
      return "fails, and a rule was broken";
    case ActOutcome::kFailsUnclear:
      return "fails, and no broken rule explains it";
    case ActOutcome::kFailsSound:
      return "fails, though no rule was broken";
    case ActOutcome::kUnsupported:
      return "unsupported";
    case ActOutcome::kNotTested:
      return "not tested";
  }
  return "";
}

std::optional<ActOutcome> parse_act_outcome(std::string_view text) {
  for (const ActOutcome each : kActOutcomes) {
    if (name(each) == text) return each;
  }
  return std::nullopt;
}

bool is_failing(ActOutcome outcome) {
  return outcome == ActOutcome::kFailsBroken || outcome == ActOutcome::kFailsUnclear ||
         outcome == ActOutcome::kFailsSound;
}

bool is_rule_broken(const PairCell& cell, const PairAct& act) {
  return std::any_of(act.breaches.begin(), act.breaches.end(), [&](std::size_t index) {
    return index < cell.breaches.size() &&
           strength(cell.breaches[index].verdict.level) == Strength::kMust;
  });
}

std::string PairCell::title() const {
  std::string out = fmt::format("{} > {}, {}, {}", client, server, transport, era);
  if (!gateway.empty()) out += ", through " + gateway;
  return out;
}

const PairAct* PairCell::act(std::string_view id) const {
  const auto found =
      std::find_if(acts.begin(), acts.end(), [&](const PairAct& each) { return each.act == id; });
  return found == acts.end() ? nullptr : &*found;
}

const std::vector<PairActInfo>& pair_acts() {
  static const std::vector<PairActInfo> all = {
      {"connect", "connect", "co"},
      {"list", "list tools, resources and prompts", "li"},
      {"page", "ask for the next page of a list", "pg"},
      {"call", "call a tool", "ca"},
      {"progress", "follow the progress of a long call", "pr"},
      {"cancel", "cancel a call", "cx"},
      {"read", "read a resource", "rd"},
      {"subscribe", "subscribe to a resource, and be told of a change", "su"},
      {"prompt", "get a prompt", "pm"},
      {"complete", "complete an argument", "cm"},
      {"sample", "answer a sampling request", "sa"},
      {"elicit", "answer an elicitation", "el"},
      {"resume", "resume a broken stream", "re"},
      {"expire", "go on after the session has expired", "ex"},
      {"login", "log in", "lo"},
      {"down", "agree on an older revision than the client's newest", "dn"},
      {"up", "agree on a revision older than the server's newest", "up"},
  };
  return all;
}

const PairActInfo* find_pair_act(std::string_view id) {
  const auto& all = pair_acts();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const PairActInfo& each) { return each.id == id; });
  return found == all.end() ? nullptr : &*found;
}

const PairParty* find_party(const std::vector<PairParty>& parties, std::string_view name) {
  const auto found = std::find_if(parties.begin(), parties.end(),
                                  [&](const PairParty& each) { return each.name == name; });
  return found == parties.end() ? nullptr : &*found;
}

ActCounts count(const PairCell& cell) {
  ActCounts counts;
  for (const PairAct& act : cell.acts) ++counts[act.outcome];
  return counts;
}

ActCounts count(const InteropResult& result) {
  ActCounts counts;
  for (const PairCell& cell : result.cells) {
    if (is_trial(result, cell)) continue;
    for (const auto& [outcome, number] : count(cell)) counts[outcome] += number;
  }
  return counts;
}

bool is_trial(const InteropResult& result, const PairCell& cell) {
  const PairParty* client = find_party(result.clients, cell.client);
  const PairParty* server = find_party(result.servers, cell.server);
  return (client != nullptr && client->is_reference) || (server != nullptr && server->is_reference);
}

bool has_failed(const PairCell& cell) {
  return std::any_of(cell.acts.begin(), cell.acts.end(),
                     [](const PairAct& act) { return is_failing(act.outcome); });
}

bool has_failed(const InteropResult& result) {
  return std::any_of(result.cells.begin(), result.cells.end(), [&](const PairCell& cell) {
    return !is_trial(result, cell) && has_failed(cell);
  });
}

bool was_tested(const InteropResult& result) {
  return std::any_of(result.cells.begin(), result.cells.end(), [&](const PairCell& cell) {
    return !is_trial(result, cell) &&
           std::any_of(cell.acts.begin(), cell.acts.end(), [](const PairAct& act) {
             return act.seen == ActSeen::kWorked || act.seen == ActSeen::kFailed;
           });
  });
}

std::string conclusion(const InteropResult& result) {
  int pairs = 0;
  int failing = 0;
  int not_run = 0;
  for (const PairCell& cell : result.cells) {
    if (is_trial(result, cell)) continue;
    ++pairs;
    if (has_failed(cell)) ++failing;
    if (!cell.not_run.empty()) ++not_run;
  }
  const ActCounts counts = count(result);
  const auto of = [&counts](ActOutcome outcome) {
    const auto found = counts.find(outcome);
    return found == counts.end() ? 0 : found->second;
  };
  const int works = of(ActOutcome::kWorks) + of(ActOutcome::kWorksThough);
  const int fails =
      of(ActOutcome::kFailsBroken) + of(ActOutcome::kFailsUnclear) + of(ActOutcome::kFailsSound);
  if (pairs == 0) {
    return fmt::format("Nothing was run: {}",
                       result.no_cells.empty() ? "the matrix has no cell" : result.no_cells);
  }
  std::string out = failing == 0 ? fmt::format("No failure in {}", plural(pairs, "cell"))
                                 : fmt::format("{} of {} {}", failing, plural(pairs, "cell"),
                                               failing == 1 ? "fails" : "fail");
  out += fmt::format("; {} work, {} fail", plural(works, "act"), fails);
  if (of(ActOutcome::kFailsSound) > 0) {
    out += fmt::format(" ({} though no rule was broken)", of(ActOutcome::kFailsSound));
  }
  if (of(ActOutcome::kUnsteady) > 0) {
    out += fmt::format(", {} failed once", of(ActOutcome::kUnsteady));
  }
  if (not_run > 0) out += fmt::format("; {} not run", plural(not_run, "cell"));
  return out;
}

}  // namespace assay::reports
