// A framework's own operations: registered once, they type-check, propagate and explain like the
// built-in ones.
//
// `my.matmul` has a rule that the compiler reads; factor sizes follow from the shapes. The rule of
// `my.softmax` is a text that is read when the operation is added. `my.repeat` runs its region
// several times on a value, so its data-flow edge joins the operand and what the region returns
// (sources) to the region's argument and the result (targets).
#include <cstdio>
#include <optional>
#include <vector>

#include "fmt/format.h"
#include "shardprop/io/json_reader.hpp"
#include "shardprop/shardprop.hpp"

namespace {

using namespace shardprop;

constexpr const char* kProgram = R"({
  "meshes": [{"name": "mesh", "axes": [{"name": "data", "size": 4}, {"name": "model", "size": 2}]}],
  "functions": [{"name": "main",
    "arguments": [{"name": "%x", "shape": [8, 16], "dtype": "f32", "sharding": "<@mesh, [{\"data\"}, {?}]>"},
                  {"name": "%w", "shape": [16, 16], "dtype": "f32", "sharding": "<@mesh, [{?}, {\"model\"}]>"}],
    "results": [{}],
    "ops": [
      {"op": "my.repeat", "operands": ["%x"], "results": [{"name": "%y"}], "blocks": [
        {"arguments": [{"name": "%state", "shape": [8, 16], "dtype": "f32"}],
         "ops": [{"op": "my.matmul", "operands": ["%state", "%w"], "results": [{"name": "%next"}]},
                 {"op": "stablehlo.return", "operands": ["%next"]}]}]},
      {"op": "func.return", "operands": ["%y"]}]}]
})";

// The result has the rows of the left and the columns of the right operand.
std::optional<std::vector<TypeId>> infer_matmul(const InferInput& in) {
  const std::int64_t shape[] = {shape_of(in.m, operand(in.m, in.op, 0))[0],
                                shape_of(in.m, operand(in.m, in.op, 1))[1]};
  return std::vector<TypeId>{tensor_type(in.types, "f32", shape)};
}

std::optional<std::vector<TypeId>> infer_repeat(const InferInput& in) {
  return std::vector<TypeId>{type_of(in.m, operand(in.m, in.op, 0))};
}

void repeat_edges(const Module& m, OpId op, std::vector<DataFlowEdge>& edges) {
  const BlockId body = block_of(m, op, 0);
  DataFlowEdge edge;
  edge.owner = result(m, op, 0);
  edge.sources = {operand_uses(m, op)[0], operand_uses(m, terminator(m, body))[0]};
  edge.targets = {m.blocks[body].arguments[0]};
  edges.push_back(edge);
}

Result<OpTable> my_ops() {
  OpTable ops = standard_ops();
  Diagnostics errors = ops.add({.name = "my.matmul",
                                .signature = {.min_operands = 2, .max_operands = 2},
                                .rule = rule<"([i, k], [k, j]) -> ([i, j]) reduction={k}">,
                                .infer = infer_matmul});
  if (!errors.empty()) return errors;
  // The same notation as a text of run time, which `add` checks.
  errors =
      ops.add({.name = "my.softmax", .rule_text = "([..., i]) -> ([..., i]) need_replication={i}"});
  if (!errors.empty()) return errors;
  CustomOp repeat{.name = "my.repeat", .infer = infer_repeat};
  repeat.signature = {.min_operands = 1, .max_operands = 1, .min_blocks = 1, .max_blocks = 1};
  repeat.data_flow.edges = repeat_edges;
  errors = ops.add(std::move(repeat));
  if (!errors.empty()) return errors;
  return ops;
}

int fail(const Diagnostics& diagnostics) {
  fmt::print(stderr, "{}", to_string(diagnostics));
  return 1;
}

}  // namespace

int main() {
  const Result<OpTable> table = my_ops();
  if (!table) return fail(table.errors());
  const OpTable& ops = *table;
  ReadOptions read;
  read.infer_types = [&](Module& m, OpId op, Diagnostics& out) {
    return infer_types(ops, m, op, out);
  };
  Result<Module> m = read_json(kProgram, read);
  if (!m) return fail(m.errors());
  Diagnostics errors;
  verify_module(ops, *m, errors);
  if (has_errors(errors)) return fail(errors);

  const auto calls =
      parse_pipeline("add-data-flow-edges,user-priority-propagate,sink-data-flow-edges");
  const Result<PipelineReport> report = run_passes(*m, ops, *calls);
  if (!report) return fail(report.errors());
  fmt::print("{}", to_string(*m));
  return 0;
}
