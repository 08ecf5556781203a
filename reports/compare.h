// What changed between two reports of one target.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/result.h"

namespace assay::reports {

enum class ChangeKind {
  kWorse,      // fails now and did not: a violation, or a run that is no longer possible
  kAdvisory,   // violated now and was not, but it fails nothing (a SHOULD, an expected failure)
  kBetter,     // was violated, and is satisfied
  kExercised,  // is satisfied, and was not judged
  kLost,       // was satisfied or violated, and is not judged any more: worse, unless allowed
  kNew,        // violated, by a requirement or in a run that the old report does not have
};

struct Change {
  ChangeKind kind = ChangeKind::kWorse;
  std::string revision;
  std::string transport;
  std::string requirement;  // empty: the run as a whole
  std::string summary;
  std::string before;  // "satisfied", "unsupported"; empty for kNew
  std::string after;
  std::string detail;  // of the new verdict
  std::string fix;     // of the new verdict, where it is violated
};

struct CompareOptions {
  // What is no longer judged (verdicts, whole runs, the rest of an interrupted run) is not worse.
  bool allow_missing = false;
};

struct Comparison {
  std::vector<Change> changes;     // by kind, then as in the new report
  std::vector<std::string> notes;  // what makes the two hard to compare: another catalogue, target
  bool has_common_run = true;      // false: nothing could be compared, which is always worse
  CompareOptions options;
  std::string title;   // the target
  std::string before;  // when the older report was made
  std::string after;

  bool is_worse() const;
};

Comparison compare(const Result& before, const Result& after, const CompareOptions& options = {});

// For a terminal, for a pull request, and as a page. All say so when nothing changed.
std::string render_comparison_text(const Comparison& comparison);
std::string render_comparison_markdown(const Comparison& comparison);
std::string render_comparison_html(const Comparison& comparison);

// What the three have in common. Kinds come in the order in which they are told.
struct KindWords {
  ChangeKind kind;
  std::string_view title;
};
std::span<const KindWords> change_kinds();
// The same change in several runs is told once.
struct ToldChange {
  const Change* change = nullptr;
  std::string runs;
};
std::vector<ToldChange> told_once(const Comparison& comparison, ChangeKind kind);
// "violated, was satisfied"
std::string change_words(const Change& change);
// The last line, which says why the comparison fails where it does.
std::string comparison_conclusion(const Comparison& comparison);

}  // namespace assay::reports
