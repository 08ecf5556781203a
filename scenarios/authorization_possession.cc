// Scenarios about servers that take tokens which are bound to keys: each request must come with a
// proof that its sender has the key.
//
// A good proof is accepted first and last; each of the others departs from it in one thing.
//
// Extension io.modelcontextprotocol/auth/dpop, "MCP Server Validation"; RFC 9449, sections 4.3, 7.1
// and 9.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/http_script.h"
#include "harness/script/json_member.h"
#include "harness/script/limit.h"
#include "harness/script/token_issuer.h"
#include "reference/wire/compose.h"
#include "reference/wire/dpop.h"
#include "reference/wire/message.h"
#include "scenarios/forged_proofs.h"
#include "scenarios/token_door.h"
#include "scenarios/tokens.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using authorization::SigningKey;
using catalogue::RequirementId;

constexpr RequirementId kProofsHold("ext-dpop.proofs-validated");
constexpr RequirementId kMethodCompared("ext-dpop.method-compared");
constexpr RequirementId kEndpointCompared("ext-dpop.endpoint-compared");
constexpr RequirementId kDigestRequired("ext-dpop.content-digest-required");
constexpr RequirementId kDigestCompared("ext-dpop.content-digest-compared");
constexpr RequirementId kStrongAlgorithms("ext-dpop.weak-algorithms-refused");
constexpr RequirementId kWindowKept("ext-dpop.window-kept");
constexpr RequirementId kRefusedWithChallenge("ext-dpop.refused-with-challenge");

// A server whose clock is five minutes off takes our proofs, and one of ten minutes for one of
// five: this is too old, or too new, for every clock.
constexpr std::int64_t kOutOfWindow = 11 * 60;  // seconds

// A request that departs in one thing from one with a good proof.
struct ProofTrial {
  const char* what;
  RequirementId rule = kProofsHold;
  ProofForgery forgery = {};
  int proofs = 1;
  bool is_of_other_key = false;   // than the token
  bool is_of_other_body = false;  // than the one that is sent
};

// "https://host" of a URL.
std::size_t end_of_origin(const std::string& url) {
  return std::min(url.find('/', url.find("://") + 3), url.size());
}

void name_other_origin(Json& /*header*/, Json& claims) {
  const std::string place = claims["htu"];
  claims["htu"] = "https://another-server.assay.invalid" + place.substr(end_of_origin(place));
}

void name_other_path(Json& /*header*/, Json& claims) {
  const std::string place = claims["htu"];
  claims["htu"] = place.substr(0, end_of_origin(place)) + "/assay-another-endpoint";
}

void make_older(Json& /*header*/, Json& claims) {
  claims["iat"] = claims["iat"].get<std::int64_t>() - kOutOfWindow;
}

void make_newer(Json& /*header*/, Json& claims) {
  claims["iat"] = claims["iat"].get<std::int64_t>() + kOutOfWindow;
}

const ProofTrial& good_proof() {
  static const ProofTrial kGood = {"a good proof"};
  return kGood;
}

const ProofTrial& no_proof() {
  static const ProofTrial kNone = {"no proof", kProofsHold, {}, 0};
  return kNone;
}

