// What the generator writes, as catalogue.cc sees it.
#pragma once

#include <span>
#include <string_view>

#include "harness/catalogue/catalogue.h"

namespace assay::catalogue::tables {

std::span<const Requirement> all();
std::string_view version();
std::string_view digest();

}  // namespace assay::catalogue::tables
