# Fuzzing somebody else's parser beside ours.

# assay_adapter_fuzzer(<name> SOURCES ... [LIBRARIES ...]): the sources implement fuzz/adapter.h. Gives
# the program <name>_pipe, for `mcp-assay fuzz-parser`, and with ASSAY_FUZZERS also <name>_fuzzer.
function(assay_adapter_fuzzer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  # Other people's parsers are built as they come, without our warnings.
  add_library(${name}_adapter OBJECT ${ARG_SOURCES})
  target_include_directories(${name}_adapter PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name}_adapter PUBLIC ${ARG_LIBRARIES})
  add_executable(${name}_pipe "${PROJECT_SOURCE_DIR}/fuzz/adapter_pipe.cc")
  target_link_libraries(${name}_pipe PRIVATE assay_options assay_parsers ${name}_adapter)
  if(ASSAY_FUZZERS)
    add_executable(${name}_fuzzer "${PROJECT_SOURCE_DIR}/fuzz/adapter_fuzzer.cc")
    target_link_libraries(${name}_fuzzer PRIVATE assay_options assay_parsers ${name}_adapter)
    target_link_options(${name}_fuzzer PRIVATE -fsanitize=fuzzer)
  endif()
endfunction()
