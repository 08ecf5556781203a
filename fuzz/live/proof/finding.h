// A proved finding, its folder on disk, and its place in the reports.
//
//   DIR/crash-1a2b3c4d/input.jsonl       what to send (step.h)
//                      transcript.jsonl  what happened when it was sent
//                      finding.json      a report of this one finding, for `mcp-assay report`, with
//                                        what `mcp-assay replay` needs under "fuzz"
//                      reproduce.sh      replays it
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "fuzz/live/judge/suspicion.h"
#include "fuzz/live/proof/prober.h"
#include "harness/transcript/transcript.h"
#include "reference/model/revision.h"
#include "reports/result.h"
#include "reports/vault.h"

namespace assay::fuzz {

// How far a suspicion was proved.
enum class Proof : std::uint8_t {
  kShown,          // it showed again from a fresh start, each time
  kNotTried,       // there was no time to try
  kNotShownAgain,  // it was tried and did not show: kept only where a process died
  kNotAlone,       // it showed again by several messages, and one alone would have to show it
};

// Whether it is the number of messages that counts.
enum class Repeats : std::uint8_t {
  kNotKnown,
  kOfAnyKind,  // so many requests, whatever they are
  kOfOneKind,  // so many of one request
};

struct ServerFinding {
  std::string id;  // "crash-1a2b3c4d": the name of its folder
  Suspicion suspicion;
  Recipe recipe;
  std::string origin;  // of the case that showed it first
  std::size_t found_at_case = 0;
  std::size_t messages = 0;         // in the recipe
  std::size_t messages_before = 0;  // before it was minimized
  std::size_t seen_again = 0;
  Proof proof = Proof::kShown;
  Repeats repeats = Repeats::kNotKnown;
  std::vector<harness::EventPtr> transcript;
};

// What all findings of a run have in common.
struct RunFacts {
  std::string started;  // ISO 8601, UTC
  std::int64_t duration_ms = 0;
  bool was_interrupted = false;
  bool is_http = false;
  std::string revision;
  reports::Target target;
  std::string folder;   // where the folders of findings are; empty: not known
  std::string sandbox;  // as it was given; empty: there was none
  std::vector<std::string> sandbox_environment;  // "ROOT={sandbox}": how the command was told of it
  std::uint64_t seed = 0;
  std::set<Oracle> checks{std::begin(kOracles), std::end(kOracles)};  // what was judged
  // What the user gave in confidence: it stands in nothing that is written of the target. May be
  // null.
  std::shared_ptr<const reports::Vault> vault;

  // Of a sentence of ours, which may have cut what it quotes.
  std::string without_secrets(std::string text) const;
};

// What tells one recipe from another when their bytes are not counted: the methods, and the names
// and types of the members.
std::string outline(const Recipe& recipe);

// "with 1 message", "after 500 requests of any kind".
std::string messages_text(const ServerFinding& finding);

// What a finding rests on: "reproduced with 1 message".
std::string proof_text(const ServerFinding& finding);

// True of a finding that fails the run: one that was proved, and a process that died unasked, be it
// shown again or not.
bool counts(const ServerFinding& finding);

// True of what was seen more than once to hang or to lose an answer, and was not tried again: there
// was no time for it.
bool is_open_question(const ServerFinding& finding);

// As a report: one verdict for each finding, one for each oracle that stayed silent.
reports::Result to_result(const RunFacts& facts, const std::vector<ServerFinding>& findings);

// The command with which a person shows the finding again, without secrets.
std::string replay_command(const RunFacts& facts, const std::string& folder);

// Writes the folder `directory/finding.id`, whole or not at all; one that is there is replaced.
// Returns what went wrong.
std::optional<std::string> write_finding(const std::filesystem::path& directory,
                                         const RunFacts& facts, const ServerFinding& finding);

// What a replay needs of a finding.
struct Saved {
  Oracle oracle = Oracle::kCrash;
  std::string signature;
  std::string detail;
  Recipe recipe;
  std::vector<std::string> command;  // the target it was found in; empty for a URL
  std::string url;
  bool hides_url = false;  // a part of it was given in confidence, and is not in it
  std::optional<model::Revision> revision;  // that it was found in, if it says so
  bool has_sandbox = false;                 // it was found in one
  // How the command was told of it, as far as that is written down: "ROOT={sandbox}".
  std::vector<std::string> sandbox_environment;
};

// Reads a finding's folder, or the finding.json in it. Otherwise: one sentence that says what is
// wrong.
std::variant<Saved, std::string> load_finding(const std::filesystem::path& path);

}  // namespace assay::fuzz
