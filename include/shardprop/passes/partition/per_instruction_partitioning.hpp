// Pass `per-instruction-partitioning`: partitions operations one by one, to find out which of them
// a partitioner gets wrong. Each chosen operation becomes an sdy.manual_computation that holds what
// the partitioner's passes make of it alone; all others stay global.
//
// Operations of function bodies are chosen, not those in regions; calls and what is on its way to
// becoming local (collectives, manual computations, barriers) are not. O(operations).
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/ir/clone.hpp"
#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/ops/sdy/sharding_list_attributes.hpp"
#include "shardprop/ops/value_sharding.hpp"
#include "shardprop/passes/collectives/reshard_to_collectives.hpp"
#include "shardprop/passes/partition/convert_global_to_local.hpp"
#include "shardprop/passes/partition/op_maker.hpp"
#include "shardprop/passes/partition/pad_for_divisibility.hpp"
#include "shardprop/passes/partition/resolve_permutation_factors.hpp"
#include "shardprop/passes/partition/shard_shapes.hpp"
#include "shardprop/passes/reshards/insert_explicit_reshards.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

// Which of the operations that can be partitioned are: those whose number, from 0 in program order,
// is in the range and whose name contains one of `names`, if there are any.
struct InstructionFilter {
  std::int64_t low = 0;
  std::int64_t high = -1;  // negative: no limit
  std::vector<std::string_view> names = {};
};

struct PerInstructionOptions {
  InstructionFilter filter = {};
  ResolvePermutationOptions permutations = {};
};

// Adds the parts of `text` to `filter`: names, `selectLow=N` and `selectHigh=N`, between commas.
// Quotes and blanks at the ends of a part do not count; a number that is none is left out.
inline void read_filter(std::string_view text, InstructionFilter& filter) {
  constexpr std::string_view kIgnored = " '\"";
  const auto number = [](std::string_view digits, std::int64_t& to) {
    std::from_chars(digits.data(), digits.data() + digits.size(), to);
  };
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view part = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    part.remove_prefix(std::min(part.find_first_not_of(kIgnored), part.size()));
    part = part.substr(0, part.find_last_not_of(kIgnored) + 1);
    if (part.starts_with("selectLow=")) {
      number(part.substr(10), filter.low);
    } else if (part.starts_with("selectHigh=")) {
      number(part.substr(11), filter.high);
    } else if (!part.empty()) {
      filter.names.push_back(part);
    }
  }
}

namespace detail {

inline bool is_sharded(const Module& m, ValueId value) {
  const auto s = tensor_sharding_of(m, value);
  return s && !is_replicated(*s);
}

inline bool can_be_partitioned(const Module& m, OpRows& rows, OpId op) {
  if ((traits_of(rows[op], m, op) & kTerminator) != 0) return false;
  const StringId name = m.ops[op].name;
  if (name == known::kFuncCall) return false;
  if (op_name(m, op).starts_with("sdy.") && name != known::kSdyReshard &&
      name != known::kSdyConstant && name != known::kSdyNamedComputation)
    return false;
  if (name == known::kCustomCall) {
    const std::string_view target = text_of(m, attribute(m, op, "call_target_name"));
    if (target == "Sharding" || target == "mhlo.sharding") return false;
  }
  const auto sharded = [&](ValueId value) { return is_sharded(m, value); };
  const std::vector<ValueId> used = operands_of(m, op);
  const IdRange<ValueId> made = results(m, op);
  return std::ranges::any_of(used, sharded) || std::any_of(made.begin(), made.end(), sharded);
}

inline std::vector<OpId> chosen_operations(const Module& m, const OpTable& ops,
                                           const InstructionFilter& filter) {
  OpRows rows(ops, m);
  std::vector<OpId> chosen;
  std::int64_t number = 0;
  for (FuncId f : m.func_order) {
    for (OpId op = m.blocks[m.funcs[f].body].first_op; op.valid(); op = m.layout[op].next) {
      if (!can_be_partitioned(m, rows, op)) continue;
      const std::int64_t own = number++;
      if (own < filter.low || (filter.high >= 0 && own > filter.high)) continue;
      const auto is_named = [&](std::string_view name) {
        return op_name(m, op).find(name) != std::string_view::npos;
      };
      if (filter.names.empty() || std::ranges::any_of(filter.names, is_named)) chosen.push_back(op);
    }
  }
  return chosen;
}

// A chosen operation, which is a function of its own while it is partitioned.
struct OutlinedOp {
  OpId op;
  FuncId func;
  std::vector<ValueId> operands;  // padded where their shardings do not divide them
  std::vector<ShardingId> in;
  std::vector<ShardingId> out;
  std::vector<TypeId> types;  // of the results, padded
};

class InstructionOutliner {
 public:
  InstructionOutliner(Module& m, Diagnostics& errors) : m_(m), errors_(errors) {}

