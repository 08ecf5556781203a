#include "reports/interop/interop_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <vector>

#include "reports/escape.h"
#include "reports/html/embedded.h"
#include "reports/html/finding_data.h"
#include "reports/html/page.h"
#include "reports/interop/interop_html_cell.h"
#include "reports/interop/interop_text.h"
#include "reports/text.h"

namespace assay::reports {
namespace {

using nlohmann::json;

// A page stays small whatever a run finds; what is beyond it stands in the JSON report. What fails
// has its own share.
constexpr std::size_t kBytesOfFailing = 4'000'000;
constexpr std::size_t kBytesOfOthers = 2'000'000;
constexpr std::size_t kMostShownFailures = 200;

// What is worse hides what is better, where one mark stands for several.
int gravity(ActOutcome outcome) {
  switch (outcome) {
    case ActOutcome::kFailsBroken:
      return 7;
    case ActOutcome::kFailsSound:
      return 6;
    case ActOutcome::kFailsUnclear:
      return 5;
    case ActOutcome::kUnsteady:
      return 4;
    case ActOutcome::kWorksThough:
      return 3;
    case ActOutcome::kWorks:
      return 2;
    case ActOutcome::kUnsupported:
      return 1;
    case ActOutcome::kNotTested:
      return 0;
  }
  return 0;
}

class InteropPage {
 public:
  explicit InteropPage(const InteropResult& result) : result_(result), acts_(shown_acts(result)) {
    for (std::size_t i = 0; i < result.cells.size(); ++i) {
      // What our own peers do stands at the end.
      order_.push_back(i);
    }
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return place(result.cells[a]) < place(result.cells[b]);
    });
  }

  json build() {
    json page = head();
    page["filters"] = filters();
    page["servers"] = parties(result_.servers, "server");
    page["rows"] = rows();
    page["acts"] = json::array();
    for (const PairActInfo* act : acts_) {
      page["acts"].push_back({{"mark", act->mark}, {"label", act->label}});
    }
    page["outcomes"] = json::array();
    for (const ActOutcome outcome : kActOutcomes) {
      page["outcomes"].push_back({{"class", class_of_outcome(outcome)},
                                  {"mark", mark_of(outcome)},
                                  {"words", words(outcome)}});
    }
    page["multiples"] = multiples();
    add_failures(page);
    page["cells"] = json::array();
    for (const std::size_t i : order_)
      page["cells"].push_back(cell_data(
          result_, i, acts_, has_failed(result_.cells[i]) ? failing_bytes_ : other_bytes_));
    return page;
  }

 private:
  int place(const PairCell& cell) const {
    return (has_failed(cell) ? 0 : 1) + (is_trial(result_, cell) ? 2 : 0);
  }

  json head() const {
    int clients = 0;
    int servers = 0;
    for (const PairParty& party : result_.clients) clients += party.is_reference ? 0 : 1;
    for (const PairParty& party : result_.servers) servers += party.is_reference ? 0 : 1;
    const bool is_bad = has_failed(result_) || !was_tested(result_);
    return {
        {"title", fmt::format("{} with {}", plural(clients, "client"), plural(servers, "server"))},
        {"headline", conclusion(result_)},
        {"headline_class", is_bad ? "bad" : "pass"},
        {"is_interrupted", result_.was_interrupted},
        {"started", short_name(result_.started)},
        {"duration", duration_text(result_.duration_ms)},
        {"catalogue_version", short_name(result_.catalogue_version)},
        {"tool_version", short_name(result_.tool_version)},
        {"before", short_name(result_.changed_since)},
        {"has_changes", !result_.changed_since.empty()},
        {"changes", changes()}};
  }

  json changes() const {
    json out = json::array();
    for (const PairChange& change : result_.changes) {
      out.push_back({{"class", change.is_worse ? "bad" : "pass"},
                     {"link", anchor(change.cell)},
                     {"text", sentence(change.text)}});
    }
    if (out.empty()) out.push_back({{"class", ""}, {"link", ""}, {"text", "Nothing changed."}});
    return out;
  }

