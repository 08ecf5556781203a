#include "reports/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <tuple>

#include "reports/escape.h"
#include "reports/findings.h"
#include "reports/html/embedded.h"
#include "reports/html/finding_data.h"
#include "reports/html/marks.h"
#include "reports/html/page.h"
#include "reports/text.h"

namespace assay::reports {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxTextBytes = 2000;
constexpr std::size_t kMaxNameBytes = 200;
constexpr std::size_t kMaxReasonBytes = 16'000;
// More violations than these at the head of the page would push everything else out of sight.
constexpr std::size_t kMaxBrief = 8;
// With more runs than these the cells of the matrix show marks and numbers only.
constexpr std::size_t kMaxWordyColumns = 6;

// Every template looks a missing name up in the enclosing data, so each object names all of its
// own.
std::string line(std::string_view text, std::size_t max_bytes = kMaxTextBytes) {
  return printable_line(cut(text, max_bytes));
}

class PageData {
 public:
  explicit PageData(const Result& result) : result_(result) {
    for (const Run& run : result.runs) {
      for (const Verdict& verdict : run.verdicts) areas_.insert(verdict.area());
    }
  }

  json build() {
    json page = head();
    page["runs"] = runs();
    add_columns(page);
    page["matrix"] = matrix();
    page["areas"] = areas();
    const Findings violated = failures(result_);
    const bool is_fuzz = is_of_fuzzer(result_);
    const Findings advice = collect(result_, [&](const Verdict& verdict) {
      if (is_fuzz && verdict.outcome == Outcome::kInconclusive) return true;
      return verdict.outcome == Outcome::kViolated && !verdict.is_expected &&
             !is_failure(verdict, result_.is_strict);
    });
    const Findings expected = collect(result_, [](const Verdict& verdict) {
      return verdict.outcome == Outcome::kViolated && verdict.is_expected;
    });
    html::FindingData data(result_);
    const auto add = [&page, &data](const std::string& list, const Findings& findings) {
      page[list] = data.build(findings);
      page["has_" + list] = !findings.empty();
      page[list + "_count"] = findings.size();
    };
    add("violations", violated);
    add("advice", advice);
    add("expected", expected);
    add_brief(page, violated);
    add_gaps(page);
    add_reasons(page);
    page["outcomes"] = json::array();
    for (const Outcome outcome : kOutcomes) {
      page["outcomes"].push_back({{"value", name(outcome)}, {"words", outcome_words(outcome)}});
    }
    return page;
  }

 private:
  json head() const {
    const auto of = [this](bool is_expected) {
      return static_cast<int>(collect(result_, [&](const Verdict& verdict) {
                                return verdict.outcome == Outcome::kViolated &&
                                       verdict.is_expected == is_expected &&
                                       !is_failure(verdict, result_.is_strict);
                              }).size());
    };
    json asides = json::array();
    const auto add = [&asides](int number, std::string_view what, std::string_view tail,
                               const char* goal) {
      if (number == 0) return;
      asides.push_back({{"goal", goal}, {"text", plural(number, what) + std::string(tail)}});
    };
    add(of(false), "recommendation", " not followed", "advice");
    add(of(true), "known violation", "", "expected");
    const bool is_fuzz = is_of_fuzzer(result_);
    return {{"is_fuzz", is_fuzz},
            {"kicker", is_fuzz ? "Fuzzing with messages of the Model Context Protocol"
                               : "Conformance to the Model Context Protocol"},
            {"failures_title", is_fuzz ? "Findings" : "Violations"},
            {"advice_short", is_fuzz ? "Suspected" : "Advice"},
            {"advice_title", is_fuzz ? "Suspected" : "Advice that is not followed"},
            {"advice_text",
             is_fuzz ? "Seen, but not proved: see each for the reason."
                     : "Recommendations of the specification. They do not fail the run, unless it "
                       "is strict."},
            {"rules_title", is_fuzz ? "All checks" : "All requirements"},
            {"has_asides", !asides.empty()},
            {"asides", asides},
            {"title", target_title(result_.target)},
            {"location", result_.target.name.empty() ? "" : target_location(result_.target)},
            {"headline", line(conclusion(result_))},
            {"headline_class", has_passed(result_) ? "pass" : "bad"},
            {"is_interrupted", !is_complete(result_)},
            {"tool_version", line(result_.tool_version, kMaxNameBytes)},
            {"catalogue_version", line(result_.catalogue_version, kMaxNameBytes)},
            {"catalogue_digest", line(result_.catalogue_digest, kMaxNameBytes)},
            {"started", line(result_.started, kMaxNameBytes)},
            {"duration", duration_text(result_.duration_ms)},
            {"cost", cost_text(cost_of(result_))}};
  }

