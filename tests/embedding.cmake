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
target_link_libraries(shardprop_odr PRIVATE shardprop::json)
add_test(NAME embedding.two_translation_units COMMAND shardprop_odr)

add_executable(shardprop_no_exceptions no_exceptions/main.cpp)
target_compile_options(shardprop_no_exceptions PRIVATE -fno-exceptions -fno-rtti)
target_link_libraries(shardprop_no_exceptions PRIVATE shardprop::shardprop)
add_test(NAME embedding.no_exceptions COMMAND shardprop_no_exceptions)

# Wrong uses of the public headers in a release build, under sanitizers.
add_executable(shardprop_misuse misuse/main.cpp)
target_compile_options(shardprop_misuse PRIVATE
  -O2 -DNDEBUG -Wno-error -fsanitize=address,undefined -fno-sanitize-recover=all)
target_link_options(shardprop_misuse PRIVATE -fsanitize=address,undefined)
target_link_libraries(shardprop_misuse PRIVATE shardprop::shardprop)
add_test(NAME embedding.misuse COMMAND shardprop_misuse)

# The ```cpp blocks of a page that are whole programs, in order: programs ${name}_1, ${name}_2, ...
# A further argument is the output that each must have, as a regular expression.
function(add_page_examples name page)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${page}")
  file(READ "${page}" text)
  set(fence "\n```cpp\n")
  string(LENGTH "${fence}" fence_length)
  foreach(output IN LISTS ARGN)
    string(FIND "${text}" "${fence}" start)
    if(start EQUAL -1)
      message(FATAL_ERROR "${page} has fewer cpp blocks than outputs are expected")
    endif()
    math(EXPR start "${start} + ${fence_length}")
    string(SUBSTRING "${text}" ${start} -1 text)
    string(FIND "${text}" "\n```" end)
    string(SUBSTRING "${text}" 0 ${end} block)
    string(SUBSTRING "${text}" ${end} -1 text)
    math(EXPR number "${number} + 1")
    set(target shardprop_${name}_${number})
    file(CONFIGURE OUTPUT ${target}.cpp @ONLY CONTENT "@block@\n")
    add_executable(${target} "${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp")
    target_link_libraries(${target} PRIVATE shardprop::shardprop)
    add_test(NAME embedding.${name}_${number} COMMAND ${target})
    set_tests_properties(embedding.${name}_${number} PROPERTIES PASS_REGULAR_EXPRESSION "${output}")
  endforeach()
endfunction()
add_page_examples(readme "${PROJECT_SOURCE_DIR}/README.md"
  "<@mesh, .{.data.}, {.model.}.>, on each device 16 x 1024, 65536 bytes")
add_page_examples(page "${PROJECT_SOURCE_DIR}/docs/embedding.md"
  "y <@mesh, .{.data.}, {}.>, w none"
  "y <@mesh, .{.data.}, {.model.}.>"
  "before: <@mesh, .{.data.}, {}.>.*y has <@mesh, .{.data.}, {.model.}.>"
  "result <@mesh, .{.data., .}, {.model., .}.>")

# The ways of embedding: the package or the folder; the core alone or with JSON; the compiled library,
# which is not compiled again for the folder. The core is configured without nlohmann_json.
foreach(embedding
    find_package.core find_package.json find_package.compiled
    add_subdirectory.core add_subdirectory.json)
  string(REPLACE "." ";" way_and_target ${embedding})
  list(GET way_and_target 0 way)
  list(GET way_and_target 1 target)
  add_test(NAME embedding.${embedding} COMMAND "${CMAKE_COMMAND}"
    -D WAY=${way}
    -D CONSUMER=${target}
    -D SOURCE_DIR=${PROJECT_SOURCE_DIR}
    -D BUILD_DIR=${PROJECT_BINARY_DIR}
    -D WORK_DIR=${CMAKE_CURRENT_BINARY_DIR}/consumers/${embedding}
    -D CXX=${CMAKE_CXX_COMPILER}
    "-DCXX_FLAGS=${CMAKE_CXX_FLAGS_DEBUG}"
    -D GENERATOR=${CMAKE_GENERATOR}
    -P "${CMAKE_CURRENT_SOURCE_DIR}/consumers/run.cmake")
endforeach()

# The example of a framework's own operations, which must propagate through its region.
if(TARGET example_custom_op)
  add_test(NAME example.custom_op COMMAND example_custom_op)
  set_tests_properties(example.custom_op PROPERTIES
    PASS_REGULAR_EXPRESSION "my.repeat.*data.*model.*my.matmul.*data.*model")
endif()

# The example of a framework with a program representation of its own.
if(TARGET example_tracing_framework)
  add_test(NAME example.tracing_framework COMMAND example_tracing_framework)
  set(both "<@mesh, .{.data.}, {.model.}.>")
  set(rows "<@mesh, .{.data.}, {}.>")
  set_tests_properties(example.tracing_framework PROPERTIES PASS_REGULAR_EXPRESSION
    "x ${both}\nw <@mesh, .{}, {.model.}.>\nnext ${both}\ny ${both}\nwithout a sharding of w:\nx ${rows}\nw none\nnext ${rows}\ny ${rows}")
endif()