  json filters() const {
    json out = json::array();
    const auto add = [&out](const char* key, const char* label, const json& options) {
      out.push_back({{"key", key}, {"label", label}, {"options", options}});
    };
    const auto named = [](const std::vector<PairParty>& all) {
      json options = json::array();
      for (const PairParty& party : all) {
        const std::string name = short_name(party.name);
        options.push_back({{"value", name}, {"words", name}});
      }
      return options;
    };
    std::set<std::string> transports;
    std::set<std::string> eras;
    std::set<std::string> gateways;
    for (const PairCell& cell : result_.cells) {
      transports.insert(short_name(cell.transport));
      eras.insert(short_name(cell.era));
      if (!cell.gateway.empty()) gateways.insert(gateway_of(cell));
    }
    json through = json::array({{{"value", kNoGateway}, {"words", "no gateway"}}});
    for (const std::string& each : gateways) through.push_back({{"value", each}, {"words", each}});
    const auto listed = [](const std::set<std::string>& all) {
      json options = json::array();
      for (const std::string& each : all) options.push_back({{"value", each}, {"words", each}});
      return options;
    };
    json acts = json::array();
    for (const PairActInfo* act : acts_)
      acts.push_back({{"value", act->id}, {"words", act->label}});
    add("client", "Client", named(result_.clients));
    add("server", "Server", named(result_.servers));
    add("transport", "Over", listed(transports));
    add("era", "Era", listed(eras));
    if (!gateways.empty()) add("gateway", "Through", through);
    add("act", "Act", acts);
    return out;
  }

  static json parties(const std::vector<PairParty>& all, const char* what) {
    json out = json::array();
    for (const PairParty& party : all) {
      out.push_back({{"name", short_name(party.name)},
                     {"introduced", party.is_reference ? fmt::format("our own {}", what)
                                                       : short_name(party.introduced_as)}});
    }
    return out;
  }

