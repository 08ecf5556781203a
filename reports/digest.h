// SHA-256, for the conformance statement and for the policy of an HTML page.
#pragma once

#include <string>
#include <string_view>

namespace assay::reports {

std::string sha256_hex(std::string_view text);
std::string sha256_base64(std::string_view text);

}  // namespace assay::reports
