// mcp-assay server: certifies an MCP server.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/plan_options.h"
#include "harness/cli/profiles_option.h"
#include "harness/cli/rerun_option.h"
#include "harness/cli/tools_option.h"
#include "harness/cli/transcript_writer.h"
#include "harness/cli/watch_loop.h"
#include "harness/frame/catalogue_option.h"
#include "harness/frame/command.h"
#include "harness/frame/events_option.h"
#include "harness/frame/exit_status.h"
#include "harness/frame/expectations.h"
#include "harness/frame/extension_option.h"
#include "harness/frame/history_option.h"
#include "harness/frame/interrupt.h"
#include "harness/frame/last_report.h"
#include "harness/frame/many_servers.h"
#include "harness/frame/named_tools.h"
#include "harness/frame/page.h"
#include "harness/frame/report_files.h"
#include "harness/frame/shared_help.h"
#include "harness/frame/time_limit.h"
#include "harness/frame/trust_option.h"
#include "harness/parties/parties.h"
#include "harness/parties/start_option.h"
#include "harness/project/project.h"
#include "harness/project/server_jobs.h"
#include "harness/project/server_options.h"
#include "harness/rules/rule_pages.h"
#include "harness/runner/runner.h"
#include "reports/escape.h"
#include "reports/expected.h"
#include "reports/output.h"
#include "reports/progress.h"

namespace assay::cli {
namespace {

class ServerCommand : public Command {
 public:
  std::string_view name() const override { return "server"; }
  std::string_view summary() const override { return "Test an MCP server"; }

  void declare(Arguments& arguments) override {
    arguments.group("What to test");
    declare_server(arguments, server_, "test");
    arguments.text(
        "--config", config_, "FILE",
        "Test the servers in this configuration file of a client (mcpServers or servers)");
    arguments.texts("--name", names_, "NAME", "Test only this server of --config (repeatable)");
    arguments.text("--project", project_, "FILE|none",
                   "Use this project file (default: mcp-assay.yaml in this folder or above, up to "
                   "the root of the repository)");
    trust_.declare(arguments);
    declare_credentials(arguments, server_);
    declare_login(arguments, server_);
    declare_upstream(arguments, server_);
    arguments.group("Which rules, and how");
    arguments.texts("--revision", revisions_, "REVISION|all",
                    "Test this revision of the specification (repeatable; default: all)");
    rerun_.declare(arguments);
    arguments.flag("--watch", is_watching_,
                   "Test again whenever a source file changes, what failed first, until Ctrl-C");
    arguments.texts("--scenario", scenarios_, "GLOB", "Run only these scenarios (repeatable)");
    extensions_.declare(arguments,
                        "Judge this extension, such as tasks, though the server may not declare it "
                        "(repeatable). Those that it declares are judged anyway");
    tools_.declare(arguments);
    arguments.texts("--profile", profiles_, "FILE|NAME|none",
                    "What is known about the server: a file, or a name from 'list profiles' "
                    "(repeatable; default: the one that fits)");
    arguments.text("--catalogue", catalogue_, "VERSION", kCatalogueHelp);
    arguments.flag("--strict", strict_, kStrictHelp);
    arguments.text("--expected-failures", expected_failures_, "FILE",
                   "Violations in this YAML file do not fail the run");
    arguments.text("--shard", shard_, "I/N",
                   "Run part I of N; 'mcp-assay merge' joins the JSON reports of all parts");
    arguments.number("--jobs", jobs_, 1, 64, "N",
                     "Sessions at once (default: depends on the cores and on the server)");
    arguments.seconds("--timeout", timeout_,
                      "Longest wait for an answer (default: 5, and 30 for a server to start)");
    arguments.seconds("--max-time", max_time_,
                      "Longest time for each server; what was found by then is reported (default: "
                      "900)");
    arguments.group("Reports and output");
    arguments.texts("--report", report_files_, "FORMAT=PATH", report_help());
    arguments.text("--overview", overview_, "PATH",
                   "Write an HTML page of all servers and revisions, with links to HTML reports");
    history_.declare(arguments);
    arguments.text("--write-expected", write_expected_, "FILE",
                   "Write what fails now as a file for --expected-failures");
    arguments.text("--transcript", transcript_, "FILE",
                   "Keep everything sent and received, as JSON lines (about 100 MB for a whole "
                   "run, at most 1 GiB)");
    events_.declare(arguments);
    arguments.text("--rules-url", rules_url_, "URL", kRulesUrlHelp);
    arguments.text("--source", source_, "FILE",
                   "The file that SARIF results point to (default: the file in COMMAND, or "
                   "--config)");
    page_.declare(arguments);
    arguments.footer(kServerFooter);
  }

