// mcp-assay fuzz: hammers a live server, and proves what it finds.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "fuzz/live/client/client_command.h"
#include "fuzz/live/corpus.h"
#include "fuzz/live/fuzz_summary.h"
#include "fuzz/live/fuzzer.h"
#include "fuzz/live/target/dictionary.h"
#include "fuzz/live/target/text.h"
#include "fuzz/live/target_options.h"
#include "harness/frame/command.h"
#include "harness/frame/interrupt.h"
#include "harness/frame/report_files.h"
#include "harness/frame/revision_option.h"
#include "harness/frame/terminal_width.h"

namespace assay::fuzz {
namespace {

constexpr double kDefaultSeconds = 60;

std::string now_text() {
  const auto now = std::chrono::system_clock::now();
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

template <typename Oracles>
std::string names_of(const Oracles& oracles) {
  std::string names;
  for (const auto oracle : oracles) {
    names += (names.empty() ? "" : ", ") + std::string(fuzz::name(oracle));
  }
  return names;
}
std::string check_names() {
  return names_of(kOracles);
}

class FuzzCommand : public cli::Command {
 public:
  std::string_view name() const override { return "fuzz"; }
  std::string_view summary() const override {
    return "Send malformed traffic to a running server, or to a client";
  }

  void declare(cli::Arguments& arguments) override {
    target_.declare(arguments, "The command that starts your server over stdio, or your client");
    arguments.flag("--client", is_client_,
                   "COMMAND is a client: be its server, and give it wrong answers");
    arguments.flag("--stdio", is_client_over_stdio_,
                   "With --client, use stdio: in COMMAND, {server} becomes a command that starts "
                   "the server, and {config} a file with mcpServers that names this command");
    arguments.group("How to fuzz");
    arguments.seconds("--time", time_,
                      "Fuzz for this time, proofs included (default: 60, without --cases)");
    arguments.number("--cases", cases_, 1, 1'000'000'000'000, "N", "Send N cases");
    arguments.number("--seed", seed_, 0, INT64_MAX, "N",
                     "The same seed gives the same cases, as long as the target answers the same "
                     "(default: 1)");
    arguments.text("--tools", tools_, "all|none|readonly|safe|NAME,...",
                   "Tools that may be called (default: readonly, tools that say they are "
                   "read-only)");
    arguments.text("--revision", revision_, "REVISION",
                   "Speak this revision (default: the newest with a handshake or, if the server "
                   "refuses it, the newest without)");
    arguments.text("--checks", checks_, "CHECK,...",
                   "Use only these checks (default: all but injection, which sends texts that a "
                   "careless server computes). For servers: " +
                       check_names() + ". For clients: " + names_of(kClientOracles));
    arguments.text("--exclude-checks", excluded_checks_, "CHECK,...", "Do not use these checks");
    arguments.text("--corpus", corpus_, "DIR",
                   "Keep cases that got a new kind of answer here, and send them first next time. "
                   "Files of yours, whatever their names, are sent as well: lines of steps, or of "
                   "messages");
    arguments.text("--dict", dictionary_, "FILE",
                   "Put the words of FILE, one a line, in place of arguments, besides those that "
                   "the server itself names");
    arguments.number("--max-suspected", max_suspected_, 0, 1'000'000, "N",
                     "Fail if more than N hangs or lost answers were seen more than once and there "
                     "was no time to prove them (default: 0)");
    arguments.group("Reports and output");
    arguments.text("--out", out_, "DIR",
                   "Write a folder for each finding here (default: mcp-assay-findings)");
    arguments.texts("--report", report_files_, "FORMAT=PATH", cli::report_help());
    arguments.flag("--quiet", quiet_, "Print one line per finding, and the conclusion");
    arguments.footer(
        "Examples:\n"
        "  mcp-assay fuzz --time 60 -- npx -y @modelcontextprotocol/server-everything\n"
        "  mcp-assay fuzz --cases 100000 --seed 7 --out findings -- ./my-server\n"
        "  mcp-assay fuzz --url http://127.0.0.1:3001/mcp --report html=fuzz.html\n"
        "  mcp-assay fuzz --time 3600 --corpus corpus -- ./my-server\n"
        "  mcp-assay fuzz --sandbox /tmp/scratch -- ./my-file-server {sandbox}\n"
        "  mcp-assay fuzz --sandbox /tmp/scratch --env ROOT={sandbox} -- ./my-file-server\n"
        "  mcp-assay fuzz --client -- node my-client.js\n"
        "  mcp-assay fuzz --client --stdio -- ./my-client {server}\n"
        "  mcp-assay replay findings/crash-1a2b3c4d -- ./my-server\n"
        "\n"
        "A finding is reported if it reproduces from a fresh start, and is made as small as "
        "possible. If\n"
        "there was no time to try, it is reported as suspected. A process that died without being "
        "asked to\n"
        "fails the run in any case, and so do hangs and lost answers that were suspected more than "
        "once (see\n"
        "--max-suspected).\n"
        "\n"
        "A client is started again and again, with the URL of our server as its last argument, or "
        "in place\n"
        "of {url}, and with MCP_CONFORMANCE_PROTOCOL_VERSION in its environment. It may refuse "
        "wrong input in\n"
        "any way: only the checks above count.\n"
        "\n"
        "Exit status: 0 nothing found, 1 findings, 2 wrong command line, 3 the target could not be "
        "tested,\n"
        "130 interrupted.");
  }

  int run() override {
    if (is_client_) return run_for_client();
    if (is_client_over_stdio_) throw cli::UsageError("--stdio needs --client");
    if (!target_.is_given()) {
      throw cli::UsageError("nothing to fuzz: give --url URL, or -- COMMAND");
    }
    const auto sandbox = target_.make_sandbox();
    const harness::TargetAccess access = target_.access(sandbox.get());
    cli::OutputPaths paths;
    const cli::ReportFiles reports(report_files_, paths);
    if (auto trouble = check_out(out_, "findings")) throw cli::UsageError(*trouble);
    const cli::Interrupt interrupt;
    FuzzOptions options = read_options();
    if (sandbox) use_sandbox(*sandbox, options);
    std::optional<Corpus> corpus;
    if (!corpus_.empty()) use_corpus(corpus.emplace(corpus_), access, options);
    options.stop = interrupt.token();
    RunFacts facts = make_facts(access);
    facts.checks = options.checks;
    const bool is_terminal = !quiet_ && cli::is_capable_terminal(STDERR_FILENO);
    if (is_terminal) options.on_progress = [](const Progress& progress) { show(progress); };
    options.on_survey = [&](const Vocabulary& words) {
      check_tools(words, tools_);
      introduce(facts, words);
    };
    options.on_finding = [&](const ServerFinding& finding) {
      if (is_terminal) fmt::print(stderr, "\r\x1b[K");
      write(facts, finding);
    };
    options.on_smaller = options.on_finding;
    auto outcome = Fuzzer(access, std::move(options)).run();
    if (is_terminal) fmt::print(stderr, "\r\x1b[K");
    facts.was_interrupted = interrupt.was_requested();
    if (const auto* failure = std::get_if<transport::Failure>(&outcome)) {
      if (facts.was_interrupted) {
        fmt::print(stderr, "mcp-assay fuzz: interrupted before the server was ready\n");
        return cli::kInterrupted;
      }
      fmt::print(stderr, "mcp-assay fuzz: the target could not be tested: {}\n",
                 shown(facts.without_secrets(failure->detail), 400));
      return cli::kNotTested;
    }
    const FuzzOutcome& done = std::get<FuzzOutcome>(outcome);
    facts.duration_ms = static_cast<std::int64_t>(done.progress.seconds * 1e3);
    for (const ServerFinding& suspected : done.unproved) write(facts, suspected);
    if (corpus) {
      fmt::print("{} cases added to the corpus{}\n", corpus->added(),
                 corpus->is_full() ? ", which is full" : "");
    }
    print_summary({facts, done, out_, most_suspected(), quiet_});
    std::vector<ServerFinding> all = done.findings;
    all.insert(all.end(), done.unproved.begin(), done.unproved.end());
    if (!reports.write(to_result(facts, all))) return cli::kUsage;
    if (could_not_write_) return cli::kUsage;
    if (facts.was_interrupted) return cli::kInterrupted;
    const bool is_left_open = open_questions(done) > most_suspected();
    if (is_left_open || std::any_of(all.begin(), all.end(), counts)) return cli::kViolations;
    return done.went_away ? cli::kNotTested : cli::kConformant;
  }

 private:
  // A run whose findings could not be kept would be for nothing.
  static std::optional<std::string> check_out(const std::string& folder, const char* what) {
    namespace fs = std::filesystem;
    std::error_code error;
    fs::path above = fs::absolute(folder, error);
    while (!error && !fs::exists(above, error) && above.has_relative_path()) {
      above = above.parent_path();
    }
    if (!fs::is_directory(above, error) || ::access(above.c_str(), W_OK) != 0) {
      return fmt::format("cannot write {} into '{}'", what, folder);
    }
    return std::nullopt;
  }

  // What was kept is sent first, and what is new is kept. A folder that cannot be written any more
  // is said once.
  void use_corpus(Corpus& corpus, const harness::TargetAccess& access, FuzzOptions& options) {
    if (auto trouble = check_out(corpus_, "a corpus")) throw cli::UsageError(*trouble);
    Corpus::Loaded loaded = corpus.load(access.kind.has_url());
    if (loaded.skipped > 0) {
      fmt::print(stderr, "mcp-assay fuzz: skipped {} file{} of the corpus, damaged or too large, the first {}\n",
                 loaded.skipped, loaded.skipped == 1 ? "" : "s", loaded.first_skipped);
    }
    if (!quiet_) fmt::print("{} cases from the corpus come first\n", loaded.cases.size());
    options.replayed = std::move(loaded.cases);
    options.on_new_shape = [this, &corpus](const Case& made) {
      const auto trouble = could_not_write_ ? std::nullopt : corpus.keep(made);
      if (!trouble) return;
      fmt::print(stderr, "mcp-assay fuzz: {}\n", *trouble);
      could_not_write_ = true;
    };
  }

  void use_sandbox(Sandbox& sandbox, FuzzOptions& options) const {
    options.sandbox = &sandbox;
    if (!quiet_) fmt::print("the server is to serve {} and nothing else\n", sandbox.served());
  }

  // `parse` gives the check of a name, if there is one; `names`: all of them.
  template <typename Parse>
  static auto parse_checks(std::string_view option, std::string_view text, Parse parse,
                           const std::string& names) {
    std::set<typename decltype(parse(text))::value_type> checks;
    while (!text.empty()) {
      const std::string_view word = text.substr(0, text.find(','));
      text.remove_prefix(std::min(word.size() + 1, text.size()));
      const auto oracle = parse(word);
      if (!oracle) {
        throw cli::UsageError(
            fmt::format("{} knows no '{}'; there are {}", option, shown(word, 60), names));
      }
      checks.insert(*oracle);
    }
    return checks;
  }

  // What options for servers and clients have in common.
  template <typename Options>
  void read_common(Options& options) const {
    if (cases_ > 0) options.cases = static_cast<std::size_t>(cases_);
    if (time_ > 0 || cases_ == 0) {
      const double seconds = time_ > 0 ? time_ : kDefaultSeconds;
      options.time = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3));
    }
    options.seed = static_cast<std::uint64_t>(seed_);
  }

