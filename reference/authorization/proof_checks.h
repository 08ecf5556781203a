// Whether a proof of possession holds, for a server or an authorization server: RFC 9449, section
// 4.3.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/authorization/jws.h"
#include "reference/authorization/knobs.h"

namespace assay::authorization {

// What it is compared with.
struct ExpectedProof {
  std::string_view method;
  std::string_view place;                      // without query and fragment
  const std::vector<std::string>& algorithms;  // by which it may be signed
};

// Empty where there is no such text.
std::string text_in_proof(const Json& object, const char* name);

// Why it does not hold; null if it does. `jwk` is the key in its header; null: there is none.
const char* trouble_with_proof(const TokenParts& proof, const Json& jwk,
                               const ExpectedProof& expected, const ProofChecks& checks);

}  // namespace assay::authorization