  std::vector<std::string> further_words(const std::vector<std::string>& given,
                                         bool has_command) override {
    given_ = given;
    project_file_ = project_of(given, has_command);
    return project_file_.words;
  }

  int run() override {
    check_rules_url(rules_url_);
    trust_.apply();
    rerun_.prepare();
    std::vector<ServerJob> jobs = all_jobs();
    if (is_watching_) {
      if (jobs.size() > 1) throw UsageError("--watch tests one server: choose it with --name");
      return watch_loop({given_.begin(), given_.end()}, server_.command);
    }
    const harness::CertifyOptions common = common_options();
    const Expectations shared_list(is_for_each(expected_failures_) ? "" : expected_failures_);
    NamedTools named(jobs.size());
    std::vector<Prepared> all;
    OutputPaths paths;
    for (const ServerJob& job : jobs) all.push_back(prepare(job, jobs.size(), paths));
    if (!overview_.empty()) paths.claim(overview_);
    events_.prepare(paths, jobs.size());
    history_.prepare(!overview_.empty());
    claim_standard_output(*all.front().reports);
    const Interrupt interrupt;
    for (const ServerJob& job : jobs) Parties::check(job);
    // Those of one server at a time: several may have been told of the same port.
    auto parties = std::make_unique<Parties>(jobs.front());
    const Start started =
        start_server(parties->told_of(server_), common.patience.start, interrupt.token());
    if (!started.problem.empty()) close_ways(jobs.front().accesses, started.problem);

    int worst = kConformant;
    const std::vector<std::string> none;
    std::vector<reports::Result> results;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!results.empty() && interrupt.was_requested()) break;
      Prepared& each = all[i];
      harness::CertifyOptions options = common;
      if (i > 0) start_parties(parties, jobs[i - 1], jobs[i]);
      const double longest = started.problem.empty() && parties
                                 ? meet(*parties, jobs[i], common, interrupt.token())
                                 : longest_time();
      const TimeLimit limit(interrupt.token(),
                            std::chrono::milliseconds(static_cast<std::int64_t>(longest * 1e3)));
      options.stop = limit.token();
      reports::Result result =
          certify(*each.job, std::move(options), each.transcript.get(), started, named,
                  place_among(each.job->name, i + 1, all.size()));
      if (limit.has_passed()) {
        rerun_.end_of_time(result, longest);
      }
      (each.expectations ? *each.expectations : shared_list).apply(result, "server");
      if (jobs.size() > 1) page_.stream() << heading(result.target, results.empty());
      const int written = write(each, result);
      keep_for_watch_loop(result);
      page_.print(result, written == kConformant ? each.reports->paths() : none);
      if (!page_.is_quiet() && !rerun_.told().empty()) page_.stream() << rerun_.told() << std::endl;
      events_.finish(result, exit_status(result));
      worst = std::max({worst, written, exit_status(result)});
      results.push_back(std::move(result));
    }
    std::vector<std::string> pages;
    for (const Prepared& each : all) pages.push_back(each.reports->path_of("html"));
    if (!overview_.empty()) check(write_overview(overview_, results, pages, history_.add(results)));
    if (jobs.size() > 1) page_.stream() << overview_table(results);
    page_.stream() << overview_place(overview_) << std::flush;
    remember(all);
    if (results.size() < all.size()) return kInterrupted;
    if (const std::string missing = named.missing_everywhere(); !missing.empty()) {
      throw UsageError(missing);
    }
    return worst;
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