const std::vector<ProofTrial>& proof_trials() {
  using Signature = ProofSignature;
  const auto claim = [](const char* what, void (*change)(Json&, Json&)) {
    return ProofTrial{what, kProofsHold, {change}};
  };
  static const std::vector<ProofTrial> kAll = {
      no_proof(),
      {"two proofs", kProofsHold, {}, 2},
      claim("a proof of the type JWT", name_type_jwt),
      claim("a proof without a type", [](Json& header, Json&) { header.erase("typ"); }),
      claim("a proof that holds a private key", show_private_key),
      claim("a proof without jti", leave_out_jti),
      claim("a proof without iat", leave_out_iat),
      claim("a proof without ath", [](Json&, Json& claims) { claims.erase("ath"); }),
      claim("a proof with the ath of another token",
            [](Json&, Json& claims) {
              claims["ath"] = wire::access_token_hash("assay-another-token");
            }),
      {"a proof that another key has signed", kProofsHold, {nullptr, Signature::kOfAnother}},
      {"a proof of another key than the one of the token", kProofsHold, {}, 1, true},
      {"a proof that is not signed (alg none)",
       kStrongAlgorithms,
       {name_no_algorithm, Signature::kNone}},
      {"a proof that is signed by a secret (HS256)",
       kStrongAlgorithms,
       {name_symmetric_algorithm, Signature::kSecret}},
      {"a proof for the method GET", kMethodCompared, {name_method_get}},
      {"a proof without htm", kMethodCompared, {[](Json&, Json& claims) { claims.erase("htm"); }}},
      {"a proof for another path", kEndpointCompared, {name_other_path}},
      {"a proof for another origin", kEndpointCompared, {name_other_origin}},
      {"a proof without htu", kEndpointCompared, {[](Json&, Json& claims) {
         claims.erase("htu");
       }}},
      {"a proof without content_digest", kDigestRequired, {[](Json&, Json& claims) {
         claims.erase("content_digest");
       }}},
      {"a proof with the content_digest of another body",
       kDigestCompared,
       {[](Json&, Json& claims) { claims["content_digest"] = wire::content_digest("{}"); }}},
      {"a proof that was made before the body was changed", kDigestCompared, {}, 1, false, true},
      {"a proof that is 11 minutes old", kWindowKept, {make_older}},
      {"a proof from 11 minutes ahead", kWindowKept, {make_newer}},
  };
  return kAll;
}

bool wants_nonce(const HttpAnswer& answer) {
  const auto challenge = challenge_of(answer, wire::kProofName);
  return challenge && challenge->parameter("error") == std::optional<std::string>(wire::kUseNonce);
}

// A client whose token is bound to a key of its own.
class Holder {
 public:
  Holder(Script& script, const char* type)
      : script_(script),
        key_(authorization::Signing::kEs256),
        other_key_(authorization::Signing::kEs256) {
    const TokenIssuer& issuer = *script.issuer();
    Json claims = issuer.claims();
    claims["cnf"] = {{"jkt", wire::jwk_thumbprint(key_.jwk())}};
    token_ = issuer.key().sign(claims, type);
    issuer.hide(token_);
  }

  // A server that wants a nonce is answered with it, once.
  HttpAnswer show(const ProofTrial& trial) {
    HttpAnswer answer = ask(trial);
    return wants_nonce(answer) && trial.proofs > 0 ? ask(trial) : answer;
  }

 private:
  HttpAnswer ask(const ProofTrial& trial) {
    Connection& connection = script_.open_connection();
    Json request = opening_request(connection);
    Json claims = {{"htm", "POST"},
                   {"htu", url_of(connection).origin() + path_of(connection)},
                   {"ath", wire::access_token_hash(token_)},
                   {"content_digest", wire::content_digest(wire::encode(request))}};
    if (!nonce_.empty()) claims["nonce"] = nonce_;
    transport::Headers fields = {{"Authorization", std::string(wire::kProofName) + " " + token_}};
    for (int i = 0; i < trial.proofs; ++i) {
      fields.emplace_back(wire::kProofName, forged_proof(trial.is_of_other_key ? other_key_ : key_,
                                                         claims, trial.forgery));
    }
    if (trial.is_of_other_body) request = opening_request(connection);
    HttpAnswer answer = post(connection, request, std::move(fields));
    const auto nonce = transport::find_header(answer.headers, wire::kNonceField);
    if (nonce) nonce_ = *nonce;
    return answer;
  }

  Script& script_;
  const SigningKey key_;
  const SigningKey other_key_;
  std::string token_;
  std::string nonce_;  // the last that the server gave
};

// A client whose good proof the server takes; null if there is none.
std::unique_ptr<Holder> welcome_holder(Script& script) {
  // A server may take no tokens of another type than JWT.
  for (const char* type : {script.issuer()->token_type().c_str(), "JWT"}) {
    auto holder = std::make_unique<Holder>(script, type);
    if (holder->show(good_proof()).is_served()) return holder;
  }
  return nullptr;
}

struct TriedProof {
  const ProofTrial* trial;
  HttpAnswer answer;

