# How a room of the house is declared: its library, its tests, and the warnings they are built with.

add_library(assay_options INTERFACE)
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
if(ASSAY_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# assay_library(<name> SOURCES ... [PUBLIC ...] [PRIVATE ...])
# PUBLIC and PRIVATE are what the room links; the link graph is the floor plan, so an include
# upwards does not build.
function(assay_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_PUBLIC} PRIVATE assay_options ${ARG_PRIVATE})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
endfunction()

# assay_test(<name> SOURCES ... LIBRARIES ...): one GoogleTest program, run by ctest as one test.
function(assay_test name)
  if(NOT ASSAY_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE assay_options ${ARG_LIBRARIES} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    ASSAY_SOURCE_DIR="${PROJECT_SOURCE_DIR}" ASSAY_BINARY_DIR="${PROJECT_BINARY_DIR}")
  add_test(NAME ${name} COMMAND ${name})
endfunction()
