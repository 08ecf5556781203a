#include "fuzz/live/proof/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>
#include <system_error>

#include "fuzz/live/proof/finding_folder.h"
#include "fuzz/live/target/sandbox.h"
#include "fuzz/live/target/text.h"
#include "reference/transport/signals.h"
#include "reference/wire/message.h"
#include "reports/escape.h"
#include "reports/json.h"
#include "reports/output.h"

namespace assay::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostEvidence = 6;          // events in a report
constexpr std::size_t kMostEvidenceBytes = 2000;  // of each

void add_outline(const Json& value, std::size_t depth, std::string& out) {
  out += value.type_name()[0];
  if (!value.is_structured() || depth > 4) return;
  std::size_t count = 0;
  for (const auto& [key, member] : value.items()) {
    if (++count > 12) break;
    out += value.is_object() ? "." + key.substr(0, 32) : ".";
    add_outline(member, depth + 1, out);
  }
}

reports::Evidence to_evidence(const harness::Event& event) {
  reports::Evidence out;
  const harness::KeptObservation& seen = event.observation;
  out.n = event.n;
  out.at_ms = std::chrono::duration<double, std::milli>(event.at).count();
  out.party = transport::name(event.speaker());
  out.lane = seen.lane.text();
  std::string text(seen.event() ? std::string_view(seen.event()->data) : seen.bytes());
  if (seen.http() && seen.kind == transport::Observation::Kind::kHttpRequest) {
    text = seen.http()->method + " " + seen.http()->target + " " + text;
  } else if (seen.http() && seen.kind == transport::Observation::Kind::kHttpResponse) {
    text = fmt::format("HTTP {}", seen.http()->status);
  } else if (seen.exit()) {
    text = seen.exit()->signal
               ? fmt::format("ended by {}", transport::signal_words(*seen.exit()->signal))
               : fmt::format("exit status {}", seen.exit()->code);
  }
  out.is_cut = text.size() > kMostEvidenceBytes;
  out.text = reports::valid_utf8(std::string_view(text).substr(0, kMostEvidenceBytes));
  return out;
}

constexpr std::string_view kPing = "assay-ping-";

bool says(const harness::Event& event, std::string_view text) {
  const harness::KeptObservation& seen = event.observation;
  const std::string_view said =
      seen.event() ? std::string_view(seen.event()->data) : std::string_view(seen.bytes());
  return said.find(text) != std::string_view::npos;
}

// The handshake, which is the same everywhere, and pings.
bool is_ours(const harness::Event& event) {
  return says(event, "assay-begin") || says(event, "notifications/initialized") ||
         says(event, kPing);
}

bool is_http(const harness::Event& event, transport::Observation::Kind kind) {
  return event.observation.kind == kind &&
         event.observation.lane.kind == transport::Lane::Kind::kHttp;
}

// What an exchange consists of beside the messages in it, where nothing is wrong with it.
bool is_frame(const harness::Event& event) {
  using Kind = transport::Observation::Kind;
  const harness::KeptObservation& seen = event.observation;
  if (is_http(event, Kind::kHttpResponse)) return seen.http() && seen.http()->status < 300;
  if (is_http(event, Kind::kBroken)) return event.is_from_client();
  if (is_http(event, Kind::kClosed)) return true;
  const bool is_event = seen.event() && !seen.event()->data.empty();
  return seen.lane.kind == transport::Lane::Kind::kHttp && !is_event && seen.bytes().empty();
}

// The end of what happened: what was sent last and what came of it. What is ours is left out, but
// for the last ping, which may be what was not answered; and of more than there is room for, what
// is no message.
std::vector<reports::Evidence> evidence_of(const ServerFinding& finding) {
  using Kind = transport::Observation::Kind;
  std::set<std::uint64_t> lanes;  // of requests that are not ours
  std::uint64_t last_ping = UINT64_MAX;
  for (const auto& event : finding.transcript) {
    if (event->is_from_client() && says(*event, kPing)) last_ping = event->n;
    const bool is_request = is_http(*event, Kind::kHttpRequest);
    if (is_request && !is_ours(*event)) lanes.insert(event->observation.lane.number);
  }
  std::vector<harness::EventPtr> kept;
  for (const auto& event : finding.transcript) {
    // How an exchange of ours went besides its messages.
    const bool is_plain_head = is_http(*event, Kind::kHttpResponse) && event->observation.http() &&
                               event->observation.http()->status < 400;
    const bool is_about_ours = (is_plain_head || is_http(*event, Kind::kClosed)) &&
                               !lanes.contains(event->observation.lane.number);
    const bool is_left_out = event->n < last_ping && (is_ours(*event) || is_about_ours);
    const bool was_killed =
        event->observation.exit() && event->observation.exit()->was_killed_by_us;
    if (!is_left_out && !was_killed) kept.push_back(event);
  }
  if (kept.size() > kMostEvidence) {
    std::erase_if(kept, [](const harness::EventPtr& event) { return is_frame(*event); });
  }
  std::vector<reports::Evidence> all;
  for (const auto& event : kept) all.push_back(to_evidence(*event));
  if (all.size() > kMostEvidence) {
    all.erase(all.begin() + kMostEvidence / 2,
              all.end() - static_cast<std::ptrdiff_t>(kMostEvidence / 2));
  }
  return all;
}

