// The C++ examples of docs/errors.md: here they are compiled and run, and their text is compared with
// that of the page.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "shardprop/embed/propagate_step.hpp"
#include "shardprop/io/json_reader.hpp"
#include "shardprop/io/npy.hpp"
#include "shardprop/io/stablehlo_text.hpp"
#include "shardprop/ops/graph_builder.hpp"
#include "shardprop/ops/standard_ops.hpp"
#include "shardprop/ops/verify.hpp"
#include "shardprop/passes/calls/flatten_call_graph.hpp"
#include "shardprop/passes/calls/import_func_calls.hpp"
#include "shardprop/passes/import/sharding_group_import.hpp"
#include "shardprop/pipeline/pass_call.hpp"
#include "shardprop/pipeline/pass_table.hpp"
#include "shardprop/pipeline/run_passes.hpp"
#include "shardprop/propagate/session/propagation_session.hpp"
#include "shardprop/run/evaluate.hpp"
#include "shardprop/run/standard_evaluators.hpp"
#include "shardprop/run/tensor.hpp"
#include "shardprop/sharding/gspmd_text.hpp"
#include "tests/docs/errors_page.hpp"
#include "tests/embed/toy_framework.hpp"

namespace shardprop::test::error_examples_cases {
namespace {

// What the examples work on; the page says what each name is.
struct Given {
  OpTable ops = standard_ops();
  Module m;
  GraphBuilder b{m, ops};
  ValueId x;
  Toy f;
  Diagnostics errors;
  Module two_calls;

