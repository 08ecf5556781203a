// Proofs of possession, as they should be and otherwise, for the scenarios that show them.
//
// RFC 9449, section 4.2.
#pragma once

#include <string>

#include "reference/authorization/jws.h"
#include "reference/wire/json.h"

namespace assay::scenarios {

enum class ProofSignature {
  kOwn,
  kOfAnother,  // of another key than the proof holds
  kNone,
  kSecret,  // by a common word
};

// In what a proof is not as it should be.
struct ProofForgery {
  void (*change)(Json& header, Json& claims) = nullptr;
  ProofSignature signature = ProofSignature::kOwn;
};

// A proof of that key with these claims, iat and a jti of its own, changed in that way.
std::string forged_proof(const authorization::SigningKey& key, Json claims,
                         const ProofForgery& how = {});

// Changes that more than one receiver of proofs has to notice.
void name_type_jwt(Json& header, Json& claims);
void show_private_key(Json& header, Json& claims);
void name_method_get(Json& header, Json& claims);
void leave_out_jti(Json& header, Json& claims);
void leave_out_iat(Json& header, Json& claims);
void name_no_algorithm(Json& header, Json& claims);
void name_symmetric_algorithm(Json& header, Json& claims);

}  // namespace assay::scenarios
