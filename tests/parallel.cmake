# Many modules on many threads, under ThreadSanitizer where there is one. A program of its own, so that nothing else is
# compiled with the sanitizer.
include(CheckCXXSourceRuns)
find_package(Threads REQUIRED)

# Whether a program runs with it: some systems have the library but not the address space that it wants.
set(CMAKE_REQUIRED_FLAGS "-fsanitize=thread")
set(CMAKE_REQUIRED_LINK_OPTIONS "-fsanitize=thread")
check_cxx_source_runs("int main() { return 0; }" SHARDPROP_HAS_THREAD_SANITIZER)
unset(CMAKE_REQUIRED_FLAGS)
unset(CMAKE_REQUIRED_LINK_OPTIONS)

add_executable(shardprop_parallel parallel/main.cpp)
target_link_libraries(shardprop_parallel PRIVATE shardprop_test_settings Threads::Threads)
if(SHARDPROP_HAS_THREAD_SANITIZER)
  # Warnings are not errors here: with sanitizers g++ 12 warns of uninitialized values in its own headers.
  target_compile_options(shardprop_parallel PRIVATE -O1 -fsanitize=thread -Wno-error)
  target_link_options(shardprop_parallel PRIVATE -fsanitize=thread)
else()
  message(STATUS "ThreadSanitizer is not available: the test 'parallel' compares results only")
endif()
add_test(NAME parallel COMMAND shardprop_parallel)
set_tests_properties(parallel PROPERTIES ENVIRONMENT "TSAN_OPTIONS=halt_on_error=1")
