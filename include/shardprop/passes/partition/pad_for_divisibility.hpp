// Pass `pad-for-divisibility`: gives every tensor that its sharding does not divide a size that it
// divides, so that all shards are full. The elements that come to the end of a dimension, its
// padding, never reach those of the program: what combines elements gets a mask (pad_operations.hpp),
// and what splits or joins shards pads and cuts (pad_collectives.hpp). The arguments and results of
// functions must divide already.
//
// Runs after `reshard-to-collectives`, before a program is split. O(operations + operands).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/passes/partition/pad_collectives.hpp"
#include "shardprop/passes/partition/pad_indexing.hpp"
#include "shardprop/passes/partition/pad_operations.hpp"
#include "shardprop/passes/partition/padded_program.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

struct PadRow {
  std::string_view name;
  void (*pad)(PaddedProgram&, OpId);
};

// Any other operation works on its operands as they come: only its types change.
inline constexpr std::array kPadRows = {
    PadRow{"sdy.all_gather", pad_collective},
    PadRow{"sdy.all_slice", pad_collective},
    PadRow{"sdy.all_to_all", pad_collective},
    PadRow{"sdy.collective_permute", pad_collective},
    PadRow{"sdy.constant", pad_constant},
    PadRow{"sdy.reduce_scatter", pad_collective},
    PadRow{"sdy.sharded_to_unreduced", pad_collective},
    PadRow{"stablehlo.constant", pad_constant},
    PadRow{"stablehlo.convolution", pad_convolution},
    PadRow{"stablehlo.dot", pad_dot},
    PadRow{"stablehlo.dot_general", pad_dot_general},
    PadRow{"stablehlo.dynamic_slice", pad_dynamic_slice},
    PadRow{"stablehlo.dynamic_update_slice", pad_dynamic_update_slice},
    PadRow{"stablehlo.gather", pad_gather},
    PadRow{"stablehlo.pad", pad_pad},
    PadRow{"stablehlo.reduce", pad_reduce},
    PadRow{"stablehlo.scatter", pad_scatter},
    PadRow{"stablehlo.slice", pad_slice},
};

// Operations that make zeros of zeros, element by element of the padding.
inline constexpr std::string_view kKeepZeros[] = {
    "sdy.all_reduce",     "sdy.propagation_barrier", "sdy.sharding_constraint",
    "stablehlo.abs",      "stablehlo.add",           "stablehlo.ceil",
    "stablehlo.convert",  "stablehlo.dot",           "stablehlo.dot_general",
    "stablehlo.floor",    "stablehlo.maximum",       "stablehlo.minimum",
    "stablehlo.multiply", "stablehlo.negate",        "stablehlo.optimization_barrier",
    "stablehlo.sign",     "stablehlo.sine",          "stablehlo.sqrt",
    "stablehlo.subtract", "stablehlo.tanh",          "stablehlo.transpose",
};

// Where the operands of `op` have zeros as padding, so have its results.
inline void follow_zeros(PaddedProgram& p, OpId op) {
  const std::vector<ValueId> used = operands_of(p.m, op);
  if (!std::ranges::all_of(used, [&](ValueId value) { return p.has_zeros(value); })) return;
  for (ValueId value : results(p.m, op)) p.note_zeros(value);
}

inline void check_divides(Module& m, FuncId f, Diagnostics& errors) {
  Place place;
  place.function = std::string(m.strings[m.funcs[f].name]);
  const auto check = [&](TypeId type, ShardingId id, std::string_view what, std::size_t number) {
    if (!id.valid()) return;
    const TensorSharding sharding = m.shardings[id];
    if (divisible_type(m, type, &sharding) == type) return;
    errors.push_back({"pad_for_divisibility.signature",
                      fmt::format("the sharding of {} {} does not divide it", what, number),
                      "run update-non-divisible-input-output-shardings before", place});
  };
  const IdRange<ValueId> arguments = m.blocks[m.funcs[f].body].arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    check(type_of(m, arguments[i]), m.value_shardings[arguments[i]], "argument", i);
  for (std::size_t i = 0; i < m.funcs[f].results.size(); ++i)
    check(m.funcs[f].results[i].type, m.funcs[f].results[i].sharding, "result", i);
}

}  // namespace detail

// Errors: `pad_for_divisibility.signature`, `pad_for_divisibility.convolution`.
inline Result<bool> pad_for_divisibility(Module& m, const OpTable& ops) {
  Diagnostics errors;
  for (FuncId f : m.func_order) detail::check_divides(m, f, errors);
  if (!errors.empty()) return errors;
  const std::vector<detail::GrownValue> grown = detail::values_to_grow(m);
  if (grown.empty()) return false;
  Module trial = m;
  detail::PaddedProgram program(trial, ops, grown);
  for (OpId op : preorder(trial)) {
    if (!program.touches(op)) continue;
    const std::string_view name = op_name(trial, op);
    const auto row = std::ranges::find(detail::kPadRows, name, &detail::PadRow::name);
    if (row != detail::kPadRows.end()) row->pad(program, op);
    if (std::ranges::find(detail::kKeepZeros, name) != std::end(detail::kKeepZeros))
      detail::follow_zeros(program, op);
  }
  if (!program.errors.empty()) return program.errors;
  m = std::move(trial);
  return true;
}

}  // namespace shardprop
