#include "fuzz/live/client/client_command.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <variant>

#include "fuzz/live/client/client_finding.h"
#include "fuzz/live/target/text.h"
#include "harness/frame/command.h"
#include "harness/frame/interrupt.h"
#include "harness/frame/report_files.h"
#include "harness/frame/terminal_width.h"
#include "reports/escape.h"

namespace assay::fuzz {
namespace {

constexpr std::size_t kLongestShownCommand = 4000;

std::string started_now() {
  const auto now = std::chrono::system_clock::now();
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

void show_progress(const ClientProgress& progress) {
  fmt::print(stderr, "\r\x1b[K{:.0f} s: {} launches, {} cases, {} findings, {} not reproduced",
             progress.seconds, progress.launches, progress.cases, progress.findings,
             progress.not_reproduced);
  std::fflush(stderr);
}

void show_finding(const ClientTarget& target, const ClientFinding& finding,
                  const std::string& out) {
  const auto folder = std::filesystem::path(out) / finding.id;
  fmt::print("{}  {}\n{:10}{}; replay {}{}\n", finding.id,
             without_secrets(target, finding.suspicion.detail), "",
             without_secrets(target, how(finding)), folder.string(),
             finding.is_proved ? "" : " a few times with nothing else running, to know");
  std::fflush(stdout);
}

void summarize(const ClientFuzzSettings& settings, const ClientFuzzOutcome& done,
               const ClientFacts& facts) {
  const ClientProgress& progress = done.progress;
  const double seconds = std::max(progress.fuzzing_seconds, 0.001);
  fmt::print("{}the client in revision {} over {}, seed {}\n", settings.is_quiet ? "" : "\n",
             settings.target.revision.text(), settings.target.is_stdio ? "stdio" : "HTTP",
             facts.seed);
  fmt::print(
      "{} cases in {} launches in {:.1f} s ({:.1f} s of them to prove and minimize): {:.1f} "
      "launches "
      "and {:.0f} cases a second\n",
      progress.cases, progress.launches, progress.seconds,
      progress.seconds - progress.fuzzing_seconds, static_cast<double>(progress.launches) / seconds,
      static_cast<double>(progress.cases) / seconds);
  fmt::print("with nothing wrong it takes {} ms and asks {} things\n",
             done.baseline.duration.count(), done.baseline.requests);
  fmt::print("{} finding{}, {} that did not reproduce ({} launches to prove)\n",
             done.findings.size(), done.findings.size() == 1 ? "" : "s", progress.not_reproduced,
             progress.trials);
  if (!done.unproved.empty()) {
    const bool is_any_certain =
        std::any_of(done.unproved.begin(), done.unproved.end(), fails_the_run);
    fmt::print("{} suspected and not proved{}\n", done.unproved.size(),
               is_any_certain ? "" : ", which fail nothing");
  }
  if (done.findings.empty() || settings.is_quiet) return;
  const auto folder = std::filesystem::path(settings.out) / done.findings[0].id;
  fmt::print("Findings are in {}/. To show the first again:\n  {}\n", settings.out,
             replay_command(facts, folder.string()));
}

}  // namespace

std::string own_program() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).string();
}

int fuzz_client(ClientFuzzSettings settings) {
  cli::OutputPaths paths;
  const cli::ReportFiles reports(settings.report_files, paths);
  const cli::Interrupt interrupt;
  ClientFacts facts;
  facts.started = started_now();
  facts.target = settings.target;
  facts.folder = settings.out;
  facts.seed = settings.options.seed;
  facts.checks = settings.options.checks;
  ClientFuzzOptions options = settings.options;
  options.stop = interrupt.token();
  const bool is_terminal = !settings.is_quiet && cli::is_capable_terminal(STDERR_FILENO);
  bool could_not_write = false;
  const auto write = [&](const ClientFinding& finding) {
    if (is_terminal) fmt::print(stderr, "\r\x1b[K");
    show_finding(settings.target, finding, settings.out);
    if (auto trouble = write_finding(settings.out, facts, finding)) {
      fmt::print(stderr, "mcp-assay fuzz: {}\n", *trouble);
      could_not_write = true;
    }
  };
  if (is_terminal) options.on_progress = show_progress;
  options.on_finding = write;
  const auto outcome = ClientFuzzer(settings.target, std::move(options)).run();
  if (is_terminal) fmt::print(stderr, "\r\x1b[K");
  facts.was_interrupted = interrupt.was_requested();
  if (const auto* trouble = std::get_if<std::string>(&outcome)) {
    if (facts.was_interrupted) {
      fmt::print(stderr, "mcp-assay fuzz: interrupted before the client had been seen\n");
      return cli::kInterrupted;
    }
    fmt::print(stderr, "mcp-assay fuzz: the client could not be tested: {}\n",
               shown(without_secrets(settings.target, *trouble), 400));
    return cli::kNotTested;
  }
  const auto& done = std::get<ClientFuzzOutcome>(outcome);
  facts.duration_ms = static_cast<std::int64_t>(done.progress.seconds * 1e3);
  for (const ClientFinding& suspected : done.unproved) write(suspected);
  summarize(settings, done, facts);
  std::vector<ClientFinding> all = done.findings;
  all.insert(all.end(), done.unproved.begin(), done.unproved.end());
  const reports::Result result = to_result(facts, all);
  if (!reports.write(result) || could_not_write) return cli::kUsage;
  if (facts.was_interrupted) return cli::kInterrupted;
  const bool has_any = std::any_of(all.begin(), all.end(),
                                   [](const ClientFinding& each) { return fails_the_run(each); });
  return has_any ? cli::kViolations : cli::kConformant;
}

int replay_client(const ClientReplay& replay) {
  auto loaded = load_client_finding(replay.path);
  if (const auto* trouble = std::get_if<std::string>(&loaded)) {
    throw cli::UsageError(shown(*trouble, 400));
  }
  auto& saved = std::get<SavedClientFinding>(loaded);
  if (!replay.command.empty()) saved.target.words = replay.command;
  if (saved.target.words.empty()) throw cli::UsageError("give the client's command after --");
  if (replay.command.empty() && !replay.trusts) {
    std::string words;
    for (const std::string& word : saved.target.words) words += " " + reports::shell_word(word);
    throw cli::UsageError(fmt::format(
        "the finding names this command, which runs only if you trust it: give --trust, "
        "or a command after --:\n {}",
        shown(words, kLongestShownCommand)));
  }
  saved.target.environment = replay.environment;
  saved.target.program = own_program();
  const cli::Interrupt interrupt;
  ClientFuzzOptions options;
  options.stop = interrupt.token();
  const auto outcome =
      ClientFuzzer(saved.target, std::move(options)).replay(saved.suspicion, saved.recipe);
  if (interrupt.was_requested()) return cli::kInterrupted;
  if (const auto* trouble = std::get_if<std::string>(&outcome)) {
    fmt::print(stderr, "mcp-assay replay: the client could not be tested: {}\n",
               shown(without_secrets(saved.target, *trouble), 400));
    return cli::kNotTested;
  }
  const auto& found = std::get<std::optional<ClientSuspicion>>(outcome);
  if (!found) {
    fmt::print("not shown: {}\n", shown(saved.suspicion.detail, 300));
    return cli::kConformant;
  }
  fmt::print("reproduced: {}\n", without_secrets(saved.target, found->detail));
  return cli::kViolations;
}

}  // namespace assay::fuzz
