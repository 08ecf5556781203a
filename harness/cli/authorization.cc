// mcp-assay authorization: certifies an authorization server.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/authority/authority.h"
#include "harness/cli/catalogue_option.h"
#include "harness/cli/command.h"
#include "harness/cli/exit_status.h"
#include "harness/cli/expectations.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/login.h"
#include "harness/cli/login_callback.h"
#include "harness/cli/plan_options.h"
#include "harness/cli/report_files.h"
#include "harness/cli/rule_pages.h"
#include "harness/cli/terminal_width.h"
#include "harness/cli/time_limit.h"
#include "harness/cli/transcript_writer.h"
#include "harness/runner/authority_scenario.h"
#include "reference/transport/http_url.h"
#include "reports/escape.h"
#include "reports/expected.h"
#include "reports/output.h"
#include "reports/progress.h"
#include "reports/terminal.h"

namespace assay::cli {
namespace {

std::vector<std::string_view> authority_scenario_names() {
  std::vector<std::string_view> names;
  for (const harness::AuthorityScenario& scenario : harness::authority_scenarios()) {
    names.push_back(scenario.name);
  }
  return names;
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

transport::HttpUrl url_option(const char* option, const std::string& text) {
  auto parsed = transport::HttpUrl::parse(text);
  if (const auto* failure = std::get_if<transport::Failure>(&parsed)) {
    throw UsageError(fmt::format("{} {}: {}", option, reports::printable_line(text),
                                 reports::printable_line(failure->detail)));
  }
  return std::get<transport::HttpUrl>(std::move(parsed));
}

// Of the redirect URI with which a user is to register a client.
constexpr std::int64_t kRegisteredPort = 33418;

class AuthorizationCommand : public Command {
 public:
  std::string_view name() const override { return "authorization"; }
  std::string_view summary() const override { return "Certify an authorization server"; }

  void declare(Arguments& arguments) override {
    arguments.text("--url", url_, "ISSUER", "Certify the authorization server of this issuer");
    arguments.texts("--origin", origins_, "ORIGIN",
                    "Its endpoints may stand at this origin, too (repeatable; default: only at the "
                    "issuer's)");
    arguments.text(
        "--client-id", client_id_, "ID",
        "A client that was registered with the redirect URI of --callback-port (default: "
        "MCP_ASSAY_CLIENT_ID, or one is registered, on this machine)");
    arguments.flag("--register", registers_,
                   "Register a client elsewhere than on this machine, too, where it may stay");
    arguments.text("--resource", resource_, "URL",
                   "Ask for tokens for this MCP server (default: none is named)");
    arguments.text("--scope", scope_, "'SCOPE ...'",
                   "Ask for these scopes (default: none is named)");
    arguments.flag("--login", logs_in_,
                   "Let a person log in through the browser (BROWSER, or xdg-open) where it is not "
                   "answered with a redirect at once: some five times");
    arguments.number(
        "--callback-port", callback_port_, 1, 65535, "N",
        "The redirect URI is http://127.0.0.1:N/callback (default: 33418; any free port where "
        "--login registers the client)");
    arguments.texts("--revision", revisions_, "REVISION",
                    "Revision of the specification, or all (repeatable; default: all that bind "
                    "authorization servers)");
    arguments.texts("--scenario", scenarios_, "GLOB", "Play only these scenarios (repeatable)");
    arguments.texts("--report", report_files_, "FORMAT=PATH", report_help());
    arguments.text("--rules-url", rules_url_, "URL",
                   "Reports link to the pages of 'report --rules' that are published there");
    arguments.text("--transcript", transcript_, "FILE",
                   "Keep everything sent and received, without credentials (JSON lines)");
    arguments.text("--expected-failures", expected_failures_, "FILE",
                   "Violations listed in this YAML file under 'authorization' do not fail the run");
    arguments.text("--write-expected", write_expected_, "FILE",
                   "Write a file that lists what fails now");
    arguments.flag("--strict", is_strict_, "A violated SHOULD fails the run too");
    arguments.text("--catalogue", catalogue_, "VERSION",
                   "Judge only by the rules that this version of the catalogue had (default: the "
                   "latest)");
    arguments.seconds("--timeout", timeout_, "How long to wait for an answer (default: 5)");
    arguments.seconds("--max-time", max_time_,
                      "The longest time for all; then what was found so far is reported (default: "
                      "900)");
    arguments.flag("--verbose", is_verbose_, "Show what was not exercised, and all evidence");
    arguments.flag("--quiet", is_quiet_, "One line per violation, and the conclusion");
    arguments.choice("--color", color_, {"auto", "always", "never"}, "Colours (default: auto)");
    arguments.footer(
        "Its metadata are read, a client is registered on this machine (or named), and codes and "
        "tokens are\n"
        "asked for as they should be and as they should be refused: PKCE, redirect URIs, iss, "
        "refresh tokens,\n"
        "metadata documents of clients. Nobody is asked but the issuer's origin and those of "
        "--origin.\n"
        "MCP_ASSAY_CLIENT_SECRET of the environment is the secret of --client-id.\n"
        "In 2025-03-26 a server is its own authorization server: 'mcp-assay server' judges it.\n"
        "\nExamples:\n"
        "  mcp-assay authorization --url http://127.0.0.1:9000\n"
        "  mcp-assay authorization --url https://auth.example.com/tenant1 --register --login "
        "--report html=auth.html\n"
        "\nExit status: 0 conformant, 1 violations that were not expected, 2 wrong command line,\n"
        "3 the authorization server could not be tested, 130 interrupted, or stopped by "
        "--max-time.");
  }

  int run() override {
    if (url_.empty()) throw UsageError("give the issuer: --url");
    check_rules_url(rules_url_);
    const ReportFiles reports(report_files_);
    const Expectations expectations(expected_failures_);
    if (!write_expected_.empty()) check(reports::check_writable(write_expected_));
    if (reports.uses_standard_output() && write_expected_ == "-") {
      throw UsageError("only one file can go to standard output ('-')");
    }
    is_output_claimed_ = reports.uses_standard_output() || write_expected_ == "-";
    harness::CertifyAuthorityOptions options = certify_options();
    std::unique_ptr<TranscriptWriter> transcript;
    if (!transcript_.empty()) {
      transcript = std::make_unique<TranscriptWriter>(transcript_, options.vault);
      options.on_transcript = [&transcript](auto run, auto scenario, auto events) {
        transcript->write(run, scenario, events);
      };
    }
    const Interrupt interrupt;
    const TimeLimit limit(interrupt.token(),
                          std::chrono::milliseconds(static_cast<std::int64_t>(max_time_ * 1e3)));
    options.stop = limit.token();
    reports::Result result = certify_with_login(options);
    if (limit.has_passed()) {
      std::cerr << fmt::format(
          "mcp-assay: stopped after {} s (--max-time): the result is incomplete\n", max_time_);
    }
    expectations.apply(result, "authorization");
    print(result);
    const bool is_written = reports.write(result);
    if (!write_expected_.empty()) {
      check(reports::write_file(write_expected_, reports::render_expected(result)));
    }
    const auto problem = transcript ? transcript->finish() : std::nullopt;
    if (problem) fmt::print(stderr, "mcp-assay authorization: {}\n", *problem);
    return std::max(is_written && !problem ? kConformant : kUsage, exit_status(result));
  }

 private:
  static void check(const std::optional<std::string>& error) {
    if (error) throw UsageError(*error);
  }

  std::vector<model::Revision> wanted_revisions() const {
    const bool is_any = revisions_.empty() || revisions_ == std::vector<std::string>{"all"};
    auto all = parse_revisions(is_any ? std::vector<std::string>{"all"} : revisions_);
    std::erase_if(all, [&](model::Revision revision) {
      if (harness::binds_authorities(revision)) return false;
      if (is_any) return true;
      throw UsageError(fmt::format("{} has no rules for authorization servers that stand alone",
                                   revision.text()));
    });
    return all;
  }

  harness::CertifyAuthorityOptions certify_options() const {
    harness::CertifyAuthorityOptions options;
    const auto issuer = url_option("--url", url_);
    if (issuer.target.find("/.well-known/") != std::string::npos) {
      throw UsageError(
          "--url is the issuer, and not where its metadata are: leave out /.well-known/ and what "
          "follows");
    }
    if (url_.find_first_of("?#") != std::string::npos) {
      throw UsageError("--url: an issuer has neither a query nor a fragment");
    }
    options.issuer = url_;
    for (const std::string& each : origins_) {
      options.further_origins.push_back(url_option("--origin", each).origin());
    }
    options.revisions = wanted_revisions();
    options.wants = scenario_filter(scenarios_, authority_scenario_names());
    if (!catalogue_.empty()) options.catalogue_version = parse_catalogue_option(catalogue_);
    options.client_id = client_id_.empty() ? variable(kClientIdVariable) : client_id_;
    if (!options.client_id.empty()) options.client_secret = variable(kClientSecretVariable);
    options.may_register_anywhere = registers_;
    if (!resource_.empty()) url_option("--resource", resource_);
    options.resource = resource_;
    options.scope = scope_;
    if (callback_port_ > 0) {
      options.redirect_uri = fmt::format("http://127.0.0.1:{}/callback", callback_port_);
    }
    if (timeout_ > 0) {
      options.patience = std::chrono::milliseconds(static_cast<std::int64_t>(timeout_ * 1e3));
    }
    options.vault = std::make_shared<reports::Vault>();
    if (!options.client_secret.empty()) options.vault->add(options.client_secret);
    options.target.url = url_;
    return options;
  }

  reports::Result certify_with_login(harness::CertifyAuthorityOptions& options) const {
    if (!logs_in_) return certify(options);
    // Whoever was registered has the redirect URI that the help names.
    const std::int64_t registered = options.client_id.empty() ? 0 : kRegisteredPort;
    LoginCallback callback(static_cast<int>(callback_port_ > 0 ? callback_port_ : registered));
    if (const auto trouble = callback.start()) throw UsageError("--login: " + *trouble);
    options.redirect_uri = callback.url();
    Browsing browsing(callback, options.stop);
    options.browse = std::ref(browsing);
    return certify(options);
  }

  reports::Result certify(const harness::CertifyAuthorityOptions& options) const {
    reports::ProgressOptions shown;
    shown.is_terminal = !is_quiet_ && isatty(STDERR_FILENO) == 1;
    shown.width = terminal_width(STDERR_FILENO, shown.width);
    if (is_quiet_) shown.line_interval = std::chrono::hours(24 * 365);
    reports::Progress progress(std::cerr, shown);
    reports::Result result = harness::certify_authority(options, progress);
    result.is_strict = is_strict_;
    result.rules_url = rules_url_;
    options.vault->redact(result);
    return result;
  }

  void print(const reports::Result& result) const {
    const int descriptor = is_output_claimed_ ? STDERR_FILENO : STDOUT_FILENO;
    reports::TerminalOptions options;
    options.color = color_ == "always" || (color_ == "auto" && isatty(descriptor) == 1 &&
                                           std::getenv("NO_COLOR") == nullptr);
    options.width = terminal_width(descriptor, options.width);
    options.verbose = is_verbose_;
    options.quiet = is_quiet_;
    (is_output_claimed_ ? std::cerr : std::cout)
        << reports::render_terminal(result, options) << std::flush;
  }

  std::string url_;
  std::vector<std::string> origins_;
  std::string client_id_;
  bool registers_ = false;
  std::string resource_;
  std::string scope_;
  bool logs_in_ = false;
  std::int64_t callback_port_ = 0;  // not given
  std::vector<std::string> revisions_;
  std::vector<std::string> scenarios_;
  std::vector<std::string> report_files_;
  std::string rules_url_;
  std::string transcript_;
  std::string expected_failures_;
  std::string write_expected_;
  bool is_strict_ = false;
  std::string catalogue_;
  double timeout_ = 0;  // not given
  double max_time_ = 900;
  bool is_verbose_ = false;
  bool is_quiet_ = false;
  std::string color_ = "auto";
  bool is_output_claimed_ = false;
};

const CommandRegistration<AuthorizationCommand> kAuthorizationCommandRegistration;

}  // namespace
}  // namespace assay::cli
