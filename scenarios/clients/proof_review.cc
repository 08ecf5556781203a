#include "scenarios/clients/proof_review.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/script/json_member.h"
#include "reference/transport/http_url.h"
#include "reference/wire/dpop.h"
#include "reference/wire/form.h"
#include "reference/wire/http_text.h"

namespace assay::scenarios {
namespace {

using authorization::VerifyingKey;
using harness::member;
using harness::text_member;
using Kind = LoginStep::Kind;

constexpr catalogue::RequirementId kProofSent("ext-dpop.proof-sent");
constexpr catalogue::RequirementId kProofWellFormed("ext-dpop.proof-well-formed");
constexpr catalogue::RequirementId kProofSigned("ext-dpop.proof-signed");
constexpr catalogue::RequirementId kProofClaims("ext-dpop.proof-claims");
constexpr catalogue::RequirementId kProofFresh("ext-dpop.proof-fresh");
constexpr catalogue::RequirementId kNonceUsed("ext-dpop.nonce-used");
constexpr catalogue::RequirementId kDigestSent("ext-dpop.content-digest-sent");
constexpr catalogue::RequirementId kDigestCalculated("ext-dpop.content-digest-calculated");
constexpr catalogue::RequirementId kNoDigestForTokens(
    "ext-dpop.no-content-digest-at-token-endpoint");
constexpr catalogue::RequirementId kTokenRequestProof("ext-dpop.token-request-proof");
constexpr catalogue::RequirementId kSchemeNamed("ext-dpop.scheme-named");
constexpr catalogue::RequirementId kKeysProtected("ext-dpop.keys-protected");
constexpr catalogue::RequirementId kAsymmetric("ext-dpop.algorithm-asymmetric");

std::vector<std::string> proofs_of(const LoginStep& step) {
  std::vector<std::string> fields;
  for (const auto& [name, value] : step.head().headers) {
    if (wire::equals_without_case(name, wire::kProofName)) fields.push_back(value);
  }
  return fields;
}

bool names_proof_scheme(const LoginStep& step) {
  const auto field = transport::find_header(step.head().headers, "Authorization");
  return field && wire::equals_without_case(field->substr(0, field->find(' ')), wire::kProofName);
}

// A URL that names the same place in another way is as good: the case of scheme and host, a port
// that means nothing, a slash at the end, and characters by their numbers (RFC 3986, section 6.2).
std::string as_compared(const std::string& url) {
  const auto parsed = transport::HttpUrl::parse(url);
  const auto* read = std::get_if<transport::HttpUrl>(&parsed);
  if (read == nullptr) return url;
  std::string path = wire::decode_form_text(wire::path_in(read->target));
  if (path.ends_with('/')) path.pop_back();
  return transport::lower_case(read->origin()) + path;
}

bool is_symmetric(std::string_view algorithm) {
  return algorithm.starts_with("HS") || algorithm.starts_with("hs");
}

}  // namespace

const Json& ProofReview::Shown::claim(const char* name) const {
  return member(parts.claims, name);
}

std::vector<catalogue::RequirementId> ProofReview::rules() {
  return {kProofSent,         kProofWellFormed, kProofSigned,      kProofClaims,
          kProofFresh,        kDigestSent,      kDigestCalculated, kNoDigestForTokens,
          kTokenRequestProof, kSchemeNamed,     kKeysProtected,    kAsymmetric};
}

void ProofReview::check(catalogue::RequirementId rule, bool did_hold, std::string detail,
                        const LoginStep& step) {
  login_.review().check(rule, did_hold, std::move(detail), step.events());
}

bool ProofReview::is_adopted() const {
  const auto& steps = login_.steps();
  return std::any_of(steps.begin(), steps.end(), [](const LoginStep& step) {
    return !proofs_of(step).empty() || names_proof_scheme(step);
  });
}

void ProofReview::judge() {
  if (!is_adopted()) return;
  for (const LoginStep& step : login_.steps()) {
    if (step.kind == Kind::kToken) judge_token_request(step);
    if (step.kind == Kind::kProtected) judge_request(step);
  }
}

std::optional<ProofReview::Shown> ProofReview::read(const LoginStep& step,
                                                    const std::vector<std::string>& fields,
                                                    catalogue::RequirementId rule) {
  const bool is_one = fields.size() == 1 && fields.front().find(',') == std::string::npos;
  check(rule, is_one,
        fields.empty() ? "the request has no field DPoP with a proof"
                       : "the request has more than one proof in DPoP",
        step);
  if (!is_one) return std::nullopt;
  const std::string text(wire::trim_blanks(fields.front()));
  auto parts = authorization::read_token(text);
  check(kProofWellFormed, parts.has_value(), "the proof is no JWT in its compact form", step);
  if (!parts) return std::nullopt;
  return Shown{step, text, *std::move(parts)};
}

// --- The token request ---

void ProofReview::judge_token_request(const LoginStep& step) {
  const std::vector<std::string> fields = proofs_of(step);
  const std::string label(text_member(step.received_json(), "access_token"));
  // Whether it ought to have one shows where its token is used.
  if (fields.empty()) {
    if (step.status() == 200 && !label.empty()) bare_[label] = &step;
    return;
  }
  const auto proof = read(step, fields, kTokenRequestProof);
  if (!proof) return;
  if (judge_freshness(*proof)) return;
  judge_form(*proof);
  const std::string trouble = trouble_with_claims(*proof);
  check(kTokenRequestProof, trouble.empty(), trouble, step);
  check(kNoDigestForTokens, proof->claim("content_digest").is_null(),
        "the proof for the token endpoint has content_digest", step);
  judge_nonce(*proof);
  const bool is_bound =
      wire::equals_without_case(text_member(step.received_json(), "token_type"), wire::kProofName);
  if (is_bound && !label.empty()) {
    keys_[label] = wire::jwk_thumbprint(member(proof->parts.header, "jwk"));
  }
}

// --- A request to the server ---

void ProofReview::judge_request(const LoginStep& step) {
  const auto label = LoginReview::bearer_of(step);
  const auto& given = login_.access_tokens_given();
  const bool is_ours = label && std::find(given.begin(), given.end(), *label) != given.end();
  if (!is_ours || step.head().method == "OPTIONS") return;
  const bool is_bound = keys_.contains(*label);
  const std::vector<std::string> fields = proofs_of(step);
  if (!is_bound && fields.empty() && !names_proof_scheme(step)) return;
  if (is_bound) {
    check(kSchemeNamed, names_proof_scheme(step),
          "a token of the type DPoP is shown with another scheme", step);
  } else if (const auto found = bare_.find(*label);
             found != bare_.end() && names_proof_scheme(step)) {
    std::vector<harness::EventPtr> events = found->second->events();
    events.push_back(step.request);
    login_.review().broke(kTokenRequestProof,
                          "the token request had no proof, and its token is shown as one that is "
                          "bound to a key",
                          std::move(events));
  }
  const auto proof = read(step, fields, kProofSent);
  if (!proof || judge_freshness(*proof)) return;
  judge_form(*proof);
  std::string trouble = trouble_with_claims(*proof);
  if (trouble.empty()) trouble = trouble_with_hash(*proof, *label);
  check(kProofClaims, trouble.empty(), trouble, step);
  judge_nonce(*proof);
  if (step.head().method == "POST") judge_digest(*proof);
  if (is_bound) judge_bound_key(*proof, *label);
}

// --- Any proof ---

// A type is the same in any case, and with "application/" before it (RFC 7515, section 4.1.9); RFC
// 9449 names one writing. An algorithm that is not known may be a sound one.
void ProofReview::judge_form(const Shown& proof) {
  const std::string_view type = text_member(proof.parts.header, "typ");
  const std::string lower = transport::lower_case(std::string(type));
  if (type != wire::kProofType &&
      (lower == wire::kProofType || lower == std::string("application/") + wire::kProofType)) {
    login_.review().unclear(kProofWellFormed, "typ of the proof is dpop+jwt in another writing",
                            proof.step.events());
  } else {
    check(kProofWellFormed, type == wire::kProofType,
          type.empty() ? "the proof has no typ" : "typ of the proof is not dpop+jwt", proof.step);
  }
  judge_key(proof);
}

void ProofReview::judge_key(const Shown& proof) {
  const Json& jwk = member(proof.parts.header, "jwk");
  const std::string_view algorithm = text_member(proof.parts.header, "alg");
  check(kProofWellFormed, !algorithm.empty(), "the proof has no alg", proof.step);
  check(kProofWellFormed, jwk.is_object(), "the proof has no jwk that is an object", proof.step);
  const bool is_weak = is_symmetric(algorithm) || wire::equals_without_case(algorithm, "none");
  if (!algorithm.empty()) {
    check(kAsymmetric, !is_weak, fmt::format("alg of the proof is {}", algorithm.substr(0, 20)),
          proof.step);
  }
  if (!jwk.is_object()) return;
  const auto& names = authorization::kPrivateMembers;
  const auto* const secret =
      std::find_if(std::begin(names), std::end(names),
                   [&](const char* name) { return !member(jwk, name).is_null(); });
  const bool is_public = secret == std::end(names);
  check(kKeysProtected, is_public,
        is_public ? "" : fmt::format("jwk of the proof has {}, which is secret", *secret),
        proof.step);
  if (!algorithm.empty() && !is_weak) judge_signature(proof, jwk);
}

void ProofReview::judge_signature(const Shown& proof, const Json& jwk) {
  const std::string_view algorithm = text_member(proof.parts.header, "alg");
  const bool is_curve = algorithm == "ES256" && text_member(jwk, "kty") == "EC";
  const bool is_rsa = algorithm == "RS256" && text_member(jwk, "kty") == "RSA";
  const auto key = is_curve || is_rsa ? VerifyingKey::read(jwk) : nullptr;
  if (key == nullptr) {
    return login_.review().unclear(kProofSigned,
                                   "the proof has an algorithm or a key that is not known here",
                                   proof.step.events());
  }
  check(kProofSigned, key->verifies(algorithm, proof.parts.signed_part, proof.parts.signature),
        "the proof is not signed with the key that it holds", proof.step);
}

// A key that cannot be read has no thumbprint.
void ProofReview::judge_bound_key(const Shown& proof, const std::string& label) {
  const std::string shown = wire::jwk_thumbprint(member(proof.parts.header, "jwk"));
  const std::string& bound = keys_[label];
  if (shown.empty() || bound.empty()) return;
  check(kProofSigned, shown == bound, "the proof is of another key than that of the token",
        proof.step);
}

// What was sent again because no answer came is no second request.
bool ProofReview::judge_freshness(const Shown& proof) {
  // Numbers are unique in one context: of one key, at one receiver.
  std::string number(text_member(proof.parts.claims, "jti"));
  if (!number.empty()) {
    number = wire::jwk_thumbprint(member(proof.parts.header, "jwk")) + " " + number;
  }
  const auto is_again = [&](std::map<std::string, const LoginStep*>& seen,
                            const std::string& what) -> const LoginStep* {
    if (what.empty()) return nullptr;
    const auto [found, is_new] = seen.emplace(what, &proof.step);
    return is_new ? nullptr : found->second;
  };
  const LoginStep* same = is_again(texts_, proof.text);
  // Of the token endpoint the page says nothing.
  if (proof.step.is_at_office) return false;
  const LoginStep* numbered = is_again(numbers_, number);
  const LoginStep* earlier = same != nullptr ? same : numbered;
  if (earlier == nullptr) {
    login_.review().held(kProofFresh, proof.step.request);
    return false;
  }
  const bool was_answered =
      earlier->response != nullptr && earlier->response->at < proof.step.request->at;
  const std::vector<harness::EventPtr> events = {earlier->request, proof.step.request};
  if (was_answered || same == nullptr) {
    login_.review().broke(
        kProofFresh,
        same != nullptr ? "a proof is shown for the second time" : "two proofs have the same jti",
        events);
  } else {
    login_.review().unclear(kProofFresh,
                            "a request may have been sent again because no answer came", events);
  }
  return same != nullptr;
}

// "POST" is what servers expect of each request (the page), and the method is what RFC 9449 wants.
std::string ProofReview::trouble_with_claims(const Shown& proof) const {
  const std::string& method = proof.step.head().method;
  if (text_member(proof.parts.claims, "jti").empty()) return "the proof has no jti";
  const Json& made = proof.claim("iat");
  // In milliseconds, as no clock shows seconds before the year 5138.
  constexpr double kLatest = 1e11;
  if (made.is_null()) return "the proof has no iat";
  if (!made.is_number()) return "iat of the proof is no number";
  if (made.get<double>() > kLatest) return "iat of the proof is no number of seconds";
  const std::string_view named = text_member(proof.parts.claims, "htm");
  if (named.empty()) return "the proof has no htm";
  if (named != method && named != "POST") {
    return fmt::format("htm of the proof for a {} is another", method);
  }
  return trouble_with_place(proof);
}

std::string ProofReview::trouble_with_place(const Shown& proof) const {
  const std::string named(text_member(proof.parts.claims, "htu"));
  if (named.empty()) return "the proof has no htu";
  if (named.find_first_of("?#") != std::string::npos) {
    return "htu of the proof has a query or a fragment";
  }
  const auto host = transport::find_header(proof.step.head().headers, "Host");
  const std::string meant = fmt::format("http://{}{}", host.value_or(""), proof.step.path);
  const bool is_it =
      as_compared(named) == as_compared(meant) ||
      (!proof.step.is_at_office && as_compared(named) == as_compared(login_.venue().endpoint));
  return is_it ? "" : fmt::format("htu of the proof is not {}", meant);
}

std::string ProofReview::trouble_with_hash(const Shown& proof, const std::string& label) const {
  const std::string token = login_.bare(label);
  const Json& hash = proof.claim("ath");
  if (hash.is_null()) return "the proof has no ath";
  // Without its token there is nothing to compare with.
  if (token == label || hash == wire::access_token_hash(token)) return "";
  return "ath of the proof is not the hash of the token";
}

// What the body was is known from before it was recorded. More digests beside the right one are a
// dictionary as RFC 9530 has it, which the page neither allows nor forbids.
void ProofReview::judge_digest(const Shown& proof) {
  const Json& claim = proof.claim("content_digest");
  check(kDigestSent, !claim.is_null(), "the proof has no content_digest", proof.step);
  const auto seen = digests_.find(proof.text);
  if (claim.is_null() || seen == digests_.end()) return;
  const std::string said = claim.is_string() ? claim.get<std::string>() : "";
  const bool is_right = seen->second.contains(said);
  const bool has_right = std::any_of(seen->second.begin(), seen->second.end(), [&](const auto& it) {
    return said.find(it) != std::string::npos;
  });
  if (has_right && !is_right) {
    return login_.review().unclear(kDigestCalculated, "content_digest has more than one digest",
                                   proof.step.events());
  }
  const bool has_form = said.starts_with("sha-256=:") && said.ends_with(":");
  check(kDigestCalculated, is_right,
        has_form ? "content_digest is not the digest of the body in standard base64"
                 : "content_digest is not of the form sha-256=:...:",
        proof.step);
}

bool ProofReview::uses_nonce(int office) const {
  const auto& steps = login_.steps();
  return std::any_of(steps.begin(), steps.end(), [&](const LoginStep& step) {
    const std::vector<std::string> fields = proofs_of(step);
    const auto proof = step.office == office && fields.size() == 1
                           ? authorization::read_token(fields.front())
                           : std::nullopt;
    return proof && !member(proof->claims, "nonce").is_null();
  });
}

// A request that was under way when the nonce came has none of it.
void ProofReview::judge_nonce(const Shown& proof) {
  std::set<std::string> given;
  const LoginStep* giver = nullptr;
  for (const LoginStep& step : login_.steps()) {
    const bool is_before = step.response != nullptr && step.response->at < proof.step.request->at;
    if (!is_before || step.office != proof.step.office) continue;
    const auto nonce =
        transport::find_header(step.response->observation.http()->headers, wire::kNonceField);
    if (!nonce) continue;
    given.emplace(*nonce);
    giver = &step;
  }
  if (giver == nullptr) return;
  const Json& nonce = proof.claim("nonce");
  const std::vector<harness::EventPtr> events = {giver->request, giver->response,
                                                 proof.step.request};
  if (nonce.is_null() && uses_nonce(proof.step.office)) {
    return login_.review().unclear(
        kNonceUsed, "a request without a nonce may have been on its way when one came", events);
  }
  if (nonce.is_null()) {
    return login_.review().crossed(
        kNonceUsed, fmt::format("the proof has no nonce, and {} gave one", proof.place()), events);
  }
  login_.review().check(kNonceUsed, nonce.is_string() && given.contains(nonce.get<std::string>()),
                        fmt::format("nonce of the proof is none that {} gave", proof.place()),
                        events);
}

}  // namespace assay::scenarios
