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

bool is_private(const std::string& uri) {
  const std::string scheme = transport::lower_case(uri.substr(0, uri.find(':')));
  return scheme != "http" && scheme != "https";
}

// Only an application on the user's machine is sent there.
bool is_for_native(const Json& uri) {
  if (!uri.is_string()) return false;
  const std::string& text = uri.get_ref<const std::string&>();
  const auto parsed = transport::HttpUrl::parse(text);
  const auto* url = std::get_if<transport::HttpUrl>(&parsed);
  return url != nullptr ? transport::is_loopback(*url) : is_private(text);
}

// OpenID Connect Dynamic Client Registration 1.0, section 2: "The defined values are native or
// web".
void judge_application_type(LoginReview& login, const LoginStep& step, std::string_view type,
                            const Json& uris) {
  login.check("authorization.application-type-given", type == "native" || type == "web",
              type.empty() ? "the registration has no application_type"
                           : "application_type is neither native nor web",
              step);
  const bool is_local = !uris.empty() && std::all_of(uris.begin(), uris.end(), is_for_native);
  if (type.empty() || !is_local) return;
  login.check("authorization.application-type-native", type == "native",
              "a client on this machine registers with another application_type than native", step);
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
  if (is_safe || !is_private(uri)) return login.check(kRule, is_safe, detail, step);
  for (const catalogue::RequirementId each : with_sums({kRule}, login.review().revision())) {
    if (!(each == kOauth)) login.review().check(each, false, detail, step.events());
  }
}

void judge_registration(LoginReview& login, const LoginStep& step) {
  const Json metadata = step.sent_json();
  const Json& uris = harness::array_member(metadata, "redirect_uris");
  judge_application_type(login, step, text_member(metadata, "application_type"), uris);
  judge_redirects_registered(login, step, metadata, uris);
}

}  // namespace assay::scenarios
