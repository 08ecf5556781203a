# Writes fixes_text.h: fixes.tsv in the program itself.
#
#   cmake -DOUTPUT=fixes_text.h -DINPUT=fixes.tsv -P embed_fixes.cmake
file(READ "${INPUT}" text)
file(WRITE "${OUTPUT}" "// Written while the project is built.
#pragma once

#include <string_view>

namespace assay::catalogue {

inline constexpr std::string_view kFixesText = R\"assay-fix(${text})assay-fix\";

}  // namespace assay::catalogue
")
