// mcp-assay server: certifies an MCP server.
#include <fmt/format.h>
#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/catalogue_option.h"
#include "harness/cli/command.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/expectations.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/many_servers.h"
#include "harness/cli/profiles_option.h"
#include "harness/cli/project.h"
#include "harness/cli/report_files.h"
#include "harness/cli/rule_pages.h"
#include "harness/cli/server_jobs.h"
#include "harness/cli/started_server.h"
#include "harness/cli/terminal_width.h"
#include "harness/cli/time_limit.h"
#include "harness/cli/transcript_writer.h"
#include "harness/runner/runner.h"
#include "harness/runner/scenario.h"
#include "reports/expected.h"
#include "reports/output.h"
#include "reports/progress.h"
#include "reports/terminal.h"

namespace assay::cli {
namespace {

constexpr std::string_view kAllRevisions = "all";

std::vector<model::Revision> parse_revisions(const std::vector<std::string>& texts) {
  std::vector<model::Revision> revisions;
  for (const std::string& text : texts) {
    if (text == kAllRevisions) {
      const auto all = model::Revision::all();
      revisions.assign(all.begin(), all.end());
      continue;
    }
    const auto revision = model::Revision::parse(text);
    if (!revision) {
      std::string known;
      for (const model::Revision each : model::Revision::all()) {
        known += fmt::format("{}{}", known.empty() ? "" : ", ", each.text());
      }
      throw UsageError(fmt::format("unknown revision '{}'; known: {}, all", text, known));
    }
    if (std::find(revisions.begin(), revisions.end(), *revision) == revisions.end()) {
      revisions.push_back(*revision);
    }
  }
  std::sort(revisions.begin(), revisions.end());
  return revisions;
}

std::function<bool(std::string_view)> scenario_filter(const std::vector<std::string>& globs) {
  if (globs.empty()) return [](std::string_view) { return true; };
  for (const std::string& glob : globs) {
    const bool matches = std::any_of(
        harness::scenarios().begin(), harness::scenarios().end(), [&](const auto& scenario) {
          return fnmatch(glob.c_str(), std::string(scenario.name).c_str(), 0) == 0;
        });
    if (!matches) {
      throw UsageError(fmt::format(
          "no scenario matches '{}'; 'mcp-assay list scenarios' shows the known ones", glob));
    }
  }
  return [globs](std::string_view name) {
    return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
      return fnmatch(glob.c_str(), std::string(name).c_str(), 0) == 0;
    });
  };
}

// "2/5"
reports::Shard parse_shard(const std::string& text) {
  constexpr int kMostShards = 10'000;
  reports::Shard shard;
  if (text.empty()) return shard;
  const std::size_t slash = text.find('/');
  const auto read = [&text](std::size_t begin, std::size_t end, int& number) {
    const char* last = text.data() + end;
    const auto parsed = std::from_chars(text.data() + begin, last, number);
    return parsed.ec == std::errc() && parsed.ptr == last;
  };
  const bool is_read = slash != std::string::npos && read(0, slash, shard.index) &&
                       read(slash + 1, text.size(), shard.total);
  if (!is_read || shard.index < 1 || shard.index > shard.total || shard.total > kMostShards) {
    throw UsageError(fmt::format("--shard takes I/N, from 1/N to N/N, not '{}'", text));
  }
  return shard;
}

class ServerCommand : public Command {
 public:
  std::string_view name() const override { return "server"; }
  std::string_view summary() const override { return "Certify an MCP server"; }

