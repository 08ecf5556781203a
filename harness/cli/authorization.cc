// mcp-assay authorization: certifies an authorization server.
#include <fmt/format.h>

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
#include "harness/cli/command.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/login.h"
#include "harness/cli/login_callback.h"
#include "harness/cli/outcome_options.h"
#include "harness/cli/page.h"
#include "harness/cli/plan_options.h"
#include "harness/cli/time_limit.h"
#include "harness/runner/authority_scenario.h"
#include "reference/transport/http_url.h"
#include "reports/escape.h"
#include "reports/progress.h"

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
    arguments.texts("--revision", revisions_, "REVISION|all",
                    "Revision of the specification, or all (repeatable; default: all that bind "
                    "authorization servers)");
    arguments.texts("--scenario", scenarios_, "GLOB", "Play only these scenarios (repeatable)");
    outcome_.declare(
        arguments, "Keep everything sent and received, without credentials (JSON lines)",
        "Violations listed in this YAML file under 'authorization' do not fail the run");
    arguments.seconds("--timeout", timeout_, "How long to wait for an answer (default: 5)");
    arguments.seconds("--max-time", max_time_,
                      "The longest time for all; then what was found so far is reported (default: "
                      "900)");
    page_.declare(arguments);
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
    outcome_.prepare(page_);
    harness::CertifyAuthorityOptions options = certify_options();
    options.on_transcript = outcome_.on_transcript(options.vault);
    const Interrupt interrupt;
    const TimeLimit limit(interrupt.token(),
                          std::chrono::milliseconds(static_cast<std::int64_t>(max_time_ * 1e3)));
    options.stop = limit.token();
    reports::Result result = certify_with_login(options);
    if (limit.has_passed()) {
      std::cerr << fmt::format(
          "mcp-assay: stopped after {} s (--max-time): the result is incomplete\n", max_time_);
    }
    return outcome_.finish(result, "authorization", page_);
  }

 private:
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
    options.catalogue_version = outcome_.catalogue_version();
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
    reports::Progress progress(std::cerr, page_.progress());
    reports::Result result = harness::certify_authority(options, progress);
    outcome_.complete(result, *options.vault);
    return result;
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
  double timeout_ = 0;  // not given
  double max_time_ = 900;
  OutcomeOptions outcome_;
  Page page_;
};

const CommandRegistration<AuthorizationCommand> kAuthorizationCommandRegistration;

}  // namespace
}  // namespace assay::cli
