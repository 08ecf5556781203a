// mcp-assay client: certifies an MCP client.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/client_document.h"
#include "harness/cli/interactive.h"
#include "harness/cli/outcome_options.h"
#include "harness/cli/plan_options.h"
#include "harness/cli/profiles_option.h"
#include "harness/cli/tap_secrets.h"
#include "harness/frame/command.h"
#include "harness/frame/extension_option.h"
#include "harness/frame/interrupt.h"
#include "harness/frame/page.h"
#include "harness/frame/target_words.h"
#include "harness/frame/time_limit.h"
#include "harness/host/certify_client.h"
#include "harness/project/server_jobs.h"
#include "reports/progress.h"

namespace assay::cli {
namespace {

constexpr double kDefaultMaxTime = 900;
// Most of a scenario is waiting.
constexpr int kDefaultJobs = 8;
constexpr std::int64_t kPortNotGiven = -1;

std::vector<std::string_view> client_scenario_names() {
  std::vector<std::string_view> names;
  for (const harness::ClientScenario& scenario : harness::client_scenarios()) {
    names.push_back(scenario.name);
  }
  return names;
}

std::chrono::milliseconds in_milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3));
}

std::string our_program() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).string();
}

class ClientCommand : public Command {
 public:
  std::string_view name() const override { return "client"; }
  std::string_view summary() const override { return "Test an MCP client"; }

  void declare(Arguments& arguments) override {
    arguments.group("What to test");
    arguments.command_line(command_, "The command that starts your client");
    arguments.flag("--stdio", is_stdio_,
                   "Use stdio: in COMMAND, {server} becomes a command that starts the server, and "
                   "{config} a file with mcpServers that names this command");
    arguments.texts("--profile", profiles_, "FILE|NAME",
                    "How to start the client to do one thing, such as to call a tool: a file, or a "
                    "built-in profile (repeatable)");
    arguments.texts("--env", environment_, "NAME=VALUE",
                    "Set this environment variable for COMMAND (repeatable)");
    arguments.text("--cors", page_origin_, "ORIGIN",
                   "Let a page of this origin, such as http://localhost:5173, be the client in a "
                   "browser");
    arguments.flag("--interactive", is_interactive_,
                   "Without COMMAND: judge an application that you start by hand, until Ctrl-C");
    arguments.number("--listen", port_, 0, 65535, "PORT",
                     "With --interactive: the server's port on localhost (default: a free one)");
    arguments.flag("--fetch-client-document", fetches_document_,
                   "Fetch the metadata document that the client names as its client_id; the client "
                   "chooses the host, which must have a public address");
    arguments.flag("--allow-private", allows_private_,
                   "With --fetch-client-document: the host may be on this machine or in a private "
                   "network");
    arguments.group("Which rules, and how");
    arguments.texts("--revision", revisions_, "REVISION|all",
                    "Test this revision of the specification (repeatable; default: all)");
    arguments.texts("--scenario", scenarios_, "GLOB", "Run only these scenarios (repeatable)");
    extensions_.declare(arguments,
                        "Judge this extension, such as tasks, though the client may not declare it "
                        "(repeatable). Those that it declares are judged anyway");
    arguments.number(
        "--jobs", jobs_, 1, 64, "N",
        "Scenarios at once (default: 8; use 1 if copies of your client share a file or "
        "a port)");
    arguments.number("--min-exercised", min_exercised_, 1, 100, "PERCENT",
                     "Do not call a run conformant that exercises fewer of its rules (default: a "
                     "handshake and one list or call are enough)");
    arguments.seconds("--timeout", timeout_, "Longest time for one scenario (default: 30)");
    arguments.seconds("--max-time", max_time_,
                      "Longest time in total; what was found by then is reported (default: 900; "
                      "with --interactive no limit)");
    outcome_.declare(arguments, "Keep everything sent and received, as JSON lines (at most 1 GiB)",
                     "Violations in this YAML file do not fail the run");
    page_.declare(arguments);
    arguments.footer(
        "For each revision and scenario, mcp-assay starts a server on this machine, and then "
        "COMMAND with the\n"
        "server's URL as its last argument, or in place of {url}. The client finds in its "
        "environment what\n"
        "the official conformance suite tells its clients:\n"
        "  MCP_CONFORMANCE_SCENARIO          tools_call\n"
        "  MCP_CONFORMANCE_PROTOCOL_VERSION  2025-11-25\n"
        "  MCP_CONFORMANCE_CONTEXT           JSON, for scenarios that need it\n"
        "  BROWSER                           a command that logs in without a person\n"
        "A client that ignores these variables is judged for what it does.\n"
        "\n"
        "A client that does one thing each time it starts needs a --profile that says how it lists "
        "tools,\n"
        "calls one, reads a resource, and so on. 'mcp-assay list profiles' shows the built-in "
        "ones.\n"
        "\n"
        "With --interactive, mcp-assay prints what to connect to. A live page shows the messages, "
        "and what to\n"
        "do next so that more rules can be judged. Any number of clients may connect.\n"
        "\n"
        "Examples:\n"
        "  mcp-assay client -- node everything-client.js\n"
        "  mcp-assay client --interactive --report html=client.html\n"
        "  mcp-assay client --cors http://localhost:5173 -- node open-page.mjs\n"
        "  mcp-assay client --profile inspector-cli -- npx @modelcontextprotocol/inspector --cli "
        "{url}\n"
        "  mcp-assay client --profile inspector-cli --stdio -- \\\n"
        "    npx @modelcontextprotocol/inspector --cli {server}\n"
        "\n"
        "Exit status: 0 conformant, 1 unexpected violations, 2 wrong command line, 3 the client, "
        "or one of\n"
        "its revisions, could not be tested, 130 interrupted, or stopped by --max-time.");
  }

