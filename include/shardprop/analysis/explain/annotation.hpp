// Where a user wrote an axis: the annotations of a program behind the shardings with which the
// propagation of a copy of it began.
//
// Before propagation, the copy took some shardings from where users wrote them to where they count:
// a constraint gives its operand its sharding, a function gives the results of its calls those of
// its own results, a call its operands those of the function's arguments. All these are looked
// through here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "shardprop/analysis/explain/axis_chain.hpp"
#include "shardprop/analysis/explain/explanation.hpp"
#include "shardprop/analysis/explain/step_graph.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/symbols.hpp"
#include "shardprop/ops/sdy/sharding_list_attributes.hpp"

namespace shardprop {

class AnnotationFinder {
 public:
  // `graph` is of a propagated copy of `program`, which has its lineage.
  AnnotationFinder(const Module& program, StepGraph& graph, AxisChains& chains)
      : program_(program), symbols_(program), graph_(graph), chains_(chains) {}

  // The annotation from which `slot` had `axis` at the start; none where there is none. Where the
  // slot took it from a constraint or from a member of its group, those hops are added to `hops`,
  // the first one first.
  std::optional<AnnotationPlace> find(Slot slot, TracedAxisId axis, std::vector<AxisHop>& hops) {
    std::vector<Slot> seen;
    return find(slot, axis, hops, seen);
  }

 private:
  std::optional<AnnotationPlace> find(Slot slot, TracedAxisId axis, std::vector<AxisHop>& hops,
                                      std::vector<Slot>& seen) {
    if (std::find(seen.begin(), seen.end(), slot) != seen.end()) return std::nullopt;
    seen.push_back(slot);
    if (!graph_.store().is_value(slot)) return of_result(slot, axis);
    const ValueId value = graph_.store().value(slot);
    if (auto own = of_value(value, axis)) return own;
    if (auto around = of_users(slot, axis, hops, seen)) return around;
    for (ValueId member : graph_.groups().members_of(value)) {
      if (member == value) continue;
      AxisHop hop;
      hop.kind = HopKind::kGroup;
      hop.from = member;
      if (auto found = pass(hop, value, slot, axis, hops, seen)) return found;
    }
    return std::nullopt;
  }

  // What `hop.from` has comes to `to`.
  std::optional<AnnotationPlace> pass(AxisHop hop, ValueId to, Slot slot, TracedAxisId axis,
                                      std::vector<AxisHop>& hops, std::vector<Slot>& seen) {
    hop.from_slot = graph_.slot(hop.from);
    if (!hop.from_slot.valid()) return std::nullopt;
    const auto from = chains_.find(graph_.sharding(hop.from_slot), axis);
    const auto here = chains_.find(graph_.sharding(slot), axis);
    if (!from || !here) return std::nullopt;
    std::optional<AnnotationPlace> found = find(hop.from_slot, axis, hops, seen);
    if (!found) return std::nullopt;
    hop.to = to;
    hop.to_slot = slot;
    hop.from_dim = from->first;
    hop.to_dim = here->first;
    hop.axis = hop.from_axis = axis;
    hops.push_back(hop);
    return found;
  }

  std::optional<AnnotationPlace> given(ShardingId sharding, TracedAxisId axis,
                                       AnnotationPlace place) {
    if (sharding.index >= program_.shardings.size()) return std::nullopt;
    const TensorSharding& s = program_.shardings[sharding];
    for (std::size_t d = 0; d < s.rank(); ++d) {
      for (AxisRef ref : s.dims[d].axes) {
        if (!chains_.overlaps(axis, program_.meshes[s.mesh], ref)) continue;
        place.dim = d;
        return place;
      }
    }
    return std::nullopt;
  }

  std::optional<AnnotationPlace> of_result(Slot slot, TracedAxisId axis) {
    const Module& m = graph_.module();
    for (FuncId f : m.func_order) {
      const std::size_t count = m.funcs[f].results.size();
      if (count == 0 || slot < graph_.slot(f, 0) || slot > graph_.slot(f, count - 1)) continue;
      const std::size_t number = slot.index - graph_.slot(f, 0).index;
      return of_func_result(program_func(f), number, axis);
    }
    return std::nullopt;
  }

  std::optional<AnnotationPlace> of_func_result(FuncId func, std::size_t number,
                                                TracedAxisId axis) {
    if (!func.valid() || number >= program_.funcs[func].results.size()) return std::nullopt;
    return given(program_.funcs[func].results[number].sharding, axis,
                 {AnnotationKind::kResult, {}, func, number});
  }

  // The function of the program that a function of the copy stands for.
  FuncId program_func(FuncId f) const {
    const Module& m = graph_.module();
    const BlockId body = m.lineage.of_block.of(m.funcs[f].body);
    return body.valid() ? program_.blocks[body].parent_func : FuncId();
  }

