// What a client says at token endpoints, and where: for the parts of a login.
#pragma once

#include <string>

#include "reference/client/login_conduct.h"

namespace assay::client {

// How a client shows who it is that signs JWTs (RFC 7523), as metadata name it.
inline constexpr const char* kSignsAssertions = "private_key_jwt";
inline constexpr const char* kClientAssertionType =
    "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

// Credentials go nowhere where others can read along.
bool is_safe(const std::string& url);
std::string unsafe_place(const char* which, const std::string& url);
// The body of the request; empty where it has none.
std::string body_of(const TokenRequest& request);

}  // namespace assay::client
