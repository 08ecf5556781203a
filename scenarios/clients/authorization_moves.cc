// The resource is moved to another authorization server: which of the credentials of the former one
// a client shows to the next.
//
// Specification: basic/authorization, "Token Handling" (2025-06-18 and later); 2026-07-28:
// basic/authorization/client-registration, "Authorization Server Binding";
// basic/authorization/authorization-server-discovery, "Authorization Server Location".
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "harness/script/json_member.h"
#include "reference/wire/base64.h"
#include "reference/wire/form.h"
#include "scenarios/clients/login_play.h"

namespace assay::scenarios {
namespace {

using authorization::Knobs;
using harness::ClientScenarioRegistration;
using harness::text_member;
using Kind = LoginStep::Kind;
using Rules = std::vector<catalogue::RequirementId>;

Rules id_rules() {
  return {"authorization.credentials-bound-to-issuer",
          "authorization.credentials-not-assumed-elsewhere", "authorization.credentials-not-reused",
          "authorization.registered-again",
          "authorization.registration-state-per-authorization-server"};
}
Rules secret_rules() {
  return {"authorization.credentials-bound-to-issuer",
          "authorization.credentials-not-assumed-elsewhere", "authorization.credentials-not-reused",
          "authorization.registration-state-per-authorization-server"};
}
Rules token_rules() {
  return {"authorization.credentials-not-assumed-elsewhere",
          "authorization.registration-state-per-authorization-server"};
}
Rules refresh_token_rules() {
  return {"authorization.credentials-not-assumed-elsewhere",
          "authorization.refresh-token-confidential",
          "authorization.registration-state-per-authorization-server"};
}

// What each authorization server gave, by its number.
struct Given {
  std::set<std::string> ids;
  std::set<std::string> secrets;
  std::set<std::string> refresh_tokens;
  std::set<std::string> access_tokens;
};
using ByOffice = std::map<int, Given>;

void keep(std::set<std::string>& all, std::string_view text) {
  if (!text.empty()) all.emplace(text);
}

ByOffice given_by(LoginReview& login) {
  ByOffice out;
  for (const LoginStep* step : login.all(Kind::kRegister)) {
    const Json made = step->received_json();
    keep(out[step->office].ids, text_member(made, "client_id"));
    keep(out[step->office].secrets, text_member(made, "client_secret"));
  }
  for (const LoginStep* step : login.granted()) {
    const Json answer = step->received_json();
    keep(out[step->office].refresh_tokens, text_member(answer, "refresh_token"));
    keep(out[step->office].access_tokens, text_member(answer, "access_token"));
  }
  return out;
}

// Another one than this gave it, and this one did not.
bool is_foreign(const ByOffice& all, int office, std::set<std::string> Given::*kind,
                const std::string& text) {
  const auto own = all.find(office);
  if (text.empty() || (own != all.end() && (own->second.*kind).contains(text))) return false;
  return std::any_of(all.begin(), all.end(),
                     [&](const auto& each) { return (each.second.*kind).contains(text); });
}
bool is_own(const ByOffice& all, int office, std::set<std::string> Given::*kind,
            const std::string& text) {
  const auto own = all.find(office);
  return own != all.end() && (own->second.*kind).contains(text);
}

// What a token request shows in Authorization: the client id, and the secret itself.
std::pair<std::string, std::string> basic_pair(LoginReview& login, const LoginStep& step) {
  constexpr std::string_view kBasic = "Basic ";
  const auto field = transport::find_header(step.head().headers, "Authorization");
  if (!field || !field->starts_with(kBasic)) return {};
  const std::string text =
      wire::decode_base64(login.bare(std::string(field->substr(kBasic.size())))).value_or("");
  const std::string_view pair = text;
  const std::size_t colon = std::min(pair.find(':'), pair.size());
  return {wire::decode_form_text(pair.substr(0, colon)),
          wire::decode_form_text(pair.substr(std::min(colon + 1, pair.size())))};
}

// In the body or in Authorization.
std::string secret_shown(LoginReview& login, const LoginStep& step) {
  if (step.has("client_secret")) return login.bare(step.value("client_secret"));
  return basic_pair(login, step).second;
}

void check_all(LoginReview& login, const Rules& rules, bool did_hold, const std::string& detail,
               const LoginStep& step) {
  for (const catalogue::RequirementId rule : rules) login.check(rule, did_hold, detail, step);
}

void judge_ids(LoginReview& login, const ByOffice& given) {
  for (const LoginStep* step : login.all(Kind::kAuthorize)) {
    const std::string id = step->value("client_id");
    const bool is_others = is_foreign(given, step->office, &Given::ids, id);
    const bool is_known = step->office > 1 && is_own(given, step->office, &Given::ids, id);
    if (!is_others && !is_known) continue;
    check_all(login, id_rules(), !is_others,
              "the authorization server has changed, and the client shows the new one the "
              "client_id that a former one gave it",
              *step);
  }
}

// It may be another client for a token than it was for the code.
void judge_ids_for_tokens(LoginReview& login, const ByOffice& given) {
  for (const LoginStep* step : login.all(Kind::kToken)) {
    for (const std::string& id : {step->value("client_id"), basic_pair(login, *step).first}) {
      if (!is_foreign(given, step->office, &Given::ids, id)) continue;
      check_all(login, secret_rules(), false,
                "the token request shows one authorization server the client_id that another one "
                "gave",
                *step);
    }
  }
}

// OAuth 2.1, section 7.13: "Clients MUST ensure that the subsequent access token request, if
// applicable, is sent to the same authorization server".
void judge_codes(LoginReview& login) {
  std::map<std::string, const LoginStep*> gave;
  for (const LoginStep* step : login.all(Kind::kAuthorize)) {
    if (step->status() != 302) continue;
    // The label of a secret holds a '#', so this is no URL to be read as one.
    const std::string location(
        transport::find_header(step->response->observation.http()->headers, "Location")
            .value_or(""));
    const wire::Form response = wire::read_form(
        std::string_view(location).substr(std::min(location.find('?') + 1, location.size())));
    gave[wire::form_value(response, "code").value_or("")] = step;
  }
  for (const LoginStep* step : login.all(Kind::kToken)) {
    const auto found = gave.find(step->value("code"));
    if (found == gave.end() || step->value("code").empty()) continue;
    if (found->second->office == step->office) continue;
    login.check("authorization.oauth-security-followed", false,
                "the code of one authorization server was sent to another one",
                {found->second->request, step->request});
  }
}

// A token stands for the user at one authorization server, whatever for it is shown to another.
void judge_tokens_elsewhere(LoginReview& login, const ByOffice& given) {
  for (const LoginStep& step : login.steps()) {
    if (!step.is_at_office) continue;
    for (const auto& [office, each] : given) {
      if (office == step.office) continue;
      const std::vector<std::string> tokens(each.access_tokens.begin(), each.access_tokens.end());
      const auto field = transport::find_header(step.head().headers, "Authorization");
      const bool is_shown = login.held_in(step.head().target, tokens) != nullptr ||
                            login.held_in(step.request->observation.bytes(), tokens) != nullptr ||
                            login.held_in(field.value_or(""), tokens) != nullptr;
      if (!is_shown) continue;
      return check_all(login, token_rules(), false,
                       "one authorization server was shown the access token that another one gave",
                       step);
    }
  }
}

// The server refused a token of an authorization server, and names another one. A client may renew
// the token where it knows the former one, once: who gets one after the other there, and shows
// them, has not looked.
void judge_blindness(LoginReview& login, const ByOffice& given) {
  std::map<int, const LoginStep*> refused;  // the first, by authorization server
  std::map<int, std::set<std::string>> later;
  const auto granted = login.granted();
  for (const LoginStep* step : login.all(Kind::kProtected)) {
    const auto bearer = LoginReview::bearer_of(*step);
    if (!bearer || step->status() != 401) continue;
    for (const auto& [office, each] : given) {
      if (!each.access_tokens.contains(*bearer)) continue;
      const LoginStep& first = *refused.emplace(office, step).first->second;
      const bool is_later =
          std::any_of(granted.begin(), granted.end(), [&](const LoginStep* grant) {
            const Json answer = grant->received_json();
            return grant->request->at > first.response->at &&
                   text_member(answer, "access_token") == *bearer;
          });
      if (is_later) later[office].insert(*bearer);
      if (later[office].size() < 2) continue;
      return login.check("authorization.foreign-token-not-sent", false,
                         "the server names another authorization server, and the client gets one "
                         "token after the other of the former and shows them",
                         {first.request, step->request});
    }
  }
}

void judge_secrets(LoginReview& login, const ByOffice& given) {
  ByOffice bare = given;
  for (auto& [office, each] : bare) {
    std::set<std::string> secrets;
    for (const std::string& label : each.secrets) secrets.insert(login.bare(label));
    each.secrets = std::move(secrets);
  }
  for (const LoginStep* step : login.all(Kind::kToken)) {
    const std::string secret = secret_shown(login, *step);
    if (is_foreign(bare, step->office, &Given::secrets, secret)) {
      check_all(login, secret_rules(), false,
                "the authorization server has changed, and the client shows the new one the "
                "secret that a former one gave it",
                *step);
    }
    const std::string refresh = step->value("refresh_token");
    if (is_foreign(given, step->office, &Given::refresh_tokens, refresh)) {
      check_all(login, refresh_token_rules(), false,
                "the authorization server has changed, and the client shows the new one the "
                "refresh token that a former one gave it",
                *step);
    }
  }
}

// Once the client was let in with a token of the new one, it has no reason to show an old one. What
// it sent meanwhile may have crossed.
void judge_tokens(LoginReview& login, const ByOffice& given) {
  int newest = 0;
  const LoginStep* admitted = nullptr;
  for (const LoginStep* step : login.all(Kind::kProtected)) {
    const auto bearer = LoginReview::bearer_of(*step);
    if (!bearer) continue;
    int office = 0;
    for (const auto& [number, each] : given) {
      if (each.access_tokens.contains(*bearer)) office = number;
    }
    if (office > newest && step->status() / 100 == 2) {
      newest = office;
      admitted = step;
    }
    if (office == 0 || office >= newest || admitted == nullptr) continue;
    const bool has_answer =
        admitted->response != nullptr && admitted->response->at < step->request->at;
    if (!has_answer) continue;
    login.check_order("authorization.foreign-token-not-sent", false,
                      "the authorization server has changed, the client has a token of the new "
                      "one, and still shows the server one of the former",
                      {admitted->request, step->request});
  }
}

class MigrationPlay : public LoginPlay {
 public:
  explicit MigrationPlay(bool has_secrets) : LoginPlay(the_terms()), has_secrets_(has_secrets) {}