  std::vector<std::size_t> cells_of(const PairParty& client, const PairParty& server) const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < result_.cells.size(); ++i) {
      const PairCell& cell = result_.cells[i];
      if (cell.client == client.name && cell.server == server.name) out.push_back(i);
    }
    return out;
  }

  json rows() const {
    json out = parties(result_.clients, "client");
    for (std::size_t i = 0; i < result_.clients.size(); ++i) {
      json& pairs = out[i]["pairs"] = json::array();
      for (const PairParty& server : result_.servers) {
        json lines = json::array();
        for (const std::size_t index : cells_of(result_.clients[i], server)) {
          lines.push_back(line(index));
        }
        pairs.push_back({{"server", short_name(server.name)}, {"lines", lines}});
      }
    }
    return out;
  }

  static std::string way_of(const PairCell& cell) {
    return fmt::format("{}{}{}", short_name(cell.transport), cell.era == "oldest" ? " old" : "",
                       cell.gateway.empty() ? "" : " via " + short_name(cell.gateway));
  }

  // A cell in one line: its marks, and the same in words.
  json line(std::size_t index) const {
    const PairCell& cell = result_.cells[index];
    json marks = json::array();
    for (const PairActInfo* info : acts_) {
      const PairAct* act = cell.act(info->id);
      const ActOutcome outcome = act == nullptr ? ActOutcome::kNotTested : act->outcome;
      marks.push_back({{"class", class_of_outcome(outcome)},
                       {"act", info->id},
                       {"tip", fmt::format("{}: {}", info->label, words(outcome))},
                       {"mark", mark_of(outcome)}});
    }
    const std::string words = cell.not_run.empty() ? figures_text(count(cell)) : "not run";
    return {{"anchor", anchor(index)},
            {"transport", short_name(cell.transport)},
            {"era", short_name(cell.era)},
            {"gateway", gateway_of(cell)},
            {"failing", failing_in(cell)},
            {"way", way_of(cell)},
            {"words", fmt::format("{}: {}", short_name(cell.title()), words)},
            {"marks", marks}};
  }

  // One small table for each act, with the worst of a pair.
  json multiples() const {
    json out = json::array();
    for (const PairActInfo* info : acts_) {
      ActCounts counts;
      json table = json::array();
      for (const PairParty& client : result_.clients) {
        json cells = json::array();
        for (const PairParty& server : result_.servers) {
          cells.push_back(worst(client, server, *info, counts));
        }
        table.push_back({{"name", short_name(client.name)}, {"cells", cells}});
      }
      json heads = json::array();
      for (const PairParty& server : result_.servers) {
        heads.push_back({{"name", short_name(server.name)}});
      }
      out.push_back({{"act", info->id},
                     {"label", info->label},
                     {"figures", figures_text(counts)},
                     {"heads", heads},
                     {"rows", table}});
    }
    return out;
  }

  json worst(const PairParty& client, const PairParty& server, const PairActInfo& info,
             ActCounts& counts) const {
    const PairAct* found = nullptr;
    std::size_t place = 0;
    for (const std::size_t index : cells_of(client, server)) {
      const PairAct* act = result_.cells[index].act(info.id);
      if (act == nullptr) continue;
      if (!client.is_reference && !server.is_reference) ++counts[act->outcome];
      if (found != nullptr && gravity(found->outcome) >= gravity(act->outcome)) continue;
      found = act;
      place = index;
    }
    json out = {{"server", short_name(server.name)},
                {"class", "empty"},
                {"anchor", ""},
                {"mark", ""},
                {"words", ""}};
    if (found == nullptr) return out;
    out["class"] = class_of_outcome(found->outcome);
    out["anchor"] = anchor(place);
    out["mark"] = mark_of(found->outcome);
    out["words"] = fmt::format("{} with {}: {}", short_name(client.name), short_name(server.name),
                               words(found->outcome));
    return out;
  }

  void add_failures(json& page) {
    const std::vector<Failure> all = failures_of(result_);
    page["failures"] = json::array();
    for (std::size_t i = 0; i < std::min(all.size(), kMostShownFailures); ++i) {
      page["failures"].push_back(failure(all[i]));
    }
    page["has_failures"] = !all.empty();
    page["failure_count"] = all.size();
    page["more_failures"] =
        all.size() <= kMostShownFailures
            ? ""
            : fmt::format("{} more: see the cells", all.size() - kMostShownFailures);
  }

  json failure(const Failure& each) {
    const PairCell& cell = *each.cell;
    const PairAct& act = *each.act;
    const auto index = static_cast<std::size_t>(&cell - result_.cells.data());
    json blames = json::array();
    for (const std::size_t place : act.breaches) {
      if (place < cell.breaches.size()) blames.push_back(breach_data(cell, cell.breaches[place]));
    }
    json events = json::array();
    if (const Evidence* event = parting_event(cell, act)) {
      events.push_back(html::event_data(*event, failing_bytes_ == 0, failing_bytes_));
    }
    const std::size_t elsewhere =
        cell.breaches.size() - std::min(cell.breaches.size(), act.breaches.size());
    return {{"class", "bad"},
            {"client", short_name(cell.client)},
            {"server", short_name(cell.server)},
            {"transport", short_name(cell.transport)},
            {"era", short_name(cell.era)},
            {"gateway", gateway_of(cell)},
            {"act", act.act},
            {"title", failure_title(act)},
            {"pair", sentence(cell.title())},
            {"detail", sentence(act.detail)},
            {"blames", blames},
            {"dead_end", act.act == "connect" ? sentence(cell.agreement.dead_end) : ""},
            {"parted", act.parting ? sentence(act.parting->why) : ""},
            {"events", events},
            {"elsewhere", elsewhere == 0
                              ? ""
                              : fmt::format("{} elsewhere in this cell: see the exchange.",
                                            plural(static_cast<int>(elsewhere), "broken rule"))},
            {"anchor", anchor(index)},
            {"others", others(cell, act)}};
  }

  // Where the same act works: of this client with another server, and of this server with another
  // client.
  json others(const PairCell& cell, const PairAct& act) const {
    json out = json::array();
    const auto add = [&](bool is_of_client) {
      for (std::size_t i = 0; i < result_.cells.size(); ++i) {
        const PairCell& other = result_.cells[i];
        const bool is_near =
            other.transport == cell.transport && other.era == cell.era &&
            (is_of_client ? other.client == cell.client && other.server != cell.server
                          : other.server == cell.server && other.client != cell.client);
        const PairAct* same = is_near ? other.act(act.act) : nullptr;
        if (same == nullptr || same->seen != ActSeen::kWorked) continue;
        out.push_back(
            {{"other", anchor(i)},
             {"other_words", fmt::format("Where it works: {}", short_name(other.title()))}});
        return;
      }
    };
    add(true);
    add(false);
    return out;
  }

  const InteropResult& result_;
  const std::vector<const PairActInfo*> acts_;
  std::vector<std::size_t> order_;
  std::size_t failing_bytes_ = kBytesOfFailing;
  std::size_t other_bytes_ = kBytesOfOthers;
};

}  // namespace

std::string render_interop_html(const InteropResult& result) {
  return html::render_page(html::kInteropTemplate, html::kInteropScript,
                           InteropPage(result).build());
}

}  // namespace assay::reports