reports::Verdict to_verdict(const RunFacts& facts, const ServerFinding& finding) {
  reports::Verdict out;
  out.requirement = "fuzz." + finding.id;
  out.summary = finding.suspicion.rule.empty() ? std::string(rule(finding.suspicion.oracle))
                                               : finding.suspicion.rule;
  out.level = finding.suspicion.is_should ? reports::Level::kShould : reports::Level::kMust;
  out.outcome = counts(finding) ? reports::Outcome::kViolated : reports::Outcome::kInconclusive;
  out.scenario = "fuzz";
  out.detail = fmt::format("{} ({})", finding.suspicion.detail, proof_text(finding));
  out.evidence = evidence_of(finding);
  if (!finding.recipe.steps.empty()) {
    out.reproduce = replay_command(facts, (fs::path(facts.folder) / finding.id).string());
  }
  return out;
}

std::string transcript_text(const RunFacts& facts, const ServerFinding& finding) {
  std::string text;
  add_events(finding.transcript, text, facts.vault.get());
  return text;
}

// Of those that name the sandbox: what may be written down.
nlohmann::ordered_json plain_variables(const RunFacts& facts) {
  nlohmann::ordered_json plain = nlohmann::ordered_json::array();
  for (const std::string& each : facts.sandbox_environment) {
    if (is_plain_variable(each)) plain.push_back(each);
  }
  return plain;
}

// As a word of a command: a value that may hold a key is the reader's own.
std::string variable_word(const std::string& assignment) {
  if (is_plain_variable(assignment)) return reports::shell_word(assignment);
  const std::string name = assignment.substr(0, assignment.find('='));
  const bool is_shells = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
                         std::all_of(name.begin(), name.end(), [](unsigned char c) {
                           return std::isalnum(c) != 0 || c == '_';
                         });
  if (!is_shells) return reports::shell_word(name + "=...{sandbox}...");
  return fmt::format("{0}=\"${0}\"", name);
}

std::string finding_text(const RunFacts& facts, const ServerFinding& finding) {
  reports::Result result = to_result(facts, {finding});
  const bool hides_url = result.target.url != facts.target.url;
  result.target.command = facts.target.command;  // which replay runs as it was given
  return finding_report(result, finding.id, "fuzz",
                        {{"finding", finding.id},
                         {"oracle", name(finding.suspicion.oracle)},
                         {"revision", facts.revision},
                         {"shown_again", finding.proof == Proof::kShown},
                         {"about", facts.without_secrets(finding.suspicion.about)},
                         {"detail", facts.without_secrets(finding.suspicion.detail)},
                         {"origin", facts.without_secrets(finding.origin)},
                         {"fresh", finding.recipe.is_fresh},
                         {"manners", finding.recipe.manners},
                         {"seed", facts.seed},
                         {"hides_url", hides_url},
                         {"sandbox", !facts.sandbox.empty()},
                         {"sandbox_environment", plain_variables(facts)},
                         {"case", finding.found_at_case},
                         {"messages", finding.messages},
                         {"messages_before", finding.messages_before}});
}

constexpr std::string_view kReproduce = R"sh(#!/bin/sh
# Sends this finding's input to a target. Exit status: 1 if it shows the finding, 0 if not.
# Name the target: ./reproduce.sh -- COMMAND, or --url URL. Where you trust the command that
# finding.json names, ./reproduce.sh --trust runs it.
exec "${MCP_ASSAY:-mcp-assay}" replay "$(dirname "$0")" "$@"
)sh";

