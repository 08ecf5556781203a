// What changed between two reports of one target.
#pragma once

#include <string>
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

  bool is_worse() const;
};

Comparison compare(const Result& before, const Result& after, const CompareOptions& options = {});

// For a terminal and for a pull request. Both end with a newline and say so when nothing changed.
std::string render_comparison_text(const Comparison& comparison);
std::string render_comparison_markdown(const Comparison& comparison);

}  // namespace assay::reports
