// Pass `reshard-to-collectives`: replaces each sdy.reshard by the collectives that take its operand
// from its sharding to the wanted one. Each step brings the two closer, the cheap ones first:
// all-slice (nothing is sent), collective-permute (each device sends to one), all-to-alls (sizes
// stay), all-gather (sizes grow). If of two axis sizes one always divides the other, one round is
// enough. If not, a second round uses what the first gathered, and what is left then is gathered
// whole and sliced again.
//
// A reshard is kept where a step is not defined: from or to a single device, and between meshes of
// different axes unless one side is replicated. O(reshards * axes^2).
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/sdy/unreduced_axes.hpp"
#include "shardprop/ops/value_sharding.hpp"
#include "shardprop/passes/collectives/collective_builder.hpp"
#include "shardprop/passes/collectives/exchange_steps.hpp"
#include "shardprop/passes/collectives/permute_step.hpp"
#include "shardprop/passes/collectives/slice_step.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

struct ReshardToCollectivesOptions {
  bool keep_redundant_reshards = false;  // from and to the same sharding
};

namespace detail {

// Puts the collectives from one sharding to another before `at`.
class CollectiveInserter {
 public:
  CollectiveInserter(Module& m, Cursor at, ValueId value, const TensorSharding& from,
                     const TensorSharding& to)
      : m_(m),
        at_(at),
        value_(value),
        mesh_(from.mesh),
        to_(to),
        state_(make_reshard_state(m.meshes[from.mesh], from, to)) {}

  // The tensor in its new sharding: the operand itself if it has it already.
  ValueId insert() {
    if (has_crossing_axes(state_)) gather(true);
    for (int round = 0; round < kMaxRounds && !is_done(); ++round) {
      slice();
      permute_if_needed();
      exchange(TargetOrder::kInPlace);
      exchange(TargetOrder::kAny);
      gather(false);
    }
    if (!is_done()) gather(true);
    if (!is_done()) slice_rest();
    assert(is_done());
    return value_;
  }

 private:
  static constexpr int kMaxRounds = 2;

  bool is_done() const { return mesh_ == to_.mesh && state_.is_done(); }

  // What is unreduced stays so.
  ShardingId current_sharding() {
    TensorSharding s = closed_sharding(mesh_, state_.dims.size());
    for (std::size_t d = 0; d < s.rank(); ++d) s.dims[d].axes = state_.dims[d].current;
    s.unreduced = to_.unreduced;
    s.reduction = to_.reduction;
    return m_.shardings.intern(s);
  }

  void build(StringId name, StringId key, AttrId axes) {
    value_ = build_collective(m_, at_, {name, value_, current_sharding(), key, axes});
  }

  void slice() {
    if (const auto axes = take_slices(state_, shape_of(m_, value_)))
      build(known::kSdyAllSlice, key::kSlicingAxes, collective_axes(m_, *axes, mesh_));
  }

  // Slices along all that is wanted, where nothing else is left to do.
  void slice_rest() {
    std::vector<AxisList> axes(state_.dims.size());
    for (std::size_t d = 0; d < state_.dims.size(); ++d) {
      ReshardDim& dim = state_.dims[d];
      for (AxisRef axis : dim.wanted) {
        append_or_merge(axes[d], axis, state_.mesh);
        append_or_merge(dim.current, axis, state_.mesh);
      }
      dim.wanted.clear();
    }
    build(known::kSdyAllSlice, key::kSlicingAxes, collective_axes(m_, axes, mesh_));
  }

  // Another order of devices needs a permute too, even if no axis changes.
  void permute_if_needed() {
    bool permuted = false;
    if (needs_permute(state_)) {
      permuted = permute(state_);
      if (!permuted) gather(true);
    }
    if (!permuted && mesh_ == to_.mesh) return;
    mesh_ = to_.mesh;
    build(known::kSdyCollectivePermute, StringId(), AttrId());
  }

