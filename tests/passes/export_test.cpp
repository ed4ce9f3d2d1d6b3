// The passes that come after propagation.
#include "fmt/core.h"
#include "tests/passes/golden.hpp"

namespace shardprop::test::export_cases {
namespace {

constexpr std::string_view kMesh =
    R"({"name": "mesh", "axes": [{"name": "x", "size": 4}, {"name": "y", "size": 2}]})";
constexpr std::string_view kOnX = R"({"mesh": "mesh", "dims": [{"axes": ["x"]}]})";
constexpr std::string_view kOnY = R"({"mesh": "mesh", "dims": [{"axes": ["y"]}]})";
constexpr std::string_view kReplicated = R"({"mesh": "mesh", "dims": [{"axes": []}]})";
constexpr std::string_view kUnreducedX =
    R"({"mesh": "mesh", "dims": [{"axes": []}], "unreduced": ["x"]})";

// The type f32[8], with a sharding.
std::string typed(std::string_view sharding = "", std::string_view more = "") {
  std::string out = R"("shape": [8], "dtype": "f32")";
  if (!sharding.empty()) out += fmt::format(R"(, "sharding": {})", sharding);
  return out + std::string(more);
}
std::string argument(std::string_view name, std::string_view sharding = "") {
  return fmt::format(R"({{"name": "{}", {}}})", name, typed(sharding));
}
std::string returned(std::string_view sharding = "") {
  return fmt::format("{{{}}}", typed(sharding));
}

struct OpText {
  std::string_view op;
  std::string_view operands;  // "%a", "%b"
  std::string_view result = {};
  std::string_view sharding = {};
  std::string_view attributes = {};
  std::string_view more = {};  // after all, such as a sharding rule
};

std::string text(const OpText& o) {
  std::string out = fmt::format(R"({{"op": "{}", "operands": [{}])", o.op, o.operands);
  if (!o.result.empty()) out += fmt::format(R"(, "results": [{}])", argument(o.result, o.sharding));
  if (!o.attributes.empty()) out += fmt::format(R"(, "attributes": {{{}}})", o.attributes);
  return out + std::string(o.more) + "}";
}
std::string add(std::string_view result, std::string_view sharding = "") {
  return text({"stablehlo.add", R"("%a", "%a")", result, sharding}) + ", ";
}
std::string end(std::string_view value) {
  return fmt::format(R"({{"op": "func.return", "operands": ["{}"]}})", value);
}
// One function on `kMesh` with the argument %a.
std::string main_of(std::string_view ops, std::string_view a = "", std::string_view out = "") {
  return program(kMesh, argument("%a", a), returned(out), ops);
}

TEST_CASE("close-shardings closes dimensions and drops replicated axes") {
  check_golden(
      "close-shardings",
      main_of(add("%0", R"({"mesh": "mesh", "dims": [{"axes": [], "open": true}]})") + end("%0"),
              R"({"mesh": "mesh", "dims": [{"axes": ["x"], "open": true}], "replicated": ["y"]})"),
      main_of(add("%0", kReplicated) + end("%0"), kOnX));
  check_unchanged("close-shardings", main_of(add("%0", kOnY) + end("%0"), kOnX, kUnreducedX));
}

TEST_CASE("remove-sharding-groups erases groups and what only they used") {
  const std::string group =
      R"({"op": "sdy.sharding_group", "operands": ["%0"], "attributes": {"group_id": 0}}, )";
  check_golden("remove-sharding-groups", main_of(add("%0") + group + end("%0")),
               main_of(add("%0") + end("%0")));
  check_golden("remove-sharding-groups", main_of(add("%0") + group + end("%a")),
               main_of(end("%a")));
  // What nobody used before is the user's.
  check_unchanged("remove-sharding-groups", main_of(add("%0") + end("%a")));
}

TEST_CASE("sharding-constraint-to-reshard keeps sharding and attributes") {
  const auto with = [](std::string_view op) {
    return main_of(
        text({op, R"("%a")", "%0", "", fmt::format(R"("sharding": {}, "note": 1)", kOnX)}) + ", " +
        end("%0"));
  };
  check_golden("sharding-constraint-to-reshard", with("sdy.sharding_constraint"),
               with("sdy.reshard"));
  check_unchanged("sharding-constraint-to-reshard", with("sdy.reshard"));
}

TEST_CASE("constant-or-scalar-merger joins what is equal and sharded alike") {
  const auto constant = [](std::string_view name, std::string_view sharding,
                           std::string_view attributes) {
    return text({"sdy.constant", "", name, sharding, attributes}) + ", ";
  };
  const auto sum = [](std::string_view a, std::string_view b) {
    return text({"stablehlo.add", fmt::format(R"("{}", "{}")", a, b), "%s"}) + ", " + end("%s");
  };
  check_golden("constant-or-scalar-merger",
               main_of(constant("%0", kOnX, R"("value": 1.0, "note": 2)") +
                       constant("%1", kOnX, R"("note": 2, "value": 1.0)") + sum("%0", "%1")),
               main_of(constant("%0", kOnX, R"("value": 1.0, "note": 2)") + sum("%0", "%0")));
  check_unchanged("constant-or-scalar-merger",
                  main_of(constant("%0", kOnX, R"("value": 1.0)") +
                          constant("%1", kOnY, R"("value": 1.0)") + sum("%0", "%1")));
  check_unchanged("constant-or-scalar-merger",
                  main_of(constant("%0", kOnX, R"("value": 1.0)") +
                          constant("%1", kOnX, R"("value": 2.0)") + sum("%0", "%1")));
}

TEST_CASE("constant-or-scalar-merger joins broadcasts of one scalar") {
  const std::string scalar = R"({"name": "%a", "shape": [], "dtype": "f32"})";
  const auto broadcast = [](std::string_view name) {
    return text({"stablehlo.broadcast_in_dim", R"("%a")", name, "",
                 R"("broadcast_dimensions": [])"}) +
           ", ";
  };
  const auto sum = [](std::string_view operands) {
    return text({"stablehlo.add", operands, "%s"}) + ", " + end("%s");
  };
  check_golden(
      "constant-or-scalar-merger",
      program(kMesh, scalar, returned(), broadcast("%0") + broadcast("%1") + sum(R"("%0", "%1")")),
      program(kMesh, scalar, returned(), broadcast("%0") + sum(R"("%0", "%0")")));
}

TEST_CASE("update-non-divisible-input-output-shardings cuts to what divides") {
  const auto of_size = [](int size, std::string_view axes) {
    return program(kMesh,
                   fmt::format(R"({{"name": "%a", "shape": [{}], "dtype": "f32", "sharding":
                               {{"mesh": "mesh", "dims": [{{"axes": [{}]}}]}}}})",
                               size, axes),
                   fmt::format(R"({{"shape": [{}], "dtype": "f32"}})", size), end("%a"));
  };
  const auto cut = [&](int size, std::string_view from, std::string_view to) {
    check_golden("update-non-divisible-input-output-shardings", of_size(size, from),
                 of_size(size, to));
  };
  cut(4, R"("y", "x")", R"("y", "x:(1)2")");  // 4 / 2 leaves 2 of x
  cut(4, R"("x", "y")", R"("x")");
  cut(6, R"("x", "y")", R"("x:(1)2")");  // nothing follows a part of an axis
  cut(3, R"("x")", "");
  check_unchanged("update-non-divisible-input-output-shardings", of_size(8, R"("x", "y")"));
}

