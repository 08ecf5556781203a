#include "reports/interop/merge_interop.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

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

}  // namespace

std::variant<InteropResult, std::string> merge_interop(std::span<const InteropResult> parts) {
  if (parts.empty()) return "there is nothing to join";
  if (std::string why = missing_shards(parts); !why.empty()) return why;
  InteropResult out = parts.front();
  out.shard = {};
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
  settle_interop(out);
  return out;
}

}  // namespace assay::reports
