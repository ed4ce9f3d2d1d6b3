# The page of `shardprop view` in headless Chromium. Skipped where node or Chromium is missing. With
# SHARDPROP_TSC, the TypeScript compiler, the types of its scripts are checked too.
find_program(NODE_PROGRAM NAMES node nodejs)
if(TARGET shardprop_cli)
  if(NODE_PROGRAM)
    add_test(NAME view.page COMMAND "${NODE_PROGRAM}" "${CMAKE_CURRENT_SOURCE_DIR}/view/page_test.js"
      "$<TARGET_FILE:shardprop_cli>" "${PROJECT_SOURCE_DIR}" "${SHARDPROP_SHARED}")
  else()
    add_test(NAME view.page COMMAND "${CMAKE_COMMAND}" -E echo "skipped: there is no node")
    set_tests_properties(view.page PROPERTIES SKIP_REGULAR_EXPRESSION "skipped:")
  endif()
  set_tests_properties(view.page PROPERTIES SKIP_RETURN_CODE 77 RUN_SERIAL ON TIMEOUT 600)
endif()

find_program(SHARDPROP_TSC NAMES tsc)
if(SHARDPROP_TSC)
  add_test(NAME view.types COMMAND "${SHARDPROP_TSC}" -p "${PROJECT_SOURCE_DIR}/examples/view")
endif()
