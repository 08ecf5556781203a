// What keeps a static program apart from the system that it runs on.
#pragma once

#include <string>

namespace assay::transport {

// For main(), before anything else; does nothing in a build with shared libraries. A static program
// must not load a shared library of the system: it may be of another C library, or of another
// version. So names are looked up in /etc/hosts and by DNS, whatever nsswitch.conf says, and the
// system's configuration of OpenSSL, which can name modules, is not read.
void stay_self_contained();

// The file with the certification authorities that this system trusts, where OpenSSL would not find
// them by itself; empty if it does, or SSL_CERT_FILE or SSL_CERT_DIR say where they are. `root` is
// put before each place, for tests.
std::string authorities_file(const std::string& root = "");

}  // namespace assay::transport