  // Patience is asked for, something failed, too little came, or the nonce was not taken: that is
  // no word on the proof.
  bool says_nothing_of_proofs() const {
    constexpr int kServerFailed = 500;
    const bool is_silent = answer.is_success() && answer.answer() == nullptr;
    const bool is_about_nonce = trial->proofs > 0 && wants_nonce(answer);
    return says_nothing(answer) || answer.status >= kServerFailed || is_silent || is_about_nonce ||
           limit_in(answer.events).has_value();
  }
  bool is_refused() const { return !answer.is_served() && !says_nothing_of_proofs(); }
  std::string words() const {
    return fmt::format("a request with {} was answered with {}", trial->what, answer.describe());
  }
};

// Some servers take the token whatever its scheme, and know nothing of proofs.
bool knows_proofs(const Door& door, const std::vector<TriedProof>& all) {
  const Json& metadata = door.metadata.document;
  if (!member(metadata, "dpop_signing_alg_values_supported").is_null() ||
      member(metadata, "dpop_bound_access_tokens_required") == true ||
      challenge_of(door.answer, wire::kProofName)) {
    return true;
  }
  return std::any_of(all.begin(), all.end(), [](const TriedProof& each) {
    const bool names_proofs = challenge_of(each.answer, wire::kProofName).has_value();
    return names_proofs || (each.trial->proofs == 0 && each.is_refused());
  });
}

void judge_form_of_refusal(Script& script, const TriedProof& tried) {
  // Without a proof, or with two, a request may be refused before a proof is looked at.
  if (tried.trial->proofs != 1) return;
  const auto challenge = challenge_of(tried.answer, wire::kProofName);
  const char* defect = "";
  if (!challenge) {
    defect = ", without a DPoP challenge in WWW-Authenticate";
  } else if (challenge->parameter("error").value_or("").empty()) {
    defect = ", without an error in its DPoP challenge";
  }
  const bool did_hold = tried.answer.status == kUnauthorized && *defect == '\0';
  script.check(kRefusedWithChallenge, did_hold, tried.answer.events, tried.words() + defect);
}

void judge_proof(Script& script, const TriedProof& tried) {
  const RequirementId rule = tried.trial->rule;
  if (tried.says_nothing_of_proofs()) {
    return script.unclear(rule, tried.words(), tried.answer.events);
  }
  script.check(rule, !tried.answer.is_served(), tried.answer.events, tried.words());
  if (tried.is_refused()) judge_form_of_refusal(script, tried);
}

const std::vector<RequirementId>& rules_about_proofs() {
  static const std::vector<RequirementId> kRules = {
      kProofsHold,     kMethodCompared,   kEndpointCompared, kDigestRequired,
      kDigestCompared, kStrongAlgorithms, kWindowKept,       kRefusedWithChallenge};
  return kRules;
}

// A token that is bound to a key opens nothing without a proof that holds.
SCENARIO(authorization_possession_is_verified, of_extension("dpop"), in_both_eras(), own_session(),
         before_login(), over_http(),
         judges({kProofsHold, kMethodCompared, kEndpointCompared, kDigestRequired, kDigestCompared,
                 kStrongAlgorithms, kWindowKept, kRefusedWithChallenge})) {
  if (script.issuer() == nullptr) return;
  const std::vector<RequirementId>& rules = rules_about_proofs();
  const Door door = try_door(script);
  if (!is_shut(script, door, rules)) return;
  const auto say_unexercised = [&](const char* why) {
    for (const RequirementId rule : rules) {
      script.not_exercised(rule, why, "a server that supports DPoP, and trusts --auth-server");
    }
  };
  const auto holder = welcome_holder(script);
  if (!holder) return say_unexercised("the server took no good proof for a token bound to its key");
  std::vector<TriedProof> all;
  for (const ProofTrial& trial : proof_trials()) all.push_back({&trial, holder->show(trial)});
  const HttpAnswer last = holder->show(good_proof());
  if (!last.is_served()) {
    for (const RequirementId rule : rules) {
      script.unclear(rule,
                     fmt::format("a good proof was taken first, and answered with {} at the end",
                                 last.describe()),
                     last.events);
    }
    return;
  }
  if (!knows_proofs(door, all)) {
    return say_unexercised("the server takes the scheme DPoP without a look at proofs");
  }
  for (const TriedProof& tried : all) judge_proof(script, tried);
}

}  // namespace
}  // namespace assay::scenarios
