// JWTs that clients present: to show who they are, and for tokens of users whom an identity
// provider vouches for.
//
// RFC 7523; draft-ietf-oauth-identity-assertion-authz-grant.
#include <algorithm>
#include <utility>

#include "reference/authorization/server.h"
#include "reference/authorization/server_replies.h"
#include "reference/wire/base64.h"
#include "reference/wire/http_text.h"

namespace assay::authorization {
namespace {

using wire::form_value;

constexpr int kBad = 400;

std::string claim(const Json& claims, const char* name) {
  const auto found = claims.find(name);
  return found != claims.end() && found->is_string() ? found->get<std::string>() : "";
}

bool is_signed_by(const TokenParts& parts, const VerifyingKey& key, const AssertionChecks& checks) {
  const std::string algorithm = claim(parts.header, "alg");
  if (!checks.signature) return true;
  if (!checks.algorithm && algorithm == "none") return true;
  return key.verifies(algorithm, parts.signed_part, parts.signature);
}

bool has_type(const std::string& type, const AssertionChecks& checks) {
  const bool is_excused = (!checks.own_type && type == "JWT") || (!checks.has_type && type.empty());
  return type == kIdJagType || is_excused || !checks.type;
}

bool is_issued_to(const std::string& client, const std::string& said,
                  const AssertionChecks& checks) {
  const bool is_near = !checks.client_in_its_case && wire::equals_without_case(said, client);
  const bool is_excused = !checks.has_client && said.empty();
  return said == client || is_near || is_excused || !checks.client;
}

// Null where it is not trusted.
const TrustedIssuer* issuer_of(const TokenParts& parts, const std::vector<TrustedIssuer>& all,
                               const AssertionChecks& checks) {
  const std::string issuer = claim(parts.claims, "iss");
  const auto found = std::find_if(all.begin(), all.end(), [&](const TrustedIssuer& each) {
    const bool is_beginning = !checks.whole_issuer && issuer.starts_with(each.issuer);
    const bool is_excused = !checks.has_issuer && issuer.empty();
    return each.issuer == issuer || is_beginning || is_excused || !checks.issuer;
  });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

bool Server::names_this_server(const Json& audience, const AssertionChecks& checks) const {
  if (!checks.audience) return true;
  const std::vector<std::string> own = {issuer(), issuer() + "/",
                                        origin_ + endpoints_path() + "/token"};
  const auto is_own = [&](const Json& one) {
    if (!one.is_string()) return false;
    const auto& text = one.get_ref<const std::string&>();
    if (!checks.whole_audience && text.starts_with(own.front())) return true;
    return std::find(own.begin(), own.end(), text) != own.end();
  };
  if (audience.is_array()) return std::any_of(audience.begin(), audience.end(), is_own);
  return is_own(audience);
}

std::string Server::trouble_with_claims(const TokenParts& parts,
                                        const AssertionChecks& checks) const {
  if (!names_this_server(parts.claims.value("aud", Json()), checks)) {
    return "the assertion is for another audience";
  }
  if (claim(parts.claims, "sub").empty() && checks.subject) return "the assertion has no subject";
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::system_clock::now().time_since_epoch());
  const Json expiry = parts.claims.value("exp", Json());
  if (!expiry.is_number()) return checks.has_expiry ? "the assertion has no expiry" : "";
  if (!expiry.is_number_integer() && !checks.expiry_in_parts) return "";
  constexpr double kLeniency = 3600;
  const double end = expiry.get<double>() + (checks.at_once ? 0 : kLeniency);
  const bool has_passed = end <= static_cast<double>(now.count());
  return has_passed && checks.expiry ? "the assertion has expired" : "";
}

std::optional<KnownClient> Server::authenticate(const transport::HttpHead& request,
                                                const wire::Form& asked) {
  std::string id = form_value(asked, "client_id").value_or("");
  std::string secret = form_value(asked, "client_secret").value_or("");
  std::string method = secret.empty() ? kNoSecret : kSecretInBody;
  constexpr std::string_view kBasic = "Basic ";
  const auto field = transport::find_header(request.headers, "Authorization");
  if (field && field->starts_with(kBasic)) {
    const std::string pair =
        wire::decode_base64(wire::trim_blanks(field->substr(kBasic.size()))).value_or("");
    const std::size_t colon = std::min(pair.find(':'), pair.size());
    id = wire::decode_form_text(std::string_view(pair).substr(0, colon));
    secret =
        wire::decode_form_text(std::string_view(pair).substr(std::min(colon + 1, pair.size())));
    method = kSecretInHeader;
  }
  if (id.empty() && !knobs_.conduct.demands_client) {
    const std::lock_guard lock(mutex_);
    const auto code = codes_.find(form_value(asked, "code").value_or(""));
    if (code != codes_.end()) id = code->second.grant.client_id;
  }
  if (form_value(asked, "client_assertion")) {
    // No more than one way at a time (RFC 6749, section 2.3).
    return method == kNoSecret ? authenticate_by_assertion(asked) : std::nullopt;
  }
  auto known = client(id);
  const Conduct& conduct = knobs_.conduct;
  if (known && known->key != nullptr) return std::nullopt;
  if (known && secret.empty() && !conduct.demands_secret) return known;
  const bool is_renewal = form_value(asked, "grant_type") == "refresh_token";
  const bool is_checked =
      conduct.checks_secret && (conduct.checks_secret_at_renewal || !is_renewal);
  if (known && !secret.empty() && !is_checked) return known;
  const bool is_beginning = known && !secret.empty() && known->secret.starts_with(secret);
  if (is_beginning && !conduct.compares_whole_secret) return known;
  const bool is_shown = known && known->auth_method == method && known->secret == secret;
  if (!is_shown && !(known && known->secret.empty() && secret.empty())) return std::nullopt;
  return known;
}

std::optional<KnownClient> Server::authenticate_by_assertion(const wire::Form& asked) {
  const AssertionChecks& checks = knobs_.conduct.client_assertions;
  const auto parts = read_token(form_value(asked, "client_assertion").value_or(""));
  const bool is_jwt = form_value(asked, "client_assertion_type").value_or("") == kAssertionType;
  if (!parts || !is_jwt) return std::nullopt;
  std::string id = claim(parts->claims, "sub");
  if (!checks.subject && !client(id)) id = claim(parts->claims, "iss");
  auto known = client(id);
  if (!known || known->key == nullptr) return std::nullopt;
  const bool is_by_itself = claim(parts->claims, "iss") == id;
  const auto named = form_value(asked, "client_id");
  const bool holds = is_signed_by(*parts, *known->key, checks) &&
                     (is_by_itself || !checks.issuer) && (!named || *named == id) &&
                     trouble_with_claims(*parts, checks).empty();
  return holds ? known : std::nullopt;
}

transport::HttpReply Server::redeem_assertion(const KnownClient& client, const wire::Form& asked,
                                              const std::string& key) {
  const AssertionChecks& checks = knobs_.conduct.identity_assertions;
  const auto refuse_grant = [](const char* why) { return refuse(kBad, "invalid_grant", why); };
  const auto text = form_value(asked, "assertion");
  if (!text) return refuse(kBad, "invalid_request", "assertion is missing");
  const auto parts = read_token(*text);
  if (!parts) return refuse_grant("the assertion is no JWT");
  if (!has_type(claim(parts->header, "typ"), checks)) {
    return refuse_grant("the assertion is of another type");
  }
  const TrustedIssuer* trusted = issuer_of(*parts, knobs_.trusted, checks);
  if (trusted == nullptr) return refuse_grant("the issuer is not trusted");
  if (!is_signed_by(*parts, *trusted->key, checks)) return refuse_grant("the signature is wrong");
  if (const std::string trouble = trouble_with_claims(*parts, checks); !trouble.empty()) {
    return refuse(kBad, "invalid_grant", trouble.c_str());
  }
  if (!is_issued_to(client.id, claim(parts->claims, "client_id"), checks)) {
    return refuse_grant("the assertion was issued to another client");
  }
  const std::string scope = claim(parts->claims, "scope");
  return issue({client.id, words_in(scope), claim(parts->claims, "resource"), key}, false);
}

std::optional<transport::HttpReply> Server::redeem_workload(const wire::Form& asked) {
  const AssertionChecks& checks = knobs_.conduct.workload_assertions;
  const bool is_grant = form_value(asked, "grant_type").value_or("") == kJwtBearerGrant;
  if (!is_grant || knobs_.workload_issuers.empty()) return std::nullopt;
  const auto parts = read_token(form_value(asked, "assertion").value_or(""));
  const TrustedIssuer* trusted =
      parts ? issuer_of(*parts, knobs_.workload_issuers, checks) : nullptr;
  if (trusted == nullptr) return std::nullopt;
  if (!is_signed_by(*parts, *trusted->key, checks)) {
    return refuse(kBad, "invalid_grant", "the signature is wrong");
  }
  if (const std::string trouble = trouble_with_claims(*parts, checks); !trouble.empty()) {
    return refuse(kBad, "invalid_grant", trouble.c_str());
  }
  return issue({claim(parts->claims, "sub"), words_in(form_value(asked, "scope").value_or("")),
                form_value(asked, "resource").value_or("")},
               false);
}

}  // namespace assay::authorization
