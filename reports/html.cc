#include "reports/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "reports/escape.h"
#include "reports/excerpt.h"
#include "reports/findings.h"
#include "reports/html/embedded.h"
#include "reports/html/marks.h"
#include "reports/html/page.h"
#include "reports/text.h"

namespace assay::reports {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxTextBytes = 2000;
constexpr std::size_t kMaxNameBytes = 200;
constexpr std::size_t kMaxEvidenceBytes = 6000;
constexpr std::size_t kMaxEvents = 40;
constexpr std::size_t kMaxReasonBytes = 16'000;
// Few violations are read at once; many are first scanned by their headings.
constexpr std::size_t kMaxOpenFindings = 3;
// With more runs than these the cells of the matrix show marks and numbers only.
constexpr std::size_t kMaxWordyColumns = 6;
// A page stays small whatever a run finds; what is beyond it stands in the JSON report.
constexpr std::size_t kMaxEvidenceOfPage = 1'500'000;

// Every template looks a missing name up in the enclosing data, so each object names all of its
// own.
std::string line(std::string_view text, std::size_t max_bytes = kMaxTextBytes) {
  return printable_line(cut(text, max_bytes));
}

// Bytes after escaping: a quote, of which JSON is full, becomes six.
std::size_t html_size(std::string_view text) {
  const auto escaped = std::count_if(text.begin(), text.end(), [](char c) {
    return std::string_view("<>&\"'").find(c) != std::string_view::npos;
  });
  return text.size() + 5 * static_cast<std::size_t>(escaped);
}

std::string web_link(const std::string& spec) {
  return spec.starts_with("https://") ? line(spec) : std::string();
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
    const Findings advice = collect(result_, [this](const Verdict& verdict) {
      return verdict.outcome == Outcome::kViolated && !verdict.is_expected &&
             !is_failure(verdict, result_.is_strict);
    });
    const Findings expected = collect(result_, [](const Verdict& verdict) {
      return verdict.outcome == Outcome::kViolated && verdict.is_expected;
    });
    add_findings(page, "violations", "has_violations", "violation_count", violated);
    add_findings(page, "advice", "has_advice", "advice_count", advice);
    add_findings(page, "expected", "has_expected", "expected_count", expected);
    add_gaps(page);
    add_untested(page);
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
    std::string aside;
    if (of(false) > 0) aside = plural(of(false), "recommendation") + " not followed";
    if (of(true) > 0) {
      aside += fmt::format("{}{}", aside.empty() ? "" : ", ", plural(of(true), "known violation"));
    }
    return {{"aside", aside},
            {"title", target_title(result_.target)},
            {"location", result_.target.name.empty() ? "" : target_location(result_.target)},
            {"headline", line(conclusion(result_))},
            {"headline_class", has_passed(result_) ? "pass" : "bad"},
            {"is_interrupted", !is_complete(result_)},
            {"tool_version", line(result_.tool_version, kMaxNameBytes)},
            {"catalogue_version", line(result_.catalogue_version, kMaxNameBytes)},
            {"catalogue_digest", line(result_.catalogue_digest, kMaxNameBytes)},
            {"started", line(result_.started, kMaxNameBytes)},
            {"duration", duration_text(result_.duration_ms)}};
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
      add(figures.satisfied, "satisfied");
      add(figures.violated, "violated");
      if (figures.expected > 0) add(figures.expected, "expected");
      if (figures.advisory > 0) add(figures.advisory, "advisory");
      const bool is_judged = !run.verdicts.empty();
      out.push_back(
          {{"revision", line(run.revision, 40)},
           {"transport", line(run.transport, 40)},
           {"status", is_known ? "known violations" : std::string(name(run.status))},
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
    std::vector<std::map<std::string_view, Run>> by_area(result_.runs.size());
    for (std::size_t i = 0; i < result_.runs.size(); ++i) {
      for (const Verdict& verdict : result_.runs[i].verdicts) {
        Verdict counted;  // only what figures_of() looks at
        counted.level = verdict.level;
        counted.outcome = verdict.outcome;
        counted.is_expected = verdict.is_expected;
        by_area[i][verdict.area()].verdicts.push_back(std::move(counted));
      }
    }
    json out = json::array();
    for (const std::string_view area : areas_) {
      json cells = json::array();
      for (auto& areas : by_area)
        cells.push_back(html::area_cell(figures_of(areas[area], result_.is_strict)));
      out.push_back({{"area", line(area, kMaxNameBytes)}, {"cells", cells}});
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
    const Verdict* telling = nullptr;  // the first whose reason is worth a line
    for (const Verdict* verdict : row) {
      if (verdict == nullptr) {
        cells.push_back({{"class", "none"}, {"mark", ""}, {"words", "not part of the run"}});
        continue;
      }
      any = verdict;
      outcomes.insert(name(verdict->outcome));
      const bool is_telling =
          verdict->outcome == Outcome::kInconclusive || verdict->outcome == Outcome::kViolated;
      if (telling == nullptr && is_telling) telling = verdict;
      const html::Mark mark = html::mark_of(*verdict, result_.is_strict);
      cells.push_back({{"class", mark.css_class}, {"mark", mark.mark}, {"words", mark.words}});
    }
    return {{"id", line(id, kMaxNameBytes)},
            {"area", line(area, kMaxNameBytes)},
            {"level", name(any->level)},
            {"strength", strength_text(*any)},
            {"summary", line(any->summary)},
            {"spec", web_link(any->spec)},
            {"detail", telling == nullptr ? "" : line(why_not_counted(*telling), 400)},
            {"has_finding", outcomes.contains(name(Outcome::kViolated))},
            {"outcomes", fmt::format("{}", fmt::join(outcomes, " "))},
            {"cells", cells}};
  }

  static std::string strength_text(const Verdict& verdict) {
    switch (strength(verdict.level)) {
      case Strength::kMust:
        return "MUST";
      case Strength::kShould:
        return "SHOULD";
      case Strength::kMay:
        return "MAY";
    }
    return "";
  }

  // The proof in the open, and what stands around it folded.
  json groups(const Verdict& verdict) {
    json out = json::array();
    std::size_t told = 0;
    for (const Evidence& evidence : verdict.evidence) {
      const bool is_next = out.empty() || (out.back()["is_context"] == true) != evidence.is_context;
      if (is_next) {
        out.push_back({{"is_context", evidence.is_context}, {"events", json::array()}});
      }
      out.back()["events"].push_back(event(evidence, told));
      if (++told > kMaxEvents) break;
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      const char* where = i == 0 ? "before" : (i + 1 == out.size() ? "after" : "between");
      const auto count = static_cast<int>(out[i]["events"].size());
      out[i]["around"] = out[i]["is_context"] == true
                             ? fmt::format("{} {}", plural(count, "event"), where)
                             : std::string();
    }
    return out;
  }

  json event(const Evidence& evidence, std::size_t told) {
    Excerpt part;
    if (told == kMaxEvents || evidence_bytes_ > kMaxEvidenceOfPage) {
      part.before = "[left out here: see the JSON report]";
    } else {
      part = excerpt(evidence, kMaxEvidenceBytes);
    }
    evidence_bytes_ += html_size(part.before) + html_size(part.marked) + html_size(part.after);
    const bool is_marked = !part.marked.empty() && part.missing.empty();
    return {{"speaker", speaker_word(evidence)},
            {"n", evidence.n},
            {"lane", line(evidence.lane, kMaxNameBytes)},
            {"at", fmt::format("{:.1f}", evidence.at_ms)},
            {"class", evidence.is_context ? "context" : "proof"},
            {"before", part.before},
            {"marked", part.marked},
            {"after", part.after},
            {"missing", part.missing},
            {"unseen", part.unseen},
            {"pointer", is_marked ? line(evidence.pointer, kMaxNameBytes) : ""}};
  }

  void add_findings(json& page, const char* list, const char* has, const char* number,
                    const Findings& findings) {
    page[has] = !findings.empty();
    page[number] = findings.size();
    page[list] = json::array();
    for (const auto& [id, finding] : findings) {
      const Verdict& verdict = *finding.verdict;
      page[list].push_back({{"id", line(id, kMaxNameBytes)},
                            {"area", line(verdict.area(), kMaxNameBytes)},
                            {"class", is_failure(verdict, result_.is_strict) ? "bad" : "warn"},
                            {"level", name(verdict.level)},
                            {"strength", strength_text(verdict)},
                            {"summary", line(verdict.summary)},
                            {"spec", web_link(verdict.spec)},
                            {"runs_text", runs_text(finding, result_)},
                            {"is_open", findings.size() <= kMaxOpenFindings || !has_open_},
                            {"groups", groups(verdict)},
                            {"detail", line(verdict.detail)},
                            {"expected_reason", line(verdict.expected_reason)},
                            {"reproduce", command_text(verdict)}});
      has_open_ = true;
    }
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

  void add_untested(json& page) const {
    page["untested"] = json::array();
    for (const Run& run : result_.runs) {
      if (was_tested(run)) continue;
      page["untested"].push_back({{"title", fmt::format("{} {}: {}", line(run.revision, 40),
                                                        line(run.transport, 40), name(run.status))},
                                  {"reason", printable_text(cut(run.reason, kMaxReasonBytes))}});
    }
    page["has_untested"] = !page["untested"].empty();
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
  std::size_t evidence_bytes_ = 0;
  bool has_open_ = false;  // at least one finding is unfolded, and shows what is in the others
};

}  // namespace

std::string render_html(const Result& result) {
  return html::render_page(html::kPageTemplate, PageData(result).build());
}

}  // namespace assay::reports
