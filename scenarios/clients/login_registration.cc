// What holds of each registration, and of each redirect URI.
#include <algorithm>
#include <string>
#include <string_view>
#include <variant>

#include "harness/script/json_member.h"
#include "reference/transport/loopback.h"
#include "scenarios/clients/login_review.h"
#include "scenarios/clients/login_sums.h"

namespace assay::scenarios {
namespace {

using harness::text_member;

// A client that asks for codes is sent them by a redirect.
void judge_redirects_registered(LoginReview& login, const LoginStep& step, const Json& metadata,
                                const Json& uris) {
  const Json& grants = harness::array_member(metadata, "grant_types");
  const bool asks_for_codes = grants.empty() || std::find(grants.begin(), grants.end(),
                                                          "authorization_code") != grants.end();
  if (asks_for_codes && uris.empty()) {
    login.check("authorization.redirects-registered", false,
                "the client registers without redirect_uris", step);
  }
  for (const Json& uri : uris) {
    if (!uri.is_string()) continue;
    judge_redirect_uri(login, uri.get_ref<const std::string&>(),
                       "redirect_uris has one that is neither on localhost nor HTTPS", step);
  }
}

}  // namespace

// "All redirect URIs MUST be either localhost or use HTTPS": a private scheme is neither, though
// OAuth 2.1 allows it.
void judge_redirect_uri(LoginReview& login, const std::string& uri, const std::string& detail,
                        const LoginStep& step) {
  constexpr catalogue::RequirementId kRule = "authorization.redirect-localhost-or-https";
  constexpr catalogue::RequirementId kOauth = "authorization.oauth21-implemented";
  const auto parsed = transport::HttpUrl::parse(uri);
  const auto* url = std::get_if<transport::HttpUrl>(&parsed);
  const bool is_safe = url != nullptr && (url->is_tls || transport::is_loopback(*url));
  const std::string scheme = transport::lower_case(uri.substr(0, uri.find(':')));
  const bool is_private = scheme != "http" && scheme != "https";
  if (is_safe || !is_private) return login.check(kRule, is_safe, detail, step);
  for (const catalogue::RequirementId each : with_sums({kRule}, login.review().revision())) {
    if (!(each == kOauth)) login.review().check(each, false, detail, step.events());
  }
}

void judge_registration(LoginReview& login, const LoginStep& step) {
  const Json metadata = step.sent_json();
  const std::string_view type = text_member(metadata, "application_type");
  login.check("authorization.application-type-given", !type.empty(),
              "the registration has no application_type", step);
  const Json& uris = harness::array_member(metadata, "redirect_uris");
  judge_redirects_registered(login, step, metadata, uris);
  const bool is_local = !uris.empty() && std::all_of(uris.begin(), uris.end(), [](const Json& uri) {
    return uri.is_string() && (uri.get_ref<const std::string&>().starts_with("http://localhost") ||
                               uri.get_ref<const std::string&>().starts_with("http://127.0.0.1"));
  });
  if (type.empty() || !is_local) return;
  login.check("authorization.application-type-native", type == "native",
              "a client on this machine registers with another application_type than native", step);
}

}  // namespace assay::scenarios
