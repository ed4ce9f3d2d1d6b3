# shardprop_tests: all *_test.cpp of the rooms in one program, one ctest entry for each room. Cases
# with the tag [shared] need data that is not part of the project; see tests/support/shared_data.hpp.
file(GLOB unit_sources CONFIGURE_DEPENDS *_test.cpp */*_test.cpp)
list(FILTER unit_sources EXCLUDE REGEX "/tests/conformance/")
list(FILTER unit_sources EXCLUDE REGEX "_round_trip_test.cpp$")

add_executable(shardprop_tests main.cpp ${unit_sources})
target_link_libraries(shardprop_tests PRIVATE shardprop_test_settings Catch2::Catch2)
# Most of what a test compiles is the library, inline: a few large units compile it a few times.
set_target_properties(shardprop_tests PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
set_source_files_properties(main.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
target_precompile_headers(shardprop_tests PRIVATE
  "${CMAKE_CURRENT_SOURCE_DIR}/catch.hpp" <fmt/core.h> <shardprop/shardprop.hpp>)
# main.cpp holds Catch2's runner, which must be compiled before any other use of Catch2.
set_source_files_properties(main.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
if(TARGET shardprop_cli)
  add_dependencies(shardprop_tests shardprop_cli)
  target_compile_definitions(shardprop_tests PRIVATE SHARDPROP_CLI="$<TARGET_FILE:shardprop_cli>")
endif()

# Catch2 tags each case with its file's name on request: a room is the "or" of its files. Version 3
# fails by itself when nothing matches, version 2 has to be asked.
set(fail_on_no_tests "")
if(Catch2_VERSION VERSION_LESS 3)
  set(fail_on_no_tests --warn NoTests)
endif()

set(rooms "")
foreach(source IN LISTS unit_sources)
  cmake_path(GET source PARENT_PATH room)
  cmake_path(GET room FILENAME room)
  cmake_path(GET source STEM LAST_ONLY name)
  list(APPEND rooms ${room})
  # A file of this name has cases for [shared] only, and a filter must match some case.
  if(NOT name MATCHES "shared")
    list(APPEND files_of_${room} "[#${name}]~[shared]")
  endif()
endforeach()
list(REMOVE_DUPLICATES rooms)
foreach(room IN LISTS rooms)
  list(JOIN files_of_${room} "," filter)
  string(REPLACE "tests" "project" label ${room})
  add_test(NAME unit.${label}
    COMMAND shardprop_tests --filenames-as-tags ${fail_on_no_tests} "${filter}")
endforeach()
add_test(NAME unit.shared_data COMMAND shardprop_tests ${fail_on_no_tests} "[shared]")

# Round trips of all conformance cases and real programs: optimised, as that many graphs take minutes
# otherwise.
file(GLOB round_trip_sources CONFIGURE_DEPENDS */*_round_trip_test.cpp)
add_executable(shardprop_round_trips main.cpp ${round_trip_sources})
target_link_libraries(shardprop_round_trips PRIVATE shardprop_test_settings Catch2::Catch2)
target_compile_options(shardprop_round_trips PRIVATE $<$<CONFIG:Debug>:-O1>)
foreach(form json text)
  add_test(NAME round_trip.${form}
    COMMAND shardprop_round_trips ${fail_on_no_tests} "~[shared]${form}:*")
  add_test(NAME round_trip.${form}_shared_data
    COMMAND shardprop_round_trips ${fail_on_no_tests} "[shared]${form}:*")
endforeach()
set_tests_properties(unit.shared_data round_trip.json_shared_data round_trip.text_shared_data
  PROPERTIES SKIP_RETURN_CODE 77)
