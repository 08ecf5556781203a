// JWTs that are presented to an authorization server, good ones and forged ones, and how it is
// judged by them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/authority/authority_script.h"
#include "harness/runner/authority_scenario.h"
#include "harness/script/json_member.h"
#include "reference/authorization/jws.h"
#include "reference/authorization/knobs.h"
#include "scenarios/authorities/rules.h"

namespace assay::scenarios {

// What is signed.
struct Assertion {
  Json header;
  Json claims;
};

// One that holds for a few minutes. It does not name its key: the party that published a key that
// was given to us may call it otherwise.
Assertion assertion_for(const std::string& issuer, const std::string& subject,
                        const std::string& audience, const authorization::SigningKey& key,
                        const std::string& type);
// Names the key of the identity provider where we publish it.
void name_key(const harness::CertifyAuthorityOptions& options, Assertion& assertion);
std::string sign(const Assertion& assertion, const authorization::SigningKey& key);

// A way in which an assertion is not what it should be.
struct Forgery {
  enum class Signature { kOwn, kOfAnother, kNone, kOfOtherClaims };
  const char* what;  // "a JWT that has expired"
  void (*change)(Assertion& assertion) = nullptr;
  Signature signature = Signature::kOwn;
};

// RFC 7521, section 5.2, and RFC 7523, section 3, of any assertion: its signature.
const std::vector<Forgery>& forgeries_of_signature();
// It has expired, or never does: the last.
const std::vector<Forgery>& forgeries_of_time();
// It is of an issuer that is not trusted, or of none.
const std::vector<Forgery>& forgeries_of_issuer();
// The same for its audience.
const std::vector<Forgery>& forgeries_of_audience();
// All of these but those of the issuer.
std::vector<Forgery> forgeries_of_any_assertion();
std::string forge(Assertion assertion, const authorization::SigningKey& key,
                  const Forgery& forgery);

// That extension was asked for.
bool asks_for(const harness::CertifyAuthorityOptions& options, std::string_view extension);
// The metadata list that grant.
bool lists_grant(const Json& metadata, std::string_view grant);
// "client_secret_basic", or what the metadata list in its place.
std::string_view secret_method(const Json& metadata);
// False where the authorization server does not support the grant, or its token endpoint may not be
// asked: says so of the rule.
bool may_ask_by(harness::AuthorityScript& script, std::string_view grant,
                catalogue::RequirementId rule);

bool gives_any_token(const harness::AuthorityAnswer& answer);
// What is as it should be was given a token. Otherwise a refusal of others proves nothing: says so
// of the rule.
bool has_sound_answer(harness::AuthorityScript& script, const harness::AuthorityAnswer& answer,
                      catalogue::RequirementId rule);
// What was wrong on purpose is refused. Anything but that and a token tells nothing.
void judge_forged(harness::AuthorityScript& script, const harness::AuthorityAnswer& answer,
                  catalogue::RequirementId rule, const std::string& what);

}  // namespace assay::scenarios
