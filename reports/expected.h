// Expected failures: known violations that do not fail a run, until they no longer occur.
//
// The file is YAML with the keys `server:` and `client:`, as in the official suite's baseline, and
// `authorization:` for authorization servers:
//
//   server:
//     - tools.name-unique                       # a requirement
//     - requirement: lifecycle.*                # or a glob (* and ?), with as much as is known
//       revision: [2025-06-18, 2025-11-25]      # default: every revision
//       transport: stdio                        # default: every transport
//       reason: the SDK answers before it has read the version
//       since: 2026-01-31                       # when it was listed
//
// Listed and violated: the run passes. Listed and satisfied: the entry is stale, and the run fails.
// Listed and not judged (not exercised, inconclusive, not applicable, not part of the run):
// nothing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reports/findings.h"
#include "reports/result.h"

namespace assay::reports {

// Far more than any list that a person keeps.
inline constexpr std::size_t kMaxExpectedBytes = 1U << 20U;

struct Expectation {
  std::string pattern;                  // requirement id or glob
  std::vector<std::string> revisions;   // empty: every
  std::vector<std::string> transports;  // empty: every
  std::string reason;
  std::string since = {};  // a day: "2026-01-31"; empty: not said

  friend bool operator==(const Expectation&, const Expectation&) = default;
};

struct ExpectedFailures {
  std::vector<Expectation> server;
  std::vector<Expectation> client;
  std::vector<Expectation> authorization;  // of authorization servers

  // The entries for that kind of target, as Target::subject names it.
  const std::vector<Expectation>& of(std::string_view subject) const;
  std::vector<Expectation>& of(std::string_view subject);
  friend bool operator==(const ExpectedFailures&, const ExpectedFailures&) = default;
};

// Or one sentence with the line that is wrong.
std::variant<ExpectedFailures, std::string> parse_expected(std::string_view yaml);

// Marks the verdicts that are listed for the Result's subject and notes what is stale. The first
// entry that matches gives the reason. Returns the patterns that match no verdict of any run, which
// may be spelled wrong: worth a warning, but a run of some scenarios only has few verdicts.
std::vector<std::string> apply_expected(const ExpectedFailures& expected, Result& result);

// Whether the entry is about this verdict.
bool covers(const Expectation& expectation, const Run& run, const Verdict& verdict);
// What of the entry holds now. What it names explicitly must fail there: each revision and
// transport is checked by itself.
std::vector<StaleExpectation> stale_parts(const Expectation& expectation, const Result& result);
// Entries that list the finding in just these runs: revisions in which the rule is broken over the
// same transports share one, and one for all names no run.
std::vector<Expectation> entries_for(const RuleFinding& finding, bool holds_elsewhere);

// The file with these entries.
std::string render_list(const ExpectedFailures& list);

// Forgets what an earlier list said, so that another one can be applied.
void clear_expected(Result& result);

// A file in which everything that fails this result is listed (and what was expected already, with
// its reason), so that the same result passes with it.
std::string render_expected(const Result& result);

// The part of such a file that lists this one finding.
std::string expected_entry(const Result& result, const RuleFinding& finding);

// `*` is any text, `?` any one character. Takes time in proportion to both sizes.
bool matches_glob(std::string_view pattern, std::string_view text);

}  // namespace assay::reports