// A new directory unless one is named, which is gone behind it.
constexpr std::string_view kReproduceInSandbox = R"sh(#!/bin/sh
# Sends this finding's input to a target. Exit status: 1 if it shows the finding, 0 if not.
# Name the target, which has to be told what to serve, in place of {sandbox}:
#   ./reproduce.sh -- COMMAND {sandbox}, or ./reproduce.sh --env NAME={sandbox} -- COMMAND
#   ./reproduce.sh --sandbox DIR --url URL, where the server at URL serves DIR/served
# Where you trust the command that finding.json names, this runs it:
#   ./reproduce.sh --trust
case " $* " in
*" --sandbox"*) exec "${MCP_ASSAY:-mcp-assay}" replay "$(dirname "$0")" "$@" ;;
esac
scratch=$(mktemp -d) || exit 2
"${MCP_ASSAY:-mcp-assay}" replay "$(dirname "$0")" --sandbox "$scratch" "$@"
status=$?
rmdir "$scratch"
exit "$status"
)sh";

// What the command has to be told of the sandbox, and stands nowhere, is added to the script's
// words on how to run it.
std::string script_of(const RunFacts& facts) {
  if (facts.sandbox.empty()) return std::string(kReproduce);
  std::string script(kReproduceInSandbox);
  constexpr std::string_view kTrust = "reproduce.sh --trust";
  std::size_t at = script.find(kTrust) + kTrust.size();
  for (const std::string& each : facts.sandbox_environment) {
    const std::string word = is_plain_variable(each) ? "" : " --env " + variable_word(each);
    if (word.find('\n') != std::string::npos) continue;
    script.insert(at, word);
    at += word.size();
  }
  return script;
}

}  // namespace

std::string RunFacts::without_secrets(std::string text) const {
  if (vault) vault->redact_quoted(text);
  return text;
}

std::string outline(const Recipe& recipe) {
  std::string out = recipe.is_fresh ? "fresh" : "";
  for (const Step& step : recipe.steps) {
    if (step.kind != Step::Kind::kBytes) {
      out += fmt::format("|{} {}", static_cast<int>(step.kind), step.method);
      for (const auto& [header, value] : step.headers) out += " " + header;
    }
    for_each_line(step.bytes, [&](std::string_view line) {
      out += "|";
      const wire::Decoded decoded = wire::decode(line);
      const auto* message = std::get_if<wire::Message>(&decoded);
      if (message == nullptr) {
        out += wire::name(std::get<wire::DecodeError>(decoded).kind);
        return;
      }
      out += fmt::format("{} {} ", wire::name(message->kind()), shown(message->method(), 60));
      for (const auto& notice : message->notices()) out += wire::name(notice.kind);
      add_outline(message->json(), 0, out);
    });
  }
  return out;
}

std::string messages_text(const ServerFinding& finding) {
  switch (finding.repeats) {
    case Repeats::kNotKnown:
      break;
    case Repeats::kOfAnyKind:
      return fmt::format("after {} requests of any kind", finding.messages);
    case Repeats::kOfOneKind:
      return fmt::format("after {} requests of one kind", finding.messages);
  }
  return fmt::format("with {} message{}", finding.messages, finding.messages == 1 ? "" : "s");
}

std::string proof_text(const ServerFinding& finding) {
  switch (finding.proof) {
    case Proof::kShown:
      return "reproduced " + messages_text(finding);
    case Proof::kNotTried:
      return fmt::format("seen {} time{}; there was no time to reproduce it",
                         finding.seen_again + 1, finding.seen_again == 0 ? "" : "s");
    case Proof::kNotAlone:
      return fmt::format(
          "reproduced, but only with {} messages together: which of them led out is not known",
          finding.messages);
    case Proof::kNotShownAgain:
      return fmt::format("seen {} time{}; it did not reproduce from a fresh start",
                         finding.seen_again + 1, finding.seen_again == 0 ? "" : "s");
  }
  return "";
}

bool is_open_question(const ServerFinding& finding) {
  const Oracle oracle = finding.suspicion.oracle;
  return (oracle == Oracle::kHang || oracle == Oracle::kMissing) && finding.seen_again > 0 &&
         finding.proof == Proof::kNotTried;
}

bool counts(const ServerFinding& finding) {
  return finding.proof == Proof::kShown || finding.suspicion.oracle == Oracle::kCrash;
}

