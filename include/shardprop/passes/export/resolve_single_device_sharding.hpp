// Pass `resolve-single-device-sharding`: runs operations that are placed on one device there
// alone. Each becomes a `stablehlo.if` on the device's id, which makes zeros everywhere else, and
// an all-reduce that gives the sum to all devices of the first mesh that has axes. Reshards to the
// device before it, and to replication after it, are erased. O(operations).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/clone.hpp"
#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/value_sharding.hpp"
#include "shardprop/passes/common/identity.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

// How many copies of the program run, and on how many parts each is split: one of both is 1.
struct ResolveSingleDeviceOptions {
  std::int64_t replica_count = 1;
  std::int64_t partition_count = 1;
};

namespace detail {

struct SingleDeviceOp {
  OpId op;
  std::int64_t device;
};

inline bool is_on_one_device(const Module& m, const std::optional<TensorSharding>& s) {
  return s && m.meshes[s->mesh].is_maximal();
}

// Why `op`, which is placed on one device, cannot be resolved; empty if it can.
inline std::string_view why_not_resolved(const Module& m, OpId op, std::int64_t device) {
  for (ValueId value : results(m, op)) {
    const TypeId type = type_of(m, value);
    if (!m.types.is_tensor(type)) {
      // Elsewhere a stablehlo.create_token stands in for it.
      if (m.strings[m.types.dtype(type)] == "stablehlo.token") continue;
      return "has a result that is neither a tensor nor a token";
    }
    if (!m.types.is_static_tensor(type)) return "has a result of unknown size";
    const std::optional<TensorSharding> s = tensor_sharding_of(m, value);
    if (!s) continue;
    if (is_on_one_device(m, s) && m.meshes[s->mesh].device_ids[0] != device) {
      return "has results on different devices";
    }
    if (!is_on_one_device(m, s) && !shards_no_dimension(*s)) return "has a result that is sharded";
  }
  return {};
}

// The device that a tensor among the results of `op` is placed on.
inline std::optional<std::int64_t> device_of(const Module& m, OpId op) {
  if (op_name(m, op).starts_with("sdy.")) return std::nullopt;
  for (ValueId value : results(m, op)) {
    if (!m.types.is_tensor(type_of(m, value))) continue;
    const std::optional<TensorSharding> s = tensor_sharding_of(m, value);
    if (is_on_one_device(m, s)) return m.meshes[s->mesh].device_ids[0];
  }
  return std::nullopt;
}

inline std::vector<SingleDeviceOp> single_device_ops(const Module& m, Diagnostics& errors) {
  std::vector<SingleDeviceOp> found;
  for (OpId op : postorder(m)) {
    const std::optional<std::int64_t> device = device_of(m, op);
    if (!device) continue;
    found.push_back({op, *device});
    const std::string_view problem = why_not_resolved(m, op, *device);
    if (problem.empty()) continue;
    errors.push_back({"resolve_single_device_sharding.results",
                      fmt::format("the operation is placed on device {}, but {}", *device, problem),
                      "replicate its other results, or place all on the device", place_of(m, op)});
  }
  return found;
}

class SingleDeviceResolver {
 public:
  SingleDeviceResolver(Module& m, MeshId mesh, ResolveSingleDeviceOptions options)
      : m_(m), mesh_(mesh), options_(options) {
    std::vector<AttrId> axes;
    for (const MeshAxis& axis : m.meshes[mesh].axes) axes.push_back(text_attribute(m, axis.name));
    all_axes_ = m.attrs.list(axes);
  }

  void resolve(const SingleDeviceOp& target) {
    const OpId op = target.op;
    const OpId guarded = make_if(op, is_this_device(op, target.device));
    const std::vector<OpId> reshards = run_on_device(op, guarded);
    make_zeros(op, guarded);
    for (std::size_t i = 0; i < m_.ops[op].result_count; ++i) hand_out(op, guarded, i);
    erase_op(m_, op);
    for (OpId reshard : reshards) {
      if (!is_erased(m_, reshard) && !has_uses(m_, result(m_, reshard, 0))) erase_op(m_, reshard);
    }
  }

 private:
  AttrId entry(StringId key, AttrId value) { return m_.attrs.with(AttrId(), key, value); }

  ValueId make(Cursor at, StringId name, std::vector<ValueId> operands, TypeId type,
               AttrId attributes = {}) {
    return result(m_, create_op(m_, at, {name, operands, {&type, 1}, attributes}), 0);
  }

