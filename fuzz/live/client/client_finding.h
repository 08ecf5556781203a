// A finding about a client, its folder on disk, and its place in the reports.
//
//   DIR/crash-1a2b3c4d/input.jsonl    what to spoil (spoil.h)
//                      transcript.jsonl  what passed when it was shown again, a line before each
//                                     connection
//                      finding.json   a report of this one finding, for `mcp-assay report`, with
//                                     what `mcp-assay replay` needs under "fuzz_client"
//                      reproduce.sh   replays it
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "fuzz/live/client/client_fuzzer.h"
#include "reports/result.h"

namespace assay::fuzz {

// What all findings of a run have in common.
struct ClientFacts {
  std::string started;  // ISO 8601, UTC
  std::int64_t duration_ms = 0;
  bool was_interrupted = false;
  ClientTarget target;
  std::string folder;  // where the folders of findings are; empty: not known
  std::uint64_t seed = 0;
  std::set<ClientOracle> checks;
};

// A sentence of ours, which may quote the client, without the values of its variables.
std::string without_secrets(const ClientTarget& target, std::string text);

// True of a finding that was proved, and of one that happened for certain, be it shown again or
// not.
bool fails_the_run(const ClientFinding& finding);

// "by null-result in the answer to tools/list (null at the result)"; and what speaks against it
// where it was not proved.
std::string how(const ClientFinding& finding);

// As a report: one verdict for each finding, one for each oracle that stayed silent.
reports::Result to_result(const ClientFacts& facts, const std::vector<ClientFinding>& findings);

// The command with which a person shows the finding again, without secrets.
std::string replay_command(const ClientFacts& facts, const std::string& folder);

// Writes the folder `directory/finding.id`; one that is there is replaced. Returns what went wrong.
std::optional<std::string> write_finding(const std::filesystem::path& directory,
                                         const ClientFacts& facts, const ClientFinding& finding);

// What a replay needs of a finding.
struct SavedClientFinding {
  ClientSuspicion suspicion;
  Spoils recipe;
  ClientTarget target;  // that it was found in
};

// True if what is there is a finding about a client.
bool is_client_finding(const std::filesystem::path& path);
// Reads a finding's folder, or the finding.json in it. Otherwise: what is wrong, in one sentence.
std::variant<SavedClientFinding, std::string> load_client_finding(
    const std::filesystem::path& path);

}  // namespace assay::fuzz
