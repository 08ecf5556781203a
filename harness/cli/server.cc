// mcp-assay server: certifies an MCP server.
#include <fmt/format.h>
#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/catalogue_option.h"
#include "harness/cli/command.h"
#include "harness/cli/expectations.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/profiles_option.h"
#include "harness/cli/report_files.h"
#include "harness/runner/runner.h"
#include "harness/runner/scenario.h"
#include "harness/runner/target.h"
#include "harness/transcript/transcript_file.h"
#include "reports/expected.h"
#include "reports/output.h"
#include "reports/progress.h"
#include "reports/terminal.h"

namespace assay::cli {
namespace {

using harness::TargetAccess;

std::vector<model::Revision> parse_revisions(const std::vector<std::string>& texts) {
  std::vector<model::Revision> revisions;
  for (const std::string& text : texts) {
    if (text == "all") {
      const auto all = model::Revision::handshake();
      revisions.assign(all.begin(), all.end());
      continue;
    }
    const auto revision = model::Revision::parse(text);
    if (!revision || !revision->has_handshake()) {
      std::string known;
      for (const model::Revision each : model::Revision::handshake()) {
        known += fmt::format("{}{}", known.empty() ? "" : ", ", each.text());
      }
      throw UsageError(fmt::format("{} revision '{}'; known: {}, all",
                                   revision ? "not yet supported" : "unknown", text, known));
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

// "K: V" as curl takes it.
transport::Headers parse_headers(const std::vector<std::string>& texts) {
  transport::Headers headers;
  for (const std::string& text : texts) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos || colon == 0) {
      throw UsageError(fmt::format("--header takes 'NAME: VALUE', not '{}'", text));
    }
    const std::size_t value = text.find_first_not_of(" \t", colon + 1);
    headers.emplace_back(text.substr(0, colon),
                         value == std::string::npos ? std::string() : text.substr(value));
  }
  return headers;
}

TargetAccess checked(std::variant<TargetAccess, transport::Failure> access) {
  if (const auto* failure = std::get_if<transport::Failure>(&access)) {
    throw UsageError(failure->detail);
  }
  return std::get<TargetAccess>(std::move(access));
}

class TranscriptWriter {
 public:
  explicit TranscriptWriter(const std::string& path) : out_(path, std::ios::binary) {
    if (!out_) throw UsageError(fmt::format("cannot write the transcript '{}'", path));
  }

  void write(std::string_view run, std::string_view scenario,
             std::span<const harness::EventPtr> events) {
    const std::lock_guard lock(mutex_);
    out_ << Json{{"connection", ++connections_}, {"run", run}, {"scenario", scenario}}.dump()
         << '\n';
    for (const auto& event : events) out_ << harness::to_json_line(*event) << '\n';
  }

 private:
  std::mutex mutex_;  // guards all below
  std::ofstream out_;
  int connections_ = 0;
};

class ServerCommand : public Command {
 public:
  std::string_view name() const override { return "server"; }
  std::string_view summary() const override { return "Certify an MCP server"; }

  void declare(Arguments& arguments) override {
    arguments.text("--url", url_, "URL", "Certify the Streamable HTTP server at this MCP endpoint");
    arguments.text("--sse-url", sse_url_, "URL",
                   "Certify the HTTP+SSE server (2024-11-05) with this event stream");
    arguments.texts("--revision", revisions_, "REVISION",
                    "Revision of the specification, or all (repeatable; default: all)");
    arguments.texts("--scenario", scenarios_, "GLOB", "Run only these scenarios (repeatable)");
    arguments.texts("--report", report_files_, "FORMAT=PATH", report_help());
    arguments.text("--transcript", transcript_, "FILE", "Keep everything sent and received");
    arguments.text("--expected-failures", expected_failures_, "FILE",
                   "Violations listed in this YAML file do not fail the run");
    arguments.text("--write-expected", write_expected_, "FILE",
                   "Write a file that lists what fails now");
    arguments.flag("--strict", strict_, "A violated SHOULD fails the run too");
    arguments.text("--tools", tools_, "all|none|readonly|NAME,...",
                   "Tools that may be called (default: readonly, and those of the profile)");
    arguments.texts("--profile", profiles_, "FILE|NAME|none",
                    "What is known of the server: a file, or one of 'list profiles' (repeatable; "
                    "default: the one that fits)");
    arguments.text("--catalogue", catalogue_, "VERSION",
                   "Judge only what this version of the catalogue required (default: the latest)");
    arguments.texts("--header", headers_, "'NAME: VALUE'", "Send this HTTP header (repeatable)");
    arguments.texts("--env", environment_, "K=V", "Set this for the command (repeatable)");
    arguments.number("--jobs", jobs_, 1, 64, "N", "How many sessions at once (default: 4)");
    arguments.seconds("--timeout", timeout_, "How long to wait for an answer (default: 5)");
    arguments.flag("--verbose", verbose_, "Show what was not exercised, and all evidence");
    arguments.flag("--quiet", quiet_, "One line per violation, and the conclusion");
    arguments.choice("--color", color_, {"auto", "always", "never"}, "Colours (default: auto)");
    arguments.command_line(command_, "a stdio server to certify");
    arguments.footer(
        "Examples:\n"
        "  mcp-assay server -- npx -y @modelcontextprotocol/server-everything\n"
        "  mcp-assay server --url http://127.0.0.1:3001/mcp --report junit=result.xml\n"
        "\nExit status: 0 conformant, 1 violations that were not expected, 2 wrong command line,\n"
        "3 the target could not be tested, 130 interrupted.");
  }

  int run() override {
    harness::CertifyOptions options;
    options.accesses = accesses();
    options.revisions =
        parse_revisions(revisions_.empty() ? std::vector<std::string>{"all"} : revisions_);
    options.wants = scenario_filter(scenarios_);
    options.tools = harness::ToolPolicy::parse(tools_);
    options.profiles = read_profiles(profiles_);
    options.on_profiles = [this, &options](const harness::ProfileNotes& notes) {
      tell_profiles(options.profiles, notes, quiet_);
    };
    options.jobs = static_cast<int>(jobs_);
    if (!catalogue_.empty()) options.catalogue_version = parse_catalogue_option(catalogue_);
    options.patience.request = std::chrono::milliseconds(static_cast<std::int64_t>(timeout_ * 1e3));
    options.patience.start = std::max(options.patience.start, options.patience.request);
    options.target.command = command_;
    options.target.url = url_.empty() ? sse_url_ : url_;
    ReportFiles reports(report_files_);
    const Expectations expectations(expected_failures_);
    if (!write_expected_.empty()) check(reports::check_writable(write_expected_));
    std::optional<TranscriptWriter> transcript;
    if (!transcript_.empty()) {
      transcript.emplace(transcript_);
      options.on_transcript = [&](auto run, auto scenario, auto events) {
        transcript->write(run, scenario, events);
      };
    }
    const Interrupt interrupt;
    options.stop = interrupt.token();

    reports::Result result;
    {
      reports::Progress progress(std::cerr, {.is_terminal = !quiet_ && isatty(STDERR_FILENO) == 1});
      result = harness::certify(options, progress);
    }
    result.is_strict = strict_;
    expectations.apply(result, "server");
    print(result);
    if (!write_expected_.empty()) {
      check(reports::write_file(write_expected_, reports::render_expected(result)));
    }
    if (!reports.write(result)) return kUsage;
    return exit_status(result);
  }

 private:
  static void check(const std::optional<std::string>& error) {
    if (error) throw UsageError(*error);
  }

  std::vector<TargetAccess> accesses() const {
    std::vector<TargetAccess> all;
    if (!command_.empty()) all.push_back(harness::over_stdio({command_, environment_, ""}));
    const transport::Headers headers = parse_headers(headers_);
    if (!url_.empty()) all.push_back(checked(harness::over_http({url_, headers})));
    if (!sse_url_.empty()) all.push_back(checked(harness::over_http_sse({sse_url_, headers})));
    if (all.empty()) throw UsageError("nothing to certify: give --url URL, or -- COMMAND");
    if (!headers_.empty() && url_.empty() && sse_url_.empty()) {
      throw UsageError("--header needs --url or --sse-url");
    }
    if (!environment_.empty() && command_.empty()) throw UsageError("--env needs -- COMMAND");
    for (const std::string& assignment : environment_) {
      if (assignment.find('=') == std::string::npos || assignment.front() == '=') {
        throw UsageError(fmt::format("--env takes K=V, not '{}'", assignment));
      }
    }
    return all;
  }

  void print(const reports::Result& result) const {
    reports::TerminalOptions options;
    options.color = color_ == "always" || (color_ == "auto" && isatty(STDOUT_FILENO) == 1 &&
                                           std::getenv("NO_COLOR") == nullptr);
    options.verbose = verbose_;
    options.quiet = quiet_;
    std::cout << reports::render_terminal(result, options) << std::flush;
  }

  static int exit_status(const reports::Result& result) {
    if (result.was_interrupted) return kInterrupted;
    if (reports::has_failed(result)) return kViolations;
    const bool any_failed = std::any_of(
        result.runs.begin(), result.runs.end(),
        [](const reports::Run& run) { return run.status == reports::RunStatus::kFailed; });
    return any_failed || !reports::was_tested(result) ? kNotTested : kConformant;
  }

  std::string url_;
  std::string sse_url_;
  std::vector<std::string> revisions_;
  std::vector<std::string> scenarios_;
  std::vector<std::string> report_files_;
  std::string transcript_;
  std::string expected_failures_;
  std::string write_expected_;
  bool strict_ = false;
  std::string tools_ = "readonly";
  std::vector<std::string> profiles_;
  std::string catalogue_;
  std::vector<std::string> headers_;
  std::vector<std::string> environment_;
  std::int64_t jobs_ = 4;
  double timeout_ = 5;
  bool verbose_ = false;
  bool quiet_ = false;
  std::string color_ = "auto";
  std::vector<std::string> command_;
};

const CommandRegistration<ServerCommand> kRegistration;

}  // namespace
}  // namespace assay::cli
