// What someone else's program does with the JSON room: a graph in, propagation, the graph out.
#include <shardprop/io/json_reader.hpp>
#include <shardprop/io/json_writer.hpp>
#include <shardprop/shardprop.hpp>

#include <cstdio>
#include <string>
#include <string_view>

namespace {

constexpr std::string_view kGraph = R"({
  "meshes": [{"name": "mesh", "axes": [{"name": "x", "size": 2}]}],
  "functions": [{
    "name": "main",
    "arguments": [{"name": "%a", "shape": [8], "dtype": "f32",
                   "sharding": {"mesh": "mesh", "dims": [{"axes": ["x"]}]}}],
    "results": [{"shape": [8], "dtype": "f32"}],
    "ops": [{"op": "stablehlo.negate", "operands": ["%a"],
             "results": [{"name": "%b", "shape": [8], "dtype": "f32"}]},
            {"op": "func.return", "operands": ["%b"]}]}]
})";

int fail(const shardprop::Diagnostics& errors) {
  std::fputs(to_string(errors).c_str(), stderr);
  return 1;
}

}  // namespace

int main() {
  using namespace shardprop;
  Result<Module> m = read_json(kGraph);
  if (!m) return fail(m.errors());
  const auto report = propagate(*m, standard_ops());
  if (!report) return fail(report.errors());
  const std::string graph = write_json(*m);
  std::fputs(graph.c_str(), stdout);
  constexpr std::string_view kSharded =
      R"("name": "%b", "shape": [8], "dtype": "f32", "sharding": {"mesh": "mesh", "dims": [{"axes": ["x"], "open": true}]})";
  return graph.find(kSharded) != std::string::npos ? 0 : 1;
}
