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
#include "shardprop/ops/common/text_rule.hpp"
#include "shardprop/shardprop.hpp"

namespace {

using namespace shardprop;

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

// y = repeat(x) { matmul(state, w) }
Result<Module> program(const OpTable& ops) {
  Module m;
  GraphBuilder b(m, ops);
  b.add_mesh("mesh", {{"data", 4}, {"model", 2}});
  const TypeId state = b.tensor("f32", {8, 16});
  const auto args =
      b.begin_func("main", {{state, b.sharding(R"([{"data"}, {?}])"), "%x"},
                            {b.tensor("f32", {16, 16}), b.sharding(R"([{?}, {"model"}])"), "%w"}});
  const auto body = [&](auto at) { return Values{b.op("my.matmul", {at[0], args[1]})}; };
  const auto y = b.build("my.repeat", {args[0]}, {.regions = {{{state}, body}}});
  b.end_func({y[0]});
  if (!b.errors().empty()) return b.errors();
  return m;
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
  Result<Module> m = program(ops);
  if (!m) return fail(m.errors());
  const Result<PropagationReport> report = propagate_program(*m, ops);
  if (!report) return fail(report.errors());
  fmt::print("{}", to_string(*m));
  return 0;
}