  std::optional<OutlinedOp> outline(OpId op) {
    OutlinedOp o{op, {}, operands_of(m_, op), {}, {}, {}};
    if (!note_shardings(o)) return std::nullopt;
    std::vector<TypeId> arguments;
    for (std::size_t i = 0; i < o.in.size(); ++i)
      arguments.push_back(padded_type(o, o.operands[i], o.in[i]));
    for (std::size_t i = 0; i < o.out.size(); ++i)
      o.types.push_back(padded_type(o, result(m_, op, i), o.out[i]));
    pad_operands(o, arguments);
    make_func(o, arguments);
    return o;
  }

 private:
  bool note_shardings(OutlinedOp& o) {
    for (ValueId value : o.operands) o.in.push_back(stored(value));
    for (ValueId value : results(m_, o.op)) o.out.push_back(stored(value));
    std::vector<ShardingId> all = o.in;
    all.insert(all.end(), o.out.begin(), o.out.end());
    const MeshId mesh = common_mesh(m_, all);
    if (!mesh.valid()) {
      errors_.push_back({"per_instruction_partitioning.mesh",
                         "the operation's tensors are on different meshes",
                         "choose other operations", place_of(m_, o.op)});
      return false;
    }
    for (std::size_t i = 0; i < o.in.size(); ++i) complete(o.in[i], o.operands[i], mesh);
    for (std::size_t i = 0; i < o.out.size(); ++i) {
      complete(o.out[i], result(m_, o.op, i), mesh);
      TensorSharding reduced = m_.shardings[o.out[i]];
      reduced.unreduced.clear();
      o.out[i] = m_.shardings.intern(reduced);
    }
    return true;
  }
  ShardingId stored(ValueId value) {
    const auto s = tensor_sharding_of(m_, value);
    return s ? m_.shardings.intern(*s) : ShardingId();
  }
  void complete(ShardingId& sharding, ValueId value, MeshId mesh) {
    if (!sharding.valid())
      sharding = m_.shardings.intern(closed_sharding(mesh, rank_of(m_, value)));
  }

  // Operand and result of a reshard have one type.
  TypeId padded_type(const OutlinedOp& o, ValueId value, ShardingId sharding) {
    const TensorSharding own = m_.shardings[sharding];
    TypeId type = divisible_type(m_, type_of(m_, value), &own);
    if (m_.ops[o.op].name != known::kSdyReshard) return type;
    const TensorSharding other = m_.shardings[sharding == o.in[0] ? o.out[0] : o.in[0]];
    const Shape both = shape_copy(m_, divisible_type(m_, type_of(m_, value), &other));
    Shape shape = shape_copy(m_, type);
    for (std::size_t d = 0; d < shape.size(); ++d) shape[d] = std::max(shape[d], both[d]);
    return with_shape(m_, type, shape);
  }

  void pad_operands(OutlinedOp& o, std::span<const TypeId> types) {
    for (std::size_t i = 0; i < types.size(); ++i) {
      ValueId& value = o.operands[i];
      if (types[i] == type_of(m_, value)) continue;
      const OpMaker make{m_, before(m_, o.op), o.op, o.in[i]};
      value = make.pad_to(value, make.zero(types[i]), shape_copy(m_, types[i]));
    }
  }

  void make_func(OutlinedOp& o, std::span<const TypeId> arguments) {
    o.func = create_func(m_, {.name = "partitioned",
                              .argument_types = arguments,
                              .result_types = o.types,
                              .is_private = true});
    const BlockId body = m_.funcs[o.func].body;
    ValueMap copies;
    const OpId copy = clone_op(m_, o.op, at_end(body), copies);
    // Where elements move, padding must not move with them.
    const bool moves = m_.ops[copy].name == known::kSlice || is_pad(m_, copy) ||
                       op_name(m_, copy) == "stablehlo.reverse";
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const ValueId argument = m_.blocks[body].arguments[i];
      m_.value_shardings[argument] = o.in[i];
      const OpMaker make{m_, before(m_, copy), copy, o.in[i]};
      const Shape original = shape_copy(m_, operand(m_, o.op, i));
      set_operand(m_, copy, i, moves ? make.slice_to(argument, original) : argument);
    }
    std::vector<ValueId> returned;
    for (std::size_t i = 0; i < o.types.size(); ++i) {
      const ValueId value = result(m_, copy, i);
      m_.funcs[o.func].results[i].sharding = o.out[i];
      if (moves && type_of(m_, value) != o.types[i]) {
        const OpMaker make{m_, at_end(body), copy, o.out[i]};
        returned.push_back(make.pad_to(value, make.zero(o.types[i]), shape_copy(m_, o.types[i])));
      } else {
        set_type(m_, value, o.types[i]);
        returned.push_back(value);
      }
    }
    create_op(m_, at_end(body), {known::kFuncReturn, returned, {}, {}});
  }