  // In place of those before. What was found of other servers is worth its report though nobody can
  // listen for this one: then there is none, and standard error says why.
  static void start_parties(std::unique_ptr<Parties>& parties, ServerJob& done, ServerJob& job) {
    Parties::leave(done);
    parties.reset();
    try {
      parties = std::make_unique<Parties>(job);
    } catch (const UsageError& error) {
      fmt::print(stderr, "mcp-assay server: {}\n", error.text());
      close_ways(job.accesses, error.text());
    }
  }

  // A server that lets nobody in without a token is tested for no longer than the token holds: what
  // it refuses after that is no fault of its own. Gives how long that is.
  double meet(const Parties& parties, ServerJob& job, const harness::CertifyOptions& common,
              const std::stop_token& stop) const {
    const std::optional<double> lifetime = parties.meet(job, common, stop);
    if (!lifetime || *lifetime >= longest_time()) return longest_time();
    const double longest = std::max(1.0, *lifetime);
    fmt::print(stderr, "mcp-assay: the token holds for {} s, so the run takes no longer\n",
               longest);
    return longest;
  }

  // For 'mcp-assay show': the page of all first, then each server's.
  void remember(const std::vector<Prepared>& all) const {
    std::vector<std::string> written;
    if (!overview_.empty() && overview_ != "-") written.push_back(overview_);
    for (const Prepared& each : all) {
      const std::vector<std::string> paths = each.reports->paths();
      written.insert(written.end(), paths.begin(), paths.end());
    }
    remember_reports(written);
  }

  double longest_time() const {
    return rerun_.is_quick() ? std::min(max_time_, kQuickSeconds) : max_time_;
  }

  // A file that goes to standard output is read by a program: what people read then goes to
  // standard error.
  void claim_standard_output(const ReportFiles& reports) {
    const int claims = (reports.uses_standard_output() ? 1 : 0) + (overview_ == "-" ? 1 : 0) +
                       (write_expected_ == "-" ? 1 : 0) + (events_.uses_standard_output() ? 1 : 0);
    if (claims > 1) throw UsageError("only one file can go to standard output ('-')");
    page_.leave_standard_output(claims > 0);
  }

  static void check(const std::optional<std::string>& error) {
    if (error) throw UsageError(*error);
  }

  std::vector<ServerJob> all_jobs() const {
    const ListFile list = config_.empty() ? project_file_.servers : ListFile{.path = config_};
    if (list.path.empty()) {
      if (!names_.empty())
        throw UsageError("--name needs --config, or servers of a project's file");
      std::vector<ServerJob> one;
      one.push_back(make_job(server_));
      return one;
    }
    if (server_.names_a_server()) {
      const std::string who =
          config_.empty()
              ? fmt::format("'{}'", reports::printable_line(project_file_.path.string()))
              : "--config";
      throw UsageError(
          fmt::format("{} says how its servers are reached: it goes with none of --url, --sse-url, "
                      "--socket, --header, --auth-token, --auth-token-file, --auth-server, "
                      "--upstream, --login, --grant, --env, --start, -- COMMAND{}",
                      who, config_.empty() ? " (--project none to go without)" : ""));
    }
    return make_jobs(read_server_list(list, names_), list);
  }

