// Judges the proofs of possession that passed while a client logged in and used its token.
//
// Extension io.modelcontextprotocol/auth/dpop; RFC 9449, sections 4.2, 5, 7.1, 8 and 9.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "reference/authorization/jws.h"
#include "scenarios/clients/login_review.h"

namespace assay::scenarios {

// The content_digest of each body that a proof came with, by the text of the proof.
using DigestsSeen = std::map<std::string, std::set<std::string>, std::less<>>;

class ProofReview {
 public:
  // Both outlive it.
  ProofReview(LoginReview& login, const DigestsSeen& digests) : login_(login), digests_(digests) {}

  // Judges nothing of a client that shows no proof.
  void judge();
  static std::vector<catalogue::RequirementId> rules();

 private:
  struct Shown {
    const LoginStep& step;
    std::string text;
    authorization::TokenParts parts;
    const Json& claim(const char* name) const;
    std::string place() const { return step.is_at_office ? "the token endpoint" : "the server"; }
  };

  bool is_adopted() const;
  void judge_token_request(const LoginStep& step);
  void judge_request(const LoginStep& step);
  // The proof; nothing where there is not one that can be read, which is judged by `rule`.
  std::optional<Shown> read(const LoginStep& step, const std::vector<std::string>& fields,
                            catalogue::RequirementId rule);
  // Of any proof.
  void judge_form(const Shown& proof);
  void judge_key(const Shown& proof);
  void judge_signature(const Shown& proof, const Json& jwk);
  void judge_nonce(const Shown& proof);
  // At least one proof at that place has a nonce.
  bool uses_nonce(int office) const;
  // True if the server was shown the proof before.
  bool judge_freshness(const Shown& proof);
  // Why the claims that say what it is for do not hold; empty where they do.
  std::string trouble_with_claims(const Shown& proof) const;
  std::string trouble_with_place(const Shown& proof) const;
  std::string trouble_with_hash(const Shown& proof, const std::string& label) const;
  void judge_digest(const Shown& proof);
  void judge_bound_key(const Shown& proof, const std::string& label);
  void check(catalogue::RequirementId rule, bool did_hold, std::string detail,
             const LoginStep& step);

  LoginReview& login_;
  const DigestsSeen& digests_;
  std::map<std::string, std::string> keys_;          // thumbprints, by the labels of tokens
  std::map<std::string, const LoginStep*> bare_;     // requests without a proof, by the same
  std::map<std::string, const LoginStep*> texts_;    // where each proof was shown
  std::map<std::string, const LoginStep*> numbers_;  // where each jti was
};

}  // namespace assay::scenarios
