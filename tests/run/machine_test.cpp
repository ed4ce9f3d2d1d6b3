// Processes in lock-step: loops and branches around collectives, messages, infeeds, processes of
// different functions, and what is said when processes do not fit together.
#include "tests/run/machine_case.hpp"

namespace shardprop::test::machine_cases {

constexpr std::string_view kSum = R"("stablehlo.all_reduce"(%v) ({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %sum = stablehlo.add %x, %y : tensor<i64>
    stablehlo.return %sum : tensor<i64>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<i64>) -> tensor<i64>)";

TEST_CASE("a collective in a loop runs once in each round", "[run]") {
  const std::string body = fmt::format(R"(
  %z = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %n = stablehlo.constant dense<3> : tensor<i64>
  %r:2 = stablehlo.while(%i = %z, %v = %a) : tensor<i64>, tensor<i64>
   cond {{
    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }} do {{
    %s = {}
    %j = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %j, %s : tensor<i64>, tensor<i64>
  }}
  return %r#1 : tensor<i64>)",
                                       kSum);
  check_machine_case({"sums of sums", {2, 1}, "tensor<i64>", body, "40; 40"});
}

TEST_CASE("a loop whose condition differs between processes is an error, not a hang", "[run]") {
  const std::string body = fmt::format(R"(
  %z = stablehlo.constant dense<0> : tensor<i64>
  %r = stablehlo.while(%v = %a) : tensor<i64>
   cond {{
    %p = stablehlo.compare GT, %v, %z : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }} do {{
    %s = {}
    stablehlo.return %s : tensor<i64>
  }}
  return %r : tensor<i64>)",
                                       kSum);
  check_machine_case(
      {"process 0 leaves the loop",
       {2, 1},
       "tensor<i64>",
       body,
       "run.diverged: processes 1 and 0 must do this together, but process 0 is done"});
}

TEST_CASE("branches with different collectives are an error that names both", "[run]") {
  const std::string body = fmt::format(R"(
  %z = stablehlo.constant dense<0> : tensor<i64>
  %p = stablehlo.compare GT, %a, %z : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %v = stablehlo.add %a, %z : tensor<i64>
  %r = "stablehlo.if"(%p) ({{
    %s = {0}
    stablehlo.return %s : tensor<i64>
  }}, {{
    %t = {0}
    stablehlo.return %t : tensor<i64>
  }}) : (tensor<i1>) -> tensor<i64>
  return %r : tensor<i64>)",
                                       kSum);
  check_machine_case({"the two branches",
                      {2, 1},
                      "tensor<i64>",
                      body,
                      "run.diverged: processes 0 and 1 must do this together, but process 1 is at "
                      "@main, stablehlo.all_reduce %s"});
}

constexpr MachineCase kWrong[] = {
    {"an id that there is not",
     {2, 1},
     "tensor<1xi64>",
     R"(
  %r = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<1xi64>) -> tensor<3xi64>
  return %r : tensor<3xi64>)",
     "run.groups: the groups hold the id 2, and there are 2 (on 2 replicas of 1 partitions)"},
    {"a process without a group",
     {3, 1},
     "tensor<1xi64>",
     R"(
  %r = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<1xi64>) -> tensor<2xi64>
  return %r : tensor<2xi64>)",
     "run.groups: the id 2 is in no group (on 3 replicas of 1 partitions)"},
    {"a result of another size than the group gives",
     {2, 1},
     "tensor<1xi64>",
     R"(
  %r = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<1xi64>) -> tensor<3xi64>
  return %r : tensor<3xi64>)",
     "run.shape: process 0: result 0 is tensor<2xi64>, declared tensor<3xi64>"},
    {"a dimension that cannot be split",
     {2, 1},
     "tensor<3xi64>",
     R"(
  %r = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %s = stablehlo.add %x, %y : tensor<i64>
    stablehlo.return %s : tensor<i64>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<3xi64>) -> tensor<1xi64>
  return %r : tensor<1xi64>)",
     "run.shape: dimension 0 of tensor<3xi64> cannot be split in 2 parts"},
    {"a permutation to a process that there is not",
     {2, 1},
     "tensor<1xi64>",
     R"(
  %r = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<1xi64>) -> tensor<1xi64>
  return %r : tensor<1xi64>)",
     "run.groups: the pairs hold the id 2, and there are 2"},
    {"a root outside of the group",
     {2, 1},
     "tensor<1xi64>",
     R"(
  %k = stablehlo.constant dense<[2]> : tensor<1xi32>
  %r = "stablehlo.collective_broadcast"(%a, %k) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root = true} : (tensor<1xi64>, tensor<1xi32>) -> tensor<1xi64>
  return %r : tensor<1xi64>)",
     "run.groups: the root 2 is not in a group of 2 processes"},
    {"operands of different sizes",
     {2, 1},
     "tensor<1xi64>",
     R"(
  %z = stablehlo.constant dense<0> : tensor<1xi64>
  %p = stablehlo.add %a, %z : tensor<1xi64>
  %d = stablehlo.dynamic_iota %p, dim = 0 : (tensor<1xi64>) -> tensor<?xi64>
  %r = "stablehlo.all_gather"(%d) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<?xi64>) -> tensor<?xi64>
  return %r : tensor<?xi64>)",
     "run.mismatch: operand 0 has the shape [0] in process 0 and [10] in process 1 of a group"},
    {"nobody sends",
     {2, 1},
     "tensor<1xi64>",
     R"(
  %t = stablehlo.create_token : !stablehlo.token
  %r:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<1xi64>, !stablehlo.token)
  return %r#0 : tensor<1xi64>)",
     "run.deadlock: process 0 waits for data that nobody sends"},
    {"the host has no data",
     {2, 1},
     "tensor<1xi64>",
     R"(
  %t = stablehlo.create_token : !stablehlo.token
  %r:2 = "stablehlo.infeed"(%t) {infeed_config = ""} : (!stablehlo.token) -> (tensor<1xi64>, !stablehlo.token)
  return %r#0 : tensor<1xi64>)",
     "run.deadlock: the infeed has no more data"},
};

