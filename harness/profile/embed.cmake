# Writes built_in_texts.h: the text of each profile in the program itself.
#
#   cmake -DOUTPUT=built_in_texts.h "-DPROFILES=a.yaml;b.yaml" -P embed.cmake
set(rows "")
foreach(file IN LISTS PROFILES)
  get_filename_component(name "${file}" NAME_WE)
  file(READ "${file}" text)
  string(APPEND rows "    BuiltInText{\"${name}\", R\"assay-profile(${text})assay-profile\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Written while the project is built.
#pragma once

#include <string_view>

namespace assay::harness {

struct BuiltInText {
  std::string_view name;
  std::string_view yaml;
};
inline constexpr BuiltInText kBuiltInTexts[] = {
${rows}};

}  // namespace assay::harness
")