  json runs() const {
    json out = json::array();
    for (const Run& run : result_.runs) {
      const RunFigures figures = figures_of(run, result_.is_strict);
      const bool is_unsupported = run.status == RunStatus::kUnsupported;
      const bool is_bad = figures.violated > 0 || run.status == RunStatus::kFailed ||
                          run.status == RunStatus::kIncomplete;
      const bool is_known = run.status == RunStatus::kViolations && !is_bad;
      json parts = json::array();
      const auto add = [&parts](int number, std::string_view word) {
        parts.push_back({{"text", fmt::format("{} {}", number, word)}});
      };
      add(figures.violated, "violated");
      if (figures.expected > 0) add(figures.expected, "expected");
      if (figures.advisory > 0) add(figures.advisory, "advisory");
      const bool is_judged = !run.verdicts.empty();
      const Exercised exercised = exercised_in(run);
      parts.push_back(
          {{"text", fmt::format("{} of {} exercised", exercised.exercised, exercised.applicable)}});
      if (!run.extensions.empty()) parts.push_back({{"text", "with " + extensions_text(run)}});
      if (is_of_fuzzer(result_)) parts = json::array();
      out.push_back(
          {{"revision", line(run.revision, 40)},
           {"transport", line(run.transport, 40)},
           {"status", is_known ? "known violations" : status_words(run)},
           {"class", is_bad ? "bad" : (is_unsupported ? "idle" : (is_known ? "warn" : "pass"))},
           {"parts", is_judged ? parts : json::array()},
           {"why", is_judged ? "" : line(run.reason.substr(0, run.reason.find('\n')), 120)},
           {"satisfied", figures.satisfied},
           {"violated", figures.violated},
           {"advisory", figures.advisory},
           {"expected", figures.expected},
           {"not_exercised", figures.not_exercised},
           {"not_applicable", figures.not_applicable},
           {"inconclusive", figures.inconclusive},
           {"time", duration_text(run.duration_ms)}});
    }
    return out;
  }

  std::string status_words(const Run& run) const {
    if (!is_of_fuzzer(result_) || !was_tested(run)) return std::string(name(run.status));
    return run.status == RunStatus::kViolations ? "findings" : "nothing found";
  }

  void add_columns(json& page) const {
    json columns = json::array();
    json revisions = json::array();
    for (const Run& run : result_.runs) {
      const std::string revision = line(run.revision, 40);
      columns.push_back({{"revision", revision}, {"transport", line(run.transport, 40)}});
      if (!revisions.empty() && revisions.back()["name"] == revision) {
        revisions.back()["span"] = revisions.back()["span"].get<int>() + 1;
      } else {
        revisions.push_back({{"name", revision}, {"span", 1}});
      }
    }
    page["columns"] = columns;
    page["is_single"] = revisions.size() == columns.size();  // one transport for each revision
    page["is_wide"] = result_.runs.size() > kMaxWordyColumns;
    page["revisions"] = revisions;
  }

