#include "reports/interop/interop_html_cell.h"

#include <fmt/format.h>

#include <initializer_list>

#include "reports/escape.h"
#include "reports/html/finding_data.h"
#include "reports/text.h"

namespace assay::reports {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestShownName = 80;
constexpr std::size_t kLongestSentence = 1000;
constexpr std::size_t kMostShownEvents = 150;

json acts_of(const PairCell& cell, const std::vector<const PairActInfo*>& infos) {
  json out = json::array();
  for (const PairActInfo* info : infos) {
    const PairAct* act = cell.act(info->id);
    if (act == nullptr) continue;
    std::string detail = act->detail;
    if (!act->lacking.empty()) {
      detail = fmt::format("by the {}{}{}{}", act->lacking, act->lacking_why.empty() ? "" : ": ",
                           act->lacking_why, detail.empty() ? "" : "; " + detail);
    }
    out.push_back({{"label", info->label},
                   {"detail", sentence(detail)},
                   {"class", class_of_outcome(act->outcome)},
                   {"mark", mark_of(act->outcome)},
                   {"words", words(act->outcome)}});
  }
  return out;
}

json sessions_of(const PairCell& cell, std::size_t& budget) {
  json out = json::array();
  for (std::size_t i = 0; i < cell.sessions.size(); ++i) {
    const PairSession& session = cell.sessions[i];
    json events = json::array();
    for (const Evidence& event : session.events) {
      if (events.size() == kMostShownEvents || budget == 0) break;
      events.push_back(html::event_data(event, false, budget));
      for (const PairAct& act : cell.acts) {
        const bool is_here = act.parting && act.parting->session == i && act.parting->n == event.n;
        if (is_here && act.seen == ActSeen::kFailed) events.back()["purpose"] = "they parted here";
      }
    }
    const std::size_t left_out = session.events.size() - events.size() + session.left_out;
    out.push_back(
        {{"name",
          fmt::format("Session {}{}{}{}: {}", i + 1,
                      session.is_after_gateway ? " after the gateway" : "",
                      session.start.empty() ? "" : ", started for ", sentence(session.start),
                      plural(static_cast<int>(session.events.size() + session.left_out), "event"))},
         {"events", events},
         {"left_out", left_out == 0 ? ""
                                    : fmt::format("{} left out here: see the JSON report",
                                                  plural(static_cast<int>(left_out), "event"))}});
  }
  return out;
}

}  // namespace

std::string short_name(std::string_view text) {
  return printable_line(cut(text, kLongestShownName));
}

std::string sentence(std::string_view text) {
  return printable_line(cut(text, kLongestSentence));
}

const char* class_of_outcome(ActOutcome outcome) {
  switch (outcome) {
    case ActOutcome::kWorks:
      return "pass";
    case ActOutcome::kWorksThough:
    case ActOutcome::kUnsteady:
      return "warn";
    case ActOutcome::kFailsBroken:
    case ActOutcome::kFailsUnclear:
    case ActOutcome::kFailsSound:
      return "bad";
    case ActOutcome::kUnsupported:
      return "idle";
    case ActOutcome::kNotTested:
      return "none";
  }
  return "";
}

std::string figures_text(const ActCounts& counts) {
  const auto of = [&counts](std::initializer_list<ActOutcome> outcomes) {
    int sum = 0;
    for (const ActOutcome outcome : outcomes) {
      const auto found = counts.find(outcome);
      if (found != counts.end()) sum += found->second;
    }
    return sum;
  };
  const int works = of({ActOutcome::kWorks, ActOutcome::kWorksThough});
  const int fails =
      of({ActOutcome::kFailsBroken, ActOutcome::kFailsUnclear, ActOutcome::kFailsSound});
  const int once = of({ActOutcome::kUnsteady});
  std::string out = fmt::format("{} work", works);
  if (fails > 0) out += fmt::format(", {} fail", fails);
  if (once > 0) out += fmt::format(", {} failed once", once);
  return out;
}

std::string anchor(std::size_t index) {
  return fmt::format("cell-{}", index + 1);
}

std::string gateway_of(const PairCell& cell) {
  return cell.gateway.empty() ? kNoGateway : short_name(cell.gateway);
}

std::string failing_in(const PairCell& cell) {
  std::string out;
  for (const PairAct& act : cell.acts) {
    if (is_failing(act.outcome)) out += (out.empty() ? "" : " ") + act.act;
  }
  return out;
}

json breach_data(const PairCell& cell, const PairBreach& breach) {
  const Verdict& verdict = breach.verdict;
  const std::string start =
      breach.session < cell.sessions.size() ? cell.sessions[breach.session].start : "";
  const std::uint64_t n = verdict.evidence.empty() ? 0 : verdict.evidence.back().n;
  std::string where = fmt::format("event {}", n);
  if (cell.sessions.size() > 1) {
    where += fmt::format(
        " of {}", start.empty() ? fmt::format("session {}", breach.session + 1) : sentence(start));
  }
  const bool is_rule = strength(verdict.level) == Strength::kMust;
  return {{"party", short_name(breach.party)},
          {"verb", is_rule ? "Broken" : "Not followed"},
          {"text", sentence(verdict.detail.empty() ? verdict.summary : verdict.detail)},
          {"level", name(verdict.level)},
          {"id", short_name(verdict.requirement)},
          {"spec", web_address(verdict.spec)},
          {"fix", sentence(verdict.fix)},
          {"where", where}};
}

json cell_data(const InteropResult& result, std::size_t index,
               const std::vector<const PairActInfo*>& acts, std::size_t& budget) {
  const PairCell& cell = result.cells[index];
  const bool is_bad = has_failed(cell);
  json breaches = json::array();
  for (const PairBreach& each : cell.breaches) breaches.push_back(breach_data(cell, each));
  json steps = json::array();
  for (const std::string& step : cell.agreement.steps) steps.push_back({{"text", sentence(step)}});
  const Agreement& agreement = cell.agreement;
  return {{"anchor", anchor(index)},
          {"class", is_bad ? "bad" : (cell.breaches.empty() ? "pass" : "warn")},
          {"client", short_name(cell.client)},
          {"server", short_name(cell.server)},
          {"transport", short_name(cell.transport)},
          {"era", short_name(cell.era)},
          {"gateway", gateway_of(cell)},
          {"failing", failing_in(cell)},
          {"title", sentence(cell.title())},
          {"figures", cell.not_run.empty() ? figures_text(count(cell)) : "not run"},
          {"not_run", sentence(cell.not_run)},
          {"revision",
           agreement.revision.empty()
               ? fmt::format("none: {}", agreement.dead_end.empty() ? "the cell was not run"
                                                                    : sentence(agreement.dead_end))
               : short_name(agreement.revision)},
          {"took", agreement.revision.empty()
                       ? ""
                       : fmt::format("agreed on after {}, {:.0f} ms",
                                     plural(static_cast<int>(agreement.steps.size()), "request"),
                                     agreement.took_ms)},
          {"has_steps", agreement.steps.size() > 1},
          {"steps", steps},
          {"end", sentence(cell.end)},
          {"remark", sentence(cell.remark)},
          {"acts", acts_of(cell, acts)},
          {"has_breaches", !breaches.empty()},
          {"breaches", breaches},
          {"sessions", sessions_of(cell, budget)}};
}

}  // namespace assay::reports
