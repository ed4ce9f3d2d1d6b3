# Installs the headers, the command line and a package that find_package(shardprop) finds. The core
# and JSON are exported separately, so that the core can be used without nlohmann/json.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_DATADIR}/cmake/shardprop")

install(TARGETS shardprop EXPORT shardpropTargets FILE_SET HEADERS COMPONENT development)
install(EXPORT shardpropTargets
  NAMESPACE shardprop:: DESTINATION "${package_dir}" COMPONENT development)

if(TARGET shardprop_json)
  install(TARGETS shardprop_json EXPORT shardpropJsonTargets
    FILE_SET HEADERS COMPONENT development)
  install(EXPORT shardpropJsonTargets
    NAMESPACE shardprop:: DESTINATION "${package_dir}" COMPONENT development)
endif()
if(SHARDPROP_BUILD_COMPILED)
  install(TARGETS shardprop_compiled EXPORT shardpropCompiledTargets
    FILE_SET HEADERS COMPONENT development
    ARCHIVE COMPONENT development LIBRARY COMPONENT development RUNTIME COMPONENT development)
  install(EXPORT shardpropCompiledTargets
    NAMESPACE shardprop:: DESTINATION "${package_dir}" COMPONENT development)
endif()
if(TARGET shardprop_cli)
  install(TARGETS shardprop_cli RUNTIME COMPONENT runtime)
endif()

configure_package_config_file(cmake/shardpropConfig.cmake.in
  "${PROJECT_BINARY_DIR}/shardpropConfig.cmake" INSTALL_DESTINATION "${package_dir}")
set(any_architecture ARCH_INDEPENDENT)
if(SHARDPROP_BUILD_COMPILED)
  set(any_architecture "")
endif()
write_basic_package_version_file("${PROJECT_BINARY_DIR}/shardpropConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion ${any_architecture})
install(FILES
  "${PROJECT_BINARY_DIR}/shardpropConfig.cmake"
  "${PROJECT_BINARY_DIR}/shardpropConfigVersion.cmake"
  DESTINATION "${package_dir}" COMPONENT development)
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT development)
