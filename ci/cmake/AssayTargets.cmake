# How a room of the house is declared: its library, its tests, the warnings they are built with, and what
# keeps the build short: precompiled headers, several sources compiled as one (ASSAY_UNITY), and no more
# optimisation than a room needs.

add_library(assay_options INTERFACE)
# Every room may use these two, so that all can share one precompiled header.
target_link_libraries(assay_options INTERFACE fmt::fmt nlohmann_json::nlohmann_json)
target_compile_options(assay_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
target_include_directories(assay_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_definitions(assay_options INTERFACE ASSAY_VERSION="${PROJECT_VERSION}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND (CMAKE_BUILD_TYPE STREQUAL "Release" OR ASSAY_SANITIZERS))
  # GCC 12 reports maybe-uninitialized, dangling and overflow in the standard library's own inlined
  # code at -O2 and above, and with sanitizers; our code is still checked for them in a debug build.
  target_compile_options(assay_options INTERFACE
    -Wno-error=maybe-uninitialized -Wno-error=restrict -Wno-error=stringop-overflow
    -Wno-error=array-bounds)
endif()

if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64")
  # A char is what it is where everything is tested.
  target_compile_options(assay_options INTERFACE -fsigned-char)
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Its collector of garbage takes a tenth of the time, and what it finds is little: a unit needs less than this.
  target_compile_options(assay_options INTERFACE --param=ggc-min-heapsize=1000000)
endif()

if(ASSAY_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # It takes the second source of a unit for a header, and its parameters to hide functions of the first; a
  # build without unity checks both.
  target_compile_options(assay_options INTERFACE -Wno-subobject-linkage -Wno-shadow)
endif()

if(ASSAY_SANITIZERS)
  add_compile_options(-fsanitize=${ASSAY_SANITIZERS} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ASSAY_SANITIZERS})
endif()

if(ASSAY_FUZZERS)
  # Our own code counts for coverage, other people's templates do not; the fuzz targets alone link
  # libFuzzer's main. Comparisons and indirect calls are not traced: a call for each of them halves
  # the speed, and the dictionaries know the words that tracing would find.
  add_compile_options(-fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp,indirect-calls
    -fsanitize-coverage-ignorelist=${PROJECT_SOURCE_DIR}/fuzz/coverage_ignored.txt)
endif()

find_program(ASSAY_MOLD mold)
if(ASSAY_MOLD AND CMAKE_CROSSCOMPILING)
  # A cross compiler knows it by no name; it takes the ld of the first folder that has one.
  get_filename_component(mold "${ASSAY_MOLD}" REALPATH)
  get_filename_component(mold "${mold}" DIRECTORY)
  add_link_options("-B${mold}/../libexec/mold")
elseif(ASSAY_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# What most sources read first, parsed once. No source may rely on it: the target
# assay_headers compiles each header of ours without it.
set(precompiled "${CMAKE_CURRENT_LIST_DIR}/precompiled")
file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/generated/empty.cc" CONTENT "")
add_library(assay_precompiled OBJECT "${PROJECT_BINARY_DIR}/generated/empty.cc")
target_link_libraries(assay_precompiled PRIVATE assay_options)
target_precompile_headers(assay_precompiled PRIVATE "${precompiled}.h")
# Its instance of the JSON value, without which nothing that reads it links.
add_library(assay_json STATIC "${CMAKE_CURRENT_LIST_DIR}/json_instance.cc")
target_link_libraries(assay_json PRIVATE nlohmann_json::nlohmann_json)
if(ASSAY_STATIC)
  target_compile_options(assay_json PRIVATE -O2)
endif()
target_link_libraries(assay_options INTERFACE assay_json)

if(ASSAY_STATIC)
  # What is optimised for size can read no header that was not.
  add_library(assay_precompiled_small OBJECT "${PROJECT_BINARY_DIR}/generated/empty.cc")
  target_link_libraries(assay_precompiled_small PRIVATE assay_options)
  target_compile_options(assay_precompiled_small PRIVATE -Oz)
  target_precompile_headers(assay_precompiled_small PRIVATE "${precompiled}.h")
endif()
if(ASSAY_TESTS)
  add_library(assay_precompiled_tests OBJECT "${PROJECT_BINARY_DIR}/generated/empty.cc")
  target_link_libraries(assay_precompiled_tests PRIVATE assay_options GTest::gmock GTest::gtest)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(assay_precompiled_tests PRIVATE -O0)
  endif()
  target_precompile_headers(assay_precompiled_tests PRIVATE "${precompiled}_tests.h")
  assay_prefer_clang(assay_precompiled_tests)
endif()

# assay_quick_build(<target> [HOT|WARM|COLD] [TESTS]): what shortens the build of a target. COLD ones wait for
# a peer or run once, so a release build optimises them least; WARM ones run for each message, but most of
# their time passes elsewhere. TESTS are not optimised at all (what they test is), have GoogleTest's headers
# precompiled too, and are clang's, where that can be had.
function(assay_quick_build target)
  cmake_parse_arguments(ARG "WARM;COLD;TESTS" "" "" ${ARGN})
  set(precompiled assay_precompiled)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    set(optimisation "")  # -O3
    # What is released is small: in it nothing is optimised further than -O2, and only what is hot as far.
    if(ARG_WARM OR ASSAY_STATIC)
      set(optimisation -O2)
    endif()
    if(ARG_TESTS)
      set(optimisation -O0)
    elseif(ASSAY_STATIC AND NOT target MATCHES "_hot$")
      set(optimisation -Oz)
      set(precompiled assay_precompiled_small)
    elseif(ARG_COLD)
      set(optimisation -Og)
    endif()
    if(optimisation)
      target_compile_options(${target} PRIVATE ${optimisation})
    endif()
  endif()
  if(ARG_TESTS)
    set(precompiled assay_precompiled_tests)
    assay_prefer_clang(${target})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${precompiled})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${ASSAY_UNITY} UNITY_BUILD_BATCH_SIZE 12)
endfunction()

# assay_group_sources(<target> <source> ...): what is compiled as one reads the header of a message in all its parts or
# in none, so that an edit of the header that most of the house stands on compiles the others not again.
function(assay_group_sources target)
  set(readers)
  set(others)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
    assay_reads("${path}" "reference/wire/message.h" reads)
    if(reads)
      list(APPEND readers "${source}")
    else()
      list(APPEND others "${source}")
    endif()
  endforeach()
  list(LENGTH readers reading)
  list(LENGTH others not_reading)
  # A unit more costs as much as two small sources.
  if(reading LESS 3 AND not_reading LESS 3 OR not_reading LESS 2)
    list(APPEND readers ${others})
    set(others)
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  foreach(kind IN ITEMS readers others)
    list(LENGTH ${kind} count)
    math(EXPR groups "(${count} + 15) / 16")
    set(n 0)
    foreach(source IN LISTS ${kind})
      math(EXPR group "${n} * ${groups} / ${count}")
      set_source_files_properties("${source}" PROPERTIES UNITY_GROUP ${kind}_${group})
      math(EXPR n "${n} + 1")
    endforeach()
  endforeach()
endfunction()

# assay_library(<name> [WARM|COLD] SOURCES ... [HOT ...] [PUBLIC ...] [PRIVATE ...])
# HOT are sources too: what every message passes through. They are compiled one by one, because the compiler
# inlines less where it sees more, and optimised as far as may be, however warm the rest is. PUBLIC and PRIVATE are what the room links; the link graph is the floor plan.
function(assay_library name)
  cmake_parse_arguments(ARG "WARM;COLD" "" "SOURCES;HOT;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  assay_room(${name} ${ARGN})
  assay_group_sources(${name} ${ARG_SOURCES})
  if(ARG_HOT)
    add_library(${name}_hot OBJECT ${ARG_HOT})
    set_source_files_properties(${ARG_HOT} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    list(REMOVE_ITEM ARGN WARM COLD)
    assay_room(${name}_hot ${ARGN})
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:${name}_hot>)
  endif()
endfunction()

# assay_objects(<name> [WARM|COLD] SOURCES ... [PUBLIC ...] [PRIVATE ...]): a room whose sources register
# themselves before main(); they are objects of the programs that use them, and not members of an archive
# that the linker may drop.
function(assay_objects name)
  cmake_parse_arguments(ARG "WARM;COLD" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} OBJECT ${ARG_SOURCES})
  assay_room(${name} ${ARGN})
  assay_group_sources(${name} ${ARG_SOURCES})
endfunction()

function(assay_room name)
  cmake_parse_arguments(ARG "WARM;COLD" "" "SOURCES;HOT;PUBLIC;PRIVATE" ${ARGN})
  target_link_libraries(${name} PUBLIC ${ARG_PUBLIC} PRIVATE assay_options ${ARG_PRIVATE})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
  assay_quick_build(${name} ${ARGN})
endfunction()

# assay_test(<name> SOURCES ... LIBRARIES ... [APART <test>=<suite>[,<suite>...] ...]): one GoogleTest program, run by
# ctest as one test; each of APART is a test of its own that runs these suites, and <name> runs all others. One
# program is built in less time than several are.
function(assay_test name)
  if(NOT ASSAY_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES;APART" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE assay_options ${ARG_LIBRARIES} GTest::gmock GTest::gtest_main)
  assay_quick_build(${name} COLD TESTS)
  assay_group_sources(${name} ${ARG_SOURCES})
  target_compile_definitions(${name} PRIVATE
    ASSAY_SOURCE_DIR="${PROJECT_SOURCE_DIR}" ASSAY_BINARY_DIR="${PROJECT_BINARY_DIR}")
  set(elsewhere "")
  foreach(apart IN LISTS ARG_APART)
    string(REGEX MATCH "^(.+)=(.+)$" apart "${apart}")
    set(test "${CMAKE_MATCH_1}")
    # What has parameters is named behind a slash.
    string(REGEX REPLACE "([^,]+)" "\\1.*:*/\\1.*" suites "${CMAKE_MATCH_2}")
    string(REPLACE "," ":" suites "${suites}")
    add_test(NAME ${test} COMMAND ${name} "--gtest_filter=${suites}")
    # Its suites have been renamed: GoogleTest takes that for success.
    set_tests_properties(${test} PROPERTIES FAIL_REGULAR_EXPRESSION "[^0-9]0 tests from 0 test suites")
    list(APPEND elsewhere "${suites}")
  endforeach()
  list(JOIN elsewhere ":" elsewhere)
  add_test(NAME ${name} COMMAND ${name} "--gtest_filter=-${elsewhere}")
endfunction()

# assay_quick_start(<program>): one that tests start thousands of times. Where its parts stand in memory is settled as
# it is linked; the archives come first, for a linker that then takes them (mold; others do not).
function(assay_quick_start program)
  if(ASSAY_SANITIZERS)
    return()
  endif()
  target_link_options(${program} PRIVATE -no-pie -Wl,--as-needed)
  foreach(name IN ITEMS ssl crypto yaml-cpp pugixml)
    find_library(ASSAY_ARCHIVE_${name} lib${name}.a)
    mark_as_advanced(ASSAY_ARCHIVE_${name})
    if(ASSAY_ARCHIVE_${name})
      target_link_options(${program} PRIVATE "${ASSAY_ARCHIVE_${name}}")
    endif()
  endforeach()
endfunction()

# assay_starts_program(<test>): one that starts peers of the program, again and again.
function(assay_starts_program test)
  if(ASSAY_TESTS)
    add_dependencies(${test} assay_quick_program)
    target_compile_definitions(${test} PRIVATE ASSAY_PROGRAM="$<TARGET_FILE:assay_quick_program>")
  endif()
endfunction()
