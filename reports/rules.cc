#include "reports/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reports/escape.h"
#include "reports/html/embedded.h"
#include "reports/html/finding_data.h"
#include "reports/html/page.h"
#include "reports/text.h"

namespace assay::reports {
namespace {

using nlohmann::json;

// Of one exchange: a page is read by people.
constexpr std::size_t kMostExchangeBytes = 60'000;

json exchange_of(const RuleExchange& exchange) {
  std::size_t budget = kMostExchangeBytes;
  return {{"has_evidence", !exchange.evidence.empty()},
          {"server", printable_line(exchange.server)},
          {"run", printable_line(exchange.run)},
          {"detail", printable_line(exchange.detail)},
          {"fix", ""},  // said once, at the top of the page
          {"groups", html::evidence_groups(exchange.evidence, budget)},
          {"reproduce", ""}};
}

json holdings_of(const RulePage& rule) {
  json out = json::array();
  for (auto holding = rule.in.rbegin(); holding != rule.in.rend(); ++holding) {
    out.push_back({{"revision", holding->revision},
                   {"level", holding->level},
                   {"binds", holding->binds},
                   {"note", holding->note},
                   {"spec", web_address(holding->spec)}});
  }
  return out;
}

// Rules of the same area: what a reader looks at next.
json siblings_of(const RulePage& rule, std::span<const std::string> ids) {
  json out = json::array();
  const std::string prefix = std::string(rule.area()) + ".";
  for (auto id = std::lower_bound(ids.begin(), ids.end(), prefix);
       id != ids.end() && id->starts_with(prefix); ++id) {
    if (*id == rule.id) continue;
    out.push_back({{"sibling", *id}, {"file", rule_file(*id)}});
  }
  return out;
}

}  // namespace

std::string rule_file(std::string_view id) {
  return fmt::format("{}.html", id);
}

std::string render_rule(const RulePage& rule, std::span<const std::string> ids) {
  json judges = json::array();
  for (const std::string& judge : rule.judges) judges.push_back({{"judge", judge}});
  const json siblings = siblings_of(rule, ids);
  const json newest = rule.in.empty() ? json("") : json(rule.in.back().level);
  return html::render_page(html::kRuleTemplate, "",
                           {{"id", rule.id},
                            {"area", rule.area()},
                            {"level", newest},
                            {"summary", rule.summary},
                            {"transport", rule.transport == "any" ? "" : rule.transport},
                            {"capability", rule.capability},
                            {"judged", rule.judged},
                            {"has_judges", !rule.judges.empty()},
                            {"judges", judges},
                            {"fix", rule.fix},
                            {"in", holdings_of(rule)},
                            {"fault", rule.fault},
                            {"has_exchange", !rule.wrong.evidence.empty()},
                            {"right", exchange_of(rule.right)},
                            {"wrong", exchange_of(rule.wrong)},
                            {"has_siblings", !siblings.empty()},
                            {"siblings", siblings},
                            {"tool_version", ASSAY_VERSION}});
}

std::string render_rule_index(std::span<const RulePage> rules) {
  json areas = json::array();
  for (const RulePage& rule : rules) {
    if (areas.empty() || areas.back()["area"] != rule.area()) {
      areas.push_back({{"area", rule.area()}, {"rules", json::array()}});
    }
    areas.back()["rules"].push_back({{"id", rule.id},
                                     {"file", rule_file(rule.id)},
                                     {"level", rule.in.empty() ? "" : rule.in.back().level},
                                     {"summary", rule.summary}});
  }
  for (json& area : areas) area["number"] = area["rules"].size();
  return html::render_page(
      html::kRulesTemplate, "",
      {{"number", rules.size()}, {"areas", areas}, {"tool_version", ASSAY_VERSION}});
}

}  // namespace assay::reports