  int run_for_client() {
    if (target_.command().empty()) throw cli::UsageError("give the client's command after --");
    if (tools_ != "readonly") throw cli::UsageError("--tools is for servers");
    if (!corpus_.empty()) throw cli::UsageError("--corpus is for servers");
    if (!dictionary_.empty()) throw cli::UsageError("--dict is for servers");
    if (max_suspected_ > 0) throw cli::UsageError("--max-suspected is for servers");
    if (auto trouble = check_out(out_, "findings")) throw cli::UsageError(*trouble);
    ClientFuzzSettings settings;
    settings.target.words = target_.command();
    settings.target.environment = target_.client_environment();
    settings.target.is_stdio = is_client_over_stdio_;
    settings.target.program = own_program();
    if (!revision_.empty()) settings.target.revision = cli::parse_revision_option(revision_);
    ClientFuzzOptions& options = settings.options;
    read_common(options);
    const std::string names = names_of(kClientOracles);
    if (!checks_.empty()) {
      options.checks = parse_checks("--checks", checks_, parse_client_oracle, names);
    }
    for (const ClientOracle oracle :
         parse_checks("--exclude-checks", excluded_checks_, parse_client_oracle, names)) {
      options.checks.erase(oracle);
    }
    settings.out = out_;
    settings.report_files = report_files_;
    settings.is_quiet = quiet_;
    return fuzz_client(std::move(settings));
  }