TEST_CASE("remove-sub-axes-in-input-output-shardings cuts open dimensions of main") {
  const auto with = [](std::string_view dim) {
    return main_of(end("%a"), fmt::format(R"({{"mesh": "mesh", "dims": [{}]}})", dim));
  };
  check_golden("remove-sub-axes-in-input-output-shardings",
               with(R"({"axes": ["y", "x:(1)2"], "open": true})"),
               with(R"({"axes": ["y"], "open": true})"));
  check_unchanged("remove-sub-axes-in-input-output-shardings",
                  with(R"({"axes": ["y", "x:(1)2"]})"));
}

TEST_CASE("drop-sharding-rules keeps custom rules") {
  const auto with = [](std::string_view rule) {
    const std::string more = rule.empty() ? "" : fmt::format(R"(, "sharding_rule": "{}")", rule);
    return main_of(text({"stablehlo.add", R"("%a", "%a")", "%0", "", "", more}) + ", " + end("%0"));
  };
  check_golden("drop-sharding-rules", with("([i], [i])->([i]) {i=8}"), with(""));
  check_unchanged("drop-sharding-rules", with("([i], [i])->([i]) {i=8}, custom"));
}

TEST_CASE("remove-propagation-debug-info leaves other attributes") {
  const auto with = [](std::string_view attributes) {
    return main_of(text({"stablehlo.add", R"("%a", "%a")", "%0", "", attributes}) + ", " +
                   end("%0"));
  };
  check_golden("remove-propagation-debug-info",
               with(R"("sdy.sharding_origins": {"x": "self"}, "note": 1)"), with(R"("note": 1)"));
  check_unchanged("remove-propagation-debug-info", with(R"("note": 1)"));
}