  json matrix() const {
    struct Part {
      Run run;
      const Verdict* worst = nullptr;  // the first that fails, or else the first that is broken
    };
    std::vector<std::map<std::string_view, Part>> by_area(result_.runs.size());
    for (std::size_t i = 0; i < result_.runs.size(); ++i) {
      for (const Verdict& verdict : result_.runs[i].verdicts) {
        Part& part = by_area[i][verdict.area()];
        if (verdict.outcome == Outcome::kViolated &&
            (part.worst == nullptr || (is_failure(verdict, result_.is_strict) &&
                                       !is_failure(*part.worst, result_.is_strict)))) {
          part.worst = &verdict;
        }
        Verdict counted;  // only what figures_of() looks at
        counted.level = verdict.level;
        counted.outcome = verdict.outcome;
        counted.is_expected = verdict.is_expected;
        part.run.verdicts.push_back(std::move(counted));
      }
    }
    json out = json::array();
    for (const std::string_view area : areas_) {
      json cells = json::array();
      const std::string name = line(area, kMaxNameBytes);
      for (std::size_t i = 0; i < by_area.size(); ++i) {
        const Part& part = by_area[i][area];
        cells.push_back(html::area_cell(figures_of(part.run, result_.is_strict)));
        // What is broken leads to what was exchanged; all else to the rules.
        cells.back()["goal"] = part.worst == nullptr
                                   ? "area-" + name
                                   : html::exchange_anchor(result_, result_.runs[i], *part.worst);
      }
      out.push_back({{"area", name}, {"cells", cells}});
    }
    return out;
  }

  // Requirements as rows, runs as columns.
  json areas() {
    using Row = std::vector<const Verdict*>;
    std::map<std::string_view, std::map<std::string_view, Row>> rows;
    for (std::size_t i = 0; i < result_.runs.size(); ++i) {
      for (const Verdict& verdict : result_.runs[i].verdicts) {
        Row& row = rows[verdict.area()][verdict.requirement];
        row.resize(result_.runs.size(), nullptr);
        row[i] = &verdict;
      }
    }
    json out = json::array();
    for (const auto& [area, requirements] : rows) {
      json list = json::array();
      int violated = 0;
      int advice = 0;
      for (const auto& [id, row] : requirements) {
        list.push_back(requirement(area, id, row));
        const std::string_view worst = worst_class(row);
        violated += worst == "bad" ? 1 : 0;
        advice += worst == "warn" ? 1 : 0;
      }
      requirement_count_ += requirements.size();
      out.push_back({{"area", line(area, kMaxNameBytes)},
                     {"summary", plural(static_cast<int>(requirements.size()), "requirement")},
                     {"bad", violated > 0 ? fmt::format("{} violated", violated) : ""},
                     {"warn", advice > 0 ? fmt::format("{} advisory or expected", advice) : ""},
                     {"requirements", list}});
    }
    return out;
  }

  // "bad" where a run fails for it, "warn" where it is broken otherwise, and "".
  std::string_view worst_class(const std::vector<const Verdict*>& row) const {
    std::string_view worst;
    for (const Verdict* verdict : row) {
      if (verdict == nullptr || verdict->outcome != Outcome::kViolated) continue;
      if (is_failure(*verdict, result_.is_strict)) return "bad";
      worst = "warn";
    }
    return worst;
  }

  json requirement(std::string_view area, std::string_view id,
                   const std::vector<const Verdict*>& row) const {
    json cells = json::array();
    std::set<std::string_view> outcomes;
    const Verdict* any = nullptr;
    const Verdict* telling = nullptr;  // whose reason is worth a line: the newest that is broken
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Verdict* verdict = row[i];
      if (verdict == nullptr) {
        cells.push_back(
            {{"class", "none"}, {"mark", ""}, {"words", "not part of the run"}, {"goal", ""}});
        continue;
      }
      any = verdict;
      outcomes.insert(name(verdict->outcome));
      const bool is_broken = verdict->outcome == Outcome::kViolated;
      const bool is_first_doubt = telling == nullptr && verdict->outcome == Outcome::kInconclusive;
      if (is_broken || is_first_doubt) telling = verdict;
      const html::Mark mark = html::mark_of(*verdict, result_.is_strict);
      cells.push_back(
          {{"class", mark.css_class},
           {"mark", mark.mark},
           {"words", mark.words},
           {"goal", is_broken ? html::exchange_anchor(result_, result_.runs[i], *verdict) : ""}});
    }
    return {{"id", line(id, kMaxNameBytes)},
            {"area", line(area, kMaxNameBytes)},
            {"level", name(any->level)},
            {"strength", html::strength_word(*any)},
            {"summary", line(any->summary)},
            {"spec", web_address(any->spec)},
            {"detail", telling == nullptr ? "" : line(why_not_counted(*telling), 400)},
            {"finding_goal", telling != nullptr && telling->outcome == Outcome::kViolated
                                 ? html::finding_anchor(result_, *telling)
                                 : ""},
            {"rule_page", rule_address(result_.rules_url, id)},
            {"outcomes", fmt::format("{}", fmt::join(outcomes, " "))},
            {"cells", cells}};
  }

