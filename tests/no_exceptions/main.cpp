// Compiled with -fno-exceptions -fno-rtti and without nlohmann/json: every entry point that works
// so is called on a small program.
#include "shardprop/analysis/explain/explainer.hpp"
#include "shardprop/analysis/report/report.hpp"
#include "shardprop/shardprop.hpp"

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "shardprop/analysis/communication.hpp"
#include "shardprop/io/json_writer.hpp"
#include "shardprop/io/stablehlo_text.hpp"
#include "shardprop/io/text/excerpt.hpp"
#include "shardprop/io/text/file.hpp"
#include "shardprop/propagate/session/propagation_session.hpp"

#ifdef __cpp_exceptions
#error "this file is meant to be compiled with -fno-exceptions"
#endif
#ifdef __cpp_rtti
#error "this file is meant to be compiled with -fno-rtti"
#endif
#ifdef NLOHMANN_JSON_VERSION_MAJOR
#error "the core and StableHLO text must not include nlohmann/json"
#endif

namespace {

using namespace shardprop;

// A product of what a function gives, in a loop.
constexpr std::string_view kProgram = R"(
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
    -> tensor<8x8xf32> {
  %c = stablehlo.constant dense<0.5> : tensor<8x8xf32>
  %s = stablehlo.add %a, %c : tensor<8x8xf32>
  %k = sdy.sharding_constraint %s <@mesh, [{?}, {"y", ?}]> : tensor<8x8xf32>
  %r = stablehlo.while(%l = %k) : tensor<8x8xf32>
  cond {
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %d = stablehlo.dot_general %l, %l, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    stablehlo.return %d : tensor<8x8xf32>
  }
  %z = call @f(%r) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %z : tensor<8x8xf32>
}
func.func private @f(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.tanh %a : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
})";

int failures = 0;

void check(bool good, std::string_view what, const Diagnostics& errors = {}) {
  if (good) return;
  ++failures;
  std::fprintf(stderr, "%.*s failed\n%s", static_cast<int>(what.size()), what.data(),
               to_string(errors).c_str());
}

template <class T>
void check(const Result<T>& result, std::string_view what) {
  check(result.ok(), what, result ? Diagnostics{} : result.errors());
}

Module small_program() {
  Result<Module> m = read_stablehlo_text(borrowed_text(kProgram));
  check(m, "read_stablehlo_text");
  return m ? *std::move(m) : Module();
}

void use_text(const Module& m) {
  const Result<std::string> text = write_stablehlo_text(m);
  check(text, "write_stablehlo_text");
  if (text) check(read_stablehlo_text(owned_text(*text)), "reading what was written");
  const Result<Module> wrong = read_stablehlo_text(borrowed_text("func.func @f( {"));
  check(!wrong && !excerpt("func.func @f( {", wrong.errors().front().place).empty(), "excerpt");
  const std::string path = "shardprop_no_exceptions.mlir";
  check(write_stablehlo_text_file(m, path).empty(), "write_stablehlo_text_file");
  check(open_text(path), "open_text");
  std::remove(path.c_str());
  check(!to_string(m).empty(), "to_string");
  check(!write_json(m).empty(), "write_json");
}

void use_explainer(const Module& program, const OpTable& ops) {
  PropagateProgramOptions traced;
  traced.propagation.trace = true;
  Result<PropagatedCopy> copy = propagate_copy(program, ops, traced);
  check(copy, "propagate_copy");
  if (!copy) return;
  Explainer explainer(program, *copy, ops, traced.propagation);
  std::size_t steps = 0;
  for (ValueId value : program.values.ids()) {
    for (const AxisExplanation& axis : explainer.axes({value})) steps += axis.steps.size();
  }
  check(steps > 0, "Explainer");
}

void use_propagation(const Module& original, const OpTable& ops) {
  Module m = original;
  check(propagate(m, ops, {.trace_origins = true, .trace_edges = true}), "propagate");
  check(propagate_program(m, ops), "propagate_program");
  use_explainer(original, ops);
  check(make_report(original, ops), "make_report");
  Result<PropagationSession> session = PropagationSession::start(original, ops);
  check(session, "PropagationSession");
  if (!session) return;
  AnnotationEdit edit;
  edit.value = original.blocks[original.funcs[original.func_order[0]].body].arguments[0];
  check(session->repropagate({&edit, 1}), "repropagate");
}

// A pass by itself may refuse the program, with a diagnostic; a pipeline must take it.
void use_passes(const Module& original, const OpTable& ops) {
  const PassTable passes = standard_passes();
  for (const PassDef& pass : passes.passes()) {
    Module m = original;
    const PassCall call{std::string(pass.name), {}};
    const auto report = run_passes(m, ops, std::span(&call, 1), {.verify_each = true});
    check(report.ok() || (!pass.expand && !report.errors().empty()), pass.name,
          report ? Diagnostics{} : report.errors());
  }
  Module m = original;
  const auto calls =
      parse_pipeline("propagation-pipeline{enable-insert-explicit-collectives=true}");
  check(calls, "parse_pipeline");
  if (calls) check(run_passes(m, ops, *calls), "run_passes");
  check(!communication(m).rows.empty(), "communication");
}

void use_builder() {
  Module m;
  OpTable ops = standard_ops();
  const Diagnostics added = ops.add({.name = "my.map", .rule_text = "([i])->([i])"});
  check(added.empty(), "OpTable::add", added);
  GraphBuilder b(m, ops);
  b.add_mesh("mesh", {{"x", 2}});
  const Param x{b.tensor("f32", {8}), b.sharding(R"([{"x"}])")};
  const ValueId argument = b.begin_func("main", {&x, 1})[0];
  b.end_func({b.op("stablehlo.tanh", {argument})});
  Diagnostics errors = b.errors();
  verify_module(ops, m, errors);
  check(errors.empty(), "GraphBuilder", errors);
}

}  // namespace

int main() {
  const OpTable ops = standard_ops();
  Module m = small_program();
  Diagnostics errors;
  verify_module(ops, m, errors);
  check(errors.empty(), "verify_module", errors);
  use_text(m);
  use_propagation(m, ops);
  use_passes(m, ops);
  use_builder();
  return failures == 0 ? 0 : 1;
}
