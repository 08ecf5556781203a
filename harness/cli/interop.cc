// mcp-assay interop: every client with every server, and whose fault it is.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "harness/cli/interop_bisect.h"
#include "harness/cli/interop_entries.h"
#include "harness/cli/interop_file.h"
#include "harness/cli/interop_history_option.h"
#include "harness/cli/interop_reports.h"
#include "harness/cli/plan_options.h"
#include "harness/frame/command.h"
#include "harness/frame/did_you_mean.h"
#include "harness/frame/interrupt.h"
#include "harness/frame/last_report.h"
#include "harness/frame/page.h"
#include "harness/frame/shell_words.h"
#include "harness/frame/time_limit.h"
#include "harness/interop/matrix.h"
#include "harness/interop/packages.h"
#include "reports/progress.h"

namespace assay::cli {
namespace {

constexpr double kDefaultPatience = 30;

std::string this_program() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).string();
}

std::chrono::milliseconds to_milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3));
}

class InteropCommand : public Command {
 public:
  std::string_view name() const override { return "interop"; }
  std::string_view summary() const override {
    return "Run every client with every server, and say whose fault a failure is";
  }

  void declare(Arguments& arguments) override {
    arguments.positional("FILE", file_, false,
                         fmt::format("The matrix, in YAML (default: {})", kInteropFile));
    arguments.group("What to run");
    arguments.texts("--client", clients_, "NAME", "Run only this client (repeatable)");
    arguments.texts("--server", servers_, "NAME", "Run only this server (repeatable)");
    arguments.texts("--transport", transports_, "stdio|http",
                    "Run only over this transport (repeatable)");
    arguments.texts("--era", eras_, "newest|oldest",
                    "Run clients only in this era of theirs (repeatable)");
    arguments.texts("--through", gateways_, "COMMAND|URL|NAME",
                    "Run each pair through this gateway as well, and say what differs: a command "
                    "with {url} or {server} in it, the URL of one that runs already, or a gateway "
                    "of FILE (repeatable)");
    arguments.number("--jobs", jobs_, 1, 64, "N", "Cells at once (default: one for each core)");
    arguments.text("--shard", shard_, "I/N",
                   "Run part I of N; 'mcp-assay merge' joins the JSON reports of all parts");
    arguments.seconds("--timeout", timeout_,
                      "Longest time for one start of a client (default: 30)");
    arguments.seconds("--max-time", max_time_,
                      "Longest time in total; what was found by then is reported (default: no "
                      "limit)");
    arguments.text("--bisect", bisect_, "CLIENT/SERVER/TRANSPORT/ACT",
                   "Find the first release of the client's package with which this act fails");
    arguments.choice("--of", bisect_of_, {"client", "server"},
                     "With --bisect: whose package it is (default: client)");
    arguments.text("--good", bisect_good_, "VERSION",
                   "With --bisect: a release that works (default: the first that was published)");
    arguments.group("Reports and output");
    history_.declare(arguments);
    arguments.texts("--report", report_files_, "FORMAT=PATH", interop_report_help());
    page_.declare(arguments);
    arguments.footer(
        "Each cell is one client with one server, over one transport, through a tap of ours that "
        "judges both.\n"
        "What each can do is found out by trials with our own server and client. An act that "
        "fails is tried\n"
        "again, alone, before it is shown. Only a broken rule is blamed on a party.\n"
        "\n"
        "  servers:\n"
        "    everything:\n"
        "      command: npx\n"
        "      args: [-y, \"@modelcontextprotocol/server-everything\"]\n"
        "  clients:\n"
        "    inspector:\n"
        "      command: npx\n"
        "      args: [-y, \"@modelcontextprotocol/inspector\", --cli, \"{server}\"]\n"
        "      profile: inspector-cli\n"
        "\n"
        "'mcp-assay init --interop' writes a first file; 'mcp-assay schema --of interop' prints "
        "its format.\n"
        "\n"
        "Exit status: 0 nothing fails, 1 an act fails, 2 wrong command line or file, 3 nothing "
        "could be\n"
        "tested, 130 interrupted, or stopped by --max-time.");
  }

  int run() override {
    if (bisect_.empty() && !bisect_good_.empty()) throw UsageError("--good needs --bisect");
    if (bisect_.empty() && !bisect_of_.empty()) throw UsageError("--of needs --bisect");
    if (!bisect_.empty() && !report_files_.empty()) {
      throw UsageError("--bisect prints what it finds: it writes no --report");
    }
    if (history_.is_given() && !shard_.empty()) {
      throw UsageError(
          "--history is for whole runs: give it to 'mcp-assay merge', which joins the parts");
    }
    const auto vault = std::make_shared<reports::Vault>();
    harness::MatrixOptions options = matrix_options(*vault);
    OutputPaths paths;
    const InteropReports reports(report_files_, paths);
    page_.leave_standard_output(reports.uses_standard_output());
    std::signal(SIGPIPE, SIG_IGN);
    const Interrupt interrupt;
    history_.prepare();
    std::optional<TimeLimit> limit;
    if (max_time_ > 0) limit.emplace(interrupt.token(), to_milliseconds(max_time_));
    options.context.vault = vault;
    options.context.stop = limit ? limit->token() : interrupt.token();
    const harness::PackageCache cache(harness::default_package_cache());
    if (!bisect_.empty()) {
      const BisectRequest request =
          parse_bisect(bisect_, bisect_of_.empty() ? "client" : bisect_of_, bisect_good_);
      const std::stop_token stop = options.context.stop;
      return run_bisect(request, std::move(options), cache, stop);
    }
    harness::get_packages(options.servers, options.clients, options.gateways, cache,
                          options.context.stop, [this](const std::string& names) {
                            if (page_.is_quiet()) return;
                            std::cerr << fmt::format("mcp-assay: npm installs {}\n", names);
                          });
    reports::InteropResult result = run_with_progress(options);
    history_.keep(result);
    if (limit && limit->has_passed()) {
      std::cerr << fmt::format(
          "mcp-assay: stopped after {} s (--max-time): the result is incomplete\n", max_time_);
    }
    const bool is_written = reports.write(result);
    remember_reports(reports.paths());
    page_.print(result, is_written ? reports.paths() : std::vector<std::string>());
    return is_written ? exit_status(result) : kUsage;
  }

