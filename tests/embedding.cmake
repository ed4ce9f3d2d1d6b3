# Tests of the library as others use it: in several translation units, without exceptions and RTTI,
# as the README shows it, installed, and as a subdirectory.

# Two translation units with every header: a function that is not inline is a link error.
set(io_headers ${core_headers} ${json_headers})
list(FILTER io_headers INCLUDE REGEX "/shardprop/io/")
set(include_lines "")
foreach(header IN LISTS io_headers)
  cmake_path(RELATIVE_PATH header BASE_DIRECTORY "${PROJECT_SOURCE_DIR}/include")
  string(APPEND include_lines "#include \"${header}\"\n")
endforeach()
file(CONFIGURE OUTPUT every_header.hpp @ONLY CONTENT
  "#pragma once\n#include \"shardprop/shardprop.hpp\"\n@include_lines@")
add_executable(shardprop_odr odr/main.cpp odr/other.cpp)
target_include_directories(shardprop_odr PRIVATE "${CMAKE_CURRENT_BINARY_DIR}")
target_link_libraries(shardprop_odr PRIVATE shardprop_test_settings)
add_test(NAME embedding.two_translation_units COMMAND shardprop_odr)

add_executable(shardprop_no_exceptions no_exceptions/main.cpp)
target_compile_options(shardprop_no_exceptions PRIVATE -fno-exceptions -fno-rtti)
target_link_libraries(shardprop_no_exceptions PRIVATE shardprop::shardprop)
add_test(NAME embedding.no_exceptions COMMAND shardprop_no_exceptions)

# The first ```cpp block of the README.
set(readme "${PROJECT_SOURCE_DIR}/README.md")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${readme}")
file(READ "${readme}" text)
set(fence "\n```cpp\n")
string(FIND "${text}" "${fence}" start)
if(start EQUAL -1)
  message(FATAL_ERROR "README.md has no cpp block; the test of its example needs one")
endif()
string(LENGTH "${fence}" fence_length)
math(EXPR start "${start} + ${fence_length}")
string(SUBSTRING "${text}" ${start} -1 text)
string(FIND "${text}" "\n```" end)
string(SUBSTRING "${text}" 0 ${end} text)
file(CONFIGURE OUTPUT readme_example.cpp @ONLY CONTENT "@text@\n")
add_executable(shardprop_readme_example "${CMAKE_CURRENT_BINARY_DIR}/readme_example.cpp")
target_link_libraries(shardprop_readme_example PRIVATE shardprop::json)
add_test(NAME embedding.readme_example COMMAND shardprop_readme_example)

# The four ways of embedding: the package or the folder, the core alone or with JSON. The core is
# configured without nlohmann_json.
foreach(way find_package add_subdirectory)
  foreach(target core json)
    add_test(NAME embedding.${way}.${target} COMMAND "${CMAKE_COMMAND}"
      -D WAY=${way}
      -D CONSUMER=${target}
      -D SOURCE_DIR=${PROJECT_SOURCE_DIR}
      -D BUILD_DIR=${PROJECT_BINARY_DIR}
      -D WORK_DIR=${CMAKE_CURRENT_BINARY_DIR}/consumers/${way}_${target}
      -D CXX=${CMAKE_CXX_COMPILER}
      -D GENERATOR=${CMAKE_GENERATOR}
      -P "${CMAKE_CURRENT_SOURCE_DIR}/consumers/run.cmake")
  endforeach()
endforeach()

# The example of a framework's own operations, which must propagate through its region.
if(TARGET example_custom_op)
  add_test(NAME example.custom_op COMMAND example_custom_op)
  set_tests_properties(example.custom_op PROPERTIES
    PASS_REGULAR_EXPRESSION "my.repeat.*data.*model.*my.matmul.*data.*model")
endif()
