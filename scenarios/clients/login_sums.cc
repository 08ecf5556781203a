#include "scenarios/clients/login_sums.h"

#include <algorithm>

#include "harness/catalogue/catalogue.h"

namespace assay::scenarios {
namespace {

using catalogue::RequirementId;

// Who breaks a MUST of the pages does not log in as they say.
constexpr RequirementId kWhole = "authorization.http-conforms";

struct LoginSum {
  RequirementId rule;
  std::vector<RequirementId> parts;
};

const std::vector<LoginSum>& table() {
  static const std::vector<LoginSum> kTable = {
      // OAuth Client ID Metadata Document, section 3.
      {"authorization.client-id-document-rules",
       {"authorization.client-id-document-https-hosted",
        "authorization.client-id-document-https-url",
        "authorization.client-id-document-names-itself"}},
      // OAuth 2.1, section 1.5: URLs that a client exposes, but for those on this machine.
      {"authorization.communication-security", {"authorization.redirect-localhost-or-https"}},
      // basic/authorization/authorization-server-discovery of 2026-07-28.
      {"authorization.discovery-followed",
       {"authorization.client-falls-back-to-well-known", "authorization.client-parses-challenge",
        "authorization.client-responds-to-401",
        "authorization.client-supports-both-metadata-locations",
        "authorization.client-uses-challenge-location",
        "authorization.credentials-not-assumed-elsewhere",
        "authorization.issuer-with-path-first-oauth-inserted",
        "authorization.issuer-with-path-then-openid-appended",
        "authorization.issuer-with-path-then-openid-inserted",
        "authorization.issuer-without-path-first-oauth",
        "authorization.issuer-without-path-then-openid", "authorization.metadata-issuer-identical",
        "authorization.metadata-of-other-issuer-rejected",
        "authorization.metadata-of-other-issuer-unused", "authorization.metadata-validated",
        "authorization.registration-state-per-authorization-server",
        "authorization.several-well-known-endpoints-tried"}},
      // OAuth 2.1, section 7: code injection, tokens in URLs, and mix-up, where the response names
      // its issuer.
      {"authorization.oauth-security-followed",
       {"authorization.advertised-issuer-compared", "authorization.issuer-recorded",
        "authorization.no-token-in-query", "authorization.pkce",
        "authorization.unadvertised-issuer-compared"}},
      // OAuth 2.1, sections 1.5, 4.1 and 5.1.
      {"authorization.oauth21-implemented",
       {"authorization.bearer-header", "authorization.no-token-in-query", "authorization.pkce",
        "authorization.redirect-localhost-or-https"}},
      // basic/authorization/security-considerations of 2026-07-28, with what it points to.
      {"authorization.security-followed",
       {"authorization.advertised-issuer-compared",
        "authorization.advertised-issuer-missing-rejected", "authorization.issuer-recorded",
        "authorization.issuer-validated", "authorization.no-token-in-query", "authorization.pkce",
        "authorization.pkce-openid-verified", "authorization.pkce-s256",
        "authorization.pkce-support-from-metadata", "authorization.pkce-support-verified",
        "authorization.pkce-unsupported-oauth-refused",
        "authorization.pkce-unsupported-openid-refused",
        "authorization.redirect-localhost-or-https", "authorization.redirects-registered",
        "authorization.resource-in-authorization-request",
        "authorization.resource-in-token-request", "authorization.resource-indicators",
        "authorization.unadvertised-issuer-compared"}},
      // OAuth 2.1, section 5, and what the page makes of it.
      {"authorization.token-use-conforms",
       {"authorization.bearer-header", "authorization.no-token-in-query",
        "authorization.token-in-every-request"}},
  };
  return kTable;
}

bool is_duty(RequirementId rule, model::Revision revision) {
  const auto* requirement = catalogue::find(rule.text());
  if (requirement == nullptr || !requirement->binds_client_in(revision)) return false;
  const auto level = requirement->level_in(revision);
  return level && reports::strength(*level) == reports::Strength::kMust;
}

}  // namespace

std::vector<RequirementId> login_sums() {
  std::vector<RequirementId> all = {kWhole};
  for (const LoginSum& each : table()) all.push_back(each.rule);
  return all;
}

std::vector<RequirementId> with_sums(const std::vector<RequirementId>& rules,
                                     model::Revision revision) {
  std::vector<RequirementId> out = rules;
  const auto add = [&](RequirementId rule) {
    if (std::find(out.begin(), out.end(), rule) == out.end()) out.push_back(rule);
  };
  for (const RequirementId rule : rules) {
    for (const LoginSum& each : table()) {
      if (std::find(each.parts.begin(), each.parts.end(), rule) != each.parts.end()) add(each.rule);
    }
    if (is_duty(rule, revision)) add(kWhole);
  }
  return out;
}

}  // namespace assay::scenarios
