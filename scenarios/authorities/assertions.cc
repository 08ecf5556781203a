#include "scenarios/authorities/assertions.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "reference/transport/random_id.h"

namespace assay::scenarios {
namespace {

using authorization::SigningKey;

constexpr std::int64_t kLife = 300;        // seconds
constexpr std::int64_t kHalfHour = 1800;   // more than the few minutes that clocks may differ
constexpr std::int64_t kDay = 24L * 3600;  // no clock is wrong by so much

std::int64_t now_in_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

bool is_listed_in(const Json& list, std::string_view one) {
  return std::any_of(list.begin(), list.end(),
                     [&](const Json& each) { return each.is_string() && each == one; });
}

}  // namespace

Assertion assertion_for(const std::string& issuer, const std::string& subject,
                        const std::string& audience, const SigningKey& key,
                        const std::string& type) {
  const std::int64_t now = now_in_seconds();
  return {
      {{"alg", authorization::name(key.signing())}, {"typ", type}},
      {{"iss", issuer}, {"sub", subject}, {"aud", audience}, {"iat", now}, {"exp", now + kLife}}};
}

void name_key(const harness::CertifyAuthorityOptions& options, Assertion& assertion) {
  if (!options.idp_key_id.empty()) assertion.header["kid"] = options.idp_key_id;
}

std::string sign(const Assertion& assertion, const SigningKey& key) {
  Assertion fresh = assertion;
  fresh.claims["jti"] = transport::random_id();
  return key.sign_as(fresh.header, fresh.claims);
}

const std::vector<Forgery>& forgeries_of_signature() {
  using Signature = Forgery::Signature;
  static const std::vector<Forgery> kAll = {
      {"a JWT that another key has signed", nullptr, Signature::kOfAnother},
      {"a JWT without a signature", [](Assertion& assertion) { assertion.header["alg"] = "none"; },
       Signature::kNone},
      {"a JWT that was changed after it was signed", nullptr, Signature::kOfOtherClaims},
  };
  return kAll;
}

const std::vector<Forgery>& forgeries_of_time() {
  static const std::vector<Forgery> kAll = {
      {"a JWT that expired a day ago",
       [](Assertion& assertion) {
         assertion.claims["iat"] = now_in_seconds() - kDay - kLife;
         assertion.claims["exp"] = now_in_seconds() - kDay;
       }},
      {"a JWT that expired half an hour ago",
       [](Assertion& assertion) {
         assertion.claims["iat"] = now_in_seconds() - kHalfHour - kLife;
         assertion.claims["exp"] = now_in_seconds() - kHalfHour;
       }},
      {"a JWT that expired a day ago, by an exp with a part of a second",
       [](Assertion& assertion) {
         assertion.claims["exp"] = static_cast<double>(now_in_seconds() - kDay) + 0.5;
       }},
      {"a JWT that never expires", [](Assertion& assertion) { assertion.claims.erase("exp"); }},
  };
  return kAll;
}

const std::vector<Forgery>& forgeries_of_issuer() {
  static const std::vector<Forgery> kAll = {
      {"a JWT of an issuer that is not trusted",
       [](Assertion& assertion) { assertion.claims["iss"] = "https://idp.assay.invalid"; }},
      {"a JWT of an issuer that begins like one that is trusted",
       [](Assertion& assertion) {
         assertion.claims["iss"] =
             assertion.claims["iss"].get<std::string>() + ".attacker.assay.invalid";
       }},
      {"a JWT that names no issuer", [](Assertion& assertion) { assertion.claims.erase("iss"); }},
  };
  return kAll;
}

const std::vector<Forgery>& forgeries_of_audience() {
  static const std::vector<Forgery> kAll = {
      {"a JWT for another authorization server",
       [](Assertion& assertion) { assertion.claims["aud"] = "https://auth.assay.invalid"; }},
      {"a JWT for an authorization server whose issuer begins alike",
       [](Assertion& assertion) {
         assertion.claims["aud"] =
             assertion.claims["aud"].get<std::string>() + ".attacker.assay.invalid";
       }},
      {"a JWT without an audience", [](Assertion& assertion) { assertion.claims.erase("aud"); }},
  };
  return kAll;
}

std::vector<Forgery> forgeries_of_any_assertion() {
  std::vector<Forgery> all = forgeries_of_signature();
  for (const auto* more : {&forgeries_of_time(), &forgeries_of_audience()}) {
    all.insert(all.end(), more->begin(), more->end());
  }
  return all;
}

std::string forge(Assertion assertion, const SigningKey& key, const Forgery& forgery) {
  using Signature = Forgery::Signature;
  if (forgery.change != nullptr) forgery.change(assertion);
  switch (forgery.signature) {
    case Signature::kOwn:
      return sign(assertion, key);
    case Signature::kOfAnother: {
      const SigningKey other(key.signing());
      return sign(assertion, other);
    }
    case Signature::kNone:
      return authorization::signed_part_of(assertion.header, assertion.claims) + ".";
    case Signature::kOfOtherClaims: {
      const std::string good = sign(assertion, key);
      assertion.claims["assay"] = true;
      return authorization::signed_part_of(assertion.header, assertion.claims) +
             good.substr(good.rfind('.'));
    }
  }
  return "";
}

bool asks_for(const harness::CertifyAuthorityOptions& options, std::string_view extension) {
  return std::any_of(options.extensions.begin(), options.extensions.end(),
                     [&](const model::Extension* each) { return each->name == extension; });
}

bool lists_grant(const Json& metadata, std::string_view grant) {
  return is_listed_in(harness::array_member(metadata, "grant_types_supported"), grant);
}

std::string_view secret_method(const Json& metadata) {
  constexpr std::string_view kHeader = "client_secret_basic";
  constexpr std::string_view kBody = "client_secret_post";
  const Json& methods = harness::array_member(metadata, "token_endpoint_auth_methods_supported");
  const bool is_body_only = is_listed_in(methods, kBody) && !is_listed_in(methods, kHeader);
  return is_body_only ? kBody : kHeader;
}

bool may_ask_by(harness::AuthorityScript& script, std::string_view grant,
                catalogue::RequirementId rule) {
  if (!lists_grant(script.facts().metadata, grant)) {
    script.not_applicable(rule, fmt::format("its metadata list no grant {}", grant));
    return false;
  }
  if (!script.endpoint("token_endpoint").empty()) return true;
  script.not_exercised(rule, "its metadata name no token_endpoint that may be asked",
                       "allow its origin: --origin");
  return false;
}

bool gives_any_token(const harness::AuthorityAnswer& answer) {
  return answer.is_success() && !harness::text_member(answer.json, "access_token").empty();
}

bool has_sound_answer(harness::AuthorityScript& script, const harness::AuthorityAnswer& answer,
                      catalogue::RequirementId rule) {
  if (gives_any_token(answer)) {
    script.note_token();
    return true;
  }
  script.unclear(rule,
                 fmt::format("a request as it should be was answered with {}", answer.describe()),
                 answer.events);
  return false;
}

void judge_forged(harness::AuthorityScript& script, const harness::AuthorityAnswer& answer,
                  catalogue::RequirementId rule, const std::string& what) {
  if (gives_any_token(answer) || answer.is_refusal()) {
    return script.check(rule, !gives_any_token(answer), answer.events,
                        fmt::format("it gave a token for {}", what));
  }
  script.unclear(rule, fmt::format("{} was answered with {}", what, answer.describe()),
                 answer.events);
}

}  // namespace assay::scenarios