  static std::vector<Word> read_words(const std::string& path) {
    auto words = words_of_file(path);
    if (const auto* trouble = std::get_if<std::string>(&words)) {
      throw cli::UsageError("--dict: " + *trouble);
    }
    return std::get<std::vector<Word>>(std::move(words));
  }

  FuzzOptions read_options() const {
    FuzzOptions options;
    read_common(options);
    options.tools = harness::ToolPolicy::parse(tools_);
    if (!revision_.empty()) options.revision = cli::parse_revision_option(revision_);
    options.waits = target_.waits();
    if (!dictionary_.empty()) options.words = read_words(dictionary_);
    // Over HTTP all sessions are of one server, and in a sandbox all processes of one folder.
    options.proves_at_once = !target_.command().empty() && target_.sandbox().empty();
    options.checks.erase(Oracle::kInjection);  // who wants it names it
    if (!checks_.empty())
      options.checks = parse_checks("--checks", checks_, parse_oracle, check_names());
    for (const Oracle oracle :
         parse_checks("--exclude-checks", excluded_checks_, parse_oracle, check_names())) {
      options.checks.erase(oracle);
    }
    const bool is_unseen =
        target_.sandbox().empty() && options.checks.erase(Oracle::kTraversal) > 0;
    if (is_unseen && !checks_.empty()) throw cli::UsageError("path-traversal needs --sandbox DIR");
    return options;
  }

