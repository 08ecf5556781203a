#include "fuzz/live/client/client_finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <system_error>

#include "fuzz/live/proof/finding_folder.h"
#include "fuzz/live/target/text.h"
#include "reference/wire/json.h"
#include "reports/escape.h"
#include "reports/json.h"
#include "reports/output.h"

namespace assay::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostTold = 5;  // spoils in a sentence
// We look at a client every few dozen milliseconds, unless there is no processor for us.
constexpr std::chrono::milliseconds kBusyBlink{250};

reports::Verdict verdict_of(const ClientFacts& facts, const ClientFinding& finding) {
  reports::Verdict out;
  out.requirement = "fuzz." + finding.id;
  out.summary = rule(finding.suspicion.oracle);
  if (is_advice(finding.suspicion.oracle)) out.level = reports::Level::kShould;
  out.outcome =
      fails_the_run(finding) ? reports::Outcome::kViolated : reports::Outcome::kInconclusive;
  out.scenario = "fuzz";
  out.detail = fmt::format("{} ({})", finding.suspicion.detail, how(finding));
  out.reproduce = replay_command(facts, (fs::path(facts.folder) / finding.id).string());
  return out;
}

std::string finding_text(const ClientFacts& facts, const ClientFinding& finding) {
  reports::Result result = to_result(facts, {finding});
  result.target.command = facts.target.words;  // which replay runs as it was given
  return finding_report(result, finding.id, "fuzz_client",
                        {{"finding", finding.id},
                         {"oracle", name(finding.suspicion.oracle)},
                         {"cause", without_secrets(facts.target, finding.suspicion.cause)},
                         {"detail", without_secrets(facts.target, finding.suspicion.detail)},
                         {"revision", facts.target.revision.text()},
                         {"stdio", facts.target.is_stdio},
                         {"how", without_secrets(facts.target, how(finding))},
                         {"seed", facts.seed},
                         {"case", finding.found_at_case},
                         {"shown_again", finding.is_proved}});
}

// A connection after the other, each behind a line that says so.
std::string client_transcript(const ClientFacts& facts, const ClientFinding& finding) {
  const auto vault = vault_of(facts.target);
  std::string text;
  std::size_t connections = 0;
  for (const harness::RecordedSession& session : finding.sessions) {
    const Json heading = {{"connection", ++connections},
                          {"run", fmt::format("{} {}", facts.target.revision.text(),
                                              facts.target.is_stdio ? "stdio" : "http")},
                          {"scenario", "fuzz"}};
    text += heading.dump() + "\n";
    add_events(session.events, text, vault.get());
  }
  return text;
}

constexpr std::string_view kReproduceClient = R"sh(#!/bin/sh
# Shows this finding's spoilt answers to a client. Exit status: 1 if it shows the finding, 0 if not.
# Name the client: ./reproduce.sh -- COMMAND. Where you trust the command that finding.json names,
# ./reproduce.sh --trust runs it.
exec "${MCP_ASSAY:-mcp-assay}" replay "$(dirname "$0")" "$@"
)sh";

// What speaks against a finding that was not proved.
std::string doubt(const ClientFinding& finding) {
  if (finding.is_proved) return "";
  if (finding.tries == 0) return "; there was no time to reproduce it";
  std::string out = fmt::format("; it did not reproduce in {} launches", finding.tries);
  if (finding.longest_blink >= kBusyBlink) {
    out += fmt::format(
        "; for {} ms of the launch in which it was seen we had no processor ourselves: the machine "
        "was busy",
        finding.longest_blink.count());
  }
  return out;
}

std::variant<std::string, Json> read_json(const fs::path& path) {
  const auto file = read_file_of_finding(path);
  if (const auto* trouble = std::get_if<std::string>(&file)) return *trouble;
  return Json::parse(std::get<reports::FileText>(file).text, nullptr, false);
}

}  // namespace

std::string without_secrets(const ClientTarget& target, std::string text) {
  vault_of(target)->redact_quoted(text);
  return text;
}

bool fails_the_run(const ClientFinding& finding) {
  return finding.is_proved || finding.suspicion.is_certain;
}

