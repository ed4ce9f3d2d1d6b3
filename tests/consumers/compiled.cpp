// What someone else's program does with the compiled library: text and JSON in and out, propagation,
// pipelines, explanations and cost, with the headers that the header-only library has.
#include <shardprop/io/json_reader.hpp>
#include <shardprop/io/json_writer.hpp>
#include <shardprop/io/stablehlo_text.hpp>
#include <shardprop/shardprop.hpp>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#ifndef SHARDPROP_COMPILED
#error "the target says that the library is compiled"
#endif
#ifdef NLOHMANN_JSON_VERSION_MAJOR
#error "the headers of a compiled library must not include nlohmann/json"
#endif

namespace {

using namespace shardprop;

constexpr std::string_view kProgram = R"(
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                %b: tensor<32x16xf32>) -> tensor<8x16xf32> {
  %c = stablehlo.dot %a, %b : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return %c : tensor<8x16xf32>
})";

int fail(const Diagnostics& errors) {
  std::fputs(to_string(errors).c_str(), stderr);
  return 1;
}

int missing(const char* what) {
  std::fprintf(stderr, "missing: %s\n", what);
  return 1;
}

}  // namespace

int main() {
  const OpTable ops = standard_ops();
  Result<Module> m = read_stablehlo_text(borrowed_text(kProgram));
  if (!m) return fail(m.errors());

  const ValueId b = m->blocks[m->funcs[m->func_order[0]].body].arguments[1];
  PropagateProgramOptions traced;
  traced.propagation.trace = true;
  Result<PropagatedCopy> copy = propagate_copy(*m, ops, traced);
  if (!copy) return fail(copy.errors());
  Explainer explainer(*m, *copy, ops, traced.propagation);
  const std::vector<AxisExplanation> why = explainer.axes({b});
  if (why.size() != 1 || why[0].steps.size() != 1 || why[0].steps[0].operation != "stablehlo.dot")
    return missing("the way of y to %b");

  Module shown = *m;
  if (const auto done = propagate_program(shown, ops); !done) return fail(done.errors());
  if (to_string(sharding_of(shown, b)) != R"(<@mesh, [{"y"}, {}]>)") return missing("y on %b");

  const auto calls =
      parse_pipeline("propagation-pipeline{enable-insert-explicit-collectives=true}");
  if (!calls) return fail(calls.errors());
  if (const auto done = run_passes(*m, ops, *calls); !done) return fail(done.errors());
  if (communication(*m).rows.empty()) return missing("the all-reduce in the cost");

  const Result<Module> again = read_json(write_json(*m));
  if (!again) return fail(again.errors());
  const Result<std::string> text = write_stablehlo_text(*again);
  if (!text) return fail(text.errors());
  std::fputs(text->c_str(), stdout);
  return text->find(R"(sdy.all_reduce {"y"})") != std::string::npos ? 0 : missing("all_reduce");
}