  std::optional<AnnotationPlace> of_value(ValueId value, TracedAxisId axis) {
    const Module& m = graph_.module();
    const OpId edge = defining_op(m, value);
    const EdgeInfo* info = edge.valid() ? graph_.store().edge(edge) : nullptr;
    if (info) {
      if (auto own = of_owner(info->owner_op, info->edge.owner, axis)) return own;
    }
    if (auto own = of_program_value(m.lineage.of_value.of(value), axis)) return own;
    // An edge that was made on the edge of a program that has edges already.
    const bool on_edge = edge.valid() && m.ops[edge].name == known::kSdyDataFlowEdge;
    return on_edge ? of_value(operand(m, edge, 0), axis) : std::nullopt;
  }

  std::optional<AnnotationPlace> of_program_value(ValueId value, TracedAxisId axis) {
    if (!value.valid()) return std::nullopt;
    const OpId op = defining_op(program_, value);
    const AnnotationKind kind = !op.valid() ? AnnotationKind::kArgument
                                : program_.ops[op].name == known::kSdyShardingConstraint
                                    ? AnnotationKind::kConstraint
                                    : AnnotationKind::kValue;
    return given(program_.value_shardings[value], axis, {kind, value});
  }

  // The owner of an edge has the sharding of a loop's result, that of a call or of the called
  // function, or that of a list of a computation.
  std::optional<AnnotationPlace> of_owner(OpId owner_op, ValueId owner, TracedAxisId axis) {
    const Module& m = graph_.module();
    if (auto own = of_program_value(m.lineage.of_value.of(owner), axis)) return own;
    const OpId op = m.lineage.of_op.of(owner_op);
    if (!op.valid()) return std::nullopt;
    const std::size_t number = m.values[owner].number;
    const bool is_input = m.values[owner].is_argument != 0;
    if (program_.ops[op].name == known::kFuncCall) {
      const FuncId callee = symbols_.callee(program_, op);
      if (!callee.valid()) return std::nullopt;
      return is_input ? of_program_value(
                            program_.blocks[program_.funcs[callee].body].arguments[number], axis)
                      : of_func_result(callee, number, axis);
    }
    return of_list(op, is_input, number, axis);
  }

  std::optional<AnnotationPlace> of_list(OpId op, bool is_input, std::size_t number,
                                         TracedAxisId axis) {
    const auto list = sharding_list(program_, op, is_input ? kInShardings : kOutShardings);
    if (!list || number >= list->size()) return std::nullopt;
    const ValueId value = is_input ? operand(program_, op, number) : result(program_, op, number);
    return given((*list)[number], axis,
                 {is_input ? AnnotationKind::kManualInput : AnnotationKind::kManualOutput, value});
  }

  // A closed constraint, or a manual computation, that uses the value gave it its sharding.
  std::optional<AnnotationPlace> of_users(Slot slot, TracedAxisId axis, std::vector<AxisHop>& hops,
                                          std::vector<Slot>& seen) {
    const Module& m = graph_.module();
    std::vector<OpId> users;
    graph_.for_each_op(slot, [&](OpId op) { users.push_back(op); });
    for (OpId op : users) {
      if (m.ops[op].name == known::kSdyShardingConstraint &&
          graph_.slot(operand(m, op, 0)) == slot) {
        AxisHop hop;
        hop.kind = HopKind::kConstraint;
        hop.step.op = op;
        hop.source = 1;
        hop.from = result(m, op, 0);
        if (auto found = pass(hop, operand(m, op, 0), slot, axis, hops, seen)) return found;
      }
      if (m.ops[op].name != known::kSdyManualComputation) continue;
      const OpId own = m.lineage.of_op.of(op);
      for (std::size_t i = 0; own.valid() && i < m.ops[op].operand_count; ++i) {
        if (graph_.slot(operand(m, op, i)) != slot) continue;
        if (auto found = of_list(own, true, i, axis)) return found;
      }
    }
    // A constraint that was made for a manual computation stands for its list.
    const OpId op = defining_op(m, graph_.store().value(slot));
    if (op.valid() && m.ops[op].name == known::kSdyShardingConstraint) {
      for (UseId use = m.values[result(m, op, 0)].first_use; use.valid(); use = m.uses[use].next) {
        const OpId user = m.uses[use].user;
        const OpId own = m.lineage.of_op.of(user);
        if (m.ops[user].name != known::kSdyManualComputation || !own.valid()) continue;
        if (auto found = of_list(own, true, operand_number(m, use), axis)) return found;
      }
    }
    return std::nullopt;
  }

  const Module& program_;
  Symbols symbols_;
  StepGraph& graph_;
  AxisChains& chains_;
};

}  // namespace shardprop