TEST_CASE("inline-meshes takes the names of meshes") {
  const std::string_view same = R"({"axes": [{"name": "x", "size": 4}, {"name": "y", "size": 2}]})";
  const std::string inlined = fmt::format(R"({{"mesh": {}, "dims": [{{"axes": ["x"]}}]}})", same);
  check_golden("inline-meshes", main_of(end("%a"), kOnX),
               program("", argument("%a", inlined), returned(), end("%a")));
  check_unchanged("inline-meshes", program("", argument("%a", inlined), returned(), end("%a")));
}

TEST_CASE("drop-sharding-and-mesh leaves shardings to the operations that are made of them") {
  const std::string_view inlined =
      R"({"mesh": {"axes": [{"name": "x", "size": 4}, {"name": "y", "size": 2}]}, "dims": [{"axes": ["x"]}]})";
  const auto reshard = [](std::string_view sharding) {
    return text({"sdy.reshard", R"("%0")", "%1", "", fmt::format(R"("sharding": {})", sharding)}) +
           ", " + end("%1");
  };
  check_golden("drop-sharding-and-mesh", main_of(add("%0", kOnX) + reshard(kOnX), kOnY, kOnX),
               program("", argument("%a"), returned(), add("%0") + reshard(inlined)));
}

std::string call(std::string_view result, std::string_view callee, std::string_view sharding = "") {
  return text(
             {"func.call", R"("%a")", result, sharding, fmt::format(R"("callee": "{}")", callee)}) +
         ", ";
}

TEST_CASE("propagate-to-func-results gives what is returned, but not to main") {
  const auto module = [](std::string_view result) {
    return module_of(
        kMesh,
        {func("main", argument("%a"), returned(kOnX), call("%0", "f", kOnY) + end("%0")),
         func("f", argument("%a"), returned(result), add("%0", kOnY) + end("%0"), kPrivate)});
  };
  check_golden("propagate-to-func-results", module(kOnX), module(kOnY));
  check_unchanged("propagate-to-func-results", module(kOnY));
}

TEST_CASE("insert-func-call-reshards reshards what a call wants otherwise") {
  const auto module = [](std::string_view in_main) {
    return module_of(kMesh, {func("main", argument("%a"), returned(), in_main),
                             func("f", argument("%a"), returned(kOnX), end("%a"), kPrivate)});
  };
  const std::string reshard =
      text({"sdy.reshard", R"("%0")", "%1", "", fmt::format(R"("sharding": {})", kOnY)}) + ", ";
  check_golden("insert-func-call-reshards", module(call("%0", "f", kOnY) + end("%0")),
               module(call("%0", "f", kOnX) + reshard + end("%1")));
  check_unchanged("insert-func-call-reshards", module(call("%0", "f", kOnX) + end("%0")));
}

