#include "reports/html/marks.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reports/text.h"

namespace assay::reports::html {

Mark mark_of(const Verdict& verdict, bool is_strict) {
  const std::string words(outcome_words(verdict.outcome));
  switch (verdict.outcome) {
    case Outcome::kSatisfied:
      return {"pass", "✓", words};
    case Outcome::kViolated:
      if (is_failure(verdict, is_strict)) return {"bad", "✗", words};
      return {"warn", "!", verdict.is_expected ? "violated, as expected" : words};
    case Outcome::kNotExercised:
      return {"idle", "○", words};
    case Outcome::kNotApplicable:
      return {"none", "–", words};
    case Outcome::kInconclusive:
      return {"unsure", "?", words};
  }
  return {"none", "–", words};
}

std::string_view strength_word(const Verdict& verdict) {
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

nlohmann::json area_cell(const RunFigures& figures) {
  struct Kind {
    int number;
    const char* css_class;
    const char* mark;
    const char* word;
    const char* words;
  };
  const Kind kinds[] = {{figures.violated, "bad", "✗", "violated", "violated"},
                        {figures.advisory + figures.expected, "warn", "!", "advice",
                         "advice not followed, or expected"},
                        {figures.inconclusive, "unsure", "?", "inconclusive", "inconclusive"},
                        {figures.satisfied, "pass", "✓", "pass", "satisfied"},
                        {figures.not_exercised, "idle", "○", "not exercised", "not exercised"},
                        {figures.not_applicable, "none", "–", "n/a", "not applicable"}};
  nlohmann::json out = {
      {"class", "empty"}, {"mark", ""}, {"number", ""}, {"word", ""}, {"title", ""}};
  std::string title;
  for (const Kind& kind : kinds) {
    if (kind.number == 0) continue;
    if (title.empty()) {
      out["class"] = kind.css_class;
      out["mark"] = kind.mark;
      out["number"] = kind.number;
      out["word"] = kind.word;
    }
    title += fmt::format("{}{} {}", title.empty() ? "" : ", ", kind.number, kind.words);
  }
  out["title"] = title;
  return out;
}

}  // namespace assay::reports::html
