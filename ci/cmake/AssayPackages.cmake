# What `cmake --install` puts where, and the packages that CPack makes of it (ci/package).
include(GNUInstallDirs)
# The program alone is installed: no other target has to be built for it.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

# The program itself prints its manual page and completions, so that they cannot be of another version. One for
# another machine needs the emulator.
set(runner "")
if(CMAKE_CROSSCOMPILING)
  set(runner "\"${CMAKE_CROSSCOMPILING_EMULATOR}\"")
endif()
set(documents "${PROJECT_BINARY_DIR}/documents")
install(CODE "
  function(printed file)
    execute_process(COMMAND ${runner} \"$<TARGET_FILE:mcp-assay>\" \${ARGN} OUTPUT_FILE \"${documents}/\${file}\"
      COMMAND_ERROR_IS_FATAL ANY)
  endfunction()
  file(MAKE_DIRECTORY \"${documents}\")
  printed(mcp-assay.1 manual)
  printed(mcp-assay completion bash)
  printed(_mcp-assay completion zsh)
  printed(mcp-assay.fish completion fish)
  execute_process(COMMAND gzip -9nf \"${documents}/mcp-assay.1\" COMMAND_ERROR_IS_FATAL ANY)")
install(TARGETS mcp-assay)
install(FILES "${documents}/mcp-assay.1.gz" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
install(FILES "${documents}/mcp-assay" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES "${documents}/_mcp-assay" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
install(FILES "${documents}/mcp-assay.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" RENAME copyright)
# Pages for users keep their folders, so that their links lead to each other.
foreach(page IN ITEMS README.md CHANGELOG.md bench/README.md ci/PIPELINES.md ci/packaging/README.md
    ci/packaging/VERSIONS.md fuzz/README.md harness/authority/AUTHORIZATION.md harness/catalogue/COVERAGE.md
    harness/catalogue/README.md harness/cli/CONFIGURATION.md harness/cli/SUBCOMMANDS.md harness/host/CLIENTS.md
    harness/profile/README.md harness/runner/SERVERS.md harness/runner/TOKENS.md harness/tap/TRAFFIC.md
    reports/READING.md)
  cmake_path(GET page PARENT_PATH folder)
  install(FILES "${page}" DESTINATION "${CMAKE_INSTALL_DOCDIR}/${folder}")
endforeach()
install(DIRECTORY reports/samples/ DESTINATION "${CMAKE_INSTALL_DOCDIR}/samples"
  FILES_MATCHING PATTERN "faulty.*")

set(CPACK_PACKAGE_VENDOR "The mcp-assay authors")
set(CPACK_PACKAGE_CONTACT "The mcp-assay authors")
set(CPACK_PACKAGE_FILE_NAME "mcp-assay-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
if(CMAKE_CROSSCOMPILING AND CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
endif()
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# CPack looks at files with the program `file` before it asks for their shared libraries.
find_program(ASSAY_SHLIBDEPS dpkg-shlibdeps)
find_program(ASSAY_FILE file)
if(ASSAY_SHLIBDEPS AND ASSAY_FILE AND NOT ASSAY_STATIC)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
include(CPack)