  // What happened and what to do, linked from the head of the page; beyond the first few, folded.
  void add_brief(json& page, const Findings& violated) const {
    page["brief"] = json::array();
    page["brief_more"] = json::array();
    std::map<std::string, const json*> told;
    for (const json& each : page["violations"]) told[each["anchor"].get<std::string>()] = &each;
    const auto data_of = [&](const RuleFinding& finding) -> const json& {
      return *told.at(html::finding_anchor(result_, *finding.verdict));
    };
    for (const FindingGroup& group : grouped(violated, result_.is_strict)) {
      json& list = page[page["brief"].size() < kMaxBrief ? "brief" : "brief_more"];
      json row = json::object();
      for (const char* member : {"anchor", "id", "level", "happened", "advice", "runs_text"}) {
        row[member] = data_of(*group.first)[member];
      }
      row["twins"] = json::array();
      for (const RuleFinding* twin : group.rest) {
        row["twins"].push_back(
            {{"anchor", data_of(*twin)["anchor"]}, {"id", data_of(*twin)["id"]}});
      }
      list.push_back(std::move(row));
    }
    page["brief_more_count"] = page["brief_more"].size();
    page["has_brief_more"] = !page["brief_more"].empty();
  }

  // What was not exercised, grouped by what would let it be.
  void add_gaps(json& page) const {
    std::map<std::string, json> by_reason;
    for (const auto& [id, finding] : collect(result_, Outcome::kNotExercised)) {
      const Verdict& verdict = *finding.verdict;
      std::string why = verdict.hint.empty() ? verdict.detail : verdict.hint;
      if (why.empty()) why = "The situation did not arise in this run.";
      json& items = by_reason.try_emplace(line(why), json::array()).first->second;
      items.push_back({{"id", line(id, kMaxNameBytes)}});
    }
    page["has_gaps"] = !by_reason.empty();
    page["gaps"] = json::array();
    for (const auto& [why, items] : by_reason)
      page["gaps"].push_back({{"why", why}, {"items", items}});
  }

  void add_reasons(json& page) const {
    // Several revisions often have one reason: it is told once.
    std::map<std::tuple<std::string_view, RunStatus, std::string_view>, std::string> runs;
    for (const Run& run : result_.runs) {
      if (was_tested(run) && !has_remark(run)) continue;
      const char* section = has_remark(run) ? "remarks" : "untested";
      std::string& title = runs[{section, run.status, run.reason}];
      title += fmt::format("{}{} {}", title.empty() ? "" : ", ", line(run.revision, 40),
                           line(run.transport, 40));
    }
    page["untested"] = page["remarks"] = json::array();
    for (const auto& [key, title] : runs) {
      const auto& [section, status, reason] = key;
      page[section].push_back({{"title", fmt::format("{}: {}", title, name(status))},
                               {"reason", printable_text(cut(reason, kMaxReasonBytes))}});
    }
    page["has_untested"] = !page["untested"].empty();
    page["has_remarks"] = !page["remarks"].empty();
    page["stale"] = json::array();
    for (const StaleExpectation& stale : result_.stale_expectations) {
      page["stale"].push_back({{"text", stale_title(stale)}, {"reason", line(stale.reason)}});
    }
    page["has_stale"] = !page["stale"].empty();
    page["requirement_count"] = requirement_count_;
  }

  const Result& result_;
  std::set<std::string_view> areas_;
  std::size_t requirement_count_ = 0;
};

}  // namespace

std::string render_html(const Result& result) {
  return html::render_page(html::kPageTemplate, html::kPageScript, PageData(result).build());
}

}  // namespace assay::reports
