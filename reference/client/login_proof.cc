// Proofs that the client has the key of its token.
//
// Extension io.modelcontextprotocol/auth/dpop; RFC 9449, sections 4.2, 5, 7.1, 8 and 9.
#include <chrono>
#include <utility>

#include "reference/client/login.h"
#include "reference/client/login_json.h"
#include "reference/transport/random_id.h"
#include "reference/wire/dpop.h"
#include "reference/wire/http_text.h"
#include "reference/wire/peer_json.h"

namespace assay::client {
namespace {

constexpr const char* kOneNumber = "the-one-and-only";

std::int64_t seconds_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Without query and fragment.
std::string bare_url(const std::string& url) {
  return url.substr(0, url.find_first_of("?#"));
}

}  // namespace

// The server asks for such a token, and the authorization server says that it gives them.
bool Login::can_prove() const {
  const auto listed =
      server_.is_object() ? server_.find("dpop_signing_alg_values_supported") : server_.end();
  return is_asked_to_prove_ && options_.proof_key.sign != nullptr && server_.is_object() &&
         listed != server_.end() && listed->is_array() && !listed->empty();
}

std::string Login::make_proof(const ProofKey& key, ProofFor receiver, Json claims) const {
  const LoginConduct& conduct = options_.conduct;
  Json jwk = key.jwk;
  for (const char* name : {"kid", "use", "alg"}) jwk.erase(name);
  Json header = {{"typ", wire::kProofType}, {"alg", key.algorithm}, {"jwk", std::move(jwk)}};
  claims["jti"] = conduct.makes_new_numbers ? transport::random_id() : kOneNumber;
  claims["iat"] = seconds_now();
  if (conduct.proof != nullptr) conduct.proof(header, claims, receiver);
  std::string proof = key.sign(header, claims);
  return conduct.signed_proof != nullptr ? conduct.signed_proof(std::move(proof), receiver) : proof;
}

void Login::prove_token_request(TokenRequest& request) const {
  if (!can_prove() || !options_.conduct.proves_token_requests) return;
  Json claims = {{"htm", request.method}, {"htu", bare_url(request.url)}};
  if (!token_nonce_.empty() && options_.conduct.heeds_nonce_of_token_endpoint) {
    claims["nonce"] = token_nonce_;
  }
  request.headers.emplace_back(
      wire::kProofName,
      make_proof(options_.proof_key, ProofFor::kTokenEndpoint, std::move(claims)));
}

bool Login::takes_nonce_of(const transport::Fetched& refusal) {
  const auto nonce = transport::find_header(refusal.headers, wire::kNonceField);
  const bool is_wanted =
      nonce && text_in(wire::parse_of_peer(refusal.body), "error") == wire::kUseNonce;
  if (!is_wanted || *nonce == token_nonce_) return false;
  token_nonce_ = *nonce;
  return true;
}

void Login::prove(std::string_view method, std::string_view body,
                  transport::Headers& fields) const {
  const LoginConduct& conduct = options_.conduct;
  const std::lock_guard lock(mutex_);
  if (token_.empty() || !is_bound_ || !conduct.proves_requests) return;
  Json claims = {{"htm", method},
                 {"htu", bare_url(options_.endpoint)},
                 {"ath", wire::access_token_hash(token_)}};
  if (method == "POST") claims["content_digest"] = wire::content_digest(body);
  if (!nonce_.empty() && conduct.heeds_nonce) claims["nonce"] = nonce_;
  const ProofKey& key = conduct.keeps_proof_key ? options_.proof_key : options_.other_proof_key;
  for (int i = 0; i < conduct.proofs; ++i) {
    std::string proof = make_proof(key, ProofFor::kServer, claims);
    if (first_proof_.empty()) first_proof_ = proof;
    fields.emplace_back(wire::kProofName, conduct.makes_new_proofs ? proof : first_proof_);
  }
}

bool Login::takes_nonce(const std::string& challenge, const std::string& nonce) {
  bool is_wanted = false;
  for (const wire::Challenge& each : wire::read_challenges(challenge)) {
    is_wanted =
        is_wanted || (each.is_of(wire::kProofName) &&
                      each.parameter("error") == std::optional(std::string(wire::kUseNonce)));
  }
  const std::lock_guard lock(mutex_);
  if (!is_wanted || nonce.empty() || nonce == nonce_) return false;
  nonce_ = nonce;
  return true;
}

}  // namespace assay::client
