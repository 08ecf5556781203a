#include "fuzz/live/proof/finding_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <system_error>
#include <utility>

#include "reference/wire/message.h"
#include "reports/json.h"

namespace assay::fuzz {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> write_text(const fs::path& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) return fmt::format("cannot write '{}'", path.string());
  return std::nullopt;
}

}  // namespace

std::string line_without_secrets(const harness::Event& event, const reports::Vault* vault) {
  if (vault == nullptr) return harness::to_json_line(event);
  const harness::KeptObservation& seen = event.observation;
  const bool is_piece = seen.kind == harness::KeptObservation::Kind::kStderr || seen.is_truncated ||
                        seen.is_unterminated;
  return harness::to_json_line(event, [&](std::string& text) {
    is_piece ? vault->redact_piece(text) : vault->redact(text);
  });
}

void add_events(const std::vector<harness::EventPtr>& events, std::string& transcript,
                const reports::Vault* vault) {
  constexpr std::size_t kMostBytes = 4u << 20;
  for (const auto& event : events) {
    const std::string line = line_without_secrets(*event, vault) + "\n";
    if (transcript.size() + line.size() <= kMostBytes) transcript += line;
  }
}

reports::Verdict silent_verdict(std::string_view oracle, std::string_view rule) {
  reports::Verdict out;
  out.requirement = fmt::format("fuzz.{}", oracle);
  out.summary = rule;
  out.outcome = reports::Outcome::kSatisfied;
  out.scenario = "fuzz";
  return out;
}

reports::Result fuzz_result(const std::string& started, std::int64_t duration_ms,
                            bool was_interrupted, reports::Target target, reports::Run run) {
  reports::Result result;
  result.tool_version = ASSAY_VERSION;
  result.catalogue_version = "fuzz";
  result.started = started;
  result.duration_ms = duration_ms;
  result.was_interrupted = was_interrupted;
  result.target = std::move(target);
  run.duration_ms = duration_ms;
  std::sort(run.verdicts.begin(), run.verdicts.end(), [](const auto& left, const auto& right) {
    return left.requirement < right.requirement;
  });
  const bool breaks_must =
      std::any_of(run.verdicts.begin(), run.verdicts.end(),
                  [](const auto& each) { return reports::is_failure(each, false); });
  run.status = breaks_must ? reports::RunStatus::kViolations : reports::RunStatus::kConformant;
  result.runs.push_back(std::move(run));
  return result;
}

std::string finding_report(const reports::Result& result, std::string_view finding,
                           const char* name, nlohmann::ordered_json facts) {
  auto report = nlohmann::ordered_json::parse(reports::render_json(result));
  auto& run = report["runs"][0];
  nlohmann::ordered_json own = nlohmann::ordered_json::array();
  const std::string requirement = fmt::format("fuzz.{}", finding);
  for (const auto& verdict : run["verdicts"]) {
    if (verdict["requirement"] == requirement) own.push_back(verdict);
  }
  run["verdicts"] = own;
  report[name] = std::move(facts);
  return report.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::optional<std::string> write_folder(
    const fs::path& directory, const std::string& finding,
    const std::vector<std::pair<std::string_view, std::string>>& files) {
  const fs::path folder = directory / finding;
  const fs::path draft = directory / ("." + finding + ".part");
  std::error_code error;
  fs::remove_all(draft, error);
  if (!fs::create_directories(draft, error) || error) {
    return fmt::format("cannot make the folder '{}': {}", draft.string(), error.message());
  }
  for (const auto& [name, text] : files) {
    if (auto trouble = write_text(draft / name, text)) {
      fs::remove_all(draft, error);
      return trouble;
    }
  }
  fs::permissions(draft / kScriptFile,
                  fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add, error);
  fs::remove_all(folder, error);
  fs::rename(draft, folder, error);
  if (!error) return std::nullopt;
  return fmt::format("cannot make the folder '{}': {}", folder.string(), error.message());
}

fs::path report_of(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error) ? path / kReportFile : path;
}

std::variant<std::string, reports::FileText> read_file_of_finding(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error))
    return fmt::format("there is no file or folder '{}'", path.string());
  if (!fs::is_regular_file(path, error)) return fmt::format("'{}' is no file", path.string());
  reports::FileText file = reports::read_file(path.string());
  if (!file.error.empty()) return file.error;
  return file;
}

}  // namespace assay::fuzz
