// As whom a client logs in, and how it shows who it is.
//
// Specification: basic/authorization, "Client Registration Approaches" (2025-11-25); 2026-07-28:
// basic/authorization/client-registration.
#include <memory>
#include <utility>

#include "scenarios/clients/login_play.h"

namespace assay::scenarios {
namespace {

using authorization::Knobs;
using harness::ClientScenarioRegistration;
using harness::Play;

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
    make_client_document, &model::Revision::has_client_documents));
const ClientScenarioRegistration kSecretInHeaderScenario(
    login_scenario("auth/token-endpoint-auth-basic", kLogsInAndCalls, make_secret_in_header,
                   &model::Revision::has_resource_metadata));
const ClientScenarioRegistration kSecretInBodyScenario(
    login_scenario("auth/token-endpoint-auth-post", kLogsInAndCalls, make_secret_in_body,
                   &model::Revision::has_resource_metadata));
const ClientScenarioRegistration kNoSecretScenario(
    login_scenario("auth/token-endpoint-auth-none", kLogsInAndCalls, make_no_secret,
                   &model::Revision::has_resource_metadata));
const ClientScenarioRegistration kOtherResource(
    login_scenario("auth/resource-mismatch",
                   "sees that the metadata are about another resource, and does not go on",
                   make_other_resource, &model::Revision::has_issuer_validation));

}  // namespace
}  // namespace assay::scenarios