  void declare(Arguments& arguments) override {
    arguments.text("--url", server_.url, "URL",
                   "Certify the Streamable HTTP server at this MCP endpoint");
    arguments.text("--sse-url", server_.sse_url, "URL",
                   "Certify the HTTP+SSE server (2024-11-05) with this event stream");
    arguments.flag("--start", server_.is_started,
                   "Start the command behind --, and certify --url as soon as it answers; stop it "
                   "afterwards");
    arguments.text(
        "--config", config_, "FILE",
        "Certify the servers that this configuration file of a client names (mcpServers or "
        "servers)");
    arguments.texts("--name", names_, "NAME", "Only this server of --config (repeatable)");
    arguments.text("--project", project_, "FILE|none",
                   "Go by this file (default: the mcp-assay.yaml here or in a folder above, if any)");
    arguments.texts("--revision", revisions_, "REVISION",
                    "Revision of the specification, or all (repeatable; default: all)");
    arguments.texts("--scenario", scenarios_, "GLOB", "Run only these scenarios (repeatable)");
    arguments.text("--shard", shard_, "I/N",
                   "Run only part I of N of the plan; 'mcp-assay merge' joins their JSON reports");
    arguments.texts("--report", report_files_, "FORMAT=PATH", report_help());
    arguments.text("--rules-url", rules_url_, "URL",
                   "Reports link to the pages of 'report --rules' that are published there");
    arguments.text(
        "--source", source_, "FILE",
        "The file that SARIF results point to (default: the one in the command, or --config)");
    arguments.text("--overview", overview_, "PATH",
                   "An HTML page of all servers, against revisions, with links to html reports");
    arguments.text(
        "--transcript", transcript_, "FILE",
        "Keep everything sent and received (JSON lines; some 100 MB for a whole run, 1 GiB "
        "at most)");
    arguments.text("--expected-failures", expected_failures_, "FILE",
                   "Violations listed in this YAML file do not fail the run");
    arguments.text("--write-expected", write_expected_, "FILE",
                   "Write a file that lists what fails now");
    arguments.flag("--strict", strict_, "A violated SHOULD fails the run too");
    arguments.text(
        "--tools", tools_, "all|none|readonly|NAME,...",
        "Tools that may be called (default: those that say they are read-only, and those of the "
        "profile)");
    arguments.texts(
        "--profile", profiles_, "FILE|NAME|none",
        "What is known about the server: a file, or a name from 'list profiles' (repeatable; "
        "default: the one that fits)");
    arguments.text(
        "--catalogue", catalogue_, "VERSION",
        "Judge only by the rules that this version of the catalogue had (default: the latest)");
    arguments.texts("--header", server_.headers, "'NAME: VALUE'",
                    "Send this HTTP header (repeatable)");
    arguments.texts("--env", server_.environment, "K=V",
                    "Set this environment variable for the command (repeatable)");
    arguments.number(
        "--jobs", jobs_, 1, 64, "N",
        "How many sessions at once (default: depends on the cores, and on how quickly the "
        "server starts)");
    arguments.seconds("--timeout", timeout_,
                      "How long to wait for an answer (default: 5, and 30 for a server to start)");
    arguments.seconds(
        "--max-time", max_time_,
        "The longest time for each server; then what was found so far is reported (default: "
        "900)");
    arguments.flag("--verbose", verbose_, "Show what was not exercised, and all evidence");
    arguments.flag("--quiet", quiet_, "One line per violation, and the conclusion");
    arguments.choice("--color", color_, {"auto", "always", "never"}, "Colours (default: auto)");
    arguments.command_line(server_.command, "a stdio server to certify");
    arguments.footer(
        "Examples:\n"
        "  mcp-assay server -- npx -y @modelcontextprotocol/server-everything\n"
        "  mcp-assay server --url http://127.0.0.1:3001/mcp --report junit=result.xml\n"
        "  mcp-assay server --url http://127.0.0.1:3001/mcp --start -- node server.js\n"
        "  mcp-assay server --config .mcp.json --report html=out/{name}.html --overview "
        "out/index.html\n"
        "\nWith several servers, '{name}' in a path is replaced by the name of each server. The "
        "exit\n"
        "status is then the worst of all.\n"
        "\nExit status: 0 conformant, 1 violations that were not expected, 2 wrong command line,\n"
        "3 the target, or one of its revisions, could not be tested, 130 interrupted, or stopped "
        "by\n"
        "--max-time.");
  }

  std::vector<std::string> further_words(const std::vector<std::string>& given,
                                         bool has_command) override {
    return words_of_project(given, has_command);
  }

