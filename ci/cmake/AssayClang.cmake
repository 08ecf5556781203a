# What no user runs is compiled by clang where it is, in half of GCC's time or less: tests, which are not
# optimised, and headers alone. Only in a release build: debug builds and those with sanitizers are GCC's as a whole,
# so both compilers look at all of it. What GCC and clang make is linked together; both use GCC's standard library.
#
# -DASSAY_CLANG=OFF leaves everything to the one compiler.
find_program(ASSAY_CLANG clang++ DOC "Compiles the tests of a release build, and headers alone")
mark_as_advanced(ASSAY_CLANG)

# assay_look_at_clang(<result>): whether it can do that here. It may be too old, or know no standard library.
function(assay_look_at_clang result)
  set(${result} OFF PARENT_SCOPE)
  list(LENGTH CMAKE_CXX_COMPILER_LAUNCHER launchers)
  if(NOT ASSAY_CLANG OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR NOT CMAKE_BUILD_TYPE STREQUAL "Release"
      OR CMAKE_CROSSCOMPILING OR ASSAY_SANITIZERS OR ASSAY_STATIC OR launchers GREATER 2)
    return()
  endif()
  set(source "${CMAKE_BINARY_DIR}/generated/look_at_clang.cc")
  file(WRITE "${source}" "#include <ranges>
#include <string>
template <typename T> concept Sized = requires(T t) { t.size(); };
static_assert(Sized<std::string> && std::ranges::range<std::string>);
")
  execute_process(COMMAND "${ASSAY_CLANG}" -std=c++20 -fsyntax-only "${source}"
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(status EQUAL 0)
    set(${result} ON PARENT_SCOPE)
  else()
    message(STATUS "mcp-assay: ${ASSAY_CLANG} does not know C++20: GCC compiles the tests as well")
  endif()
endfunction()

assay_look_at_clang(ASSAY_HAS_CLANG)

# assay_prefer_clang(<target>): compile it by clang, if that can be had.
function(assay_prefer_clang target)
  if(NOT ASSAY_HAS_CLANG)
    return()
  endif()
  set(launcher env env ${CMAKE_CXX_COMPILER_LAUNCHER})
  list(LENGTH CMAKE_CXX_COMPILER_LAUNCHER launchers)
  list(SUBLIST launcher ${launchers} 2 launcher)
  set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER
    "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/by-another-compiler;${ASSAY_CLANG};${launcher}")
endfunction()
