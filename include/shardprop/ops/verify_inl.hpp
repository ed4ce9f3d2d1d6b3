// Definitions of verify.hpp.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/verify_form.hpp"
#include "shardprop/ir/verify_ids.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/common/type_compatibility.hpp"
#include "shardprop/ops/common/type_lists.hpp"
#include "shardprop/ops/infer.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/ops/rules.hpp"
#include "shardprop/ops/sdy/propagation_edge_attributes.hpp"
#include "shardprop/ops/signature.hpp"
#include "shardprop/ops/verify.hpp"
#include "shardprop/ops/verify_shardings.hpp"

namespace shardprop {

namespace detail {

// The entry of `constraints`, such as "c3, c4", for result `i`: the last one is for all further
// results.
inline std::string_view constraint_of(std::string_view constraints, std::size_t i) {
  std::size_t comma = constraints.find(", ");
  for (; i > 0 && comma != std::string_view::npos; --i) {
    constraints.remove_prefix(comma + 2);
    comma = constraints.find(", ");
  }
  return constraints.substr(0, comma);
}

inline void compare_inferred(const OpRow& row, const InferInput& in,
                             const std::vector<TypeId>& inferred) {
  const std::vector<TypeId> declared = result_types(in.m, in.op);
  if (inferred.size() != declared.size()) {
    report(in,
           row.def.count_constraint.empty() ? constraint_of(row.def.result_constraint, 0)
                                            : row.def.count_constraint,
           fmt::format("expected results of types {}, found {}", to_string(in.types, inferred),
                       to_string(in.types, declared)));
    return;
  }
  const TypeTable& types = in.types.types;
  const std::string_view of_elements = row.def.element_constraint;
  for (std::size_t i = 0; i < inferred.size(); ++i) {
    if (compatible_types(in.types, inferred[i], declared[i])) continue;
    const bool same_shape = types.is_tensor(inferred[i]) && types.is_tensor(declared[i]) &&
                            compatible_shapes(types.shape(inferred[i]), types.shape(declared[i]));
    if (same_shape && of_elements == kFreeElementType) continue;
    report(in,
           same_shape && !of_elements.empty() ? of_elements
                                              : constraint_of(row.def.result_constraint, i),
           fmt::format("expected result {} of type {}, found {}", i,
                       to_string(in.types, inferred[i]), to_string(in.types, declared[i])));
  }
}

// The regions of a dialect's operation return by that dialect's terminator.
inline void check_region_ends(const Module& m, OpId op, Diagnostics& out) {
  const std::string_view name = op_name(m, op);
  const std::string_view expected = name.starts_with("stablehlo.") ? "stablehlo.return"
                                    : name.starts_with("sdy.")     ? "sdy.return"
                                                                   : "";
  if (expected.empty()) return;
  for (BlockId b = m.ops[op].first_block; b.valid(); b = m.blocks[b].next_sibling) {
    const OpId last = terminator(m, b);
    if (!last.valid() || op_name(m, last) == expected) continue;
    out.push_back({"op.terminator",
                   fmt::format("a region must end with {}, found {}", expected, op_name(m, last)),
                   {},
                   place_of(m, op)});
  }
}

// The tables that inference makes types in, with those of `m`.
inline Module copy_types(const Module& m) {
  Module types;
  types.strings = m.strings;
  types.types = m.types;
  return types;
}

// What a caller's functions give must be of the operation: the engine relies on it.
inline void verify_functions(const CustomOp& custom, const Module& m, OpId op, Diagnostics& out) {
  if (custom.rule) {
    if (const std::optional<OpShardingRule> rule = custom.rule({m, op}))
      is_rule_of(*rule, m, op, out);
  }
  if (!custom.data_flow.edges) return;
  std::vector<DataFlowEdge> edges;
  custom.data_flow.edges(m, op, edges);
  for (const DataFlowEdge& edge : edges) {
    bool known = m.values.has(edge.owner);
    for (ValueId target : edge.targets) known = known && m.values.has(target);
    for (UseId source : edge.sources) known = known && m.uses.has(source);
    if (known) continue;
    report(m, op, out, "data_flow", "a data-flow edge names what the module does not have",
           "let edges join operands, region arguments, returned values and results");
  }
}

SHARDPROP_INLINE void verify_with_row(const OpRow& row, const InferInput& in) {
  const bool inputs = check_inputs(row.def.signature, in.m, in.op, in.diagnostics);
  const bool outputs = check_results(row.def.signature, in.m, in.op, in.diagnostics);
  if (!row.custom) check_region_ends(in.m, in.op, in.diagnostics);
  if (!inputs) return;
  std::optional<std::vector<TypeId>> inferred;
  if (can_infer(&row)) inferred = infer_with_row(row, in);
  if (!outputs) return;
  if (row.custom ? static_cast<bool>(row.custom->verify) : row.def.verify != nullptr) {
    row.custom ? row.custom->verify(in) : row.def.verify(in);
  }
  if (inferred) compare_inferred(row, in, *inferred);
  if (row.custom && !row.custom->rule_text.empty() && !row.custom->rule({in.m, in.op})) {
    report(in, "rule",
           fmt::format("the rule {} does not fit the operands and results", row.custom->rule_text),
           "map each dimension of each operand and result, so that every factor has one size");
  }
  if (row.custom) verify_functions(*row.custom, in.m, in.op, in.diagnostics);
}

}  // namespace detail

SHARDPROP_INLINE void verify_op(const OpTable& table, const Module& m, OpId op, Diagnostics& out) {
  const OpRow* row = table.find(op_name(m, op));
  if (!row) return;
  Module types = detail::copy_types(m);
  detail::verify_with_row(*row, {m, types, op, out, row->def.inputs});
}

SHARDPROP_INLINE void verify_module(const OpTable& table, const Module& m, Diagnostics& out) {
  if (!verify_ids(m, out)) return;
  OpRows rows(table, m);
  verify_form(
      m,
      [&](OpId op) -> OpForm {
        const OpRow* row = rows[op];
        if (!row) return {.may_end_block = true};
        const bool ends = row->def.traits & kTerminator;
        return {.may_end_block = ends,
                .must_end_block = ends,
                .isolated = (row->def.traits & kIsolated) != 0};
      },
      out);
  const Symbols symbols(m);
  Module types = detail::copy_types(m);
  walk_ops(m, [&](OpId op) {
    if (const OpRow* row = rows[op])
      detail::verify_with_row(*row, {m, types, op, out, row->def.inputs, &symbols});
    if (m.ops[op].attributes.valid()) verify_edge_attributes({m, op, out});
  });
  verify_shardings(m, out);
}

}  // namespace shardprop