 protected:
  Knobs furnish(const std::string&) const override {
    Knobs knobs;
    if (!has_secrets_) return knobs;
    knobs.auth_methods = {authorization::kSecretInHeader};
    knobs.gives_refresh_tokens = true;
    return knobs;
  }
  // Between whatever two requests the client makes first, and once more.
  void on_admitted(int count, authorization::Server&) override {
    if (count == 1 || count == 3) change_office();
  }
  void judge(LoginReview& login) override {
    const ByOffice given = given_by(login);
    judge_ids(login, given);
    judge_ids_for_tokens(login, given);
    judge_codes(login);
    judge_tokens_elsewhere(login, given);
    judge_blindness(login, given);
    judge_secrets(login, given);
    judge_tokens(login, given);
  }

 private:
  static LoginTerms the_terms() {
    LoginTerms terms;
    terms.offices = 3;
    return terms;
  }

  const bool has_secrets_;
};

std::unique_ptr<harness::Play> make_migration() {
  return std::make_unique<MigrationPlay>(false);
}
std::unique_ptr<harness::Play> make_migration_with_secrets() {
  return std::make_unique<MigrationPlay>(true);
}

constexpr std::string_view kLogsInAgain =
    "logs in, and logs in again where another authorization server is named";

// Which tokens are the server's own was said before the rules about other credentials were.
const ClientScenarioRegistration kMigration(login_scenario("auth/authorization-server-migration",
                                                           kLogsInAgain, make_migration,
                                                           &model::Revision::has_resource_metadata,
                                                           id_rules()));
const ClientScenarioRegistration kMigrationWithSecrets(
    login_scenario("auth/migration-with-secrets", kLogsInAgain, make_migration_with_secrets,
                   &model::Revision::has_issuer_validation, id_rules()));

}  // namespace
}  // namespace assay::scenarios
