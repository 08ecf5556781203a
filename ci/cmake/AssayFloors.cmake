# An include upwards does not build.
set(checker "${CMAKE_CURRENT_LIST_DIR}/CheckFloors.cmake")
file(GLOB_RECURSE sources CONFIGURE_DEPENDS bench/*.h bench/*.cc fuzz/*.h fuzz/*.cc harness/*.h harness/*.cc
  reference/*.h reference/*.cc reports/*.h reports/*.cc scenarios/*.h scenarios/*.cc)
set(stamp "${PROJECT_BINARY_DIR}/generated/floors.checked")
add_custom_command(OUTPUT "${stamp}"
  COMMAND "${CMAKE_COMMAND}" "-DROOT=${PROJECT_SOURCE_DIR}" -P "${checker}"
  COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
  DEPENDS "${checker}" ${sources}
  COMMENT "Checking that no room includes upwards"
  VERBATIM)
add_custom_target(assay_floors ALL DEPENDS "${stamp}")

if(ASSAY_TESTS)
  set(house "${PROJECT_BINARY_DIR}/generated/upside_down")
  file(WRITE "${house}/reference/wire/wire.h" "#include \"harness/frame/command.h\"\n")
  add_test(NAME floors_refuse_upward_includes
    COMMAND "${CMAKE_COMMAND}" "-DROOT=${house}" -P "${checker}")
  set_tests_properties(floors_refuse_upward_includes PROPERTIES PASS_REGULAR_EXPRESSION
    "reference/wire/wire.h: includes harness/frame/command.h, which is not on a lower floor")
endif()
