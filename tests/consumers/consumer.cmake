# The program of someone else. CONSUMER_TARGET core links the core alone, json the JSON room too,
# compiled the library that has the definitions.
add_executable(consumer "${CMAKE_CURRENT_LIST_DIR}/${CONSUMER_TARGET}.cpp")
if(CONSUMER_TARGET STREQUAL "core")
  target_link_libraries(consumer PRIVATE shardprop::shardprop)
  if(TARGET shardprop::json OR TARGET nlohmann_json::nlohmann_json)
    message(FATAL_ERROR "the core must not bring nlohmann_json")
  endif()
else()
  target_link_libraries(consumer PRIVATE shardprop::${CONSUMER_TARGET})
endif()
