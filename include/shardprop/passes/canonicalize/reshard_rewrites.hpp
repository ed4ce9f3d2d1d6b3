// Rewrites of reshards: a chain of two becomes one, and a reshard is removed if the tensor,
// seen through reshapes and transposes, was resharded like that before.
//
// The reshards of a tensor are listed once, by a hash of their shardings, until a rewrite gives one
// of them another tensor: a reshard is compared only with those of its hash.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "shardprop/ir/clone.hpp"
#include "shardprop/passes/canonicalize/collective_rewrites.hpp"
#include "shardprop/support/hash.hpp"

namespace shardprop::detail {

// reshard s (reshard t x)  ->  reshard s x, where the inner one has no other use.
inline bool join_reshards(Rewriter& r, OpId op) {
  const OpId inner = operand_from(r.m, op, known::kSdyReshard);
  if (!inner.valid() || !has_one_use(r.m, result(r.m, inner, 0))) return false;
  r.set_operand(op, 0, operand(r.m, inner, 0));
  return true;
}

// A reshard or barrier that nothing uses has no effect: a constraint on a value whose users do not
// use its result, a barrier whose operand a collective uses directly.
inline bool drop_unused(Rewriter& r, OpId op) {
  if (has_uses(r.m, result(r.m, op, 0))) return false;
  r.erase(op);
  return true;
}

// An axis of a sharding, and how far apart the parts of two neighbouring devices on it are in
// memory, in elements of the row-major tensor.
struct AxisStride {
  AxisRef axis;
  std::int64_t stride = 1;
  friend bool operator==(const AxisStride&, const AxisStride&) = default;
};

// The axes of `s` by their strides; parts of one axis in two dimensions are merged. Two
// shardings of reshaped tensors divide the data alike if these lists are equal. Worked example:
// [{a:(1)2}, {a:(2)2}] of 2x4 and [{a}] of 8 both give a with stride 2.
inline std::vector<AxisStride> axis_strides(const TensorSharding& s,
                                            std::span<const std::int64_t> shape, const Mesh& mesh) {
  std::vector<AxisStride> strides;
  std::int64_t inner = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    const AxisList& axes = s.dims[d].axes;
    const std::int64_t shards = total_size(axes);
    std::int64_t stride = inner * ((shape[d] + shards - 1) / shards);
    for (std::size_t i = axes.size(); i-- > 0;) {
      strides.push_back({axes[i], stride});
      stride *= axes[i].size;
    }
    inner *= shape[d];
  }
  std::ranges::stable_sort(
      strides, [](const AxisStride& a, const AxisStride& b) { return a.stride < b.stride; });
  std::vector<AxisStride> merged;
  for (const AxisStride& next : strides) {
    const bool is_one = !merged.empty() && can_merge(next.axis, merged.back().axis) &&
                        next.stride == merged.back().stride * merged.back().axis.size;
    if (is_one) {
      merged.back().axis = merge(next.axis, merged.back().axis, mesh);
    } else {
      merged.push_back(next);
    }
  }
  return merged;
}

struct ShardedType {
  const TensorSharding& sharding;
  TypeId type;
};

// Whether both divide the elements, in row-major order, alike among the devices.
inline bool divides_alike(const Module& m, const ShardedType& a, const ShardedType& b) {
  if (a.type == b.type && a.sharding == b.sharding) return true;
  if (a.sharding.mesh != b.sharding.mesh || a.sharding.replicated != b.sharding.replicated)
    return false;
  if (!m.types.is_static_tensor(a.type) || !m.types.is_static_tensor(b.type)) return false;
  const Mesh& mesh = m.meshes[a.sharding.mesh];
  return axis_strides(a.sharding, m.types.shape(a.type), mesh) ==
         axis_strides(b.sharding, m.types.shape(b.type), mesh);
}

inline bool is_transpose(const Module& m, OpId op) { return m.ops[op].name == known::kTranspose; }
inline bool is_reshape(const Module& m, OpId op) { return m.ops[op].name == known::kReshape; }

// The reshapes and transposes that `value` went through, the last one first.
inline std::vector<OpId> relayouts_of(const Module& m, ValueId value) {
  std::vector<OpId> path;
  for (OpId op = defining_op(m, value); op.valid() && (is_reshape(m, op) || is_transpose(m, op));
       op = defining_op(m, operand(m, op, 0))) {
    path.push_back(op);
  }
  return path;
}

