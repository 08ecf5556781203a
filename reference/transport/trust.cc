#include "reference/transport/trust.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdlib>
#include <memory>

namespace assay::transport {
namespace {

constexpr std::size_t kLongestName = 200;

// What `write` prints, on one line.
template <typename Write>
std::string printed(Write write) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), BIO_free);
  if (!out) return "";
  write(out.get());
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  return std::string(text, static_cast<std::size_t>(size)).substr(0, kLongestName);
}

std::string text_of(const X509_NAME* name) {
  return printed([name](BIO* out) { X509_NAME_print_ex(out, name, 0, XN_FLAG_ONELINE); });
}

std::string text_of(const ASN1_TIME* time) {
  return printed([time](BIO* out) { ASN1_TIME_print(out, time); });
}

// "localhost, example.org"
std::string hosts_of(X509* certificate) {
  std::string out;
  const std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> names(
      static_cast<GENERAL_NAMES*>(
          X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
      GENERAL_NAMES_free);
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_DNS) continue;
    const auto* text = ASN1_STRING_get0_data(name->d.dNSName);
    out += (out.empty() ? "" : ", ") +
           std::string(reinterpret_cast<const char*>(text),
                       static_cast<std::size_t>(ASN1_STRING_length(name->d.dNSName)));
  }
  return out.substr(0, kLongestName);
}

// What helps; empty where only the server's operator can help.
std::string advice(long reason, X509* certificate) {
  switch (reason) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return "it ended on " + text_of(X509_get0_notAfter(certificate));
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "it begins on " + text_of(X509_get0_notBefore(certificate));
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH: {
      const std::string hosts = hosts_of(certificate);
      return "it is for " + (hosts.empty() ? "other hosts" : hosts);
    }
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      return fmt::format(
          "if you trust its issuer, give the issuer's certificate (PEM) with --ca FILE, or in {}",
          kAuthoritiesVariable);
    default:
      return "";
  }
}

std::optional<std::string> load(SSL_CTX* context, const std::string& file) {
  ERR_clear_error();
  if (SSL_CTX_load_verify_file(context, file.c_str()) == 1) return std::nullopt;
  ERR_clear_error();
  return fmt::format("'{}' holds no certificate (PEM) that can be read", file);
}

}  // namespace

std::optional<std::string> trust_authorities_in(const std::string& file) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()),
                                                                  SSL_CTX_free);
  if (!context) return "no TLS context";
  if (auto trouble = load(context.get(), file)) return trouble;
  ::setenv(kAuthoritiesVariable, file.c_str(), 1);
  return std::nullopt;
}

std::optional<std::string> add_further_authorities(SSL_CTX* context) {
  const char* file = std::getenv(kAuthoritiesVariable);
  if (file == nullptr || *file == '\0') return std::nullopt;
  return load(context, file);
}

std::string certificate_complaint(long reason, X509* certificate) {
  std::string out =
      fmt::format("the certificate is not accepted: {}", X509_verify_cert_error_string(reason));
  if (certificate == nullptr) return out;
  const auto named = [](std::string name) { return name.empty() ? "a nameless party" : name; };
  out += fmt::format(" (certificate of {}, issued by {})",
                     named(text_of(X509_get_subject_name(certificate))),
                     named(text_of(X509_get_issuer_name(certificate))));
  const std::string more = advice(reason, certificate);
  return more.empty() ? out : out + "; " + more;
}

}  // namespace assay::transport
