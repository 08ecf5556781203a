#include "reference/transport/self_contained.h"

#include <nss.h>
#include <openssl/crypto.h>
#include <openssl/x509.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace assay::transport {
namespace {

// Where the distributions keep the bundle: Debian, Alpine and Arch; Fedora and its relatives; SUSE;
// the BSDs and older Alpine.
constexpr std::array<const char*, 5> kBundles{"/etc/ssl/certs/ca-certificates.crt",
                                              "/etc/pki/tls/certs/ca-bundle.crt",
                                              "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
                                              "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"};

bool has_content(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) && !std::filesystem::is_empty(path, ignored);
}

}  // namespace

void stay_self_contained() {
#ifdef ASSAY_STATIC
  // Both of these sources are part of the C library itself.
  ::__nss_configure_lookup("hosts", "files dns");
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
#endif
}

std::string authorities_file(const std::string& root) {
  if (std::getenv(X509_get_default_cert_file_env()) != nullptr ||
      std::getenv(X509_get_default_cert_dir_env()) != nullptr ||
      has_content(root + X509_get_default_cert_file()) ||
      has_content(root + X509_get_default_cert_dir())) {
    return "";
  }
  for (const char* each : kBundles) {
    if (has_content(root + each)) return root + each;
  }
  return "";
}

}  // namespace assay::transport