TEST_CASE("what does not fit together is an error with a code", "[run]") {
  for (const MachineCase& c : kWrong) check_machine_case(c);
}

TEST_CASE("groups that were not verified may not share a process", "[run]") {
  const Module m = unverified(machine_case_text("tensor<1xi64>", R"(
  %r = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>} : (tensor<1xi64>) -> tensor<2xi64>
  return %r : tensor<2xi64>)"));
  const EvalTable table = standard_evaluators();
  const FuncId func = find_func(m, "main");
  CHECK(text_of_results(
            run_on_grid(Runnable(m, table), func, numbered_arguments(m, func, 3), {3, 1})) ==
        "run.groups: the id 1 is in two groups (on 3 replicas of 1 partitions)");
}

TEST_CASE("messages go along the pairs of processes", "[run]") {
  check_machine_case({"a ring of three, one of them gets nothing",
                      {1, 3},
                      "tensor<2xi64>",
                      R"(
  %t = stablehlo.create_token : !stablehlo.token
  %s = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>} : (tensor<2xi64>, !stablehlo.token) -> !stablehlo.token
  %r:2 = "stablehlo.recv"(%s) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>} : (!stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
  return %r#0 : tensor<2xi64>)",
                      "[0, 0]; [0, 1]; [10, 11]"});
}

constexpr std::string_view kParallel = R"(
func.func private @send(%a: tensor<i64>) {
  %t = stablehlo.create_token : !stablehlo.token
  %b = stablehlo.negate %a : tensor<i64>
  %s = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true} : (tensor<i64>, !stablehlo.token) -> !stablehlo.token
  %u = "stablehlo.send"(%b, %s) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true} : (tensor<i64>, !stablehlo.token) -> !stablehlo.token
  return
}
func.func private @receive(%t: !stablehlo.token) -> (tensor<i64>, tensor<i64>) {
  %a:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)
  %b:2 = "stablehlo.recv"(%a#1) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)
  return %a#0, %b#0 : tensor<i64>, tensor<i64>
}
func.func private @seven() -> tensor<i64> {
  %a = stablehlo.constant dense<7> : tensor<i64>
  return %a : tensor<i64>
}
func.func private @eight() -> tensor<i64> {
  %a = stablehlo.constant dense<8> : tensor<i64>
  return %a : tensor<i64>
}
func.func private @feed() -> tensor<i64> {
  %t = stablehlo.create_token : !stablehlo.token
  %a:2 = "stablehlo.infeed"(%t) {infeed_config = ""} : (!stablehlo.token) -> (tensor<i64>, !stablehlo.token)
  %o = "stablehlo.outfeed"(%a#0, %a#1) {outfeed_config = ""} : (tensor<i64>, !stablehlo.token) -> !stablehlo.token
  return %a#0 : tensor<i64>
}
func.func private @sum(%a: tensor<i64>) -> tensor<i64> {
  %r = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %s = stablehlo.subtract %x, %y : tensor<i64>
    stablehlo.return %s : tensor<i64>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<i64>) -> tensor<i64>
  return %r : tensor<i64>
}
func.func private @sum_of_twice(%a: tensor<i64>) -> tensor<i64> {
  %b = stablehlo.add %a, %a : tensor<i64>
  %r = "stablehlo.all_reduce"(%b) ({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %s = stablehlo.subtract %x, %y : tensor<i64>
    stablehlo.return %s : tensor<i64>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<i64>) -> tensor<i64>
  return %r : tensor<i64>
}
)";

