# Writes the commit that is built into a header (OUTPUT), if it is another one than before; "unknown" outside a
# clone. "-changed" behind it says that files differ from the commit.
execute_process(COMMAND git -C "${ROOT}" describe --always --abbrev=12 --exclude=* --dirty=-changed
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  set(commit "unknown")
endif()
set(text "#pragma once\n#define ASSAY_COMMIT \"${commit}\"\n")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" before)
endif()
if(NOT text STREQUAL "${before}")
  file(WRITE "${OUTPUT}" "${text}")
endif()