  int run() override {
    check_way_in();
    outcome_.prepare(page_);
    harness::CertifyClientOptions options = certify_options();
    options.on_transcript = outcome_.on_transcript(options.vault);
    const Interrupt interrupt;
    std::optional<TimeLimit> limit;
    if (max_time_ > 0) limit.emplace(interrupt.token(), in_milliseconds(max_time_));
    options.stop = limit ? limit->token() : interrupt.token();
    reports::Result result = is_interactive_ ? watch(options) : certify(options);
    if (!is_interactive_ && limit->has_passed()) {
      std::cerr << fmt::format(
          "mcp-assay: stopped after {} s (--max-time): the result is incomplete\n", max_time_);
    }
    return outcome_.finish(result, "client", page_);
  }

 private:
  // As browsers write it: a scheme and a host, and nothing behind them.
  void check_origin() const {
    if (page_origin_.empty()) return;
    const std::size_t scheme = page_origin_.find("://");
    const bool is_origin =
        scheme != std::string::npos && scheme > 0 && scheme + 3 < page_origin_.size() &&
        page_origin_.find_first_of("/ \t\r\n?#", scheme + 3) == std::string::npos;
    if (!is_origin) throw UsageError("--cors needs an origin, such as http://localhost:5173");
    if (is_stdio_) throw UsageError("--cors has no meaning with --stdio");
  }

  // What only one of the two ways in takes is none of the other's.
  void check_way_in() {
    check_origin();
    if (allows_private_ && !fetches_document_) {
      throw UsageError("--allow-private needs --fetch-client-document");
    }
    if (!is_interactive_) {
      if (command_.empty()) {
        throw UsageError("give the client's command after --, or --interactive");
      }
      if (port_ != kPortNotGiven) throw UsageError("--listen needs --interactive");
      if (max_time_ == 0) max_time_ = kDefaultMaxTime;
      return;
    }
    if (!command_.empty()) {
      throw UsageError("--interactive takes no command: the application is started by hand");
    }
    if (!scenarios_.empty()) throw UsageError("--interactive plays no scenarios: --scenario");
    if (extensions_.is_given()) throw UsageError("--interactive plays no scenarios: --extension");
    if (extensions_.binds_drafts()) throw UsageError("--interactive plays no scenarios: --drafts");
    if (!environment_.empty()) throw UsageError("--interactive starts nothing: --env");
    if (!profiles_.empty()) throw UsageError("--interactive starts nothing: --profile");
    if (jobs_ > 0) throw UsageError("--interactive serves any number at once: --jobs");
    if (min_exercised_ > 0) throw UsageError("--interactive plays no scenarios: --min-exercised");
    if (fetches_document_) {
      throw UsageError("--interactive asks for no login: --fetch-client-document");
    }
    if (timeout_ > 0) throw UsageError("--interactive waits as long as it takes: --timeout");
    if (is_stdio_ && port_ != kPortNotGiven)
      throw UsageError("--listen has no meaning with --stdio");
  }

