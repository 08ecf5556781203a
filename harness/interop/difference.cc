#include "harness/interop/difference.h"

#include <functional>
#include <set>
#include <string>

namespace assay::harness {
namespace {

// The rules that the client and the server of the cell break where nothing stands between.
std::set<std::string> broken_without(const reports::PairCell& cell,
                                     const reports::InteropResult& result) {
  std::set<std::string> out;
  for (const reports::PairCell& direct : result.cells) {
    if (!direct.gateway.empty()) continue;
    for (const reports::PairBreach& breach : direct.breaches) {
      const bool is_theirs =
          breach.party == "client" ? direct.client == cell.client : direct.server == cell.server;
      if (is_theirs) out.insert(breach.verdict.requirement);
    }
  }
  return out;
}

// The pair does the act by itself; or, where the two share no transport, each does with ours.
bool works_without(const reports::PairCell& cell, const std::string& act,
                   const reports::InteropResult& result) {
  bool have_met = false;
  bool works_together = false;
  bool client_can = false;
  bool server_can = false;
  for (const reports::PairCell& direct : result.cells) {
    if (!direct.gateway.empty() || direct.era != cell.era) continue;
    const reports::PairAct* seen = direct.act(act);
    const bool works = seen != nullptr && seen->seen == reports::ActSeen::kWorked;
    const bool is_client = direct.client == cell.client;
    const bool is_server = direct.server == cell.server;
    have_met = have_met || (is_client && is_server);
    works_together = works_together || (is_client && is_server && works);
    client_can = client_can || (is_client && works);
    server_can = server_can || (is_server && works);
  }
  return have_met ? works_together : client_can && server_can;
}

void add_breaches_of_gateway(const reports::PairCell& cell,
                             const std::function<bool(std::size_t)>& is_own,
                             reports::PairAct& act) {
  std::set<std::string> told;
  for (const std::size_t index : act.breaches)
    told.insert(cell.breaches[index].verdict.requirement);
  for (std::size_t i = 0; i < cell.breaches.size(); ++i) {
    const reports::PairBreach& breach = cell.breaches[i];
    if (breach.party != "gateway" || is_own(i)) continue;
    if (told.insert(breach.verdict.requirement).second) act.breaches.push_back(i);
  }
}

}  // namespace

reports::PairCell difference_of(reports::PairCell cell, const reports::InteropResult& result) {
  for (reports::PairAct& act : cell.acts) {
    if (act.seen != reports::ActSeen::kFailed || works_without(cell, act.act, result)) continue;
    act.seen = reports::ActSeen::kNotReached;
    act.parting.reset();
    act.detail = "without the gateway it does not work either";
  }
  const std::set<std::string> own = broken_without(cell, result);
  const auto is_own = [&](std::size_t index) {
    return own.contains(cell.breaches[index].verdict.requirement);
  };
  for (reports::PairAct& act : cell.acts) {
    std::erase_if(act.breaches, is_own);
    if (act.seen == reports::ActSeen::kFailed) add_breaches_of_gateway(cell, is_own, act);
  }
  return cell;
}

}  // namespace assay::harness