TEST_CASE("export-named-computations makes a function and a call") {
  const std::string computation = fmt::format(
      R"({{"op": "sdy.named_computation", "operands": ["%a"], "results": [{}],
          "attributes": {{"name": "f", "in_shardings": [{}], "out_shardings": [{}]}},
          "blocks": [{{"arguments": [{}], "ops": [{}, {{"op": "sdy.return", "operands": ["%c"]}}]}}]}}, )",
      argument("%0"), kOnX, kOnY, argument("%b"), text({"stablehlo.add", R"("%b", "%b")", "%c"}));
  check_golden(
      "export-named-computations",
      module_of(kMesh, {func("main", argument("%a"), returned(), computation + end("%0"))}),
      module_of(kMesh,
                {func("main", argument("%a"), returned(), call("%0", "f", kOnY) + end("%0")),
                 func("f", argument("%a", kOnX), returned(), add("%0") + end("%0"),
                      R"("private": true, "attributes": {"sdy.original_func_name": "f"}, )")}));
}

// Calls of f, which is given, and of its copies f_0 and f_1.
std::string copies(std::string_view called, std::initializer_list<std::string_view> shardings,
                   std::string_view attributes) {
  std::string names[] = {"f", "f_0", "f_1"};
  std::string text = func("main", argument("%a"), returned(), called);
  std::size_t i = 0;
  for (std::string_view sharding : shardings) {
    text += ", " + func(names[i], argument("%a", sharding), returned(), end("%a"),
                        std::string(kPrivate) + (i > 0 ? std::string(attributes) : ""));
    ++i;
  }
  return module_of(kMesh, {text});
}

TEST_CASE("unflatten-call-graph joins copies that are sharded alike") {
  const std::string_view copy = R"("attributes": {"sdy.original_func_name": "f"}, )";
  const std::string three = call("%0", "f") + call("%1", "f_0") + call("%2", "f_1") + end("%0");
  const std::string joined = call("%0", "f") + call("%1", "f_0") + call("%2", "f") + end("%0");
  check_golden("unflatten-call-graph", copies(three, {kOnX, kOnY, kOnX}, copy),
               copies(joined, {kOnX, kOnY, kOnX}, ""));
  // At the call of f_1 two calls want y and one x.
  const std::string most = call("%0", "f_1") + call("%1", "f_1") + call("%2", "f_1") + end("%0");
  check_golden("unflatten-call-graph{dedup-functions-fully=true}",
               copies(three, {kOnX, kOnY, kOnY}, copy), copies(most, {kOnX, kOnY, kOnY}, ""));
}

TEST_CASE("verify-unreduced-axes refuses axes that are lost or appear") {
  check_unchanged("verify-unreduced-axes",
                  main_of(add("%0", kUnreducedX) + end("%0"), kUnreducedX, kUnreducedX));
  check_refused("verify-unreduced-axes",
                main_of(add("%0", kReplicated) + end("%0"), kUnreducedX, kReplicated),
                "verify_unreduced_axes.dropped");
  check_refused("verify-unreduced-axes",
                main_of(add("%0", R"({"mesh": "mesh", "dims": [{"axes": []}], "unreduced": ["x"],
                        "reduction": "max"})") +
                        end("%0")),
                "verify_unreduced_axes.added");
  check_refused("verify-unreduced-axes",
                main_of(add("%0", kUnreducedX) + end("%0"), "", kReplicated),
                "verify_unreduced_axes.mismatch");
}

// A matrix product of %a and %b with what `before` makes of its operands.
std::string product(std::string_view before, std::string_view operands, std::string_view after) {
  const std::string matrix = R"("shape": [8, 8], "dtype": "f32")";
  return program(kMesh,
                 fmt::format(R"({{"name": "%a", {0}, "sharding": {{"mesh": "mesh", "dims":
                     [{{"axes": ["x"]}}, {{"axes": []}}]}}}}, {{"name": "%b", {0}}})",
                             matrix),
                 fmt::format("{{{}}}", matrix),
                 fmt::format(R"({}{{"op": "stablehlo.dot", "operands": [{}],
                     "results": [{{"name": "%d", {}}}]}}, {})",
                             before, operands, matrix, after));
}

