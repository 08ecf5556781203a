# What a source reads, directly or through headers of ours, as it was when the build was configured.

# Sets `result` to whether `file` (a path from the top of the project) reads `wanted`: a header as an include names
# it, without its quotes or brackets. Each header is looked at once for each `wanted`.
function(assay_reads file wanted result)
  get_property(known GLOBAL PROPERTY "assay_reads ${wanted} ${file}")
  if(NOT "${known}" STREQUAL "")
    set(${result} ${known} PARENT_SCOPE)
    return()
  endif()
  set(reads FALSE)
  set_property(GLOBAL PROPERTY "assay_reads ${wanted} ${file}" FALSE)  # headers in a ring end here
  if(EXISTS "${PROJECT_SOURCE_DIR}/${file}")
    file(STRINGS "${PROJECT_SOURCE_DIR}/${file}" includes REGEX "^#include [\"<]")
    foreach(include IN LISTS includes)
      string(REGEX REPLACE "^#include [\"<]([^\">]*)[\">].*" "\\1" include "${include}")
      if(include STREQUAL wanted)
        set(reads TRUE)
      else()
        assay_reads("${include}" "${wanted}" reads)
      endif()
      if(reads)
        break()
      endif()
    endforeach()
  endif()
  set_property(GLOBAL PROPERTY "assay_reads ${wanted} ${file}" ${reads})
  set(${result} ${reads} PARENT_SCOPE)
endfunction()
