// Scenarios about a server that is its own authorization server, as 2025-03-26 has it: where its
// metadata and endpoints are, whom it sends codes to, and whether it demands PKCE. They need no
// token.
//
// Where a client has to be registered for it, only servers on this machine are asked: elsewhere a
// registration may stay for ever.
//
// Specification: basic/authorization (2025-03-26), "Overview", "Server Metadata Discovery",
// "Fallbacks for Servers without Metadata Discovery", "Security Considerations".
#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/http_script.h"
#include "harness/script/json_member.h"
#include "reference/transport/http_fetch.h"
#include "reference/transport/http_url.h"
#include "reference/transport/loopback.h"
#include "reference/wire/form.h"
#include "scenarios/own_office.h"
#include "scenarios/token_door.h"
#include "scenarios/tokens.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;
using model::Revision;
using transport::HttpUrl;

constexpr RequirementId kAtBase("authorization.metadata-at-base-url");
constexpr RequirementId kAtDefaultPaths("authorization.server-without-metadata-uses-default-paths");
constexpr RequirementId kRedirects("authorization.server-validates-redirects");
constexpr RequirementId kOauth21("authorization.oauth21-implemented");
constexpr RequirementId kOverHttps("authorization.endpoints-over-https");
constexpr std::string_view kAttacker = "attacker.assay.invalid";

// --- Where its metadata are ---

void judge_https(Script& script, const HttpAnswer& found) {
  bool is_all_https = true;
  for (const char* name : {"authorization_endpoint", "token_endpoint", "registration_endpoint"}) {
    const std::string text(text_member(object_in(found.body), name));
    if (text.empty()) continue;
    const auto parsed = HttpUrl::parse(text);
    const auto* url = std::get_if<HttpUrl>(&parsed);
    if (url == nullptr) return;
    is_all_https = is_all_https && url->is_tls;
    if (url->is_tls || transport::is_loopback(*url)) continue;
    return script.check(kOverHttps, false, found.events,
                        fmt::format("the {} of its metadata is not https: {}", name, text));
  }
  if (is_all_https) return script.check(kOverHttps, true, found.events, "");
  script.unclear(kOverHttps, "its endpoints are on this machine, where https is not needed",
                 found.events);
}

// The metadata are at the root of the server, wherever below it the endpoint is.
SCENARIO(authorization_own_metadata_are_at_the_base, own_session(), over_http(), before_login(),
         in_revisions(&Revision::has_own_authorization_server),
         judges({"authorization.metadata-at-base-url", "authorization.endpoints-over-https"})) {
  Connection* const office = find_office(script, {kAtBase, kOverHttps});
  if (office == nullptr) return;
  const HttpAnswer base = ask_office(*office, kOfficeDocument);
  if (is_office_metadata(base)) {
    script.check(kAtBase, true, base.events, "");
    return judge_https(script, base);
  }
  const std::string path = path_of(*office);
  for (const std::string& place : {kOfficeDocument + path, path + kOfficeDocument}) {
    const HttpAnswer found = ask_office(*office, place);
    if (!is_office_metadata(found)) continue;
    const std::string detail = fmt::format("its metadata are at {}, and {} was answered with {}",
                                           place, kOfficeDocument, base.describe());
    if (denies_metadata(base)) {
      script.check(kAtBase, false, found.events, detail);
    } else {
      script.unclear(kAtBase, detail, found.events);
    }
    return judge_https(script, found);
  }
  for (const RequirementId rule : {kAtBase, kOverHttps}) {
    script.not_exercised(rule, "the server gives no metadata of an authorization server",
                         "serve /.well-known/oauth-authorization-server");
  }
}

// --- Where its endpoints are without metadata ---

// A server without metadata serves the default paths. That it has an authorization server at all is
// seen by one of them.
SCENARIO(authorization_own_endpoints_are_at_default_paths, own_session(), over_http(),
         before_login(), in_revisions(&Revision::has_own_authorization_server),
         judges({"authorization.server-without-metadata-uses-default-paths"})) {
  Connection* const office = find_office(script, {kAtDefaultPaths});
  if (office == nullptr) return;
  const HttpAnswer metadata = ask_office(*office, kOfficeDocument);
  if (is_office_metadata(metadata)) {
    return script.not_applicable(kAtDefaultPaths, "the server gives its metadata");
  }
  const transport::Fetched token = try_endpoint(*office, kTokenTrial);
  // Elsewhere than on this machine even this might leave a client behind.
  const transport::Fetched registration = transport::is_loopback(url_of(*office))
                                              ? try_endpoint(*office, kRegistrationTrial)
                                              : transport::Fetched();
  if (is_oauth_endpoint(*office, kTokenTrial, token) && has_default_authorize(*office)) {
    return script.check(kAtDefaultPaths, true, metadata.events, "");
  }
  // Without the user's Cookie the path may be hidden by whoever stands before the server.
  const bool is_clear =
      denies_metadata(metadata) && is_nothing(token.status, token.headers) && !has_cookie(*office);
  if (is_clear && is_oauth_endpoint(*office, kRegistrationTrial, registration)) {
    return script.check(
        kAtDefaultPaths, false, metadata.events,
        fmt::format("there are no metadata, POST /register is answered with {}, and "
                    "POST /token with HTTP {}",
                    text_member(object_in(registration.body), "error"), token.status));
  }
  script.unclear(kAtDefaultPaths,
                 "the server gives no metadata, and nothing tells whether it is an authorization "
                 "server of this specification",
                 metadata.events);
}