  // Until it is stopped, which is its end.
  reports::Result watch(const harness::CertifyClientOptions& options) const {
    harness::InteractiveOptions hosted;
    hosted.transport = options.command.transport;
    hosted.relay_program = options.command.relay_program;
    hosted.revisions = options.revisions;
    std::sort(hosted.revisions.begin(), hosted.revisions.end());
    hosted.page_origin = page_origin_;
    hosted.port = static_cast<int>(std::max<std::int64_t>(port_, 0));
    hosted.catalogue_version = options.catalogue_version;
    hosted.vault = options.vault;
    hosted.on_transcript = options.on_transcript;
    reports::Result result =
        interact(hosted, options.stop, page_.is_on_standard_error() ? stderr : stdout);
    outcome_.complete(result, *options.vault);
    return result;
  }

  harness::CertifyClientOptions certify_options() const {
    harness::CertifyClientOptions options;
    options.command = {command_, parse_environment(environment_),
                       is_stdio_ ? harness::TransportKind::kStdio : harness::TransportKind::kHttp,
                       client_ways(), our_program()};
    options.command.page_origin = page_origin_;
    if (fetches_document_) {
      const auto reach = allows_private_ ? transport::Reach::kAnywhere : transport::Reach::kPublic;
      options.command.read_document = [reach](const std::string& url) {
        return fetch_client_document(url, reach);
      };
    }
    options.revisions =
        parse_revisions(revisions_.empty() ? std::vector<std::string>{"all"} : revisions_);
    options.extensions = extensions_.extensions();
    for (const harness::ClientScenario& scenario : harness::client_scenarios()) {
      add_named_extension(scenarios_, scenario.name, scenario.extension, options.extensions);
    }
    options.binds_drafts = extensions_.binds_drafts();
    options.wants = scenario_filter(scenarios_, client_scenario_names());
    options.catalogue_version = outcome_.catalogue_version();
    options.min_exercised = static_cast<int>(min_exercised_);
    options.jobs = jobs_ > 0 ? static_cast<int>(jobs_) : kDefaultJobs;
    if (timeout_ > 0) options.patience.scenario = in_milliseconds(timeout_);
    options.vault = std::make_shared<reports::Vault>();
    hide_secrets(command_, *options.vault);
    options.target.command = command_;
    return options;
  }

  // The first profile that names an act decides.
  std::vector<harness::ClientWay> client_ways() const {
    harness::Profile known;
    for (const harness::Profile& profile :
         read_profiles(profiles_, transport::Party::kClient).given) {
      known.add(profile);
    }
    return known.client;
  }

  reports::Result certify(const harness::CertifyClientOptions& options) const {
    reports::Progress progress(std::cerr, page_.progress());
    reports::Result result = harness::certify_client(options, progress);
    outcome_.complete(result, *options.vault);
    return result;
  }

  bool is_interactive_ = false;
  std::int64_t port_ = kPortNotGiven;
  bool is_stdio_ = false;
  std::string page_origin_;
  std::vector<std::string> revisions_;
  std::vector<std::string> scenarios_;
  JudgedExtensionsOption extensions_;
  std::vector<std::string> profiles_;
  std::vector<std::string> environment_;
  std::int64_t jobs_ = 0;           // not given
  std::int64_t min_exercised_ = 0;  // not given
  double timeout_ = 0;              // not given
  double max_time_ = 0;             // not given
  bool fetches_document_ = false;
  bool allows_private_ = false;
  OutcomeOptions outcome_;
  Page page_;
  std::vector<std::string> command_;
};

const CommandRegistration<ClientCommand> kClientCommandRegistration;

}  // namespace
}  // namespace assay::cli
