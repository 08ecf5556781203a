// SHA-256 as lower-case hexadecimal digits. OpenSSL stays behind it.
#pragma once

#include <string>
#include <string_view>

namespace assay::catalogue {

std::string sha256_hex(std::string_view bytes);

}  // namespace assay::catalogue