  RunFacts make_facts(const harness::TargetAccess& access) const {
    RunFacts facts;
    facts.started = now_text();
    facts.is_http = access.kind.has_url();
    facts.folder = out_;
    facts.sandbox = target_.sandbox();
    if (!facts.sandbox.empty()) facts.sandbox_environment = target_.sandbox_environment();
    facts.vault = access.vault;
    facts.seed = static_cast<std::uint64_t>(seed_);
    facts.target.command = target_.command();
    facts.target.url = target_.url();
    return facts;
  }

  static void introduce(RunFacts& facts, const Vocabulary& words) {
    facts.revision = words.revision.text();
    facts.target.name = facts.without_secrets(words.name);
    facts.target.version = facts.without_secrets(words.version);
  }

  static void show(const Progress& progress) {
    const double seconds = std::max(progress.fuzzing_seconds, 0.001);
    fmt::print(stderr,
               "\r\x1b[K{:.0f} s: {} cases, {:.0f} a second, {} shapes of answers, {} findings, "
               "{} not reproduced",
               progress.seconds, progress.cases, static_cast<double>(progress.cases) / seconds,
               progress.shapes, progress.findings, progress.not_reproduced);
    std::fflush(stderr);
  }

  void write(const RunFacts& facts, const ServerFinding& finding) {
    const std::filesystem::path folder = std::filesystem::path(out_) / finding.id;
    const bool is_kept = !finding.recipe.steps.empty();
    fmt::print("{}  {}\n", finding.id, facts.without_secrets(finding.suspicion.detail));
    if (quiet_) {
      // One line.
    } else if (finding.proof == Proof::kShown) {
      fmt::print("{:10}{} instead of {}, first by \"{}\"; replay {}\n", "", messages_text(finding),
                 finding.messages_before, facts.without_secrets(finding.origin), folder.string());
    } else {
      fmt::print("{:10}suspected: {}{}\n", "", proof_text(finding),
                 is_kept ? "; what was sent is in " + folder.string() : "");
    }
    std::fflush(stdout);
    if (!is_kept) return;
    if (auto trouble = write_finding(out_, facts, finding)) {
      fmt::print(stderr, "mcp-assay fuzz: {}\n", *trouble);
      could_not_write_ = true;
    }
  }

  std::size_t most_suspected() const { return static_cast<std::size_t>(max_suspected_); }

  TargetOptions target_;
  bool is_client_ = false;
  bool is_client_over_stdio_ = false;
  double time_ = 0;
  std::int64_t cases_ = 0;
  std::int64_t seed_ = 1;
  std::string tools_ = "readonly";
  std::string revision_;
  std::string checks_;
  std::string excluded_checks_;
  std::string corpus_;
  std::string dictionary_;
  std::int64_t max_suspected_ = 0;
  std::string out_ = "mcp-assay-findings";
  std::vector<std::string> report_files_;
  bool quiet_ = false;
  bool could_not_write_ = false;
};

const cli::CommandRegistration<FuzzCommand> kFuzzCommandRegistration;

}  // namespace
}  // namespace assay::fuzz
