// The trace as attributes of the program: `sdy.sharding_origins` (axis to origin) on arguments,
// results and operations, `sdy.propagation_edges` on operations and function results,
// `sdy.sharding_origin_name` on constraints and manual computations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/known_names.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/sdy/propagation_edge_attributes.hpp"
#include "shardprop/ops/sdy/sharding_list_attributes.hpp"
#include "shardprop/propagate/engine/sharding_store.hpp"
#include "shardprop/propagate/trace/trace.hpp"

namespace shardprop {

inline constexpr std::string_view kShardingOrigins = "sdy.sharding_origins";
inline constexpr std::string_view kOriginName = "sdy.sharding_origin_name";

namespace detail {

inline AttrId text_attr(Module& m, std::string_view text) {
  return m.attrs.string(m.strings.intern(text));
}

// `{"x": "input: 0"}`; an origin equal to `self` is written as `self`.
inline AttrId origins_attr(Module& m, const AxisOrigins& origins, std::string_view self) {
  std::vector<AttrEntry> entries;
  for (const auto& [axis, origin] : origins) {
    const std::string text = to_string(origin);
    entries.push_back(
        {m.strings.intern(to_string(axis)), text_attr(m, text == self ? "self" : text)});
  }
  return m.attrs.dict(entries);
}

// By axis, source, target and step, or by step first.
struct MoveOrder {
  bool step_first = false;

