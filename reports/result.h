// What a certification found: the one model that every report is written from.
//
// The JSON report (schema "mcp-assay-report/2") is this model as text. Every string that came from
// the target (names, evidence, details that quote it) is untrusted; a writer escapes it for its
// medium.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::reports {

// The keyword of a statement. REQUIRED and SHALL count as MUST, RECOMMENDED as SHOULD.
enum class Level { kMust, kMustNot, kShould, kShouldNot, kMay };
// The three strengths that counts are kept by: MUST and MUST NOT weigh the same.
enum class Strength { kMust, kShould, kMay };

Strength strength(Level level);
std::string_view name(Level level);        // "MUST NOT"
std::string_view name(Strength strength);  // "must"
std::optional<Level> parse_level(std::string_view text);

enum class Outcome {
  kSatisfied,      // the situation arose, and the rule held every time
  kViolated,       // the rule was broken at least once; evidence names the events
  kNotExercised,   // the situation never arose, though it could have
  kNotApplicable,  // the revision, transport or declared capabilities rule it out
  kInconclusive,   // the harness could not tell
};
inline constexpr Outcome kOutcomes[] = {Outcome::kSatisfied, Outcome::kViolated,
                                        Outcome::kNotExercised, Outcome::kNotApplicable,
                                        Outcome::kInconclusive};
std::string_view name(Outcome outcome);  // "not_exercised"
std::optional<Outcome> parse_outcome(std::string_view text);

// One event of the transcript that proves a verdict.
struct Evidence {
  std::uint64_t n = 0;  // the event's number in its session's transcript
  double at_ms = 0;     // since the session's start
  std::string party;    // who spoke: "client" or "server"
  std::string lane;     // "stdio", "stderr", "http/3"
  std::string text;     // what was sent or received, cut to a bound by the harness
  std::string pointer;  // JSON pointer to the offending part of a message; empty if it is the whole
  bool is_cut = false;  // `text` is only the beginning
  bool is_context = false;  // shown around the proof for orientation; proves nothing by itself
  // We sent it, and made it wrong on purpose: what is judged is how the target takes it.
  bool is_deliberate = false;

  friend bool operator==(const Evidence&, const Evidence&) = default;
};

// A second look did not show the breach again: the verdict stays inconclusive, whatever else held.
inline constexpr std::string_view kNotConfirmed = "not confirmed";

// One step on the way to a verdict, so that a reader sees why it is what it is.
struct Step {
  std::string what;  // "seen", "confirmed", kNotConfirmed, "explained", kLeftOpen (settle.h)
  std::string by;  // the scenario or monitor; of what is explained the requirement that explains it
  std::string detail;  // "waited 5.0 s for the answer to ping"

  friend bool operator==(const Step&, const Step&) = default;
};

struct Verdict {
  std::string requirement;  // "pagination.invalid-cursor"
  std::string summary;      // the rule in one sentence, from the catalogue
  Level level = Level::kMust;
  Outcome outcome = Outcome::kNotExercised;
  std::string scenario;          // the scenario or monitor that judged; empty if none did
  std::int64_t duration_ms = 0;  // its share of what the scenario took; 0 for a monitor
  std::string detail;            // what happened, or why it could not be judged
  std::string hint;       // what would let it be exercised; empty if nothing needs to be said
  std::string caused_by;  // for kInconclusive: the requirement whose violation came first
  std::string fix;        // for kViolated: how to put it right, from the catalogue; may be empty
  std::string spec;       // link to page and anchor in this revision
  std::vector<Evidence> evidence;
  std::vector<Step> history;    // of what was violated, or seemed to be
  std::string reproduce;        // a shell command that shows it again; empty if none
  bool is_expected = false;     // listed in the expected failures
  std::string expected_reason;  // and why

  // "pagination" of "pagination.invalid-cursor".
  std::string_view area() const;
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

// What one scenario or monitor came to about one requirement, before everything is weighed.
struct Candidate {
  Verdict verdict;                // as it was found, whatever explains it
  std::string from;               // which part of the plan it comes from; sorts as the plan does
  std::string explained_by;       // the requirement whose breach in the same session explains it
  std::string ended_over;         // of a breach that is the end of a session: the method of the
                                  // request that the end left unanswered
  bool is_silence = false;        // a breach that is only that something did not come in time
  bool lacks_answer = false;      // a breach that is only that a request had no answer
  bool explains_silence = false;  // a breach after which silence accuses nobody
  bool is_cause_only = false;  // of a rule that the revision lacks: it explains, and is no verdict

  friend bool operator==(const Candidate&, const Candidate&) = default;
};

// Which part of a run's plan was done.
struct Shard {
  int index = 1;  // from 1 to `total`
  int total = 1;

