// The trace as attributes of the program: `sdy.sharding_origins` (axis to origin) on arguments,
// results and operations, `sdy.propagation_edges` on operations and function results,
// `sdy.sharding_origin_name` on constraints and manual computations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
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
#include "shardprop/support/small_vector.hpp"

namespace shardprop {

inline constexpr std::string_view kShardingOrigins = "sdy.sharding_origins";
inline constexpr std::string_view kOriginName = "sdy.sharding_origin_name";

namespace detail {

inline AttrId text_attr(Module& m, std::string_view text) {
  return m.attrs.string(m.strings.intern(text));
}

// A move with its step.
struct StepMove {
  std::uint32_t step = 0;
  const TraceMove* move = nullptr;
};

// By axis, source, target and step, or by step first.
struct MoveOrder {
  const TracedAxes& axes;
  bool step_first = false;

  bool operator()(const StepMove& a, const StepMove& b) const {
    if (step_first && a.step != b.step) return a.step < b.step;
    const TracedAxisId x = a.move->axis;
    const TracedAxisId y = b.move->axis;
    if (const int order = axes.name(x).compare(axes.name(y)); order != 0) return order < 0;
    if (const auto order = axes[x].part <=> axes[y].part; order != 0) return order < 0;
    if (const auto order = a.move->source <=> b.move->source; order != 0) return order < 0;
    if (const auto order = a.move->target <=> b.move->target; order != 0) return order < 0;
    return a.step < b.step;
  }
};

// The first of each set of moves that differ in their steps only; by step, axis, source and target.
inline std::vector<StepMove> first_moves(const Trace& trace, std::vector<StepMove> all) {
  std::ranges::stable_sort(all, MoveOrder{trace.axes()});
  std::vector<StepMove> first;
  for (const StepMove& at : all) {
    const bool is_new = first.empty() || at.move->axis != first.back().move->axis ||
                        at.move->source != first.back().move->source ||
                        at.move->target != first.back().move->target;
    if (is_new) first.push_back(at);
  }
  std::ranges::stable_sort(first, MoveOrder{trace.axes(), true});
  return first;
}

// The record of `moves`; of moves that differ in their steps only, the first counts.
inline AttrId moves_attr(Module& m, const Trace& trace, const std::vector<StepMove>& moves) {
  std::vector<AxisMove> rows;
  StepMove last;
  for (const StepMove& at : first_moves(trace, moves)) {
    const bool is_new = !last.move || at.step != last.step || at.move->axis != last.move->axis ||
                        at.move->source != last.move->source;
    if (is_new) {
      const std::string name(trace.axes().name(at.move->axis));
      const std::string part = trace.axes().text(at.move->axis).substr(name.size());
      rows.push_back({at.step, name, part, at.move->source, {}});
    }
    rows.back().targets.push_back(at.move->target);
    last = at;
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

inline void start_constraint(Module& m, const ShardingStore& store, Trace& trace, OpId op,
                             std::size_t source) {
  const Origin origin{OriginKind::kConstraint, 0, source};
  trace.set_source(op, source);
  trace.add_origins(m, result(m, op, 0), m.value_shardings[result(m, op, 0)], origin);
  set_attribute(m, op, kOriginName, text_attr(m, to_string(origin)));
  trace.add_origins(m, store.holder(operand(m, op, 0)), store.get(operand(m, op, 0)), origin);
}

inline void start_manual_computation(Module& m, const ShardingStore& store, Trace& trace, OpId op,
                                     std::size_t source) {
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
  trace.set_source(op, source);
}

// What constraints want goes before what manual computations want; each is numbered by itself.
inline void start_ops(Module& m, const ShardingStore& store, Trace& trace) {
  if (!has_op(m, known::kSdyShardingConstraint) && !has_op(m, known::kSdyManualComputation)) return;
  std::vector<OpId> constraints;
  std::vector<OpId> computations;
  for (OpId op : postorder(m)) {
    if (m.ops[op].name == known::kSdyShardingConstraint) constraints.push_back(op);
    if (m.ops[op].name == known::kSdyManualComputation) computations.push_back(op);
  }
  for (std::size_t i = 0; i < constraints.size(); ++i)
    start_constraint(m, store, trace, constraints[i], i);
  for (std::size_t i = 0; i < computations.size(); ++i)
    start_manual_computation(m, store, trace, computations[i], i);
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
  Trace trace(options, m.values.size(), last ? *last + 1 : 0);
  if (!options.origins) return trace;
  detail::start_ops(m, store, trace);
  detail::start_funcs(m, store, trace);
  return trace;
}

namespace detail {

inline void set_value_attribute(Module& m, ValueId value, StringId key, AttrId attr) {
  AttrId& dict = m.value_attributes[value.index];
  dict = m.attrs.with(dict, key, attr);
}

inline void set_result_attribute(Module& m, FuncId f, std::size_t i, std::string_view key,
                                 AttrId attr) {
  AttrId& dict = m.funcs[f].results[i].attributes;
  dict = m.attrs.with(dict, m.strings.intern(key), attr);
}

// Writes origins. Equal lists of them, and equal dictionaries of operations, are made once.
class OriginWriter {
 public:
  OriginWriter(Module& m, const ShardingStore& store, const Trace& trace)
      : m_(m),
        store_(store),
        trace_(trace),
        key_(m.strings.intern(kShardingOrigins)),
        self_(text_attr(m, "self")),
        none_(m.attrs.dict({})) {
    written_.resize(trace.origins().lists().size());
    axis_texts_.resize(trace.axes().size());
    origin_texts_.resize(trace.origins().places().size());
  }

  void write() {
    for (FuncId f : m_.func_order) {
      const OpId end = terminator(m_, m_.funcs[f].body);
      for (UseId use : operand_uses(m_, end)) write_returned(m_.uses[use].value);
    }
    std::size_t arguments = m_.value_attributes.size();
    for (FuncId f : m_.func_order) arguments += m_.blocks[m_.funcs[f].body].arguments.size();
    m_.value_attributes.reserve(arguments);
    m_.attrs.reserve(m_.attrs.size() + 3 * trace_.origins().lists().size());
    trace_.origins().for_each([&](ValueId value) { write(value); });
  }

 private:
  // What was made of a list of origins: the attributes, and the dictionaries of operations that got
  // them as their only result's.
  struct Written {
    struct Dict {
      AttrId before;
      AttrId after;
    };
    AttrId origins;
    AttrId only_one;  // `origins` as a list
    SmallVector<Dict, 4> dicts;
  };

  void write(ValueId value) {
    const OriginListId list = trace_.origins().of(value);
    const OpId op = defining_op(m_, value);
    if (!op.valid()) return set_value_attribute(m_, value, key_, own_attr(value, op, list));
    const StringId name = m_.ops[op].name;
    if (name == known::kSdyShardingConstraint || name == known::kSdyDataFlowEdge)
      return set_attribute(m_, op, key_, own_attr(value, op, list));
    if (m_.ops[op].result_count > 1)
      return set_op_result_origins(op, m_.values[value].number, written(list).origins);
    set_only_result_origins(m_.ops[op].attributes, written(list));
  }

  // Where a value is returned twice, one of the results gets its origins.
  void write_returned(ValueId value) {
    if (!trace_.origins().of(value).valid()) return;
    UseId use = m_.values[value].first_use;
    while (m_.ops[m_.uses[use].user].name != known::kFuncReturn) use = m_.uses[use].next;
    const std::size_t i = operand_number(m_, use);
    const FuncId f = enclosing_func(m_, m_.layout[m_.uses[use].user].block);
    set_result_attribute(m_, f, i, kShardingOrigins,
                         make_attr(trace_.origins().of(value), Origin{OriginKind::kOutput, i, 0}));
  }

  Written& written(OriginListId list) {
    Written& out = written_[list];
    if (!out.origins.valid()) out.origins = make_attr(list, std::nullopt);
    return out;
  }

  // Of a value that may be an origin itself.
  AttrId own_attr(ValueId value, OpId op, OriginListId list) {
    const std::optional<Origin> self = own_origin(value, op);
    return self ? make_attr(list, self) : written(list).origins;
  }

  // `{"x": "input: 0"}`; an origin equal to `self` is written as `self`.
  AttrId make_attr(OriginListId list, const std::optional<Origin>& self) {
    entries_.clear();
    for (; list.valid(); list = trace_.origins().lists()[list].before) {
      const OriginList& row = trace_.origins().lists()[list];
      const bool is_self = self && trace_.origins().places()[row.origin] == *self;
      entries_.push_back({axis_text(row.axis), is_self ? self_ : origin_text(row.origin)});
    }
    std::ranges::reverse(entries_);
    return m_.attrs.dict(entries_);
  }

  StringId axis_text(TracedAxisId axis) {
    StringId& text = axis_texts_[axis];
    if (!text.valid()) text = m_.strings.intern(trace_.axes().text(axis));
    return text;
  }
  AttrId origin_text(std::uint32_t origin) {
    AttrId& text = origin_texts_[origin];
    if (!text.valid()) text = text_attr(m_, to_string(trace_.origins().places()[origin]));
    return text;
  }

  // The origin that is the value itself, if any.
  std::optional<Origin> own_origin(ValueId value, OpId op) const {
    const std::size_t number = m_.values[value].number;
    if (!op.valid()) return Origin{OriginKind::kInput, number, 0};
    if (m_.ops[op].name == known::kSdyShardingConstraint) {
      const auto source = trace_.source_of(op);
      return source ? std::optional(Origin{OriginKind::kConstraint, 0, *source}) : std::nullopt;
    }
    const EdgeInfo* info = m_.ops[op].name == known::kSdyDataFlowEdge ? store_.edge(op) : nullptr;
    const auto source = info ? trace_.source_of(info->owner_op) : std::nullopt;
    if (!source) return std::nullopt;
    const Value& owner = m_.values[info->edge.owner];
    return Origin{owner.is_argument ? OriginKind::kManualInput : OriginKind::kManualOutput,
                  owner.number, *source};
  }

  // Equal dictionaries of operations with equal origins are looked for among the last few.
  void set_only_result_origins(AttrId& dict, Written& list) {
    constexpr std::size_t kMostDicts = 8;
    for (const Written::Dict& known : list.dicts) {
      if (known.before != dict) continue;
      dict = known.after;
      return;
    }
    if (!list.only_one.valid()) list.only_one = m_.attrs.list({&list.origins, 1});
    const Written::Dict made = {dict, m_.attrs.with(dict, key_, list.only_one)};
    if (list.dicts.size() == kMostDicts) list.dicts.erase_at(0);
    list.dicts.push_back(made);
    dict = made.after;
  }

  // The dictionaries of an operation's results, one per result.
  void set_op_result_origins(OpId op, std::size_t number, AttrId origins) {
    AttrId& dict = m_.ops[op].attributes;
    std::vector<AttrId> rows(m_.ops[op].result_count, none_);
    const AttrId had = m_.attrs.find(dict, key_);
    if (had.valid() && m_.attrs.kind(had) == AttrKind::kList &&
        m_.attrs.items(had).size() == rows.size()) {
      rows.assign(m_.attrs.items(had).begin(), m_.attrs.items(had).end());
    }
    rows[number] = origins;
    dict = m_.attrs.with(dict, key_, m_.attrs.list(rows));
  }

  Module& m_;
  const ShardingStore& store_;
  const Trace& trace_;
  StringId key_;
  AttrId self_;  // the text
  AttrId none_;  // an empty dictionary
  IdVector<OriginListId, Written> written_;
  IdVector<TracedAxisId, StringId> axis_texts_;
  std::vector<AttrId> origin_texts_;
  std::vector<AttrEntry> entries_;
};

inline void write_edges(Module& m, const Trace& trace) {
  std::map<OpId, std::vector<StepMove>> of_op;
  std::map<FuncId, std::vector<StepMove>> of_func;
  for (const TraceEvent& event : trace.events()) {
    if (event.kind == TraceEventKind::kGroup || trace.moves(event).empty()) continue;
    std::vector<StepMove>& rows =
        event.kind == TraceEventKind::kOp ? of_op[event.op] : of_func[event.func];
    for (const TraceMove& move : trace.moves(event)) rows.push_back({event.step, &move});
  }
  for (const auto& [op, moves] : of_op)
    set_attribute(m, op, kPropagationEdges, moves_attr(m, trace, moves));
  // The moves of all results of a function are on its first one, each as that of operand 0 and
  // result 0.
  for (const auto& [func, moves] : of_func)
    set_result_attribute(m, func, 0, kPropagationEdges, moves_attr(m, trace, moves));
}

}  // namespace detail

// Writes what the trace keeps for that to the program. Must be called before
// `ShardingStore::finish`.
inline void write_trace(Module& m, const ShardingStore& store, const Trace& trace) {
  if (trace.options().origins) detail::OriginWriter(m, store, trace).write();
  if (trace.options().edges) detail::write_edges(m, trace);
}

}  // namespace shardprop
