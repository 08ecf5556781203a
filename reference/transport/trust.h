// Whose certificates are trusted beside the system's, and what is said of one that is not.
#pragma once

#include <openssl/types.h>

#include <optional>
#include <string>

namespace assay::transport {

// The variable of the environment that names a file (PEM) of further authorities.
inline constexpr const char* kAuthoritiesVariable = "MCP_ASSAY_CA";

// From now on the authorities in this file are trusted, too, by this process. Call it before other
// threads start. Returns what is wrong with the file.
std::optional<std::string> trust_authorities_in(const std::string& file);

// What such a variable names is trusted in this context. Returns what is wrong with the file.
std::optional<std::string> add_further_authorities(SSL_CTX* context);

// Why a certificate was not accepted: the reason, whose it is, who signed it, and what to do.
// `reason` is of X509_verify_cert_error_string(); `certificate` may be null.
std::string certificate_complaint(long reason, X509* certificate);

}  // namespace assay::transport