// `sharding` after the operations of `path`, as it is before them. A reshape that changes the rank
// ends the path; `divides_alike` handles it.
inline TensorSharding before_relayouts(const Module& m, TensorSharding sharding,
                                       const std::vector<OpId>& path) {
  for (OpId op : path) {
    if (is_reshape(m, op)) {
      if (rank_of(m, operand(m, op, 0)) != rank_of(m, result(m, op, 0))) break;
      continue;
    }
    const auto permutation = m.attrs.as_ints(attribute(m, op, "permutation"));
    std::vector<DimSharding> dims(permutation.size());
    for (std::size_t i = 0; i < dims.size(); ++i)
      dims[static_cast<std::size_t>(permutation[i])] = sharding.dims[i];
    sharding.dims = std::move(dims);
  }
  return sharding;
}

// Equal for shardings that `divides_alike` finds alike.
inline std::uint64_t division_hash(const Module& m, const ShardedType& t) {
  const TensorSharding& s = t.sharding;
  if (!m.types.is_static_tensor(t.type)) return hash_mix(t.type.index, s.mesh.index);
  std::uint64_t hash = hash_mix(s.mesh.index, s.replicated.size());
  for (const AxisStride& a : axis_strides(s, m.types.shape(t.type), m.meshes[s.mesh])) {
    hash = hash_mix(hash_mix(hash, a.axis.axis), static_cast<std::uint64_t>(a.stride));
    hash = hash_mix(hash, static_cast<std::uint64_t>(a.axis.size));
  }
  return hash;
}

// Lists the reshards called `name` of `root` and of its reshapes.
inline void list_reshards(const Module& m, ValueId root, StringId name, ReshardIndex::OfRoot& out) {
  std::vector<ValueId> todo = {root};
  std::unordered_set<std::uint32_t> seen;
  while (!todo.empty()) {
    const ValueId value = todo.back();
    todo.pop_back();
    if (!seen.insert(value.index).second) continue;
    for (UseId use = m.values[value].first_use; use.valid(); use = m.uses[use].next) {
      const OpId user = m.uses[use].user;
      if (is_reshape(m, user)) todo.push_back(result(m, user, 0));
      if (m.ops[user].name != name) continue;
      const ShardedType made{out_sharding(m, user), type_of(m, result(m, user, 0))};
      out[division_hash(m, made)].push_back(user);
    }
  }
}

// A reshard before `op` in its block that makes `wanted` of `root` or of a reshape of it, or none.
inline OpId equal_reshard(Rewriter& r, ValueId root, const TensorSharding& wanted, OpId op) {
  const Module& m = r.m;
  if (r.reshards.stale) r.reshards = ReshardIndex();
  const auto [row, is_new] = r.reshards.roots.try_emplace(root.index);
  if (is_new) list_reshards(m, root, m.ops[op].name, row->second);
  const ShardedType target{wanted, type_of(m, result(m, op, 0))};
  const auto found = row->second.find(division_hash(m, target));
  if (found == row->second.end()) return OpId();
  std::vector<OpId>& listed = found->second;
  listed.erase(
      std::remove_if(listed.begin(), listed.end(), [&](OpId other) { return is_erased(m, other); }),
      listed.end());
  for (OpId user : listed) {
    if (user == op || m.layout[user].block != m.layout[op].block || !r.is_before(user, op))
      continue;
    if (divides_alike(m, {out_sharding(m, user), type_of(m, result(m, user, 0))}, target))
      return user;
  }
  return OpId();
}

// Copies the operations of `path` for `value`, each right after its operand.
inline ValueId repeat_relayouts(Module& m, const std::vector<OpId>& path, ValueId value) {
  for (std::size_t i = path.size(); i-- > 0;) {
    ValueMap copies;
    copies[operand(m, path[i], 0).index] = value;
    value = result(m, clone_op(m, path[i], after_value(m, value), copies), 0);
  }
  return value;
}

// Uses the result of an earlier reshard to the same sharding, reshaped and transposed as the
// operand was.
inline bool reuse_reshard(Rewriter& r, OpId op) {
  Module& m = r.m;
  const ValueId input = operand(m, op, 0);
  const std::vector<OpId> path = relayouts_of(m, input);
  const ValueId root = path.empty() ? input : operand(m, path.back(), 0);
  const TensorSharding wanted = before_relayouts(m, out_sharding(m, op), path);
  const OpId earlier = equal_reshard(r, root, wanted, op);
  if (!earlier.valid()) return false;
  ValueId value = result(m, earlier, 0);
  if (const TypeId type = type_of(m, root); type_of(m, value) != type) {
    const Cursor at = after_value(m, value);
    value = result(m, create_op(m, at, {known::kReshape, {&value, 1}, {&type, 1}}), 0);
  }
  r.replace(op, repeat_relayouts(m, path, value));
  return true;
}

}  // namespace shardprop::detail
