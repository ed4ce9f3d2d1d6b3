# Rules that must not compile: the compiler's message names what the parser of rules found.
function(add_rule_case name number)
  add_test(NAME compile_errors.${name}
    COMMAND "${CMAKE_CXX_COMPILER}" -std=c++20 -fsyntax-only "-I${PROJECT_SOURCE_DIR}/include"
      "-I$<JOIN:$<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>,;-I>"
      -DSHARDPROP_CASE=${number} "${CMAKE_CURRENT_SOURCE_DIR}/compile_errors/rules.cpp"
    COMMAND_EXPAND_LISTS)
  if(ARGC GREATER 2)
    set_tests_properties(compile_errors.${name} PROPERTIES
      PASS_REGULAR_EXPRESSION "non-[^ ]*constexpr[^\n]*(${ARGV2})")
  endif()
endfunction()

add_rule_case(none 0)
add_rule_case(unclosed_tensor 1 "fail")
add_rule_case(unknown_factor 2 "report_unknown")
add_rule_case(factor_twice_in_a_tensor 3 "report_reused")
add_rule_case(bad_factor_name 4 "report_symbol")
add_rule_case(reduction_in_a_result 5 "report_reduced_result")
add_rule_case(factor_in_two_sets 6 "report_two_sets")
add_rule_case(unsorted_set 7 "report_set_order")
add_rule_case(empty_dimension 8 "report_empty")
add_rule_case(unknown_set 9 "fail")
add_rule_case(second_rule_wrong 10 "fail|format")
