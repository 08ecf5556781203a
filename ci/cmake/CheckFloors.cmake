# Fails where a source includes upwards: cmake -DROOT=FOLDER -P CheckFloors.cmake
#
# A room may include what stands on a lower floor, and itself. Rooms of one floor do not include each other.
# The first folder that a path begins with counts.
set(floors
  "0 reports/" "0 reference/wire/"
  "1 reference/model/"
  "2 reference/transport/"
  "3 reference/authorization/" "3 reference/client/" "3 reference/server/" "3 reference/hostile/"
  "4 harness/catalogue/" "4 harness/transcript/" "4 harness/profile/"
  "5 harness/parsers/" "5 harness/finding.h"
  "6 harness/script/"
  "7 harness/monitors/"
  "8 harness/runner/"
  "10 harness/frame/" "11 harness/project/" "12 harness/parties/" "11 harness/rules/" "11 harness/programs/"
  "13 harness/cli/" "10 harness/interop/" "9 harness/"
  "14 bench/load/" "15 bench/"
  "14 fuzz/live/target/" "15 fuzz/live/values/" "16 fuzz/live/judge/" "17 fuzz/live/operators/" "18 fuzz/live/wire/"
  "19 fuzz/live/proof/" "20 fuzz/live/client/" "21 fuzz/live/" "23 fuzz/adapters/" "22 fuzz/"
  "14 scenarios/")

# Sets floor and room to those of a path from the top of the project; room is empty for what has none.
macro(find_floor path)
  set(floor "")
  set(room "")
  foreach(entry IN LISTS floors)
    if(entry MATCHES "^([0-9]+) (.+)$")
      string(FIND "${path}" "${CMAKE_MATCH_2}" begin)
      if(begin EQUAL 0)
        set(floor "${CMAKE_MATCH_1}")
        set(room "${CMAKE_MATCH_2}")
        break()
      endif()
    endif()
  endforeach()
endmacro()

set(sources "")
foreach(top reference reports harness scenarios fuzz bench)
  file(GLOB_RECURSE found RELATIVE "${ROOT}" "${ROOT}/${top}/*.h" "${ROOT}/${top}/*.cc")
  list(APPEND sources ${found})
endforeach()

set(is_sound TRUE)
foreach(source IN LISTS sources)
  find_floor("${source}")
  set(own_floor "${floor}")
  set(own_room "${room}")
  file(STRINGS "${ROOT}/${source}" lines REGEX "^#include \"[^\"]*/")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" included "${line}")
    find_floor("${included}")
    if(room STREQUAL "" OR room STREQUAL own_room OR floor LESS own_floor)
      continue()
    endif()
    message("${source}: includes ${included}, which is not on a lower floor (ci/cmake/CheckFloors.cmake)")
    set(is_sound FALSE)
  endforeach()
endforeach()
if(NOT is_sound)
  message(FATAL_ERROR "A room includes rooms of lower floors only.")
endif()