  Module& m_;
  Diagnostics& errors_;
};

// The axes of `o`, in the order in which they come.
inline AttrId axes_of_instruction(Module& m, const OutlinedOp& o) {
  std::vector<AttrId> names;
  const auto add = [&](ShardingId id) {
    const TensorSharding sharding = m.shardings[id];
    for_each_axis(sharding, [&](AxisRef axis) {
      const AttrId name = text_attribute(m, m.meshes[sharding.mesh].axes[axis.axis].name);
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    });
  };
  for (ShardingId id : o.in) add(id);
  for (ShardingId id : o.out) add(id);
  return m.attrs.list(names);
}

// Puts the body of the function where the operation was.
inline void inline_as_manual_computation(Module& m, const OutlinedOp& o) {
  const OpId made =
      create_op(m, before(m, o.op), {known::kSdyManualComputation, o.operands, o.types, {}});
  m.locations.of_op.set(made, m.locations.of_op[o.op]);
  set_sharding_list(m, made, kInShardings, o.in);
  set_sharding_list(m, made, kOutShardings, o.out);
  set_attribute(m, made, key::kManualAxes, axes_of_instruction(m, o));
  const BlockId body = m.funcs[o.func].body;
  m.funcs[o.func].body = BlockId();
  m.funcs[o.func].results.clear();
  m.blocks[body].parent_func = FuncId();
  m.blocks[body].parent_op = made;
  m.ops[made].first_block = body;
  m.ops[terminator(m, body)].name = known::kSdyReturn;
  for (ValueId argument : m.blocks[body].arguments) m.value_shardings[argument] = ShardingId();
  walk_block(m, body, [&](OpId op) {
    for (ValueId value : results(m, op)) m.value_shardings[value] = ShardingId();
  });
  for (std::size_t i = 0; i < o.out.size(); ++i) {
    const ValueId old = result(m, o.op, i);
    const OpMaker make{m, before(m, o.op), o.op, o.out[i]};
    replace_uses(m, old, make.slice_to(result(m, made, i), shape_copy(m, old)));
  }
  erase_op(m, o.op);
}

// Runs the partitioner's passes on the functions of `m`.
inline Diagnostics partition_functions(Module& m, const OpTable& ops,
                                       const ResolvePermutationOptions& options) {
  GlobalToLocalOptions to_local;
  to_local.replica_count = options.replica_count;
  to_local.partition_count = options.partition_count;
  if (auto done = insert_explicit_reshards(m, ops, {true}); !done) return done.errors();
  if (auto done = resolve_permutation_factors(m, ops, options); !done) return done.errors();
  if (auto done = reshard_to_collectives(m); !done) return done.errors();
  if (auto done = pad_for_divisibility(m, ops); !done) return done.errors();
  if (auto done = convert_global_to_local(m, to_local); !done) return done.errors();
  return {};
}

}  // namespace detail

// Errors: `per_instruction_partitioning.mesh`, and those of the partitioner's passes.
inline Result<bool> per_instruction_partitioning(Module& m, const OpTable& ops,
                                                 const PerInstructionOptions& options = {}) {
  const std::vector<OpId> chosen = detail::chosen_operations(m, ops, options.filter);
  if (chosen.empty()) return false;
  Module trial = m;
  Diagnostics errors;
  detail::InstructionOutliner outliner(trial, errors);
  std::vector<detail::OutlinedOp> outlined;
  for (OpId op : chosen) {
    if (auto one = outliner.outline(op)) outlined.push_back(*std::move(one));
  }
  if (!errors.empty()) return errors;
  trial.func_order.clear();
  for (const detail::OutlinedOp& o : outlined) trial.func_order.push_back(o.func);
  errors = detail::partition_functions(trial, ops, options.permutations);
  if (!errors.empty()) return errors;
  for (const detail::OutlinedOp& o : outlined) detail::inline_as_manual_computation(trial, o);
  for (std::size_t i = m.meshes.size(); i < trial.meshes.size(); ++i)
    trial.meshes.rename(MeshId(i), {});  // meshes that only the passes needed
  trial.func_order = m.func_order;
  m = std::move(trial);
  return true;
}

}  // namespace shardprop
