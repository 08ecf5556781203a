// As whom a client logs in, how it shows who it is, and how it renews a token.
//
// Specification: basic/authorization, "Client Registration Approaches" (2025-11-25); 2026-07-28:
// basic/authorization/client-registration; "Refresh Tokens".
#include <algorithm>
#include <memory>
#include <utility>

#include "harness/script/json_member.h"
#include "scenarios/clients/login_play.h"

namespace assay::scenarios {
namespace {

using authorization::Knobs;
using harness::array_member;
using harness::ClientScenarioRegistration;
using harness::Play;
using Kind = LoginStep::Kind;

// What the authorization server is like, and nothing that is judged beside the common rules.
class ClientPlay : public LoginPlay {
 public:
  explicit ClientPlay(void (*change)(Knobs&), LoginTerms terms = {})
      : LoginPlay(std::move(terms)), change_(change) {}

 protected:
  Knobs furnish(const std::string&) const override {
    Knobs knobs;
    if (change_ != nullptr) change_(knobs);
    return knobs;
  }

 private:
  void (*const change_)(Knobs&);
};

// The token holds for a few requests.
class RefreshPlay : public LoginPlay {
 public:
  RefreshPlay() : LoginPlay({}) {}

 protected:
  Knobs furnish(const std::string&) const override {
    Knobs knobs;
    knobs.gives_refresh_tokens = true;
    return knobs;
  }
  void on_admitted(int count, authorization::Server& server) override {
    constexpr int kRequests = 3;
    if (count == kRequests) server.expire_all();
  }
  void judge(LoginReview& login) override {
    const LoginStep* renewal = nullptr;
    for (const LoginStep* step : login.all(Kind::kToken)) {
      if (step->value("grant_type") == "refresh_token") renewal = step;
    }
    const LoginStep* registration = login.first(Kind::kRegister);
    if (renewal == nullptr || registration == nullptr) return;
    const Json metadata = registration->sent_json();
    const Json& grants = array_member(metadata, "grant_types");
    bool is_listed = false;
    for (const Json& each : grants) is_listed = is_listed || each == "refresh_token";
    login.check("authorization.refresh-grant-type-listed", is_listed,
                "the client renews its token, and did not list refresh_token in grant_types",
                {registration->request, renewal->request});
  }
};

// The token holds for a few requests, and there is none to renew it with.
class ExpiredPlay : public LoginPlay {
 public:
  ExpiredPlay() : LoginPlay({}) {}

 protected:
  void on_admitted(int count, authorization::Server& server) override {
    constexpr int kRequests = 3;
    if (count == kRequests) server.expire_all();
  }
};

std::vector<catalogue::RequirementId> migration_rules() {
  return {"authorization.credentials-bound-to-issuer",
          "authorization.credentials-not-assumed-elsewhere", "authorization.credentials-not-reused",
          "authorization.registered-again",
          "authorization.registration-state-per-authorization-server"};
}

// The resource is moved to another authorization server. The URL of a metadata document is good at
// both.
class MigrationPlay : public LoginPlay {
 public:
  MigrationPlay() : LoginPlay(the_terms()) {}

 protected:
  void on_admitted(int count, authorization::Server&) override {
    constexpr int kRequests = 3;
    if (count == kRequests) change_office();
  }
  void judge(LoginReview& login) override {
    std::vector<std::string> first;
    std::vector<std::string> second;
    for (const LoginStep* step : login.all(Kind::kRegister)) {
      const Json made = step->received_json();
      const std::string_view id = harness::text_member(made, "client_id");
      if (!id.empty()) (step->office == 1 ? first : second).emplace_back(id);
    }
    for (const LoginStep* step : login.all(Kind::kAuthorize)) {
      const std::string id = step->value("client_id");
      const bool is_known_elsewhere = std::find(first.begin(), first.end(), id) != first.end();
      const bool is_known = std::find(second.begin(), second.end(), id) != second.end();
      if (step->office != 2 || (!is_known && !is_known_elsewhere)) continue;
      for (const catalogue::RequirementId rule : migration_rules()) {
        login.check(rule, is_known,
                    "the authorization server has changed, and the client shows the new one the "
                    "client_id that the former one gave it",
                    *step);
      }
    }
  }

 private:
  static LoginTerms the_terms() {
    LoginTerms terms;
    terms.offices = 2;
    return terms;
  }
};

std::unique_ptr<Play> make_client_document() {
  return std::make_unique<ClientPlay>([](Knobs& knobs) { knobs.takes_client_documents = true; });
}
std::unique_ptr<Play> make_secret_in_header() {
  return std::make_unique<ClientPlay>(
      [](Knobs& knobs) { knobs.auth_methods = {authorization::kSecretInHeader}; });
}
std::unique_ptr<Play> make_secret_in_body() {
  return std::make_unique<ClientPlay>(
      [](Knobs& knobs) { knobs.auth_methods = {authorization::kSecretInBody}; });
}
std::unique_ptr<Play> make_no_secret() {
  return std::make_unique<ClientPlay>(
      [](Knobs& knobs) { knobs.auth_methods = {authorization::kNoSecret}; });
}
std::unique_ptr<Play> make_other_resource() {
  LoginTerms terms;
  terms.resource = "https://elsewhere.example/mcp";
  return std::make_unique<ClientPlay>(nullptr, std::move(terms));
}
constexpr std::string_view kLogsInAndCalls = "logs in and calls test-tool";

const ClientScenarioRegistration kClientDocument(login_scenario(
    "auth/basic-cimd", "logs in with the URL of its metadata document, if it has one",
    make_client_document, has_pkce_rules));
const ClientScenarioRegistration kSecretInHeaderScenario(
    login_scenario("auth/token-endpoint-auth-basic", kLogsInAndCalls, make_secret_in_header,
                   has_resource_metadata));
const ClientScenarioRegistration kSecretInBodyScenario(login_scenario(
    "auth/token-endpoint-auth-post", kLogsInAndCalls, make_secret_in_body, has_resource_metadata));
const ClientScenarioRegistration kNoSecretScenario(login_scenario("auth/token-endpoint-auth-none",
                                                                  kLogsInAndCalls, make_no_secret,
                                                                  has_resource_metadata));
const ClientScenarioRegistration kOtherResource(
    login_scenario("auth/resource-mismatch",
                   "sees that the metadata are about another resource, and does not go on",
                   make_other_resource, has_issuer_rules));
const ClientScenarioRegistration kMigration(
    login_scenario("auth/authorization-server-migration",
                   "logs in, and logs in again where another authorization server is named",
                   harness::make_play<MigrationPlay>, has_issuer_rules, migration_rules()));
const ClientScenarioRegistration kExpired(
    login_scenario("auth/token-expired",
                   "logs in, and logs in again when its token, which it cannot renew, has "
                   "expired",
                   harness::make_play<ExpiredPlay>, has_resource_metadata));
const ClientScenarioRegistration kRefresh(login_scenario(
    "auth/token-refresh", "logs in, and renews its token, or logs in again, when that has expired",
    harness::make_play<RefreshPlay>, has_resource_metadata,
    {"authorization.refresh-grant-type-listed"}));

}  // namespace
}  // namespace assay::scenarios
