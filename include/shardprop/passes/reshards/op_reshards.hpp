// Reshards around one operation that has a sharding rule, so that all its tensors shard each factor
// alike, and the all-reduce of what its sharded reduction factors leave partial.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "shardprop/passes/reshards/factor_axes.hpp"
#include "shardprop/passes/reshards/reshard_context.hpp"
#include "shardprop/propagate/step/projection.hpp"
#include "shardprop/sharding/op_sharding_rule.hpp"

namespace shardprop {

// One operation as its rule sees it; tensors are numbered operands first. The shardings are those
// from before anything was inserted.
struct RuledOp {
  OpId op;
  const OpShardingRule& rule;
  std::vector<ShardingId> shardings;
  MeshId mesh;
  Projection& projection;                     // scratch that is used again
  ReductionOp reduction = ReductionOp::kSum;  // by which its parts are put together

  bool is_operand(std::size_t tensor) const { return tensor < rule.operands.size(); }
};

inline ValueId tensor_of(const Module& m, const RuledOp& r, std::size_t tensor) {
  return r.is_operand(tensor) ? operand(m, r.op, tensor)
                              : result(m, r.op, tensor - r.rule.operands.size());
}

namespace detail {

// A mesh that all shardings are on, apart from the order of its devices; none if there is no such
// mesh.
inline MeshId mesh_up_to_order(const Module& m, std::span<const ShardingId> shardings) {
  MeshId common;
  for (ShardingId id : shardings) {
    if (!id.valid()) continue;
    const MeshId other = m.shardings[id].mesh;
    if (!common.valid() || m.meshes[common].is_empty()) {
      common = other;
      continue;
    }
    if (m.meshes[other].is_empty()) continue;
    if (!m.meshes[common].has_axes_of(m.meshes[other])) return MeshId();
    if (m.meshes[other].device_ids.empty()) common = other;
  }
  return common;
}

}  // namespace detail

// The mesh to bring all tensors to: of those that differ in the order of devices only, the one that
// most sharded tensors are on, the first of equals. None where the meshes differ otherwise.
inline MeshId mesh_to_use(const Module& m, std::span<const ShardingId> shardings) {
  MeshId best = detail::mesh_up_to_order(m, shardings);
  if (!best.valid() || m.meshes[best].is_maximal()) return MeshId();
  std::unordered_map<std::uint32_t, std::size_t> counts;
  std::size_t most = 0;
  for (ShardingId id : shardings) {
    if (shards_no_dimension(m, id)) continue;
    const std::size_t count = ++counts[m.shardings[id].mesh.index];
    if (count <= most) continue;
    most = count;
    best = m.shardings[id].mesh;
  }
  return best;
}

inline void project(const Module& m, RuledOp& r) {
  r.projection.reset(r.rule);
  for (std::size_t t = 0; t < r.shardings.size(); ++t) {
    const TensorSharding* sharding =
        r.shardings[t].valid() ? &m.shardings[r.shardings[t]] : nullptr;
    project_tensor(r.rule, t, sharding, m.meshes[r.mesh], r.projection, true);
  }
}

// The sharding that the projection gives a tensor.
inline ShardingId unproject(Module& m, RuledOp& r, std::size_t tensor) {
  // Interning moves the table's rows, so the projection's pointer is set anew.
  const ShardingId from = r.shardings[tensor];
  r.projection.set_sharding(tensor, from.valid() ? &m.shardings[from] : nullptr);
  TensorSharding sharding;
  unproject_tensor(r.rule, tensor, r.projection, r.mesh, m.meshes[r.mesh], sharding);
  return m.shardings.intern(sharding);
}

// Gives every tensor the axes of each factor, and drops what overflows. Which tensors changed.
inline std::vector<bool> apply_axes(Projection& projection, const FactorAxes& axes) {
  std::vector<bool> changed(projection.tensor_count(), false);
  for (std::size_t t = 0; t < projection.tensor_count(); ++t) {
    for (std::size_t f = 0; f < projection.factor_count(); ++f) {
      FactorSharding& cell = projection.at(t, f);
      if (!cell.mapped || (cell.axes == axes[f] && cell.overflow.empty())) continue;
      cell.axes = axes[f];
      cell.overflow.clear();
      changed[t] = true;
    }
  }
  return changed;
}

namespace detail {

inline bool changes_device_order(const Module& m, ShardingId id, MeshId mesh) {
  return !shards_no_dimension(m, id) &&
         m.meshes[m.shardings[id].mesh].device_ids != m.meshes[mesh].device_ids;
}

}  // namespace detail

// Reshards the tensors that `changed`, and those on another order of devices, to what the
// projection says: operands before the operation, results back to what their users expect after it.
inline void insert_reshards(ReshardContext& c, RuledOp& r, const std::vector<bool>& changed) {
  const Cursor behind = after(c.m, r.op);
  for (std::size_t t = 0; t < r.shardings.size(); ++t) {
    if (!changed[t] && !detail::changes_device_order(c.m, r.shardings[t], r.mesh)) continue;
    const ValueId value = tensor_of(c.m, r, t);
    const ShardingId sharding = unproject(c.m, r, t);
    if (r.is_operand(t)) {
      const ValueId made = insert_reshard(c, before(c.m, r.op), value, sharding);
      set_operand(c.m, r.op, t, made);
      c.note(ReshardStepKind::kOperand, t, made);
      continue;
    }
    const ValueId back = insert_reshard(c, behind, value, sharding_or_closed(c, value, r.mesh));
    c.m.lineage.note_need(defining_op(c.m, back), r.op);
    replace_uses(c.m, value, back, defining_op(c.m, back));
    c.store.set(value, sharding);
    c.note(ReshardStepKind::kResult, t - r.rule.operands.size(), back, sharding);
  }
}

// The number of elements; 0 where a size is not known.
inline std::int64_t element_count(const Module& m, ValueId value) {
  if (!m.types.is_static_tensor(type_of(m, value))) return 0;
  std::int64_t count = 1;
  for (std::int64_t size : shape_of(m, value)) count *= size;
  return count;
}

// Makes the tensors of an operation agree. Gives the axes of each factor.
inline FactorAxes resolve_conflicts(ReshardContext& c, RuledOp& r) {
  std::vector<std::int64_t> sizes;
  for (std::size_t t = 0; t < r.shardings.size(); ++t)
    sizes.push_back(element_count(c.m, tensor_of(c.m, r, t)));
  FactorAxes axes = find_common_axes(r.rule, r.projection, sizes, c.m.meshes[r.mesh]);
  insert_reshards(c, r, apply_axes(r.projection, axes));
  return axes;
}

namespace detail {

// The axes of all reduction factors. Without `axes`, those that the tensors agree on, and only
// where the results have unreduced axes.
inline AxisList reduction_axes(ReshardContext& c, const RuledOp& r, const FactorAxes* axes) {
  AxisList all;
  if (!axes && c.unreduced(c.sharding(result(c.m, r.op, 0))).empty()) return all;
  for (std::size_t f = 0; f < r.rule.factors.size(); ++f) {
    if (r.rule.factors[f].kind != FactorKind::kReduction) continue;
    const std::optional<AxisList> of_factor = axes ? (*axes)[f] : agreed_axes(r.projection, f);
    if (!of_factor) {
      c.fail(
          r.op, "reduction_conflict",
          "a result has unreduced axes, but the operands disagree on how to shard what is reduced",
          "shard the contracting dimensions alike");
      return {};
    }
    all.append(*of_factor);
  }
  return all;
}

}  // namespace detail

// Reduces each result over the axes that shard its reduction factors, except those that it leaves
// unreduced. `axes` are null where the operation was left as it is.
inline void reduce_results(ReshardContext& c, const RuledOp& r, const FactorAxes* axes) {
  if (c.m.ops[r.op].result_count == 0) return;
  const AxisList all = detail::reduction_axes(c, r, axes);
  AxisList missing = difference(all, c.unreduced(c.sharding(result(c.m, r.op, 0))));
  if (missing.empty()) return;
  sort_and_merge(missing, c.m.meshes[r.mesh]);
  const Cursor behind = after(c.m, r.op);
  for (ValueId value : results(c.m, r.op)) {
    const ShardingId sharding = sharding_or_closed(c, value, r.mesh);
    const ValueId reduced = insert_all_reduce(c, behind, value, missing, r.reduction, sharding);
    replace_uses(c.m, value, reduced, defining_op(c.m, reduced));
    c.note(ReshardStepKind::kReduce, c.m.values[value].number, reduced);
  }
}

}  // namespace shardprop
