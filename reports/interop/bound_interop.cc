// What a report keeps of a matrix.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/bound.h"
#include "reports/escape.h"
#include "reports/interop/interop_result.h"

namespace assay::reports {
namespace {

// Of one cell: what a reader may open. A matrix has hundreds of them.
constexpr std::size_t kMostSessionsOfCell = 40;
constexpr std::size_t kMostBreachesOfCell = 60;
constexpr std::size_t kMostSteps = 40;

void bound_line(std::string& text, std::size_t longest) {
  if (text.size() > longest) text = cut(text, longest);
}

template <typename Item>
void shorten(std::vector<Item>& items, std::size_t most) {
  if (items.size() > most) items.resize(most);
}

// Of each number whether it is kept: those that are in `first`, in their order, and then others,
// from the beginning, as long as there is room.
std::vector<bool> kept_of(std::size_t count, const std::vector<std::size_t>& first,
                          std::size_t most) {
  std::vector<bool> out(count, false);
  std::size_t kept = 0;
  const auto keep = [&](std::size_t i) {
    if (i >= count || out[i] || kept == most) return;
    out[i] = true;
    ++kept;
  };
  for (const std::size_t i : first) keep(i);
  for (std::size_t i = 0; i < count; ++i) keep(i);
  return out;
}

// Leaves the others out, and tells where each is now; nothing for one that is gone.
template <typename Item>
std::vector<std::optional<std::size_t>> leave_out(std::vector<Item>& items,
                                                  const std::vector<bool>& is_kept) {
  std::vector<std::optional<std::size_t>> places(items.size());
  std::vector<Item> left;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!is_kept[i]) continue;
    places[i] = left.size();
    left.push_back(std::move(items[i]));
  }
  items = std::move(left);
  return places;
}

// What points nowhere, because a report is anybody's.
void drop_loose_ends(PairCell& cell) {
  for (PairAct& act : cell.acts) {
    if (act.parting && act.parting->session >= cell.sessions.size()) act.parting.reset();
    std::erase_if(act.breaches, [&](std::size_t i) {
      return i >= cell.breaches.size() || cell.breaches[i].session >= cell.sessions.size();
    });
  }
}

// The broken rules that a cell may lose last: of each act first one that decides its outcome.
std::vector<std::size_t> breaches_that_count(const PairCell& cell) {
  std::vector<std::size_t> out;
  for (const bool is_of_rules : {true, false}) {
    for (const PairAct& act : cell.acts) {
      const auto found = std::find_if(act.breaches.begin(), act.breaches.end(), [&](std::size_t i) {
        return (strength(cell.breaches[i].verdict.level) == Strength::kMust) == is_of_rules;
      });
      if (found != act.breaches.end()) out.push_back(*found);
    }
  }
  for (const PairAct& act : cell.acts) {
    out.insert(out.end(), act.breaches.begin(), act.breaches.end());
  }
  return out;
}

// The sessions that a cell may lose last: where an act failed, or a rule was broken that counts.
std::vector<std::size_t> sessions_that_count(const PairCell& cell) {
  std::vector<std::size_t> out;
  for (const PairAct& act : cell.acts) {
    if (act.parting) out.push_back(act.parting->session);
  }
  for (const std::size_t i : breaches_that_count(cell)) out.push_back(cell.breaches[i].session);
  for (const PairBreach& breach : cell.breaches) out.push_back(breach.session);
  return out;
}

// The acts come to the same with what is left, so that a report can be read and settled again.
void shorten_exchange(PairCell& cell) {
  const auto places_of_sessions = leave_out(
      cell.sessions, kept_of(cell.sessions.size(), sessions_that_count(cell), kMostSessionsOfCell));
  const auto move_session = [&](std::size_t& session) {
    const auto place =
        session < places_of_sessions.size() ? places_of_sessions[session] : std::nullopt;
    session = place.value_or(cell.sessions.size());
  };
  for (PairBreach& breach : cell.breaches) move_session(breach.session);
  for (PairAct& act : cell.acts) {
    if (act.parting) move_session(act.parting->session);
  }
  drop_loose_ends(cell);
  std::vector<bool> is_kept =
      kept_of(cell.breaches.size(), breaches_that_count(cell), kMostBreachesOfCell);
  for (std::size_t i = 0; i < cell.breaches.size(); ++i) {
    is_kept[i] = is_kept[i] && cell.breaches[i].session < cell.sessions.size();
  }
  const auto places_of_breaches = leave_out(cell.breaches, is_kept);
  for (PairAct& act : cell.acts) {
    std::vector<std::size_t> left;
    for (const std::size_t i : act.breaches) {
      if (places_of_breaches[i]) left.push_back(*places_of_breaches[i]);
    }
    act.breaches = std::move(left);
  }
}

void bound_cell(PairCell& cell) {
  bound_line(cell.not_run, kLongestDetail);
  bound_line(cell.end, kLongestDetail);
  bound_line(cell.remark, kLongestDetail);
  bound_line(cell.agreement.dead_end, kLongestDetail);
  shorten(cell.agreement.steps, kMostSteps);
  for (std::string& step : cell.agreement.steps) bound_line(step, kLongestName);
  drop_loose_ends(cell);
  shorten_exchange(cell);
  for (PairBreach& breach : cell.breaches) bound(breach.verdict);
  for (PairAct& act : cell.acts) {
    bound_line(act.detail, kLongestDetail);
    if (act.parting) bound_line(act.parting->why, kLongestDetail);
  }
}

}  // namespace

void bound(InteropResult& result) {
  for (auto* parties : {&result.clients, &result.servers, &result.gateways}) {
    for (PairParty& party : *parties) {
      bound_line(party.introduced_as, kLongestName);
      bound_line(party.location, kLongestCommand);
    }
  }
  bound_line(result.no_cells, kLongestDetail);
  for (PairCell& cell : result.cells) bound_cell(cell);
}

}  // namespace assay::reports
