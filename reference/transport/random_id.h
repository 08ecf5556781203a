// Identifiers that nobody can guess: HTTP session ids, task ids.
#pragma once

#include <string>

namespace assay::transport {

// 128 random bits from the operating system as 32 hexadecimal digits: visible ASCII only.
std::string random_id();

}  // namespace assay::transport
