// What someone else's program does with the core alone: StableHLO text in, propagation and
// collectives, StableHLO text out.
#include <shardprop/io/stablehlo_text.hpp>
#include <shardprop/shardprop.hpp>

#include <cstdio>
#include <string>
#include <string_view>

#ifdef NLOHMANN_JSON_VERSION_MAJOR
#error "the core and StableHLO text must not include nlohmann/json"
#endif

namespace {

constexpr std::string_view kProgram = R"(
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                %b: tensor<32x16xf32>) -> tensor<8x16xf32> {
  %c = stablehlo.dot %a, %b : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return %c : tensor<8x16xf32>
})";

int fail(const shardprop::Diagnostics& errors) {
  std::fputs(to_string(errors).c_str(), stderr);
  return 1;
}

}  // namespace

int main() {
  using namespace shardprop;
  Result<Module> m = read_stablehlo_text(borrowed_text(kProgram));
  if (!m) return fail(m.errors());
  const auto calls =
      parse_pipeline("propagation-pipeline{enable-insert-explicit-collectives=true}");
  if (!calls) return fail(calls.errors());
  const auto report = run_passes(*m, standard_ops(), *calls);
  if (!report) return fail(report.errors());
  const Result<std::string> text = write_stablehlo_text(*m);
  if (!text) return fail(text.errors());
  std::fputs(text->c_str(), stdout);
  return text->find(R"(sdy.all_reduce {"y"})") != std::string::npos ? 0 : 1;
}
