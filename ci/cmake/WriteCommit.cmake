# Writes the commit that is built into a header (OUTPUT), if it is another one than before; "unknown" where
# this folder is not the clone itself, though another project's clone may hold it. "-changed" behind it says that files
# differ from the commit.
set(ENV{GIT_OPTIONAL_LOCKS} 0) # only looks: the index is not ours to write while somebody commits
execute_process(COMMAND git -C "${ROOT}" rev-parse --show-toplevel
  OUTPUT_VARIABLE clone OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(REAL_PATH "${ROOT}" root)
execute_process(COMMAND git -C "${ROOT}" describe --always --abbrev=12 --exclude=* --dirty=-changed
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
if(NOT status EQUAL 0 OR NOT clone STREQUAL root)
  set(commit "unknown")
endif()
set(text "#pragma once\n#define ASSAY_COMMIT \"${commit}\"\n")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" before)
endif()
if(NOT text STREQUAL "${before}")
  file(WRITE "${OUTPUT}" "${text}")
endif()
