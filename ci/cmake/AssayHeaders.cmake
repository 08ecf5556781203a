# Each header of ours compiled alone, without the precompiled one: whoever includes it needs nothing before it.
# Not part of `all`: cmake --build --preset release --target assay_headers
#
# A header that reads the JSON library would spend nine tenths of its time there. It is given that one header
# precompiled, and nothing else: it reads it anyway.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
  bench/*.h fuzz/*.h harness/*.h reference/*.h reports/*.h scenarios/*.h)
list(FILTER headers EXCLUDE REGEX "^fuzz/adapters/")
set(alone)
set(alone_json)
foreach(header IN LISTS headers)
  if(NOT ASSAY_TESTS AND header MATCHES "_testing\\.h$")
    continue()
  endif()
  set(source "${PROJECT_BINARY_DIR}/generated/alone/${header}.cc")
  file(GENERATE OUTPUT "${source}" CONTENT "#include \"${header}\"\n")
  assay_reads("${header}" "nlohmann/json.hpp" reads_json)
  if(reads_json)
    list(APPEND alone_json "${source}")
  else()
    list(APPEND alone "${source}")
  endif()
endforeach()

add_custom_target(assay_headers)
foreach(kind IN ITEMS alone alone_json)
  add_library(assay_headers_${kind} OBJECT EXCLUDE_FROM_ALL ${${kind}})
  target_link_libraries(assay_headers_${kind} PRIVATE assay_options assay_catalogue assay_wire)
  target_compile_options(assay_headers_${kind} PRIVATE -O0 -Wno-unused-function -Wno-unused-variable)
  add_dependencies(assay_headers assay_headers_${kind})
endforeach()
# What needs no precompiled header takes both compilers the same time.
assay_prefer_clang(assay_headers_alone_json)
target_precompile_headers(assay_headers_alone_json PRIVATE "${CMAKE_CURRENT_LIST_DIR}/json_without_literals.h")