std::string replay_command(const RunFacts& facts, const std::string& folder) {
  std::string text = "mcp-assay replay " + reports::shell_word(folder);
  if (!facts.sandbox.empty()) text += " --sandbox " + reports::shell_word(facts.sandbox);
  for (const std::string& each : facts.sandbox_environment) {
    text += " --env " + variable_word(each);
  }
  const auto word_of = [&](const std::string& word) {  // which no quotes may keep from being found
    return " " + reports::shell_word(facts.without_secrets(word));
  };
  if (!facts.target.url.empty()) text += " --url" + word_of(facts.target.url);
  if (!facts.target.command.empty()) text += " --";
  for (const std::string& word : facts.target.command) text += word_of(word);
  return text;
}

reports::Result to_result(const RunFacts& facts, const std::vector<ServerFinding>& findings) {
  reports::Run run;
  run.revision = facts.revision;
  run.transport = facts.is_http ? "http" : "stdio";
  for (const Oracle oracle : kOracles) {
    const bool has_any =
        std::any_of(findings.begin(), findings.end(),
                    [&](const ServerFinding& each) { return each.suspicion.oracle == oracle; });
    const bool is_judged = facts.checks.contains(oracle) && is_for(oracle, facts.is_http);
    if (!has_any && is_judged) run.verdicts.push_back(silent_verdict(name(oracle), rule(oracle)));
  }
  for (const ServerFinding& finding : findings) run.verdicts.push_back(to_verdict(facts, finding));
  reports::Result result = fuzz_result(facts.started, facts.duration_ms, facts.was_interrupted,
                                       facts.target, std::move(run));
  if (facts.vault) facts.vault->redact(result);
  return result;
}

std::optional<std::string> write_finding(const fs::path& directory, const RunFacts& facts,
                                         const ServerFinding& finding) {
  return write_folder(directory, finding.id,
                      {{"input.jsonl", to_jsonl(finding.recipe.steps)},
                       {"transcript.jsonl", transcript_text(facts, finding)},
                       {kReportFile, finding_text(facts, finding)},
                       {kScriptFile, script_of(facts)}});
}

std::variant<Saved, std::string> load_finding(const fs::path& path) {
  const fs::path own = report_of(path);
  const fs::path folder = own.parent_path();
  auto report = read_file_of_finding(own);
  if (const auto* trouble = std::get_if<std::string>(&report)) return *trouble;
  const Json json = Json::parse(std::get<reports::FileText>(report).text, nullptr, false);
  if (json.is_discarded() || !json.is_object() || !json.value("fuzz", Json()).is_object()) {
    return fmt::format("'{}' is no finding of mcp-assay fuzz", own.string());
  }
  const Json& facts = json["fuzz"];
  Saved saved;
  const std::string oracle = text_member(facts, "oracle");
  const auto known = std::find_if(std::begin(kOracles), std::end(kOracles),
                                  [&](Oracle each) { return name(each) == oracle; });
  if (known == std::end(kOracles) || !facts.value("fresh", Json()).is_boolean()) {
    return fmt::format("'{}' is damaged: its \"fuzz\" member is not as it was written",
                       own.string());
  }
  saved.oracle = *known;
  saved.signature = oracle + ": " + text_member(facts, "about");
  saved.detail = text_member(facts, "detail");
  saved.revision = model::Revision::parse(text_member(facts, "revision"));
  saved.recipe.is_fresh = facts["fresh"].get<bool>();
  saved.has_sandbox = facts.value("sandbox", Json()) == true;
  for (const Json& each : facts.value("sandbox_environment", Json::array())) {
    const bool is_plain = each.is_string() && is_plain_variable(each.get_ref<const std::string&>());
    if (is_plain) saved.sandbox_environment.push_back(each.get<std::string>());
  }
  const Json manners = facts.value("manners", Json(0));
  saved.recipe.manners = manners.is_number_integer() ? manners.get<int>() : 0;
  const Json target = json.value("target", Json::object());
  saved.url = text_member(target, "url");
  saved.hides_url = facts.value("hides_url", Json()) == true;
  const Json command = target.is_object() ? target.value("command", Json()) : Json();
  if (command.is_array()) {
    for (const Json& word : command) {
      if (word.is_string()) saved.command.push_back(word.get<std::string>());
    }
  }
  auto input = read_file_of_finding(folder / "input.jsonl");
  if (const auto* trouble = std::get_if<std::string>(&input)) return *trouble;
  auto steps = from_jsonl(std::get<reports::FileText>(input).text);
  if (const auto* trouble = std::get_if<std::string>(&steps)) {
    return fmt::format("'{}' is damaged: {}", (folder / "input.jsonl").string(), *trouble);
  }
  saved.recipe.steps = std::get<Steps>(std::move(steps));
  return saved;
}

}  // namespace assay::fuzz
