# shardprop::compiled: the same headers as shardprop::shardprop, with the definitions of X_inl.hpp in a
# library, static or shared as BUILD_SHARED_LIBS says. It has JSON too, if nlohmann_json is found;
# whoever links it does not need nlohmann_json. It is built when something links it, or with
# SHARDPROP_BUILD_COMPILED.
file(GLOB_RECURSE definitions CONFIGURE_DEPENDS
  RELATIVE "${PROJECT_SOURCE_DIR}/include" include/shardprop/*_inl.hpp)
if(NOT TARGET nlohmann_json::nlohmann_json)
  list(FILTER definitions EXCLUDE REGEX "/io/json")
endif()

set(sources "")
foreach(header IN LISTS definitions)
  string(REGEX REPLACE "_inl[.]hpp$" ".cpp" source "${PROJECT_BINARY_DIR}/compiled/${header}")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT "#include \"@header@\"\n")
  list(APPEND sources "${source}")
endforeach()

add_library(shardprop_compiled ${sources})
add_library(shardprop::compiled ALIAS shardprop_compiled)
target_compile_definitions(shardprop_compiled PUBLIC SHARDPROP_COMPILED)
target_link_libraries(shardprop_compiled PUBLIC shardprop)
if(TARGET nlohmann_json::nlohmann_json)
  target_link_libraries(shardprop_compiled PRIVATE
    $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
  target_sources(shardprop_compiled INTERFACE
    FILE_SET HEADERS BASE_DIRS include FILES ${json_headers})
endif()
set_target_properties(shardprop_compiled PROPERTIES
  EXPORT_NAME compiled
  OUTPUT_NAME shardprop
  POSITION_INDEPENDENT_CODE ON
  WINDOWS_EXPORT_ALL_SYMBOLS ON
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  UNITY_BUILD OFF)
if(PROJECT_IS_TOP_LEVEL)
  # The tests run thousands of programs through it.
  target_compile_options(shardprop_compiled PRIVATE $<$<CONFIG:Debug>:-O1>)
endif()
if(NOT SHARDPROP_BUILD_COMPILED)
  set_target_properties(shardprop_compiled PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
