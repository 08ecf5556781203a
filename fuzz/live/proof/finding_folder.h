// A finding on disk, of a server or of a client: a folder with a report that holds it alone, what
// shows it again, and a script that does.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "harness/transcript/transcript.h"
#include "harness/transcript/transcript_file.h"
#include "reference/wire/json.h"
#include "reports/output.h"
#include "reports/result.h"
#include "reports/vault.h"

namespace assay::fuzz {

// The script's name; it may be executed.
inline constexpr std::string_view kScriptFile = "reproduce.sh";
inline constexpr std::string_view kReportFile = "finding.json";

// The event as a JSON line, without its newline and without the secrets of the vault. Of stderr,
// and of what was kept only in part, also without what is left of them at its ends. The vault may
// be null.
std::string line_without_secrets(const harness::Event& event, const reports::Vault* vault);

// Appends the events as such lines, as far as a transcript of a finding has room for them.
void add_events(const std::vector<harness::EventPtr>& events, std::string& transcript,
                const reports::Vault* vault = nullptr);

// Of an oracle that found nothing.
reports::Verdict silent_verdict(std::string_view oracle, std::string_view rule);

// Of a run over one target: its verdicts in order, and its status by them.
reports::Result fuzz_result(const std::string& started, std::int64_t duration_ms,
                            bool was_interrupted, reports::Target target, reports::Run run);

// The text of the report, with the verdict over that finding alone: the oracles that stayed silent
// speak of the whole run. `facts` are added as its member `name`.
std::string finding_report(const reports::Result& result, std::string_view finding,
                           const char* name, nlohmann::ordered_json facts);

// Writes `directory`/`finding` with these files (name and text), in place of what is there. It is
// there as a whole or not at all. Otherwise: why not, in one sentence.
std::optional<std::string> write_folder(
    const std::filesystem::path& directory, const std::string& finding,
    const std::vector<std::pair<std::string_view, std::string>>& files);

// The report of a finding that is named by its folder, or by the report itself.
std::filesystem::path report_of(const std::filesystem::path& path);

// Otherwise: why it cannot be read, in one sentence.
std::variant<std::string, reports::FileText> read_file_of_finding(
    const std::filesystem::path& path);

}  // namespace assay::fuzz
