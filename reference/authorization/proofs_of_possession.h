// How a resource server reads the proofs that come with tokens which are bound to keys.
//
// Extension io.modelcontextprotocol/auth/dpop, "MCP Server Validation"; RFC 9449, sections 4.3, 7.1
// and 9.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reference/authorization/jws.h"
#include "reference/transport/http_protection.h"

namespace assay::authorization {

// What is left to the server.
struct ProofManner {
  std::chrono::seconds window{300};  // how old a proof may be, and how far ahead of its time
  bool gives_nonces = false;         // each of which is good for one proof
};

class ProofsOfPossession : public transport::ProofReader {
 public:
  // What is overlooked is not looked at: the reader is wrong on purpose.
  explicit ProofsOfPossession(std::vector<transport::TokenDuty> overlooked = {},
                              ProofManner manner = {});

  std::vector<std::string> algorithms() const override { return algorithms_; }
  std::optional<Refusal> refusal(const transport::HttpHead& request, std::string_view body,
                                 const transport::AccessToken& token,
                                 const std::string& endpoint) override;

 private:
  bool does(transport::TokenDuty duty) const;
  // Nothing where the proof holds a nonce that was given and not used yet.
  std::optional<Refusal> wanted_nonce(const TokenParts& proof);
  bool holds(const TokenParts& proof, const transport::HttpHead& request,
             const transport::AccessToken& token, const std::string& endpoint) const;
  // Whether its htu is taken for the endpoint by a reader who compares only a part of it.
  bool passes_in_part(const TokenParts& proof, const std::string& endpoint) const;
  bool is_timely(const Json& claims) const;
  bool is_for_body(const Json& claims, std::string_view body) const;

  const std::vector<std::string> algorithms_ = {"ES256", "RS256"};
  const std::vector<transport::TokenDuty> overlooked_;
  const ProofManner manner_;
  std::mutex mutex_;                           // guards the one below
  std::set<std::string, std::less<>> nonces_;  // that were given, and not used yet
};

}  // namespace assay::authorization