 private:
  reports::InteropResult run_with_progress(const harness::MatrixOptions& options) const {
    reports::ProgressOptions shown = page_.progress();
    shown.items = "cells";
    shown.bad = "failed";
    reports::Progress progress(std::cerr, shown);
    return harness::run_matrix(options, progress);
  }

  harness::MatrixOptions matrix_options(reports::Vault& vault) const {
    InteropFile file = read_interop_file(file_.empty() ? kInteropFile : file_, vault);
    keep_named(file.servers, servers_, "server");
    keep_named(file.clients, clients_, "client");
    harness::MatrixOptions options;
    const std::string program = this_program();
    options.gateways = gateways(file, vault);
    options.servers = std::move(file.servers);
    options.servers.push_back(reference_server_entry(program));
    options.servers.push_back(reference_login_entry(program));
    options.clients = std::move(file.clients);
    options.clients.push_back(reference_client_entry(program));
    if (!file.transports.empty()) options.transports = file.transports;
    if (!transports_.empty()) options.transports = chosen_transports();
    if (!file.eras.empty()) options.eras = file.eras;
    if (!eras_.empty()) options.eras = chosen(eras_, {"newest", "oldest"}, "--era");
    options.context.relay_program = program;
    const double patience = timeout_ > 0       ? timeout_
                            : file.timeout > 0 ? file.timeout
                                               : kDefaultPatience;
    options.context.patience = to_milliseconds(patience);
    options.shard = parse_shard(shard_);
    options.jobs = jobs_ > 0 ? static_cast<int>(jobs_)
                             : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    return options;
  }

  // Those that --through names or writes; without it none.
  std::vector<harness::InteropGateway> gateways(const InteropFile& file,
                                                reports::Vault& vault) const {
    const std::vector<harness::InteropGateway>& known = file.gateways;
    std::vector<harness::InteropGateway> out;
    for (const std::string& text : gateways_) {
      const auto named = std::find_if(known.begin(), known.end(),
                                      [&](const auto& each) { return each.name == text; });
      if (named != known.end()) {
        out.push_back(*named);
      } else {
        const auto words = split_shell_words(text);
        if (!words) throw UsageError("--through has a quote that does not end");
        out.push_back(gateway_of_words(*words, vault));
      }
      name_server_of(out.back(), file.servers);
    }
    return out;
  }

  template <typename Entry>
  static void keep_named(std::vector<Entry>& entries, const std::vector<std::string>& names,
                         std::string_view what) {
    std::vector<std::string> known;
    for (const Entry& entry : entries) known.push_back(entry.name);
    for (const std::string& name : names) {
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        throw UsageError(unknown_name(what, name, known));
      }
    }
    if (names.empty()) return;
    std::erase_if(entries, [&](const Entry& entry) {
      return std::find(names.begin(), names.end(), entry.name) == names.end();
    });
  }

  static std::vector<std::string> chosen(const std::vector<std::string>& given,
                                         const std::vector<std::string>& known,
                                         std::string_view option) {
    for (const std::string& each : given) {
      if (std::find(known.begin(), known.end(), each) != known.end()) continue;
      throw UsageError(fmt::format("{} takes one of {}, not '{}'", option,
                                   fmt::format("{} and {}", known.front(), known.back()), each));
    }
    return given;
  }
  std::vector<harness::TransportKind> chosen_transports() const {
    std::vector<harness::TransportKind> out;
    for (const std::string& each : chosen(transports_, {"stdio", "http"}, "--transport")) {
      out.push_back(each == "stdio" ? harness::TransportKind::kStdio
                                    : harness::TransportKind::kHttp);
    }
    return out;
  }

  std::string file_;
  std::vector<std::string> clients_;
  std::vector<std::string> servers_;
  std::vector<std::string> transports_;
  std::vector<std::string> eras_;
  std::vector<std::string> gateways_;
  std::int64_t jobs_ = 0;  // not given
  std::string shard_;
  double timeout_ = 0;   // not given
  double max_time_ = 0;  // none
  std::string bisect_;
  std::string bisect_of_;
  std::string bisect_good_;
  InteropHistoryOption history_;
  std::vector<std::string> report_files_;
  Page page_;
};

const CommandRegistration<InteropCommand> kInteropCommandRegistration;

}  // namespace
}  // namespace assay::cli
