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
# Relative relocations, packed, are a megabyte less; and so is what is compiled once the whole program is seen.
# Functions that are equal become one, so that no two functions may be told apart by their addresses.
add_compile_options(-flto)
add_link_options(-static-pie -flto=auto -Wl,--gc-sections -Wl,--icf=all -Wl,--build-id=none -Wl,-z,pack-relative-relocs)
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

# assay_without_unwinding(<imported target> ...): a copy of it without its tables for exceptions, which are half a
# megabyte of OpenSSL's. They are C, and nothing of ours throws through them.
function(assay_without_unwinding)
  foreach(target IN LISTS ARGN)
    get_target_property(archive ${target} IMPORTED_LOCATION)
    get_filename_component(name "${archive}" NAME)
    set(copy "${PROJECT_BINARY_DIR}/generated/${name}")
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/generated")
    # Whatever the dates of a newer archive are, it is taken; and nothing is linked again for the same one.
    execute_process(COMMAND "${CMAKE_OBJCOPY}" --remove-section=.eh_frame --remove-section=.rela.eh_frame "${archive}"
      "${copy}.new" COMMAND_ERROR_IS_FATAL ANY)
    file(COPY_FILE "${copy}.new" "${copy}" ONLY_IF_DIFFERENT)
    file(REMOVE "${copy}.new")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${archive}")
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION "${copy}")
  endforeach()
endfunction()
