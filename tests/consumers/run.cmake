# Configures, builds and runs consumers/<WAY> with the compiler and the flags of this build. For find_package the
# library is first installed to a prefix in WORK_DIR. Only for CONSUMER json can CMake find
# nlohmann_json.
function(step)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${WORK_DIR}")
set(ENV{DESTDIR} "")

if(WAY STREQUAL "find_package")
  step("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${WORK_DIR}/prefix"
    --component development)
  set(where "-DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix")
else()
  set(where "-DSHARDPROP_SOURCE_DIR=${SOURCE_DIR}")
endif()

set(without_json OFF)
if(NOT CONSUMER STREQUAL "json")
  set(without_json ON)
endif()
step("${CMAKE_COMMAND}" -S "${SOURCE_DIR}/tests/consumers/${WAY}" -B "${WORK_DIR}/build"
  -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${CXX}" -DCMAKE_BUILD_TYPE=Debug
  "-DCMAKE_CXX_FLAGS_DEBUG=${CXX_FLAGS}" "${where}"
  -DCONSUMER_TARGET=${CONSUMER} -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=${without_json})
step("${CMAKE_COMMAND}" --build "${WORK_DIR}/build")
step("${WORK_DIR}/build/consumer")
