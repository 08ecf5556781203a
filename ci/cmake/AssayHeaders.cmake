# Each header of ours compiled alone, without the precompiled one: whoever includes it needs nothing before it.
# Not part of `all`: cmake --build --preset release --target assay_headers
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
  bench/*.h fuzz/*.h harness/*.h reference/*.h reports/*.h scenarios/*.h)
list(FILTER headers EXCLUDE REGEX "^fuzz/adapters/")
set(alone)
foreach(header IN LISTS headers)
  if(NOT ASSAY_TESTS AND header MATCHES "_testing\\.h$")
    continue()
  endif()
  set(source "${PROJECT_BINARY_DIR}/generated/alone/${header}.cc")
  file(GENERATE OUTPUT "${source}" CONTENT "#include \"${header}\"\n")
  list(APPEND alone "${source}")
endforeach()
add_library(assay_headers OBJECT EXCLUDE_FROM_ALL ${alone})
target_link_libraries(assay_headers PRIVATE assay_options assay_catalogue assay_wire)
target_compile_options(assay_headers PRIVATE -O0 -Wno-unused-function -Wno-unused-variable)