  int run() override {
    check_rules_url(rules_url_);
    const std::vector<ServerJob> jobs = all_jobs();
    const harness::CertifyOptions common = common_options();
    const Expectations shared_list(is_for_each(expected_failures_) ? "" : expected_failures_);
    std::vector<Prepared> all;
    for (const ServerJob& job : jobs) all.push_back(prepare(job, jobs.size()));
    if (!overview_.empty()) check(reports::check_writable(overview_));
    claim_standard_output(*all.front().reports);
    const Interrupt interrupt;
    const auto started = start_server(server_, common.patience.start, interrupt.token());

    int worst = kConformant;
    std::vector<reports::Result> results;
    for (Prepared& each : all) {
      if (!results.empty() && interrupt.was_requested()) break;
      harness::CertifyOptions options = common;
      const TimeLimit limit(interrupt.token(),
                            std::chrono::milliseconds(static_cast<std::int64_t>(max_time_ * 1e3)));
      options.stop = limit.token();
      reports::Result result = certify(*each.job, std::move(options), each.transcript.get());
      if (limit.has_passed()) {
        std::cerr << fmt::format(
            "mcp-assay: stopped after {} s (--max-time): the result is incomplete\n", max_time_);
      }
      (each.expectations ? *each.expectations : shared_list).apply(result, "server");
      if (jobs.size() > 1) page() << heading(result.target, results.empty());
      print(result);
      worst = std::max({worst, write(each, result), exit_status(result)});
      results.push_back(std::move(result));
    }
    std::vector<std::string> pages;
    for (const Prepared& each : all) pages.push_back(each.reports->path_of("html"));
    if (!overview_.empty()) check(write_overview(overview_, results, pages));
    if (jobs.size() > 1) page() << overview_table(results) << std::flush;
    return results.size() < all.size() ? kInterrupted : worst;
  }

 private:
  // What one server needs besides being certified; made for all before the first one starts.
  struct Prepared {
    const ServerJob* job;
    std::unique_ptr<ReportFiles> reports;
    std::unique_ptr<Expectations> expectations;  // of its own; null: the shared list
    std::unique_ptr<TranscriptWriter> transcript;
    std::string write_expected;
  };

  // A file that goes to standard output is read by a program: what people read then goes to
  // standard error.
  void claim_standard_output(const ReportFiles& reports) {
    const int claims = (reports.uses_standard_output() ? 1 : 0) + (overview_ == "-" ? 1 : 0) +
                       (write_expected_ == "-" ? 1 : 0);
    if (claims > 1) throw UsageError("only one file can go to standard output ('-')");
    is_output_claimed_ = claims > 0;
  }
  std::ostream& page() const { return is_output_claimed_ ? std::cerr : std::cout; }
  int page_descriptor() const { return is_output_claimed_ ? STDERR_FILENO : STDOUT_FILENO; }

  static void check(const std::optional<std::string>& error) {
    if (error) throw UsageError(*error);
  }

  std::vector<ServerJob> all_jobs() const {
    if (config_.empty()) {
      if (!names_.empty()) throw UsageError("--name needs --config");
      std::vector<ServerJob> one;
      one.push_back(make_job(server_));
      return one;
    }
    if (!server_.url.empty() || !server_.sse_url.empty() || !server_.command.empty() ||
        !server_.headers.empty() || !server_.environment.empty() || server_.is_started) {
      throw UsageError(
          "--config says how its servers are reached: it goes with none of --url, --sse-url, "
          "--header, --env, --start, -- COMMAND");
    }
    return make_jobs(read_server_list(config_, names_), config_);
  }

  harness::CertifyOptions common_options() const {
    harness::CertifyOptions options;
    const std::vector<std::string> all{std::string(kAllRevisions)};
    options.revisions = parse_revisions(revisions_.empty() ? all : revisions_);
    options.is_any_revision = revisions_.empty() || revisions_ == all;
    options.wants = scenario_filter(scenarios_);
    options.shard = parse_shard(shard_);
    options.tools = harness::ToolPolicy::parse(tools_);
    options.profiles = read_profiles(profiles_);
    options.jobs = static_cast<int>(jobs_);
    if (!catalogue_.empty()) options.catalogue_version = parse_catalogue_option(catalogue_);
    if (timeout_ > 0) {
      options.patience.request =
          std::chrono::milliseconds(static_cast<std::int64_t>(timeout_ * 1e3));
      options.patience.start = options.patience.request;
    }
    return options;
  }