std::string parallel(std::string_view body) {
  return outcome_of(unverified(std::string(kParallel) + run_case_text(body)));
}

TEST_CASE("run_parallel runs a grid of functions", "[run]") {
  CHECK(parallel(R"(
  %a = stablehlo.constant dense<5> : tensor<i64>
  %t = stablehlo.create_token : !stablehlo.token
  %r:2 = "interpreter.run_parallel"(%t, %a) {programs = [[@receive], [@send]]} : (!stablehlo.token, tensor<i64>) -> (tensor<i64>, tensor<i64>)
  return %r#0, %r#1 : tensor<i64>, tensor<i64>)") == "5 : tensor<i64>\n-5 : tensor<i64>");
  CHECK(parallel(R"(
  %r:2 = "interpreter.run_parallel"() {programs = [[@feed, @feed]], infeed = [@eight, @seven]} : () -> (tensor<i64>, tensor<i64>)
  return %r#0, %r#1 : tensor<i64>, tensor<i64>)") == "8 : tensor<i64>\n7 : tensor<i64>");
  CHECK(parallel(R"(
  %a = stablehlo.constant dense<5> : tensor<i64>
  %b = stablehlo.constant dense<1> : tensor<i64>
  %r:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@sum], [@sum_of_twice]]} : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>)
  return %r#0, %r#1 : tensor<i64>, tensor<i64>)") == "3 : tensor<i64>\n3 : tensor<i64>");
}

TEST_CASE("run_parallel of what cannot run is an error", "[run]") {
  CHECK(parallel(R"(
  %a = stablehlo.constant dense<5> : tensor<i64>
  %r = "interpreter.run_parallel"(%a) {programs = [[@sum], [@other]]} : (tensor<i64>) -> tensor<i64>
  return %r : tensor<i64>)") ==
        "run.no_function: 'programs' must be rows, equally long, of functions");
  CHECK(parallel(R"(
  %a = stablehlo.constant dense<5> : tensor<i64>
  %r = "interpreter.run_parallel"(%a) {programs = [[@sum], [@sum]]} : (tensor<i64>) -> tensor<i64>
  return %r : tensor<i64>)") == "run.arguments: there are fewer operands than the functions take");
  CHECK(parallel(R"(
  "interpreter.run_parallel"() {programs = [[@main]]} : () -> ()
  return)") == "run.too_deep: processes that start others are nested too deeply");
}

TEST_CASE("a probe keeps what it sees in each round", "[run]") {
  const auto checked = [&](std::string_view expected, int iteration) {
    return outcome_of(unverified(run_case_text(fmt::format(R"(
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %b = stablehlo.constant dense<{}> : tensor<2xi64>
  %c = "interpreter.probe"(%a) {{probe_id = "p"}} : (tensor<2xi64>) -> tensor<2xi64>
  %d = stablehlo.add %c, %c : tensor<2xi64>
  %e = "interpreter.probe"(%d) {{probe_id = "p"}} : (tensor<2xi64>) -> tensor<2xi64>
  "check.expect_serialized_eq"(%b) {{probe_id = "p", iteration = {} : ui32}} : (tensor<2xi64>) -> ()
  return %e : tensor<2xi64>)",
                                                           expected, iteration))));
  };
  CHECK(checked("[1, 2]", 0) == "[2, 4] : tensor<2xi64>");
  CHECK(checked("[2, 4]", 1) == "[2, 4] : tensor<2xi64>");
  CHECK(checked("[2, 5]", 1) == "run.check_failed: element [1] is 4, expected 5");
  CHECK(checked("[2, 4]", 2) == "run.check_failed: the probe 'p' did not run 3 times");
}

TEST_CASE("each process must have its arguments", "[run]") {
  const Module m = program(machine_case_text("tensor<i64>", "return %a : tensor<i64>"));
  const EvalTable table = standard_evaluators();
  const Runnable runnable(m, table);
  CHECK(text_of_results(run_on_devices(runnable, FuncId(0), {{}, {}})) ==
        "run.arguments: @main takes 1 arguments, found 0");
  CHECK(text_of_results(run_on_grid(runnable, FuncId(0), {{}}, {2, 2})) ==
        "run.arguments: there are 4 processes, and arguments of 1");
  CHECK(text_of_results(run_on_devices(runnable, FuncId(), {})) ==
        "run.no_function: there is no such function");
}

}  // namespace shardprop::test::machine_cases
