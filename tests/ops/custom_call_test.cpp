#include <span>
#include <vector>

#include "shardprop/ops/stablehlo/custom_call.hpp"

#include "shardprop/ir/edit.hpp"
#include "shardprop/ops/standard_ops.hpp"
#include "tests/catch.hpp"
#include "tests/ops/cases/custom_call.hpp"
#include "tests/ops/check_op_cases.hpp"

namespace {

using namespace shardprop;

constexpr op_test::RuleCase kCustomCallRules[] = {
    {kCustomCall, "{}", ""},
    {kCustomCall,
     R"({"operands": ["2x3xf32"], "results": ["2x3xf32"],
      "attributes": {"call_target_name": "mhlo.erf"}})",
     "([i, j])->([i, j]) {i=2, j=3}"},
    {kCustomCall, R"({"operands": ["2x3x4xf32"], "results": ["2x3xf32"], "attributes": {
      "call_target_name": "MoveToHost"}})",
     ""},
    {kCustomCall,
     R"({"operands": ["!stablehlo.token"], "results": ["!stablehlo.token"], "attributes": {
      "call_target_name": "MoveToHost"}})",
     ""},
    {kCustomCall,
     R"({"operands": ["8x4x4xf32"], "results": ["8x4x4xf32", "8x4xf32"], "attributes": {
      "call_target_name": "Eigh"}})",
     "([i, j, k])->([i, j, k], [i, k]) {i=8, j=4, k=4}"},
    {kCustomCall,
     R"({"operands": ["8x5x3xf32"], "results": ["8x5x3xf32", "8x3xf32"], "attributes": {
      "call_target_name": "Qr"}})",
     "([i, j, k])->([i, j, k], [i, l]) {i=8, j=5, k=3, l=3} need_replication={j, k, l}"},
    {kCustomCall,
     R"({"operands": ["8x5x3xf32", "8x3xf32"], "results": ["8x5x3xf32"], "attributes": {
      "call_target_name": "ProductOfElementaryHouseholderReflectors"}})",
     "([i, j, k], [i, l])->([i, j, k]) {i=8, j=5, k=3, l=3} need_replication={j, k, l}"},
    {kCustomCall, R"({"operands": ["16x8xf32"], "results": ["16x1xf32", "16x1xi32"], "attributes": {
      "call_target_name": "mhlo.topk"}})",
     "([i, j])->([i, j], [i, j]) {i=16, j=8} need_replication={j} blocked_propagation={j}"},
    {kCustomCall,
     R"({"operands": ["16x8xf32", "16x8xi32", "f32", "i32"], "results": ["16x2xf32", "16x2xi32"],
      "attributes": {"call_target_name": "ApproxTopK"}})",
     "([i, j], [i, j], [], [])->([i, k], [i, k]) {i=16, j=8, k=2} need_replication={k} "
     "blocked_propagation={k}"},
    {kCustomCall, R"({"operands": ["16x8xf32"], "results": ["16x2xf32", "16x2xi32"], "attributes": {
      "call_target_name": "ApproxTopK"}})",
     ""},
};

// X64Combine of two vectors; its result goes to a generator where `feeds_generator`.
std::string x64_combine_rule_text(bool feeds_generator) {
  Module m;
  const TypeId half = tensor_type(m, "ui32", std::vector<std::int64_t>{2});
  const TypeId whole = tensor_type(m, "ui64", std::vector<std::int64_t>{2});
  const TypeId arguments[] = {half, half};
  const FuncId func = create_func(m, {.name = "main", .argument_types = arguments});
  const Cursor end = at_end(m.funcs[func].body);
  const auto args = m.blocks[m.funcs[func].body].arguments;
  const ValueId halves[] = {args[0], args[1]};
  const OpId call = create_op(
      m, end, {.name = kCustomCall, .operands = halves, .result_types = std::span(&whole, 1)});
  set_attribute(m, call, "call_target_name", m.attrs.string(m.strings.intern("X64Combine")));
  const ValueId combined = result(m, call, 0);
  const TypeId made[] = {whole, whole};
  create_op(m, end,
            {.name = feeds_generator ? "stablehlo.rng_bit_generator" : "stablehlo.tuple",
             .operands = std::span(&combined, 1),
             .result_types = made});
  const auto rule = custom_call_rule({m, call});
  return rule ? to_string(*rule) : std::string();
}

}  // namespace

TEST_CASE("custom_call and composite: verification") {
  op_test::check_op_cases(standard_ops(), kCustomCallCases);
  op_test::check_rows_have_cases(kCustomCallOps, kCustomCallCases);
}

TEST_CASE("custom_call: rules by target") {
  op_test::check_rule_cases(standard_ops(), kCustomCallCases, kCustomCallRules);
}

TEST_CASE("custom_call: the state of a generator is not propagated to") {
  CHECK(x64_combine_rule_text(false) == "([i], [i])->([i]) {i=2}");
  CHECK(x64_combine_rule_text(true) ==
        "([i], [i])->([i]) {i=2} need_replication={i} blocked_propagation={i}");
}

TEST_CASE("custom_call: known targets are sorted and each named once") {
  for (std::size_t i = 1; i < std::size(detail::kCustomCallTargets); ++i) {
    CHECK(detail::kCustomCallTargets[i - 1].name < detail::kCustomCallTargets[i].name);
  }
}

TEST_CASE("custom_call: moves between host and device rearrange") {
  for (const char* target : {"MoveToHost", "MoveToDevice", "foo"}) {
    Module m;
    const FuncId func = create_func(m, {.name = "main"});
    const OpId call = create_op(m, at_end(m.funcs[func].body), {.name = kCustomCall});
    set_attribute(m, call, "call_target_name", m.attrs.string(m.strings.intern(target)));
    CHECK((custom_call_traits(m, call) == kRearranges) == (std::string_view(target) != "foo"));
  }
}
