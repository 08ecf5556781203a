// Scenarios about JWTs of workloads: we take the place of their platform, where the authorization
// server trusts it.
//
// Extension workload-identity-federation; RFC 7523, section 3.
#include <fmt/format.h>

#include <string>

#include "scenarios/authorities/assertions.h"

namespace assay::scenarios {
namespace {

using namespace harness;

constexpr catalogue::RequirementId kGrantsListed("ext-workload-identity-federation.grants-listed");
constexpr catalogue::RequirementId kGrantListed("ext-workload-identity-federation.grant-listed");
constexpr catalogue::RequirementId kExpiredRefused(
    "ext-workload-identity-federation.expired-refused");
constexpr catalogue::RequirementId kWorkloadValidated(
    "ext-workload-identity-federation.jwt-validated");
constexpr catalogue::RequirementId kWorkloadIssuerTrusted(
    "ext-workload-identity-federation.issuer-trusted");
constexpr catalogue::RequirementId kWorkloadVerified(
    "ext-workload-identity-federation.signature-verified");

AuthorityAnswer show_workload(AuthorityScript& script, const std::string& jwt) {
  return script.ask_for_token_as(
      {}, {{"grant_type", authorization::kJwtBearerGrant}, {"assertion", jwt}});
}

// Of one that gave a token by that grant.
void judge_listed_grants(AuthorityScript& script, const AuthorityAnswer& given) {
  for (const AuthorityDocument& document : script.facts().documents) {
    if (!document.is_there() || !document.is_of(script.facts().issuer)) continue;
    const Json& grants = member(document.answer.json, "grant_types_supported");
    std::vector<EventPtr> events = document.answer.events;
    events.insert(events.end(), given.events.begin(), given.events.end());
    script.check(kGrantsListed, grants.is_array(), events,
                 fmt::format("it gives tokens to workloads, and its metadata at {} have no "
                             "grant_types_supported",
                             document.url));
    if (!grants.is_array()) continue;
    script.check(kGrantListed, lists_grant(document.answer.json, authorization::kJwtBearerGrant),
                 events,
                 fmt::format("it gives tokens to workloads, and its metadata at {} do not list the "
                             "grant jwt-bearer",
                             document.url));
  }
}

void judge_workload_jwts(AuthorityScript& script, const Assertion& sound) {
  const authorization::SigningKey& key = *script.options().idp_key;
  const auto judge = [&](const Forgery& forgery, catalogue::RequirementId rule) {
    judge_forged(script, show_workload(script, forge(sound, key, forgery)), rule, forgery.what);
  };
  for (const Forgery& each : forgeries_of_signature()) judge(each, kWorkloadVerified);
  for (const Forgery& each : forgeries_of_audience()) judge(each, kWorkloadValidated);
  for (const Forgery& each : forgeries_of_time()) {
    judge(each, &each == &forgeries_of_time().back() ? kWorkloadValidated : kExpiredRefused);
  }
  judge({"a JWT without a subject", [](Assertion& assertion) { assertion.claims.erase("sub"); }},
        kWorkloadValidated);
  for (const Forgery& each : forgeries_of_issuer()) judge(each, kWorkloadIssuerTrusted);
}

// The JWT of a workload has to be of a trusted issuer, for this authorization server, and still
// hold.
const AuthorityScenarioRegistration kChecksWorkloads({
    .name = "authority_checks_jwts_of_workloads",
    .requirements = {kGrantsListed, kGrantListed, kExpiredRefused, kWorkloadValidated,
                     kWorkloadIssuerTrusted, kWorkloadVerified},
    .body =
        [](AuthorityScript& script) {
          const auto rules = {kGrantsListed,      kGrantListed,           kExpiredRefused,
                              kWorkloadValidated, kWorkloadIssuerTrusted, kWorkloadVerified};
          if (script.options().idp_key == nullptr) {
            for (const auto& rule : rules) {
              script.not_exercised(rule, "the authorization server trusts no issuer of mcp-assay",
                                   "let it trust one, and name that: --idp ISSUER");
            }
            return;
          }
          const std::string endpoint = script.endpoint("token_endpoint");
          if (endpoint.empty()) return;
          Assertion sound = assertion_for(script.options().idp_issuer, script.options().idp_subject,
                                          endpoint, *script.options().idp_key, "JWT");
          name_key(script.options(), sound);
          const AuthorityAnswer given =
              show_workload(script, sign(sound, *script.options().idp_key));
          if (!gives_any_token(given)) {
            for (const auto& rule : rules) {
              script.unclear(
                  rule,
                  fmt::format("a good JWT of a workload was answered with {}", given.describe()),
                  given.events);
            }
            return;
          }
          script.note_token();
          judge_listed_grants(script, given);
          judge_workload_jwts(script, sound);
        },
    .extension = "workload-identity-federation",
});

}  // namespace
}  // namespace assay::scenarios
