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
#include "harness/cli/idp_option.h"
#include "harness/cli/outcome_options.h"
#include "harness/cli/plan_options.h"
#include "harness/frame/command.h"
#include "harness/frame/extension_option.h"
#include "harness/frame/interrupt.h"
#include "harness/frame/page.h"
#include "harness/frame/time_limit.h"
#include "harness/frame/trust_option.h"
#include "harness/parties/login.h"
#include "harness/parties/login_callback.h"
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
  std::string_view summary() const override { return "Test an authorization server"; }

  void declare(Arguments& arguments) override {
    arguments.group("What to test");
    arguments.text("--url", url_, "ISSUER", "The issuer of the authorization server");
    arguments.texts(
        "--origin", origins_, "ORIGIN",
        "Also contact endpoints at this origin (repeatable; default: only the issuer's)");
    arguments.text("--client-id", client_id_, "ID",
                   "A client that was registered with the redirect URI of --callback-port "
                   "(default: MCP_ASSAY_CLIENT_ID or, on this machine, register one)");
    arguments.flag("--register", registers_,
                   "Register a client even on another machine; it may remain there");
    arguments.text("--resource", resource_, "URL",
                   "Ask for tokens for this MCP server (default: name none)");
    arguments.text("--client-key", client_key_, "FILE",
                   "The private key of --client-id, if it shows who it is by a JWT (PEM)");
    idp_.declare(arguments);
    trust_.declare(arguments);
    arguments.text("--scope", scope_, "'SCOPE ...'", "Ask for these scopes (default: name none)");
    arguments.flag("--login", logs_in_,
                   "Open the browser (BROWSER, or xdg-open) if a person must log in: about five "
                   "times");
    arguments.number("--callback-port", callback_port_, 1, 65535, "N",
                     "The redirect URI is http://127.0.0.1:N/callback (default: 33418, or a free "
                     "port if --login registers the client)");
    arguments.group("Which rules, and how");
    arguments.texts("--revision", revisions_, "REVISION|all",
                    "Judge by this revision (repeatable; default: all that have rules for "
                    "authorization servers)");
    arguments.texts("--scenario", scenarios_, "GLOB", "Run only these scenarios (repeatable)");
    extensions_.declare(
        arguments, "Judge this extension as well, such as oauth-client-credentials (repeatable)");
    arguments.seconds("--timeout", timeout_, "Longest wait for an answer (default: 5)");
    arguments.seconds("--max-time", max_time_,
                      "Longest time in total; what was found by then is reported (default: 900)");
    outcome_.declare(arguments,
                     "Keep everything sent and received, without credentials, as JSON lines",
                     "Violations in this YAML file, under 'authorization', do not fail the run");
    page_.declare(arguments);
    arguments.footer(
        "mcp-assay reads the metadata, registers a client on this machine (or uses yours), and "
        "asks for codes\n"
        "and tokens, correctly and in ways that must be refused: PKCE, redirect URIs, iss, refresh "
        "tokens,\n"
        "and metadata documents of clients. With --extension, also client credentials and grants "
        "of an\n"
        "identity provider. It contacts only the issuer's origin and those of "
        "--origin.\n"
        "MCP_ASSAY_CLIENT_SECRET holds the secret of --client-id.\n"
        "In 2025-03-26 a server is its own authorization server: 'mcp-assay server' judges it.\n"
        "\n"
        "Examples:\n"
        "  mcp-assay authorization --url http://127.0.0.1:9000\n"
        "  mcp-assay authorization --url https://auth.example.com/tenant1 --register --login\n"
        "\n"
        "Exit status: 0 conformant, 1 unexpected violations, 2 wrong command line, 3 the "
        "authorization server\n"
        "could not be tested, 130 interrupted, or stopped by --max-time.");
  }

  int run() override {
    if (url_.empty()) throw UsageError("give the issuer: --url");
    trust_.apply();
    outcome_.prepare(page_);
    harness::CertifyAuthorityOptions options = certify_options();
    options.on_transcript = outcome_.on_transcript(options.vault);
    options.idp_key = idp_.start();
    options.idp_issuer = idp_.issuer();
    options.idp_subject = idp_.subject();
    options.idp_key_id = idp_.key_id();
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
      if (revision.has_separate_authorization_servers()) return false;
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
    options.extensions = asked_extensions();
    options.binds_drafts = extensions_.binds_drafts();
    options.catalogue_version = outcome_.catalogue_version();
    options.client_id = client_id_.empty() ? variable(kClientIdVariable) : client_id_;
    if (!options.client_id.empty()) options.client_secret = variable(kClientSecretVariable);
    if (!client_key_.empty()) {
      if (options.client_id.empty()) throw UsageError("--client-key needs --client-id");
      options.client_key = read_key_option("--client-key", client_key_);
    }
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

  // Those that are named, and those of scenarios that are.
  std::vector<const model::Extension*> asked_extensions() const {
    std::vector<const model::Extension*> all = extensions_.extensions();
    for (const harness::AuthorityScenario& scenario : harness::authority_scenarios()) {
      add_named_extension(scenarios_, scenario.name, scenario.extension, all);
    }
    return all;
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

  TrustOption trust_;
  IdpOption idp_;
  std::string url_;
  std::vector<std::string> origins_;
  std::string client_id_;
  std::string client_key_;
  JudgedExtensionsOption extensions_;
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
