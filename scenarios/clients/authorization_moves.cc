// The resource is moved to another authorization server: which of the credentials of the former one
// a client shows to the next.
//
// Specification: 2026-07-28, basic/authorization/client-registration, "Authorization Server
// Binding"; basic/authorization/authorization-server-discovery, "Authorization Server Location".
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "harness/script/json_member.h"
#include "reference/wire/base64.h"
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

// The secret that a token request shows, in the body or in Authorization: its label, or itself.
std::string secret_shown(LoginReview& login, const LoginStep& step) {
  if (step.has("client_secret")) return login.bare(step.value("client_secret"));
  constexpr std::string_view kBasic = "Basic ";
  const auto field = transport::find_header(step.head().headers, "Authorization");
  if (!field || !field->starts_with(kBasic)) return "";
  const std::string pair =
      wire::decode_base64(login.bare(std::string(field->substr(kBasic.size())))).value_or("");
  const std::size_t colon = std::min(pair.find(':'), pair.size());
  return wire::decode_form_text(std::string_view(pair).substr(std::min(colon + 1, pair.size())));
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

const ClientScenarioRegistration kMigration(login_scenario("auth/authorization-server-migration",
                                                           kLogsInAgain, make_migration,
                                                           &model::Revision::has_issuer_validation,
                                                           id_rules()));
const ClientScenarioRegistration kMigrationWithSecrets(
    login_scenario("auth/migration-with-secrets", kLogsInAgain, make_migration_with_secrets,
                   &model::Revision::has_issuer_validation, id_rules()));

}  // namespace
}  // namespace assay::scenarios
