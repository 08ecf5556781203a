#include "reports/interop/merge_interop.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace assay::reports {
namespace {

bool is_same_cell(const PairCell& a, const PairCell& b) {
  return a.client == b.client && a.server == b.server && a.transport == b.transport &&
         a.era == b.era && a.gateway == b.gateway;
}

void add_cell(InteropResult& out, const PairCell& cell) {
  const auto known = std::find_if(out.cells.begin(), out.cells.end(),
                                  [&](const PairCell& each) { return is_same_cell(each, cell); });
  if (known == out.cells.end()) {
    out.cells.push_back(cell);
  } else if (!known->not_run.empty()) {
    *known = cell;
  }
}

// What changed since an earlier run of its own, of each part; since the earliest of these.
void add_changes(InteropResult& out, const InteropResult& part) {
  if (part.changed_since.empty()) return;
  out.changed_since = out.changed_since.empty() ? part.changed_since
                                                : std::min(out.changed_since, part.changed_since);
  for (PairChange change : part.changes) {
    if (change.cell >= part.cells.size()) continue;
    const auto place = std::find_if(out.cells.begin(), out.cells.end(), [&](const PairCell& each) {
      return is_same_cell(each, part.cells[change.cell]);
    });
    change.cell = static_cast<std::size_t>(place - out.cells.begin());
    const bool is_known =
        std::find(out.changes.begin(), out.changes.end(), change) != out.changes.end();
    if (!is_known) out.changes.push_back(std::move(change));
  }
  std::stable_partition(out.changes.begin(), out.changes.end(),
                        [](const PairChange& change) { return change.is_worse; });
}

void add_parties(std::vector<PairParty>& out, const std::vector<PairParty>& more) {
  for (const PairParty& party : more) {
    const auto known = std::find_if(out.begin(), out.end(),
                                    [&](const PairParty& each) { return each.name == party.name; });
    if (known == out.end()) {
      out.push_back(party);
    } else if (known->introduced_as.empty()) {
      known->introduced_as = party.introduced_as;
    }
  }
}

// Why the shards are not a whole; empty where they are.
std::string missing_shards(std::span<const InteropResult> parts) {
  const int total = parts.front().shard.total;
  std::set<int> present;
  for (const InteropResult& part : parts) {
    if (part.shard.total != total) return "the parts are of runs with different numbers of shards";
    if (part.shard.is_part() && !present.insert(part.shard.index).second) {
      return fmt::format("shard {}/{} is given twice", part.shard.index, total);
    }
  }
  for (int i = 1; total > 1 && i <= total; ++i) {
    if (!present.contains(i)) return fmt::format("shard {}/{} is missing", i, total);
  }
  return "";
}

// The place of the party in its list.
std::size_t place_of(const std::vector<PairParty>& parties, const std::string& name) {
  const auto found = std::find_if(parties.begin(), parties.end(),
                                  [&](const PairParty& each) { return each.name == name; });
  return static_cast<std::size_t>(found - parties.begin());
}

}  // namespace

void order_cells(InteropResult& result) {
  const auto place = [&result](const PairCell& cell) {
    return std::tuple(!cell.gateway.empty(), is_trial(result, cell),
                      place_of(result.gateways, cell.gateway),
                      place_of(result.servers, cell.server), place_of(result.clients, cell.client),
                      cell.transport != "stdio", cell.era != "newest");
  };
  std::stable_sort(result.cells.begin(), result.cells.end(),
                   [&place](const PairCell& a, const PairCell& b) { return place(a) < place(b); });
}

std::variant<InteropResult, std::string> merge_interop(std::span<const InteropResult> parts) {
  if (parts.empty()) return "there is nothing to join";
  if (std::string why = missing_shards(parts); !why.empty()) return why;
  InteropResult out = parts.front();
  out.shard = {};
  out.changed_since.clear();
  out.changes.clear();
  for (const InteropResult& part : parts.subspan(1)) {
    if (part.catalogue_digest != out.catalogue_digest) {
      return "the parts were judged by different catalogues";
    }
    add_parties(out.clients, part.clients);
    add_parties(out.servers, part.servers);
    add_parties(out.gateways, part.gateways);
    for (const PairCell& cell : part.cells) add_cell(out, cell);
    out.started = std::min(out.started, part.started);
    out.duration_ms = std::max(out.duration_ms, part.duration_ms);
    out.was_interrupted = out.was_interrupted || part.was_interrupted;
  }
  order_cells(out);
  for (const InteropResult& part : parts) add_changes(out, part);
  const bool has_cells = std::any_of(out.cells.begin(), out.cells.end(),
                                     [&](const PairCell& cell) { return !is_trial(out, cell); });
  if (has_cells) out.no_cells.clear();
  settle_interop(out);
  return out;
}

}  // namespace assay::reports