TEST_CASE("remove-all-gather-reduce-scatter-for-cmv1 takes the all-gather of an operand") {
  const std::string gather =
      R"({"op": "sdy.all_gather", "operands": ["%a"], "results": [{"name": "%0", "shape": [8, 8], "dtype": "f32"}],
          "attributes": {"gathering_axes": [["x"], []],
                         "out_sharding": {"mesh": "mesh", "dims": [{"axes": []}, {"axes": []}]}}}, )";
  check_golden("remove-all-gather-reduce-scatter-for-cmv1",
               product(gather, R"("%0", "%b")", end("%d")),
               product("", R"("%a", "%b")", end("%d")));
  // The gathered matrix is used elsewhere.
  check_unchanged("remove-all-gather-reduce-scatter-for-cmv1",
                  product(gather, R"("%0", "%0")", end("%d")));
}

TEST_CASE("resolve-single-device-sharding guards the operation by the device's id") {
  const std::string meshes =
      std::string(kMesh) + R"(, {"name": "one", "axes": [], "device_ids": [3]})";
  const std::string add_on_3 = add("%0", R"({"mesh": "one", "dims": []})") + end("%0");
  Module m = read(program(meshes, argument("%a"), returned(), add_on_3));
  REQUIRE(run_text(m, "resolve-single-device-sharding"));
  std::string names;
  walk_ops(m, [&](OpId op) { names += std::string(op_name(m, op)) + " "; });
  CHECK(
      names ==
      "stablehlo.partition_id stablehlo.convert stablehlo.constant stablehlo.compare stablehlo.if "
      "stablehlo.add stablehlo.return stablehlo.constant stablehlo.return sdy.all_reduce "
      "func.return ");
  check_unchanged("resolve-single-device-sharding",
                  program(meshes, argument("%a"), returned(), add("%0", kOnX) + end("%0")));
  check_refused("resolve-single-device-sharding{replica-count=2 partition-count=2}",
                program(meshes, argument("%a"), returned(), add_on_3),
                "resolve_single_device_sharding.counts");
  check_refused("resolve-single-device-sharding{replica-count=none}",
                program(meshes, argument("%a"), returned(), add_on_3), "pipeline.option_value");
}

TEST_CASE("export-pipeline makes communication explicit") {
  const std::string constraint = text({"sdy.sharding_constraint", R"("%a")", "%0", "",
                                       fmt::format(R"("sharding": {})", kReplicated)}) +
                                 ", " + end("%0");
  const std::string reshard =
      text({"sdy.reshard", R"("%a")", "%0", "", fmt::format(R"("sharding": {})", kReplicated)}) +
      ", " + end("%0");
  check_golden("export-pipeline{inline-meshes=false}", main_of(constraint, kOnX, kReplicated),
               main_of(reshard, kOnX, kReplicated));
  const std::string gather =
      text({"sdy.all_gather", R"("%a")", "%0", "",
            fmt::format(R"("gathering_axes": [["x"]], "out_sharding": {})", kReplicated)}) +
      ", " + end("%0");
  check_golden("export-pipeline{enable-insert-explicit-collectives=true inline-meshes=false}",
               main_of(constraint, kOnX, kReplicated), main_of(gather, kOnX, kReplicated));
  check_unchanged("export-pipeline{avoid-export-for-partitioning=true}",
                  main_of(constraint, kOnX, kReplicated));
}

TEST_CASE("propagation-pipeline propagates and reshards") {
  const std::string_view open = R"({"mesh": "mesh", "dims": [{"axes": ["x"]}]})";
  Module m = read(main_of(add("%0") + end("%0"), open, kReplicated));
  REQUIRE(run_text(m, "propagation-pipeline{enable-insert-explicit-collectives=true}"));
  std::string names;
  walk_ops(m, [&](OpId op) { names += std::string(op_name(m, op)) + " "; });
  CHECK(names == "stablehlo.add sdy.all_gather func.return ");
}

}  // namespace
}  // namespace shardprop::test::export_cases