  void exchange(TargetOrder order) {
    for (std::size_t source = 0; source < state_.dims.size(); ++source) {
      while (const auto exchange = take_exchange(state_, source, order)) {
        const AttrEntry entries[] = {{key::kAxes, collective_axes(m_, exchange->axes, mesh_)},
                                     {key::kSourceDimension, dimension(exchange->source)},
                                     {key::kTargetDimension, dimension(exchange->target)}};
        const AttrId params[] = {m_.attrs.dict(entries)};
        build(known::kSdyAllToAll, key::kParams, m_.attrs.list(params));
      }
    }
  }

  void gather(bool all) {
    if (const auto axes = take_gathers(state_, all))
      build(known::kSdyAllGather, key::kGatheringAxes, collective_axes(m_, *axes, mesh_));
  }

  AttrId dimension(std::size_t number) {
    return m_.attrs.integer(static_cast<std::int64_t>(number));
  }

  Module& m_;
  Cursor at_;
  ValueId value_;
  MeshId mesh_;
  TensorSharding to_;
  ReshardState state_;
};

// Whether `reshard` can be replaced.
inline bool is_convertible(const Module& m, OpId reshard,
                           const ReshardToCollectivesOptions& options) {
  const auto from = tensor_sharding_of(m, before_barriers(m, operand(m, reshard, 0)));
  const TensorSharding& to = m.shardings[m.value_shardings[result(m, reshard, 0)]];
  if (options.keep_redundant_reshards && is_same_placement(from, to)) return false;
  if (m.meshes[to.mesh].is_maximal() || (from && m.meshes[from->mesh].is_maximal())) return false;
  return !from || shards_no_dimension(to) || m.meshes[from->mesh].has_axes_of(m.meshes[to.mesh]);
}

// A reshard never reduces a partial sum: an all-reduce before it does.
inline void check_unreduced(const Module& m, OpId reshard, Diagnostics& errors) {
  const auto from = tensor_sharding_of(m, before_barriers(m, operand(m, reshard, 0)));
  const TensorSharding& to = m.shardings[m.value_shardings[result(m, reshard, 0)]];
  const AxisList none;
  const AxisList& unreduced = from ? from->unreduced : none;
  if (unreduced == to.unreduced) return;
  if (shards_no_dimension(to) && (!from || shards_no_dimension(*from))) return;
  errors.push_back(
      {"passes.reshard_unreduced", "operand and result of a reshard have different unreduced axes",
       "run insert-explicit-reshards, which reduces them first", place_of(m, reshard)});
}

inline void replace_reshard(Module& m, OpId reshard) {
  const ValueId input = operand(m, reshard, 0);
  const ValueId source = before_barriers(m, input);
  TensorSharding to = m.shardings[m.value_shardings[result(m, reshard, 0)]];
  const TensorSharding from =
      tensor_sharding_of(m, source).value_or(open_sharding(to.mesh, rank_of(m, source)));
  ValueId replacement = input;
  if (!shards_no_dimension(to) || !shards_no_dimension(from)) {
    if (shards_no_dimension(to)) to.mesh = from.mesh;
    if (!m.meshes[from.mesh].has_axes_of(m.meshes[to.mesh])) return;
    replacement = CollectiveInserter(m, before(m, reshard), source, from, to).insert();
  }
  replace_uses(m, result(m, reshard, 0), replacement);
  erase_op(m, reshard);
}

}  // namespace detail

// Errors: `passes.reshard_unreduced`.
inline Result<bool> reshard_to_collectives(Module& m,
                                           const ReshardToCollectivesOptions& options = {}) {
  if (!has_op(m, known::kSdyReshard)) return false;
  std::vector<OpId> reshards;
  Diagnostics errors;
  walk_ops(m, [&](OpId op) {
    if (m.ops[op].name != known::kSdyReshard || !detail::is_convertible(m, op, options)) return;
    detail::check_unreduced(m, op, errors);
    reshards.push_back(op);
  });
  if (!errors.empty()) return errors;
  for (OpId reshard : reshards) detail::replace_reshard(m, reshard);
  return !reshards.empty();
}

}  // namespace shardprop