std::string how(const ClientFinding& finding) {
  if (finding.recipe.empty()) return "with nothing spoilt" + doubt(finding);
  std::string out = finding.is_proved ? "by " : "suspected: by ";
  for (std::size_t i = 0; i < finding.recipe.size() && i < kMostTold; ++i) {
    if (i > 0) out += ", and ";
    out += text(finding.recipe[i]);
    if (i < finding.labels.size()) out += fmt::format(" ({})", shown(finding.labels[i], 100));
    if (finding.recipe[i].wording) {
      out += ", of which this is enough: " + shown(text(*finding.recipe[i].wording));
    }
  }
  if (finding.recipe.size() > kMostTold) {
    out += fmt::format(", and {} more", finding.recipe.size() - kMostTold);
  }
  return out + doubt(finding);
}

reports::Result to_result(const ClientFacts& facts, const std::vector<ClientFinding>& findings) {
  reports::Target target;
  target.command = facts.target.words;
  reports::Run run;
  run.revision = facts.target.revision.text();
  run.transport = facts.target.is_stdio ? "stdio" : "http";
  for (const ClientOracle oracle : facts.checks) {
    const bool has_any = std::any_of(findings.begin(), findings.end(), [&](const auto& each) {
      return each.suspicion.oracle == oracle;
    });
    if (has_any) continue;
    run.verdicts.push_back(silent_verdict(name(oracle), rule(oracle)));
  }
  for (const ClientFinding& finding : findings) run.verdicts.push_back(verdict_of(facts, finding));
  reports::Result result = fuzz_result(facts.started, facts.duration_ms, facts.was_interrupted,
                                       std::move(target), std::move(run));
  vault_of(facts.target)->redact(result);
  return result;
}

std::string replay_command(const ClientFacts& facts, const std::string& folder) {
  std::string out = "mcp-assay replay " + reports::shell_word(folder) + " --";
  for (const std::string& word : facts.target.words) {
    out += " " + reports::shell_word(without_secrets(facts.target, word));
  }
  return out;
}

std::optional<std::string> write_finding(const fs::path& directory, const ClientFacts& facts,
                                         const ClientFinding& finding) {
  return write_folder(directory, finding.id,
                      {{"input.jsonl", to_jsonl(finding.recipe)},
                       {"transcript.jsonl", client_transcript(facts, finding)},
                       {kReportFile, finding_text(facts, finding)},
                       {kScriptFile, std::string(kReproduceClient)}});
}

bool is_client_finding(const fs::path& path) {
  const auto json = read_json(report_of(path));
  const Json* report = std::get_if<Json>(&json);
  return report != nullptr && report->is_object() && report->contains("fuzz_client");
}

std::variant<SavedClientFinding, std::string> load_client_finding(const fs::path& path) {
  const fs::path own = report_of(path);
  const auto json = read_json(own);
  if (const auto* trouble = std::get_if<std::string>(&json)) return *trouble;
  const Json& report = std::get<Json>(json);
  const Json facts = report.is_object() ? report.value("fuzz_client", Json()) : Json();
  const auto oracle = parse_client_oracle(text_member(facts, "oracle"));
  const auto revision = model::Revision::parse(text_member(facts, "revision"));
  if (!oracle || !revision || !facts.value("stdio", Json()).is_boolean()) {
    return fmt::format("'{}' is damaged: its \"fuzz_client\" member is not as it was written",
                       own.string());
  }
  SavedClientFinding saved;
  saved.suspicion = {*oracle, text_member(facts, "cause"), text_member(facts, "detail")};
  saved.target.revision = *revision;
  saved.target.is_stdio = facts["stdio"].get<bool>();
  const Json target = report.value("target", Json::object());
  const Json command = target.is_object() ? target.value("command", Json()) : Json();
  if (command.is_array()) {
    for (const Json& word : command) {
      if (word.is_string()) saved.target.words.push_back(word.get<std::string>());
    }
  }
  const fs::path input = own.parent_path() / "input.jsonl";
  const reports::FileText file = reports::read_file(input.string());
  if (!file.error.empty()) return file.error;
  auto spoils = spoils_from_jsonl(file.text);
  if (const auto* trouble = std::get_if<std::string>(&spoils)) {
    return fmt::format("'{}' is damaged: {}", input.string(), *trouble);
  }
  saved.recipe = std::get<Spoils>(std::move(spoils));
  return saved;
}

}  // namespace assay::fuzz
