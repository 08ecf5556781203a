# The static build (ASSAY_STATIC): one program without a shared library, the same bytes from any folder.
#
# It is linked with Debian's own glibc, OpenSSL and C++ library (ci/packaging/README.md says why, and what that
# needs at run time). What Debian has only as a shared library is compiled from Debian's sources, which
# ci/static-sources brings; the targets have the names that the rest of the build knows.
set(CMAKE_FIND_LIBRARY_SUFFIXES ".a")
set(Boost_USE_STATIC_LIBS ON)
set(OPENSSL_USE_STATIC_LIBS ON)
set(ASSAY_STATIC_SOURCES "${PROJECT_SOURCE_DIR}/build/static-sources" CACHE PATH "What ci/static-sources brought")
if(NOT EXISTS "${ASSAY_STATIC_SOURCES}/simdjson" OR NOT EXISTS "${ASSAY_STATIC_SOURCES}/fmtlib")
  message(FATAL_ERROR "mcp-assay: missing dependency. Run ci/setup, then ci/static-sources")
endif()

# Nothing of the folder that it is built in, no time, no random number.
add_compile_options("-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=" -ffunction-sections -fdata-sections -fPIE)
add_compile_definitions(ASSAY_STATIC)
# Relative relocations, packed, are a megabyte less.
add_link_options(-static-pie -Wl,--gc-sections -Wl,--build-id=none -Wl,-z,pack-relative-relocs)
if(ASSAY_STATIC_LIBRARIES)
  # -B: the C library's part of how a program begins, too.
  add_link_options("-B${ASSAY_STATIC_LIBRARIES}" "-L${ASSAY_STATIC_LIBRARIES}")
endif()

function(assay_static_library name include)
  add_library(${name} STATIC ${ARGN})
  target_include_directories(${name} SYSTEM PUBLIC "${include}")
  target_compile_options(${name} PRIVATE -w -O2)
endfunction()
assay_static_library(assay_simdjson "${ASSAY_STATIC_SOURCES}/simdjson/singleheader"
  "${ASSAY_STATIC_SOURCES}/simdjson/singleheader/simdjson.cpp")
add_library(simdjson::simdjson ALIAS assay_simdjson)
assay_static_library(assay_fmt "${ASSAY_STATIC_SOURCES}/fmtlib/include"
  "${ASSAY_STATIC_SOURCES}/fmtlib/src/format.cc" "${ASSAY_STATIC_SOURCES}/fmtlib/src/os.cc")
add_library(fmt::fmt ALIAS assay_fmt)

# assay_static_import(<target> <archive> <debian package>)
function(assay_static_import target archive package)
  find_library(ASSAY_ARCHIVE_${target} ${archive} NO_CACHE)
  if(NOT ASSAY_ARCHIVE_${target})
    assay_missing(${package})
  endif()
  add_library(${target} STATIC IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION "${ASSAY_ARCHIVE_${target}}")
endfunction()
assay_static_import(yaml-cpp libyaml-cpp.a libyaml-cpp-dev)
assay_static_import(assay_pugixml libpugixml.a libpugixml-dev)
add_library(pugixml::pugixml ALIAS assay_pugixml)