  Prepared prepare(const ServerJob& job, std::size_t jobs) const {
    std::vector<std::string> requests;
    for (const std::string& text : report_files_) {
      requests.push_back(path_for(text, job.name, jobs));
    }
    Prepared out{&job, std::make_unique<ReportFiles>(requests), nullptr, nullptr, ""};
    if (is_for_each(expected_failures_)) {
      out.expectations =
          std::make_unique<Expectations>(path_for(expected_failures_, job.name, jobs));
    }
    if (!write_expected_.empty()) {
      out.write_expected = path_for(write_expected_, job.name, jobs);
      check(reports::check_writable(out.write_expected));
    }
    if (!transcript_.empty()) {
      out.transcript =
          std::make_unique<TranscriptWriter>(path_for(transcript_, job.name, jobs), job.vault);
    }
    return out;
  }

  reports::Result certify(const ServerJob& job, harness::CertifyOptions options,
                          TranscriptWriter* transcript) const {
    options.accesses = job.accesses;
    options.target = job.target;
    if (transcript != nullptr) {
      options.on_transcript = [transcript](auto run, auto scenario, auto events) {
        transcript->write(run, scenario, events);
      };
    }
    reports::ProgressOptions shown;
    shown.is_terminal = !quiet_ && isatty(STDERR_FILENO) == 1;
    shown.width = terminal_width(STDERR_FILENO, shown.width);
    if (quiet_) shown.line_interval = std::chrono::hours(24 * 365);
    reports::Progress progress(std::cerr, shown);
    options.on_profiles = [this, &progress,
                           profiles = options.profiles](const harness::ProfileNotes& notes) {
      progress.clear();
      tell_profiles(profiles, notes, quiet_);
    };
    reports::Result result = harness::certify(options, progress);
    result.is_strict = strict_;
    result.rules_url = rules_url_;
    if (!source_.empty()) result.target.source = source_;
    job.vault->redact(result);
    return result;
  }

  static int write(const Prepared& job, const reports::Result& result) {
    if (!job.write_expected.empty()) {
      check(reports::write_file(job.write_expected, reports::render_expected(result)));
    }
    const bool is_written = job.reports->write(result);
    const auto problem = job.transcript ? job.transcript->finish() : std::nullopt;
    if (problem) fmt::print(stderr, "mcp-assay server: {}\n", *problem);
    return is_written && !problem ? kConformant : kUsage;
  }

  void print(const reports::Result& result) const {
    reports::TerminalOptions options;
    options.color = color_ == "always" || (color_ == "auto" && isatty(page_descriptor()) == 1 &&
                                           std::getenv("NO_COLOR") == nullptr);
    options.width = terminal_width(page_descriptor(), options.width);
    options.verbose = verbose_;
    options.quiet = quiet_;
    page() << reports::render_terminal(result, options) << std::flush;
  }

  ServerOptions server_;
  std::string config_;
  std::string project_;  // its words are part of the command line by now
  std::vector<std::string> names_;
  std::string source_;
  std::string rules_url_;
  std::string overview_;
  std::vector<std::string> revisions_;
  std::vector<std::string> scenarios_;
  std::string shard_;
  std::vector<std::string> report_files_;
  std::string transcript_;
  std::string expected_failures_;
  std::string write_expected_;
  bool strict_ = false;
  std::string tools_ = "readonly";
  std::vector<std::string> profiles_;
  std::string catalogue_;
  std::int64_t jobs_ = 0;  // not given
  double timeout_ = 0;     // not given
  double max_time_ = 900;
  bool verbose_ = false;
  bool quiet_ = false;
  std::string color_ = "auto";
  bool is_output_claimed_ = false;
};

const CommandRegistration<ServerCommand> kServerCommandRegistration;

}  // namespace
}  // namespace assay::cli