  harness::CertifyOptions common_options() const {
    harness::CertifyOptions options;
    const std::vector<std::string> all{std::string(kAllRevisions)};
    options.revisions = parse_revisions(revisions_.empty() ? all : revisions_);
    options.is_any_revision = revisions_.empty() || revisions_ == all;
    options.extensions = extensions_.extensions();
    options.binds_drafts = extensions_.binds_drafts();
    options.wants = scenario_filter(scenarios_, server_scenario_names());
    options.shard = parse_shard(shard_);
    tools_.apply(options);
    options.profiles = read_profiles(profiles_, transport::Party::kServer);
    options.jobs = static_cast<int>(jobs_);
    if (!catalogue_.empty()) options.catalogue_version = parse_catalogue_option(catalogue_);
    if (timeout_ > 0) {
      options.patience.request =
          std::chrono::milliseconds(static_cast<std::int64_t>(timeout_ * 1e3));
      options.patience.start = options.patience.request;
    }
    return options;
  }

  Prepared prepare(const ServerJob& job, std::size_t jobs, OutputPaths& paths) const {
    std::vector<std::string> requests;
    for (const std::string& text : report_files_) {
      requests.push_back(path_for(text, job.name, jobs));
    }
    Prepared out{&job, std::make_unique<ReportFiles>(requests, paths), nullptr, nullptr, ""};
    if (is_for_each(expected_failures_)) {
      out.expectations =
          std::make_unique<Expectations>(path_for(expected_failures_, job.name, jobs));
    }
    if (!write_expected_.empty()) {
      out.write_expected = path_for(write_expected_, job.name, jobs);
      paths.claim(out.write_expected);
    }
    if (!transcript_.empty()) {
      const std::string path = path_for(transcript_, job.name, jobs);
      paths.claim(path);
      out.transcript = std::make_unique<TranscriptWriter>(path, job.vault);
    }
    return out;
  }

  reports::Result certify(const ServerJob& job, harness::CertifyOptions options,
                          TranscriptWriter* transcript, const Start& started, NamedTools& named,
                          const std::string& title) {
    options.accesses = job.accesses;
    options.target = job.target;
    if (transcript != nullptr) {
      options.on_transcript = [transcript](auto run, auto scenario, auto events) {
        transcript->write(run, scenario, events);
      };
    }
    reports::Progress progress(std::cerr, page_.progress(title));
    options.on_profiles = [this, &progress,
                           profiles = options.profiles](const harness::ProfileNotes& notes) {
      progress.clear();
      tell_profiles(profiles, notes, page_.is_quiet());
    };
    options.on_unlisted_tools = [&](const harness::UnlistedTools& unlisted) {
      progress.clear();
      named.note(unlisted.names, unlisted.listed);
    };
    rerun_.narrow(options);
    reports::Result result = rerun_.certify(options, events_.over(progress));
    result.is_strict = strict_;
    result.rules_url = rules_url_;
    // As seen from the project, where there is one: reports point to a file of the user's by it.
    const std::string project = project_file_.path.parent_path().string();
    if (!source_.empty()) result.target.source = seen_from(source_, project);
    if (started.server && started.problem.empty()) {
      if (const std::string end = started.server->end(); !end.empty()) mark_ended(result, end);
    }
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

  ServerOptions server_;
  TrustOption trust_;
  RerunOption rerun_;
  bool is_watching_ = false;
  std::vector<std::string> given_;  // the words before "--"
  std::string config_;
  std::string project_;  // the option; what the file says is
  Project project_file_;
  std::vector<std::string> names_;
  std::string source_;
  std::string rules_url_;
  std::string overview_;
  HistoryOption history_;
  EventsOption events_;
  std::vector<std::string> revisions_;
  std::vector<std::string> scenarios_;
  JudgedExtensionsOption extensions_;
  std::string shard_;
  std::vector<std::string> report_files_;
  std::string transcript_;
  std::string expected_failures_;
  std::string write_expected_;
  bool strict_ = false;
  ToolsOption tools_;
  std::vector<std::string> profiles_;
  std::string catalogue_;
  std::int64_t jobs_ = 0;  // not given
  double timeout_ = 0;     // not given
  double max_time_ = 900;
  Page page_;
};

const CommandRegistration<ServerCommand> kServerCommandRegistration;

}  // namespace
}  // namespace assay::cli