  bool operator()(const TraceMove* a, const TraceMove* b) const {
    if (step_first && a->step != b->step) return a->step < b->step;
    if (const auto order = a->axis <=> b->axis; order != 0) return order < 0;
    if (const auto order = a->source <=> b->source; order != 0) return order < 0;
    if (const auto order = a->target <=> b->target; order != 0) return order < 0;
    return a->step < b->step;
  }
};

// The first of each set of moves that differ in their steps only; by step, axis, source and target.
inline std::vector<const TraceMove*> first_moves(const std::vector<TraceMove>& moves) {
  std::vector<const TraceMove*> all;
  for (const TraceMove& move : moves) all.push_back(&move);
  std::ranges::stable_sort(all, MoveOrder{});
  std::vector<const TraceMove*> first;
  for (const TraceMove* move : all) {
    const bool is_new = first.empty() || move->axis != first.back()->axis ||
                        move->source != first.back()->source ||
                        move->target != first.back()->target;
    if (is_new) first.push_back(move);
  }
  std::ranges::stable_sort(first, MoveOrder{.step_first = true});
  return first;
}

// The record of `moves`; of moves that differ in their steps only, the first counts.
inline AttrId moves_attr(Module& m, const std::vector<TraceMove>& moves) {
  std::vector<AxisMove> rows;
  const TraceMove* last = nullptr;
  for (const TraceMove* move : first_moves(moves)) {
    const bool is_new = !last || move->step != last->step || move->axis != last->axis ||
                        move->source != last->source;
    if (is_new) {
      rows.push_back({static_cast<std::int64_t>(move->step),
                      move->axis.name,
                      to_string(move->axis).substr(move->axis.name.size()),
                      move->source,
                      {}});
    }
    rows.back().targets.push_back(move->target);
    last = move;
  }
  return record_attr(m, rows);
}

// The last step of all records in the program, or none.
inline std::optional<std::size_t> last_step(const Module& m) {
  std::vector<AxisMove> moves;
  walk_ops(m, [&](OpId op) {
    if (const AttrId record = attribute(m, op, kPropagationEdges); record.valid())
      parse_record(m, record, moves);
  });
  std::optional<std::size_t> last;
  for (const AxisMove& move : moves)
    last = std::max(last.value_or(0), static_cast<std::size_t>(move.step));
  return last;
}

inline std::vector<OpId> ops_named(const Module& m, StringId name) {
  std::vector<OpId> ops;
  for (OpId op : postorder(m)) {
    if (m.ops[op].name == name) ops.push_back(op);
  }
  return ops;
}

inline void start_constraints(Module& m, const ShardingStore& store, Trace& trace) {
  std::size_t source = 0;
  for (OpId op : ops_named(m, known::kSdyShardingConstraint)) {
    const Origin origin{OriginKind::kConstraint, 0, source++};
    trace.add_origins(m, result(m, op, 0), m.value_shardings[result(m, op, 0)], origin);
    set_attribute(m, op, kOriginName, text_attr(m, to_string(origin)));
    trace.add_origins(m, store.holder(operand(m, op, 0)), store.get(operand(m, op, 0)), origin);
  }
}

inline void start_manual_computations(Module& m, const ShardingStore& store, Trace& trace) {
  std::size_t source = 0;
  for (OpId op : ops_named(m, known::kSdyManualComputation)) {
    const BlockId body = m.ops[op].first_block;
    const std::vector<ShardingId> in =
        sharding_list(m, op, "in_shardings").value_or(std::vector<ShardingId>());
    const std::vector<ShardingId> out =
        sharding_list(m, op, "out_shardings").value_or(std::vector<ShardingId>());
    for (std::size_t i = 0; i < in.size() && i < m.blocks[body].arguments.size(); ++i) {
      const Origin origin{OriginKind::kManualInput, i, source};
      trace.add_origins(m, store.holder(m.blocks[body].arguments[i]), in[i], origin);
      trace.add_origins(m, store.holder(operand(m, op, i)), store.get(operand(m, op, i)), origin);
    }
    for (std::size_t i = 0; i < out.size() && i < m.ops[op].result_count; ++i) {
      trace.add_origins(m, store.holder(result(m, op, i)), out[i],
                        {OriginKind::kManualOutput, i, source});
    }
    set_attribute(m, op, kOriginName, text_attr(m, fmt::format("mc_{}", source)));
    ++source;
  }
}

inline void start_funcs(Module& m, const ShardingStore& store, Trace& trace) {
  for (FuncId f : m.func_order) {
    const BlockId body = m.funcs[f].body;
    for (std::size_t i = 0; i < m.blocks[body].arguments.size(); ++i) {
      const ValueId argument = m.blocks[body].arguments[i];
      trace.add_origins(m, argument, m.value_shardings[argument], {OriginKind::kInput, i, 0});
    }
    const OpId end = terminator(m, body);
    for (std::size_t i = 0;
         end.valid() && i < m.funcs[f].results.size() && i < m.ops[end].operand_count; ++i) {
      trace.add_origins(m, store.holder(operand(m, end, i)), m.funcs[f].results[i].sharding,
                        {OriginKind::kOutput, i, 0});
    }
  }
}

}  // namespace detail

// A new trace, with the origins that users wrote in the program. If origins are traced, it gives
// constraints and manual computations their names.
inline Trace start_trace(Module& m, const ShardingStore& store, Trace::Options options) {
  const std::optional<std::size_t> last = options.edges ? detail::last_step(m) : std::nullopt;
  Trace trace(options, last ? *last + 1 : 0);
  if (!options.origins) return trace;
  detail::start_constraints(m, store, trace);
  detail::start_manual_computations(m, store, trace);
  detail::start_funcs(m, store, trace);
  return trace;
}

namespace detail {

inline void set_value_attribute(Module& m, ValueId value, std::string_view key, AttrId attr) {
  AttrId& dict = m.value_attributes[value.index];
  dict = m.attrs.with(dict, m.strings.intern(key), attr);
}

inline void set_result_attribute(Module& m, FuncId f, std::size_t i, std::string_view key,
                                 AttrId attr) {
  AttrId& dict = m.funcs[f].results[i].attributes;
  dict = m.attrs.with(dict, m.strings.intern(key), attr);
}

// The dictionaries of an operation's results, one per result.
inline void set_op_result_origins(Module& m, OpId op, std::size_t number, AttrId origins) {
  std::vector<AttrId> dicts(m.ops[op].result_count, m.attrs.dict({}));
  const AttrId had = attribute(m, op, kShardingOrigins);
  if (had.valid() && m.attrs.kind(had) == AttrKind::kList &&
      m.attrs.items(had).size() == dicts.size()) {
    dicts.assign(m.attrs.items(had).begin(), m.attrs.items(had).end());
  }
  dicts[number] = origins;
  set_attribute(m, op, kShardingOrigins, m.attrs.list(dicts));
}

// The text of the origin that is the value itself; there it is written as `self`.
inline std::string own_origin(const Module& m, const ShardingStore& store, ValueId value) {
  const OpId op = defining_op(m, value);
  if (!op.valid()) return to_string(Origin{OriginKind::kInput, m.values[value].number, 0});
  if (const EdgeInfo* info = store.edge(op)) {
    const AttrId name = attribute(m, info->owner_op, kOriginName);
    if (!name.valid()) return {};
    const Value& owner = m.values[info->edge.owner];
    return fmt::format("{}_{}: {}", m.strings[m.attrs.as_string(name)],
                       owner.is_argument ? "input" : "output", std::uint32_t{owner.number});
  }
  const AttrId name = attribute(m, op, kOriginName);
  return name.valid() ? std::string(m.strings[m.attrs.as_string(name)]) : std::string();
}

inline void write_origins(Module& m, const ShardingStore& store, ValueId value,
                          const AxisOrigins& origins) {
  const OpId op = defining_op(m, value);
  for (UseId use = m.values[value].first_use; use.valid(); use = m.uses[use].next) {
    if (m.ops[m.uses[use].user].name != known::kFuncReturn) continue;
    const std::size_t i = operand_number(m, use);
    const FuncId f = enclosing_func(m, m.layout[m.uses[use].user].block);
    set_result_attribute(m, f, i, kShardingOrigins,
                         origins_attr(m, origins, to_string(Origin{OriginKind::kOutput, i, 0})));
    break;  // where a value is returned twice, one of the results gets its origins
  }
  const AttrId own = origins_attr(m, origins, own_origin(m, store, value));
  if (!op.valid()) return set_value_attribute(m, value, kShardingOrigins, own);
  const StringId name = m.ops[op].name;
  if (name == known::kSdyShardingConstraint || name == known::kSdyDataFlowEdge)
    return set_attribute(m, op, kShardingOrigins, own);
  set_op_result_origins(m, op, m.values[value].number, own);
}

}  // namespace detail

// Writes the trace to the program. Must be called before `ShardingStore::finish`.
inline void write_trace(Module& m, const ShardingStore& store, const Trace& trace) {
  for (const auto& [value, origins] : trace.origins())
    detail::write_origins(m, store, ValueId(value), origins);
  for (const auto& [id, moves] : trace.op_moves()) {
    set_attribute(m, OpId(id), kPropagationEdges, detail::moves_attr(m, moves));
  }
  for (const auto& [id, moves] : trace.func_moves()) {
    // The moves of all results of a function are on its first one, each as that of operand 0 and
    // result 0.
    detail::set_result_attribute(m, FuncId(id), 0, kPropagationEdges, detail::moves_attr(m, moves));
  }
}

}  // namespace shardprop