// --- Whom it sends codes to ---

class Applicant {
 public:
  Applicant(Script& script, Connection& office, std::string authorize, std::string client)
      : script_(script),
        office_(office),
        authorize_(std::move(authorize)),
        client_(std::move(client)) {}

  OfficeAnswer apply(std::string_view redirect, bool has_challenge = true) const {
    const char mark = authorize_.find('?') == std::string::npos ? '?' : '&';
    return ask_for_code(office_, authorize_ + mark + query_for(client_, redirect, has_challenge));
  }

  // Other hosts than that of the callback that was registered.
  void judge_redirects() const {
    const std::array<std::string, 3> others = {
        fmt::format("https://{}/callback", kAttacker),
        fmt::format("http://127.0.0.1.{}:33418/callback", kAttacker),
        fmt::format("http://127.0.0.1:33418@{}/callback", kAttacker)};
    for (const std::string& other : others) {
      const OfficeAnswer answer = apply(other);
      const bool leads_there = leads_to_attacker(location_of(answer), other);
      const std::string detail = fmt::format(
          "an authorization request with the redirect_uri {}, which is not registered, "
          "was answered with {}",
          other, answer.describe());
      if (leads_there || answer.is_refusal()) {
        script_.check(kRedirects, !leads_there, answer.events, detail + " to it");
      } else {
        script_.unclear(kRedirects, detail, answer.events);
      }
    }
  }

  void judge_challenge_demand() const {
    const OfficeAnswer answer = apply(kOwnCallback, false);
    const wire::Form response = wire::read_form(wire::query_in(location_of(answer)));
    const bool has_code = wire::form_value(response, "code").has_value();
    const bool is_refused = answer.is_refusal() || wire::form_value(response, "error").has_value();
    if (has_code || is_refused) {
      return script_.check(kOauth21, !has_code, answer.events,
                           "a public client was given a code without a code_challenge (PKCE)");
    }
    script_.unclear(kOauth21,
                    fmt::format("an authorization request without a code_challenge was answered "
                                "with {}, which tells nothing",
                                answer.describe()),
                    answer.events);
  }

 private:
  // A redirect to a page of the server's own may name the other one.
  bool leads_to_attacker(const std::string& location, const std::string& other) const {
    const auto place = url_of(office_).resolve(location);
    const auto* url = std::get_if<HttpUrl>(&place);
    return location.starts_with(other) || (url != nullptr && url->host.ends_with(kAttacker));
  }

  Script& script_;
  Connection& office_;
  const std::string authorize_;
  const std::string client_;
};

// A code goes to a registered redirect URI and nowhere else, and only to who shows a challenge.
SCENARIO(authorization_own_codes_go_where_they_should, own_session(), over_http(), before_login(),
         in_revisions(&Revision::has_own_authorization_server),
         judges({"authorization.server-validates-redirects",
                 "authorization.oauth21-implemented"})) {
  Connection* const office = find_office(script, {kRedirects, kOauth21});
  if (office == nullptr) return;
  const HttpAnswer base = ask_office(*office, kOfficeDocument);
  const Json metadata = is_office_metadata(base) ? object_in(base.body) : Json::object();
  const std::string authorize =
      own_target(*office, metadata, "authorization_endpoint", "/authorize");
  const bool is_near = transport::is_loopback(url_of(*office));
  RegisteredClient client;
  if (is_near && !authorize.empty()) {
    client = register_client(*office,
                             own_target(*office, metadata, "registration_endpoint", "/register"));
  }
  if (client.id.empty()) {
    for (const RequirementId rule : {kRedirects, kOauth21}) {
      script.not_exercised(rule, "it takes a client that is registered with the server",
                           "certify it on this machine, and let it register clients (RFC 7591)");
    }
    return;
  }
  const Applicant applicant(script, *office, authorize, client.id);
  const OfficeAnswer right = applicant.apply(kOwnCallback);
  if (right.status == 0 || right.is_refusal()) {
    for (const RequirementId rule : {kRedirects, kOauth21}) {
      script.unclear(rule,
                     fmt::format("an authorization request as it should be was answered with {}",
                                 right.describe()),
                     right.events);
    }
    return;
  }
  applicant.judge_redirects();
  if (client.is_public) return applicant.judge_challenge_demand();
  script.unclear(kOauth21, "the server registers no public client, as which we asked to come");
}

}  // namespace
}  // namespace assay::scenarios