  Given() {
    b.add_mesh("mesh", {{"x", 2}});
    x = b.begin_func("main", {{b.tensor("f32", {8})}})[0];
    f.blocks.resize(2);
    f.blocks[0].arguments = {"%x"};
  }
};

// Each is a program of its own.
struct BuilderDtypeExample : Given {
  void run() { b.tensor("float", {8}); }
};

struct BuilderMeshExample : Given {
  void run() { b.add_mesh("", {{"x", 2}}); }
};

struct BuilderNoFunctionExample : Given {
  void run() {
    b.end_func({});
    b.constant(1.0, "f32");
  }
};

struct BuilderNotVisibleExample : Given {
  void run() {
    b.end_func({x});
    b.begin_func("second", {});
    b.end_func({x});
  }
};

struct BuilderOpenFunctionExample : Given {
  void run() { b.begin_func("inner", {}); }
};

struct BuilderShapeExample : Given {
  void run() { b.reshape(x, {2, -4}); }
};

struct BuilderShardingCountExample : Given {
  void run() { b.end_func({x}, {b.sharding("[{}]"), {}}); }
};

struct BuilderUnknownAttributeExample : Given {
  void run() { b.op("my.op", {x}, b.ints({1})); }
};

struct BuilderUnknownShardingExample : Given {
  void run() { b.set_sharding(x, ShardingId(99)); }
};

struct BuilderUnknownTypeExample : Given {
  void run() { b.op_of_type("my.op", {x}, TypeId(99)); }
};

struct BuilderUnknownValueExample : Given {
  void run() { b.op("stablehlo.abs", {ValueId(99)}); }
};

struct CallsSignatureExample : Given {
  void run() {
    m =
        *read_stablehlo_text(borrowed_text("func.func private @f(%a: i32) { return }\n"
                                           "func.func @main() {\n"
                                           "  \"func.call\"() {callee = @f} : () -> ()\n"
                                           "  return\n}"));
    errors = import_func_calls(m, ops).errors();
  }
};

struct CallsUnknownCalleeExample : Given {
  void run() {
    m =
        *read_stablehlo_text(borrowed_text("func.func @main() {\n"
                                           "  \"func.call\"() {callee = @f} : () -> ()\n"
                                           "  return\n}"));
    errors = import_func_calls(m, ops).errors();
  }
};

struct EmbedRegionArgumentExample : Given {
  void run() {
    f.blocks[1].arguments = {"%inner"};
    f.add({"my.op", {"%x"}, {}, {}, {1}});
    f.shardings["%inner"] = NamedSharding{"mesh", {{{"a"}}}};
    errors = propagate_through(f, ops).errors();
  }
};

struct EmbedUndefinedValueExample : Given {
  void run() {
    f.add({"stablehlo.abs", {"%none"}, {"%y"}});
    errors = propagate_through(f, ops).errors();
  }
};

struct EmbedValueDefinedTwiceExample : Given {
  void run() {
    f.add({"stablehlo.abs", {"%x"}, {"%x"}});
    errors = propagate_through(f, ops).errors();
  }
};

struct GspmdSyntaxExample : Given {
  void run() { errors = parse_gspmd_sharding("{devices}").errors(); }
};

struct IrAttributesExample : Given {
  void run() {
    m.funcs[FuncId(0)].attributes = m.attrs.boolean(true);
    verify_module(ops, m, errors);
  }
};

struct IrColumnsExample : Given {
  void run() {
    m.value_shardings.resize(8);
    verify_module(ops, m, errors);
  }
};

struct IrDuplicateFunctionExample : Given {
  void run() {
    const FuncId second = create_func(m, {.name = "main"});
    create_op(m, at_end(m.funcs[second].body), {.name = "func.return"});
    verify_module(ops, m, errors);
  }
};

struct IrUnknownIdExample : Given {
  void run() {
    const ValueId foreign[] = {ValueId(99)};
    create_op(m, at_end(m.funcs[FuncId(0)].body), {.name = "my.op", .operands = foreign});
    verify_module(ops, m, errors);
  }
};

struct JsonTooLargeExample : Given {
  void run() {
    const std::string text = "{}";
    errors = read_json({text.data(), std::size_t{1} << 32}).errors();
  }
};

struct MeshDuplicateNameExample : Given {
  void run() {
    m.meshes.add({"mesh", {{"y", 4}}, {}});
    verify_module(ops, m, errors);
  }
};

struct MeshRedundantDeviceIdsExample : Given {
  void run() { verify_mesh(Mesh{"mesh", {{"x", 2}}, {0, 1}}, {}, errors); }
};

struct OpDataFlowExample : Given {
  void run() {
    CustomOp op{.name = "my.op"};
    op.data_flow.get_sharding = [](Module&, OpId, ValueId) { return ShardingId(); };
    errors = ops.add(op);
  }
};

struct OpDuplicateNameExample : Given {
  void run() { errors = ops.add(CustomOp{.name = "stablehlo.abs"}); }
};

struct OpDuplicateTraitsExample : Given {
  void run() { errors = ops.add(CustomOp{.name = "my.op", .traits = kElementwise | kBroadcasts}); }
};

struct OpNoNameExample : Given {
  void run() { errors = ops.add(CustomOp{}); }
};

struct OpSignatureExample : Given {
  void run() {
    CustomOp op{.name = "my.op"};
    op.signature.min_operands = 2;
    op.signature.max_operands = 1;
    errors = ops.add(op);
  }
};

struct OpTwoRulesExample : Given {
  void run() {
    CustomOp op{.name = "my.op", .rule_text = "([i]) -> ([i])"};
    op.rule = [](const RuleInput&) { return std::optional<OpShardingRule>(); };
    errors = ops.add(op);
  }
};

struct OpUnknownTraitsExample : Given {
  void run() {
    errors = ops.add(CustomOp{.name = "my.op", .traits = static_cast<Traits>(~kAllTraits)});
  }
};

struct PipelineRecursiveExample : Given {
  void run() {
    PassTable passes = standard_passes();
    passes.add({.name = "loop", .expand = [](const OptionValues&) {
                  return std::vector<PassCall>{{"loop", {}}};
                }});
    errors = expand_calls(passes, std::vector<PassCall>{{"loop", {}}}).errors();
  }
};

struct PropagateCallsDisagreeExample : Given {
  void run() {
    // `two_calls` is the example of propagate.function_copied.
    errors = propagate_program(two_calls, ops, {.copy_functions = false})->diagnostics;
  }
};

struct PropagateUnknownValueExample : Given {
  void run() {
    b.end_func({x});
    Result<PropagationSession> session = PropagationSession::start(m, ops);
    AnnotationEdit edit;
    edit.value = ValueId(99);
    errors = session->repropagate(edit).errors();
  }
};

struct RuleEmptyDimensionExample : Given {
  void run() { errors = parse_rule_pattern("([i, ]) -> ([i])").errors(); }
};

struct RuleNoTensorsExample : Given {
  void run() { errors = propagate_step(OpShardingRule{}, {"mesh", {{"x", 2}}, {}}, {}).errors(); }
};

struct RuleTensorCountExample : Given {
  void run() {
    const OpShardingRule rule = *parse_rule("([i])->([i]) {i=8}");
    errors = propagate_step(rule, {"mesh", {{"x", 2}}, {}}, TensorShardings(3)).errors();
  }
};

struct NpyTooLargeExample : Given {
  void run() {
    const Tensor large(Element::kI8, {1 << 26});
    errors = write_npz(std::vector<NamedTensor>(64, {"large", large})).errors();
  }
};

struct RunArgumentsExample : Given {
  void run() {
    b.end_func({x});
    errors = evaluate(m, standard_evaluators(), FuncId(0), {}).errors();
  }
};

struct RunNoFunctionExample : Given {
  void run() { errors = evaluate(m, standard_evaluators(), FuncId(), {}).errors(); }
};

struct RunNoTerminatorExample : Given {
  void run() {
    errors = evaluate(m, standard_evaluators(), FuncId(0), {Tensor(Element::kF32, {8})}).errors();
  }
};

struct RunTooLongExample : Given {
  void run() {
    b.end_func({b.op("stablehlo.tanh", {x})});
    EvalOptions options;
    options.max_operations = 1;
    const Tensors zeros = {Tensor(Element::kF32, {8})};
    errors = evaluate(m, standard_evaluators(), FuncId(0), zeros, options).errors();
  }
};

struct ShardingAxisSizeExample : Given {
  void run() {
    TensorSharding s = closed_sharding(m.meshes.find("mesh"), 1);
    s.dims[0].axes = {AxisRef{0, 1, 1, 4}};
    const std::int64_t shape[] = {8};
    verify_sharding(s, m.meshes, {.shape = shape}, {}, errors);
  }
};

struct ShardingNotDivisibleExample : Given {
  void run() {
    const TensorSharding s = *parse_sharding(R"(<@mesh, [{"x"}]>)", m.meshes);
    const std::int64_t shape[] = {7};
    verify_sharding(s, m.meshes, {.shape = shape, .must_divide = true}, {}, errors);
  }
};

struct ShardingGroupGroupIdExample : Given {
  void run() {
    create_op(m, at_end(m.funcs[FuncId(0)].body), {.name = "sdy.sharding_group"});
    errors = sharding_group_import(m).errors();
  }
};

struct TextNoTypeExample : Given {
  void run() {
    const TypeId none[] = {TypeId()};
    create_op(m, at_end(m.funcs[FuncId(0)].body), {.name = "my.op", .result_types = none});
    errors = write_stablehlo_text(m).errors();
  }
};

struct TextSinkExample : Given {
  void run() {
    const TextSink full{[](void*, std::string_view) { return false; }, nullptr};
    errors = write_stablehlo_text(m, full);
  }
};

struct TextTooLargeExample : Given {
  void run() {
    errors = read_stablehlo_text(borrowed_text("module {}"), {.max_bytes = 4}).errors();
  }
};

struct TextTooManyOperationsExample : Given {
  void run() {
    const std::string_view text = "func.func @main() { \"my.op\"() : () -> () return }";
    errors = read_stablehlo_text(borrowed_text(text), {.max_operations = 1}).errors();
  }
};

template <class Example>
Diagnostics outcome(const Module& two_calls) {
  Example example;
  example.two_calls = two_calls;
  example.run();
  Diagnostics all = example.b.errors();
  all.insert(all.end(), example.errors.begin(), example.errors.end());
  return all;
}

struct Row {
  std::string_view code;
  Diagnostics (*run)(const Module& two_calls);
};

constexpr Row kRows[] = {
    {"builder.dtype", outcome<BuilderDtypeExample>},
    {"builder.mesh", outcome<BuilderMeshExample>},
    {"builder.no_function", outcome<BuilderNoFunctionExample>},
    {"builder.not_visible", outcome<BuilderNotVisibleExample>},
    {"builder.open_function", outcome<BuilderOpenFunctionExample>},
    {"builder.shape", outcome<BuilderShapeExample>},
    {"builder.sharding_count", outcome<BuilderShardingCountExample>},
    {"builder.unknown_attribute", outcome<BuilderUnknownAttributeExample>},
    {"builder.unknown_sharding", outcome<BuilderUnknownShardingExample>},
    {"builder.unknown_type", outcome<BuilderUnknownTypeExample>},
    {"builder.unknown_value", outcome<BuilderUnknownValueExample>},
    {"calls.signature", outcome<CallsSignatureExample>},
    {"calls.unknown_callee", outcome<CallsUnknownCalleeExample>},
    {"embed.region_argument", outcome<EmbedRegionArgumentExample>},
    {"embed.undefined_value", outcome<EmbedUndefinedValueExample>},
    {"embed.value_defined_twice", outcome<EmbedValueDefinedTwiceExample>},
    {"gspmd.syntax", outcome<GspmdSyntaxExample>},
    {"ir.attributes", outcome<IrAttributesExample>},
    {"ir.columns", outcome<IrColumnsExample>},
    {"ir.duplicate_function", outcome<IrDuplicateFunctionExample>},
    {"ir.unknown_id", outcome<IrUnknownIdExample>},
    {"json.too_large", outcome<JsonTooLargeExample>},
    {"mesh.duplicate_name", outcome<MeshDuplicateNameExample>},
    {"mesh.redundant_device_ids", outcome<MeshRedundantDeviceIdsExample>},
    {"op.data_flow", outcome<OpDataFlowExample>},
    {"op.duplicate_name", outcome<OpDuplicateNameExample>},
    {"op.duplicate_traits", outcome<OpDuplicateTraitsExample>},
    {"op.no_name", outcome<OpNoNameExample>},
    {"op.signature", outcome<OpSignatureExample>},
    {"op.two_rules", outcome<OpTwoRulesExample>},
    {"op.unknown_traits", outcome<OpUnknownTraitsExample>},
    {"pipeline.recursive", outcome<PipelineRecursiveExample>},
    {"propagate.calls_disagree", outcome<PropagateCallsDisagreeExample>},
    {"propagate.unknown_value", outcome<PropagateUnknownValueExample>},
    {"rule.empty_dimension", outcome<RuleEmptyDimensionExample>},
    {"rule.no_tensors", outcome<RuleNoTensorsExample>},
    {"rule.tensor_count", outcome<RuleTensorCountExample>},
    {"npy.too_large", outcome<NpyTooLargeExample>},
    {"run.arguments", outcome<RunArgumentsExample>},
    {"run.no_function", outcome<RunNoFunctionExample>},
    {"run.no_terminator", outcome<RunNoTerminatorExample>},
    {"run.too_long", outcome<RunTooLongExample>},
    {"sharding.axis_size", outcome<ShardingAxisSizeExample>},
    {"sharding.not_divisible", outcome<ShardingNotDivisibleExample>},
    {"sharding_group.group_id", outcome<ShardingGroupGroupIdExample>},
    {"text.no_type", outcome<TextNoTypeExample>},
    {"text.sink", outcome<TextSinkExample>},
    {"text.too_large", outcome<TextTooLargeExample>},
    {"text.too_many_operations", outcome<TextTooManyOperationsExample>},
};

// The lines without the blanks around them, which formatting changes.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\n') out += c;
  }
  return out;
}

TEST_CASE("each C++ example of docs/errors.md compiles and gives its code", "[docs]") {
  const ErrorsPage page = read_errors_page();
  std::ifstream file(std::string(SHARDPROP_SOURCE_DIR) + "/tests/docs/error_examples_test.cpp");
  const std::string source = plain(std::string(std::istreambuf_iterator<char>(file), {}));
  Module two_calls;
  for (const ErrorExample& example : page.examples) {
    if (example.code == "propagate.function_copied")
      two_calls = *read_stablehlo_text(owned_text(example.text));
  }
  for (const ErrorExample& example : page.examples) {
    if (example.kind != "cpp") continue;
    INFO(example.code);
    CHECK(source.find(plain("void run() {" + example.text + "}")) != std::string::npos);
    const auto row = std::ranges::find(kRows, example.code, &Row::code);
    REQUIRE(row != std::end(kRows));
    const Diagnostics found = row->run(two_calls);
    INFO(to_string(found));
    CHECK(std::ranges::count(found, example.code, &Diagnostic::code) > 0);
  }
}

}  // namespace
}  // namespace shardprop::test::error_examples_cases
