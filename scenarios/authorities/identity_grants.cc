// Scenarios about grants by which an identity provider vouches for a user: ours takes its place,
// where the authorization server trusts it.
//
// Extension enterprise-managed-authorization, "Processing Rules".
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <utility>

#include "reference/transport/random_id.h"
#include "scenarios/authorities/assertions.h"

namespace assay::scenarios {
namespace {

using namespace harness;

constexpr catalogue::RequirementId kTypeChecked(
    "ext-enterprise-managed-authorization.type-checked");
constexpr catalogue::RequirementId kAudienceChecked(
    "ext-enterprise-managed-authorization.audience-checked");
constexpr catalogue::RequirementId kClientChecked(
    "ext-enterprise-managed-authorization.client-checked");
constexpr catalogue::RequirementId kGrantChecked(
    "ext-enterprise-managed-authorization.assertion-checked");

constexpr const char* kNoIdp = "the authorization server trusts no identity provider of mcp-assay";
constexpr const char* kNameIdp = "let it trust one, and name that: --idp ISSUER";

// As the identity provider, to a client that the authorization server knows.
class IdentityGrants {
 public:
  IdentityGrants(AuthorityScript& script, AuthorityClient client)
      : script_(script),
        client_(std::move(client)),
        key_(*script.options().idp_key),
        sound_(assertion_for(script.options().idp_issuer, script.options().idp_subject,
                             script.facts().issuer, key_, authorization::kIdJagType)) {
    name_key(script.options(), sound_);
    sound_.claims["client_id"] = client_.id;
    const std::string& resource = script.options().resource;
    sound_.claims["resource"] = resource.empty() ? script.facts().issuer : resource;
  }

  const Assertion& sound() const { return sound_; }
  AuthorityAnswer present(const std::string& assertion) {
    return script_.ask_for_token_as(
        client_, {{"grant_type", authorization::kJwtBearerGrant}, {"assertion", assertion}});
  }
  AuthorityAnswer present_sound() { return present(sign(sound_, key_)); }
  void judge(const Forgery& forgery, catalogue::RequirementId rule) {
    judge_forged(script_, present(forge(sound_, key_, forgery)), rule, forgery.what);
  }

 private:
  AuthorityScript& script_;
  const AuthorityClient client_;
  const authorization::SigningKey& key_;
  Assertion sound_;
};

void judge_types(IdentityGrants& grants) {
  for (const Forgery& each : std::initializer_list<Forgery>{
           {"a JWT whose typ is JWT",
            [](Assertion& assertion) { assertion.header["typ"] = "JWT"; }},
           {"a JWT whose typ is at+jwt",
            [](Assertion& assertion) { assertion.header["typ"] = "at+jwt"; }},
           {"a JWT without a typ", [](Assertion& assertion) { assertion.header.erase("typ"); }}}) {
    grants.judge(each, kTypeChecked);
  }
}

void capitalize_client(Assertion& assertion) {
  std::string id = assertion.claims["client_id"].get<std::string>();
  std::transform(id.begin(), id.end(), id.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  assertion.claims["client_id"] = id;
}

void judge_clients(IdentityGrants& grants) {
  for (const Forgery& each : std::initializer_list<Forgery>{
           {"a grant that was issued to another client",
            [](Assertion& assertion) { assertion.claims["client_id"] = "assay-another-client"; }},
           {"a grant that was issued to no client",
            [](Assertion& assertion) { assertion.claims.erase("client_id"); }}}) {
    grants.judge(each, kClientChecked);
  }
  // An id without small letters is the same.
  Assertion capital = grants.sound();
  capitalize_client(capital);
  if (capital.claims == grants.sound().claims) return;
  grants.judge({"a grant that was issued to a client whose id is written in capital letters",
                capitalize_client},
               kClientChecked);
}

void judge_assertions(IdentityGrants& grants) {
  for (const Forgery& each : forgeries_of_signature()) grants.judge(each, kGrantChecked);
  for (const Forgery& each : forgeries_of_time()) grants.judge(each, kGrantChecked);
  for (const Forgery& each : forgeries_of_issuer()) grants.judge(each, kGrantChecked);
  grants.judge(
      {"a grant without a subject", [](Assertion& assertion) { assertion.claims.erase("sub"); }},
      kGrantChecked);
}

// A grant holds for its audience, for its client, and for as long as it says.
const AuthorityScenarioRegistration kChecksGrants({
    .name = "authority_checks_identity_grants",
    .requirements = {kTypeChecked, kAudienceChecked, kClientChecked, kGrantChecked},
    .body =
        [](AuthorityScript& script) {
          const auto rules = {kTypeChecked, kAudienceChecked, kClientChecked, kGrantChecked};
          if (script.options().idp_key == nullptr) {
            for (const auto& rule : rules) script.not_exercised(rule, kNoIdp, kNameIdp);
            return;
          }
          for (const auto& rule : rules) {
            if (!may_ask_by(script, authorization::kJwtBearerGrant, rule)) continue;
          }
          if (script.has_spoken_of(kTypeChecked)) return;
          AuthorityClient client = script.client_for(authorization::kJwtBearerGrant,
                                                     secret_method(script.facts().metadata));
          if (!client.is_known()) {
            for (const auto& rule : rules) script.not_exercised(rule, client.why, client.hint);
            return;
          }
          IdentityGrants grants(script, std::move(client));
          const AuthorityAnswer good = grants.present_sound();
          bool is_good = true;
          for (const auto& rule : rules) is_good = has_sound_answer(script, good, rule) && is_good;
          if (!is_good) return;
          // Then a JWT of another type may be that of a workload.
          if (!asks_for(script.options(), "workload-identity-federation")) judge_types(grants);
          for (const Forgery& each : forgeries_of_audience()) grants.judge(each, kAudienceChecked);
          judge_clients(grants);
          judge_assertions(grants);
        },
    .extension = "enterprise-managed-authorization",
});

}  // namespace
}  // namespace assay::scenarios