  ValueId is_this_device(OpId op, std::int64_t device) {
    const Cursor at = before(m_, op);
    const TypeId i64 = tensor_type(m_, "i64", {});
    const ValueId id =
        make(at, options_.replica_count > 1 ? known::kReplicaId : known::kPartitionId, {},
             tensor_type(m_, "ui32", {}));
    const ValueId wide = make(at, known::kConvert, {id}, i64);
    const ValueId wanted =
        make(at, known::kConstant, {}, i64, entry(key::kValue, m_.attrs.integer(device)));
    return make(at, known::kCompare, {wide, wanted}, tensor_type(m_, "i1", {}),
                entry(m_.strings.intern("comparison_direction"), text_attribute(m_, "EQ")));
  }

  OpId make_if(OpId op, ValueId condition) {
    const std::vector<TypeId> types = types_of(m_, results(m_, op));
    return create_op(m_, before(m_, op), {known::kIf, {&condition, 1}, types, {}});
  }

  // Fills the first branch with a copy of `op`. Gives the reshards to one device whose operands it
  // uses instead.
  std::vector<OpId> run_on_device(OpId op, OpId guarded) {
    const BlockId branch = append_block(m_, guarded, {});
    ValueMap copies;
    const OpId copy = clone_op(m_, op, at_end(branch), copies);
    std::vector<ValueId> returned;
    for (ValueId value : results(m_, copy)) {
      m_.value_shardings[value] = ShardingId();
      returned.push_back(value);
    }
    create_op(m_, at_end(branch), {known::kReturn, returned, {}, {}});
    std::vector<OpId> reshards;
    for (std::size_t i = 0; i < m_.ops[copy].operand_count; ++i) {
      const ValueId value = operand(m_, copy, i);
      const OpId reshard = defining_op(m_, value);
      if (!reshard.valid() || m_.ops[reshard].name != known::kSdyReshard) continue;
      if (!is_on_one_device(m_, stored_sharding(m_, m_.value_shardings[value]))) continue;
      set_operand(m_, copy, i, operand(m_, reshard, 0));
      reshards.push_back(reshard);
    }
    return reshards;
  }

  // Fills the second branch: zeros and tokens.
  void make_zeros(OpId op, OpId guarded) {
    const BlockId branch = append_block(m_, guarded, {});
    std::vector<ValueId> returned;
    for (ValueId value : results(m_, op)) {
      const TypeId type = type_of(m_, value);
      const bool tensor = m_.types.is_tensor(type);
      returned.push_back(make(at_end(branch), tensor ? known::kConstant : known::kCreateToken, {},
                              type, tensor ? entry(key::kValue, zero_of(m_, type)) : AttrId()));
    }
    create_op(m_, at_end(branch), {known::kReturn, returned, {}, {}});
  }

  // Lets the users of result `i` of `op` use the sum over all devices.
  void hand_out(OpId op, OpId guarded, std::size_t i) {
    const ValueId from = result(m_, op, i);
    const ValueId local = result(m_, guarded, i);
    if (!m_.types.is_tensor(type_of(m_, from))) return replace_uses(m_, from, local);
    AttrId attributes = entry(key::kReductionAxes, all_axes_);
    attributes = m_.attrs.with(attributes, key::kReductionOp, text_attribute(m_, "sum"));
    const ShardingId replicated = m_.shardings.intern(closed_sharding(mesh_, rank_of(m_, from)));
    const ValueId sum =
        create_op_on(m_, before(m_, op), known::kSdyAllReduce, local, replicated, attributes);
    while (has_uses(m_, from)) {
      const UseId use = m_.values[from].first_use;
      const OpId user = m_.uses[use].user;
      if (m_.ops[user].name == known::kSdyReshard &&
          m_.value_shardings[result(m_, user, 0)] == replicated) {
        replace_uses(m_, result(m_, user, 0), sum);
        erase_op(m_, user);
      } else {
        set_operand(m_, user, operand_number(m_, use), sum);
      }
    }
  }

  Module& m_;
  MeshId mesh_;
  ResolveSingleDeviceOptions options_;
  AttrId all_axes_;
};

}  // namespace detail

inline Result<bool> resolve_single_device_sharding(Module& m,
                                                   ResolveSingleDeviceOptions options = {}) {
  if (options.replica_count > 1 && options.partition_count > 1) {
    return Diagnostic{"resolve_single_device_sharding.counts",
                      "replica-count and partition-count are both above 1",
                      "set replica-count or partition-count to 1"};
  }
  const MeshId mesh = global_mesh(m);
  if (!mesh.valid()) return false;
  Diagnostics errors;
  const std::vector<detail::SingleDeviceOp> targets = detail::single_device_ops(m, errors);
  if (!errors.empty()) return errors;
  detail::SingleDeviceResolver resolver(m, mesh, options);
  for (const detail::SingleDeviceOp& target : targets) resolver.resolve(target);
  return !targets.empty();
}

}  // namespace shardprop
