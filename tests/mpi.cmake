# The real machine against the simulated one, on 2, 4 and 8 processes, and how it ends when a
# process dies or waits in vain. Skipped where MPI is missing.
set(mpi_counts 2 4 8)
if(TARGET shardprop_mpi)
  add_executable(shardprop_mpi_equal mpi/main.cpp)
  target_link_libraries(shardprop_mpi_equal PRIVATE shardprop_test_settings shardprop_mpi_settings)
  foreach(count IN LISTS mpi_counts)
    add_test(NAME mpi.equal_${count} COMMAND "${MPIEXEC_EXECUTABLE}" --oversubscribe
      ${MPIEXEC_NUMPROC_FLAG} ${count} "$<TARGET_FILE:shardprop_mpi_equal>")
    list(APPEND mpi_tests mpi.equal_${count})
  endforeach()
  add_test(NAME mpi.ends COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/mpi/ends_test.sh"
    "${MPIEXEC_EXECUTABLE}" "$<TARGET_FILE:shardprop_mpi>")
  list(APPEND mpi_tests mpi.ends)
  # Containers run tests as root, which Open MPI refuses unless it is told so twice.
  set_tests_properties(${mpi_tests} PROPERTIES RUN_SERIAL ON TIMEOUT 120
    ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
else()
  add_test(NAME mpi.equal COMMAND "${CMAKE_COMMAND}" -E echo "skipped: there is no MPI")
  set_tests_properties(mpi.equal PROPERTIES SKIP_REGULAR_EXPRESSION "skipped:")
endif()