  bool is_part() const { return total > 1; }
  friend bool operator==(const Shard&, const Shard&) = default;
};

enum class RunStatus {
  kConformant,   // no MUST is violated
  kViolations,   // at least one is
  kUnsupported,  // the target does not speak the revision
  kFailed,       // the target could not be tested at all
  kIncomplete,   // it was cut short: what was under way counts for nothing
};
std::string_view name(RunStatus status);
std::optional<RunStatus> parse_run_status(std::string_view text);

// What a run asked of the target: a server may be billed for it, or slow to start.
struct Cost {
  std::int64_t sessions = 0;  // connections that were opened
  std::int64_t requests = 0;  // JSON-RPC requests that were sent
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;  // of messages and standard error; HTTP fields are not counted
  // How many milliseconds went by, in each scenario, in waits for what did not come. Scenarios run
  // side by side, so the sum may be more than the run took.
  std::map<std::string, std::int64_t> waits{};

  std::int64_t waited_ms() const;
  Cost& operator+=(const Cost& more);
  friend bool operator==(const Cost&, const Cost&) = default;
};

// An extension of the protocol that a run judged.
struct JudgedExtension {
  std::string id;            // "io.modelcontextprotocol/tasks"
  std::string version;       // of its specification
  bool is_declared = false;  // by the target, or shown by its tools; otherwise only asked for

  friend bool operator==(const JudgedExtension&, const JudgedExtension&) = default;
};

// One revision over one transport.
struct Run {
  std::string revision;   // "2025-11-25"
  std::string transport;  // "stdio", "http" or "http+sse"
  RunStatus status = RunStatus::kConformant;
  // For kUnsupported, kFailed and kIncomplete: why, with the tail of stderr if there was any. Of
  // what was tested: a remark, as why most of it could not be judged.
  std::string reason;
  std::int64_t duration_ms = 0;
  Cost cost;
  std::vector<JudgedExtension> extensions;
  std::vector<Verdict> verdicts;  // sorted by requirement
  Shard shard;
  std::vector<Candidate> candidates;  // of a shard: what merge() weighs again with the others'

  friend bool operator==(const Run&, const Run&) = default;
};

using Counts = std::map<Strength, std::map<Outcome, int>>;
Counts count(const Run& run);

struct Target {
  std::string subject = "server";  // "server" or "client"
  std::string label;               // as the user's list of servers calls it; may be empty
  std::string name;                // as it introduced itself
  std::string version;
  std::vector<std::string> command;  // empty for a URL
  std::string url;                   // empty for a command
  std::string source;  // the user's file that holds or names it, from his folder; empty: none known

  friend bool operator==(const Target&, const Target&) = default;
};

// An expected failure that did not fail: the rule holds now, or the entry matches nothing.
struct StaleExpectation {
  std::string pattern;    // requirement id or glob, as the file says it
  std::string revision;   // empty: every revision
  std::string transport;  // empty: every transport
  std::string reason;

  friend bool operator==(const StaleExpectation&, const StaleExpectation&) = default;
};

struct Result {
  std::string tool_version;
  std::string catalogue_version;
  std::string catalogue_digest;  // "sha256:..."
  std::string started;           // ISO 8601, UTC
  std::int64_t duration_ms = 0;
  bool was_interrupted = false;  // cut short: some runs hold only what was done so far
  bool is_strict = false;        // --strict: a violated SHOULD fails the run too
  std::string rules_url;         // the user's pages of the rules ('report --rules'); may be empty
  Target target;
  std::vector<Run> runs;
  std::vector<StaleExpectation> stale_expectations;

  friend bool operator==(const Result&, const Result&) = default;
};

// Of all runs together.
Cost cost_of(const Result& result);
// Whether the verdict fails the run: violated, not expected, and a MUST (or a SHOULD, if `strict`).
bool is_failure(const Verdict& verdict, bool strict);
// Violated MUSTs (and, if `strict`, SHOULDs) that are not expected.
int unexpected_violations(const Result& result, bool strict);
// The run came to verdicts, on some rules at least.
bool was_tested(const Run& run);
// It was tested, and there is more to say of it than its verdicts do.
bool has_remark(const Run& run);
// At least one run was; otherwise the target could not be tested.
bool was_tested(const Result& result);
// Nothing was cut short.
bool is_complete(const Result& result);
int count_runs(const Result& result, RunStatus status);
// Something fails the whole: an unexpected violation or a stale expectation.
bool has_failed(const Result& result);
// Everything was done, every run could be tested or is of a revision that the target does not
// speak, and nothing fails.
bool has_passed(const Result& result);

}  // namespace assay::reports
