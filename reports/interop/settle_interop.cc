// What the acts of all cells come to, once every cell is known: one alone does not tell an act that
// fails from one that a party cannot do.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "reports/interop/interop_result.h"

namespace assay::reports {
namespace {

// A party that fails with one peer only may be right, and the peer wrong.
constexpr int kFewestPeers = 2;

// What the cells with one party show of one act.
struct Ability {
  int worked = 0;
  int failed = 0;
};

// Of a party, by its side, its name, the transport, the era, and the act. What a client and a
// server can do shows without a gateway; behind one the server is spoken to over whatever it likes.
using Key = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view,
                       std::string_view>;
constexpr std::string_view kAnyWay = "any";

class Abilities {
 public:
  explicit Abilities(const InteropResult& result) {
    for (const PairCell& cell : result.cells) {
      for (const PairAct& act : cell.acts) {
        if (!cell.gateway.empty()) {
          note(by_key_[gateway_key(cell, act)], act);
          continue;
        }
        note(by_key_[{"client", cell.client, cell.transport, cell.era, act.act}], act);
        note(by_key_[{"server", cell.server, cell.transport, cell.era, act.act}], act);
        note(by_key_[{"server", cell.server, kAnyWay, kAnyWay, act.act}], act);
      }
    }
  }

  // Nothing shows that the party can do it: it was never begun with it, or it failed with each of
  // at least two peers.
  bool lacks(std::string_view side, const PairCell& cell, const PairAct& act) const {
    const Ability ability = of(side, cell, act);
    return ability.worked == 0 && (ability.failed == 0 || ability.failed >= kFewestPeers);
  }
  int failures(std::string_view side, const PairCell& cell, const PairAct& act) const {
    return of(side, cell, act).failed;
  }

 private:
  static Key gateway_key(const PairCell& cell, const PairAct& act) {
    return {"gateway", cell.gateway, kAnyWay, kAnyWay, act.act};
  }
  Ability of(std::string_view side, const PairCell& cell, const PairAct& act) const {
    const bool is_behind = !cell.gateway.empty();
    Key key = gateway_key(cell, act);
    if (side == "client") key = {side, cell.client, cell.transport, cell.era, act.act};
    if (side == "server" && is_behind) key = {side, cell.server, kAnyWay, kAnyWay, act.act};
    if (side == "server" && !is_behind) {
      key = {side, cell.server, cell.transport, cell.era, act.act};
    }
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? Ability() : found->second;
  }
  static void note(Ability& ability, const PairAct& act) {
    if (act.seen == ActSeen::kWorked) ++ability.worked;
    if (act.seen == ActSeen::kFailed) ++ability.failed;
  }

  std::map<Key, Ability> by_key_;
};

std::string lacking_sides(const Abilities& abilities, const PairCell& cell, const PairAct& act) {
  // A party that connects to no other is broken; it does not merely lack something.
  if (act.act == "connect" && act.seen == ActSeen::kFailed) return "";
  const bool client = abilities.lacks("client", cell, act);
  const bool server = abilities.lacks("server", cell, act);
  if (client && server) return "client and server";
  if (client || server) return client ? "client" : "server";
  const bool has_gateway = !cell.gateway.empty();
  return has_gateway && abilities.lacks("gateway", cell, act) ? "gateway" : "";
}

// "it failed with each of 4 servers", for the side that is meant.
std::string lacking_why(const Abilities& abilities, const PairCell& cell, const PairAct& act) {
  const bool is_gateway = act.lacking == "gateway";
  const bool is_client = act.lacking.starts_with("client");
  const std::string_view side = is_gateway ? "gateway" : is_client ? "client" : "server";
  const int failures = abilities.failures(side, cell, act);
  if (act.lacking.empty() || failures == 0) return "";
  return fmt::format("it failed with each of {} {}", failures,
                     is_gateway  ? "pairs"
                     : is_client ? "servers"
                                 : "clients");
}

ActOutcome outcome_of(const PairAct& act, const PairCell& cell) {
  if (!cell.not_run.empty()) return ActOutcome::kNotTested;
  switch (act.seen) {
    case ActSeen::kWorked:
      if (act.was_unsteady) return ActOutcome::kUnsteady;
      return is_rule_broken(cell, act) ? ActOutcome::kWorksThough : ActOutcome::kWorks;
    case ActSeen::kFailed:
      if (is_rule_broken(cell, act)) return ActOutcome::kFailsBroken;
      if (!act.lacking.empty()) return ActOutcome::kUnsupported;
      return cell.breaches.empty() && !act.is_undecided ? ActOutcome::kFailsSound
                                                        : ActOutcome::kFailsUnclear;
    case ActSeen::kNotBegun:
    case ActSeen::kNotReached:
      return act.lacking.empty() ? ActOutcome::kNotTested : ActOutcome::kUnsupported;
  }
  return ActOutcome::kNotTested;
}

void settle(PairAct& act, const PairCell& cell, const Abilities& abilities) {
  const bool is_blamed = act.seen == ActSeen::kFailed && is_rule_broken(cell, act);
  const bool is_open = cell.not_run.empty() && act.seen != ActSeen::kWorked && !is_blamed;
  act.lacking = is_open ? lacking_sides(abilities, cell, act) : "";
  act.lacking_why = lacking_why(abilities, cell, act);
  act.outcome = outcome_of(act, cell);
}

}  // namespace

void settle_interop(InteropResult& result) {
  const Abilities abilities(result);
  for (PairCell& cell : result.cells) {
    for (PairAct& act : cell.acts) settle(act, cell, abilities);
  }
}

}  // namespace assay::reports
