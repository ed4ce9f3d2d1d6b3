// Constraints of the operations of the sdy dialect that are not collectives. They have no numbers;
// the codes are short names.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/known_names.hpp"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/common/type_lists.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/sdy/manual_axes.hpp"
#include "shardprop/ops/sdy/sharding_list_attributes.hpp"
#include "shardprop/ops/sdy/unreduced_axes.hpp"
#include "shardprop/ops/value_sharding.hpp"
#include "shardprop/sharding/verify_mesh.hpp"
#include "shardprop/sharding/verify_rule.hpp"
#include "shardprop/sharding/verify_sharding.hpp"

namespace shardprop {

namespace detail {

// What a sharding of a value of type `type` is checked against.
inline ShardedShape sharded_shape(const Module& m, TypeId type,
                                  std::span<const std::string_view> manual) {
  return {
      .is_tensor = m.types.is_tensor(type), .shape = m.types.shape(type), .manual_axes = manual};
}

// Checks the list of shardings `key` against values of `types`; false after a diagnostic.
inline bool verify_sharding_list(const VerifyInput& in, std::string_view key,
                                 const std::vector<TypeId>& types) {
  const auto shardings = sharding_list(in.m, in.op, key);
  if (!shardings) {
    report(in, key, fmt::format("attribute '{}' must be a list of tensor shardings", key));
    return false;
  }
  if (shardings->size() != types.size()) {
    report(in, key,
           fmt::format("{} must have a sharding for each of {} values, found {}", key, types.size(),
                       shardings->size()));
    return false;
  }
  const AxisNames manual = manual_axes_around(in.m, in.m.layout[in.op].block);
  bool ok = true;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const TensorSharding& s = in.m.shardings[(*shardings)[i]];
    ok = verify_sharding(s, in.m.meshes, sharded_shape(in.m, types[i], manual),
                         place_of(in.m, in.op), in.diagnostics) &&
         ok;
  }
  return ok;
}

}  // namespace detail

// A constraint or reshard may reduce unreduced axes, and may introduce ones that are summed.
inline void verify_resharded(const VerifyInput& in) {
  const ValueId value = result(in.m, in.op, 0);
  const ShardingId sharding = in.m.value_shardings[value];
  if (!sharding.valid())
    return report(in, "sharding", "attribute 'sharding' is missing; expected a tensor sharding");
  const auto source = tensor_sharding_of(in.m, before_barriers(in.m, operand(in.m, in.op, 0)));
  if (!source) return;
  verify_unreduced_transition(in, *source, in.m.shardings[sharding],
                              {.introduced = ReductionOp::kSum, .removed = source->reduction});
}

inline void verify_sharding_group(const VerifyInput& in) {
  AttributeReader attributes(in);
  attributes.integer("group_id");
}

inline void verify_propagation_barrier(const VerifyInput& in) {
  AttributeReader attributes(in);
  const std::string_view direction = attributes.text("allowed_direction");
  if (!attributes.ok() || direction == "NONE" || direction == "FORWARD" || direction == "BACKWARD")
    return;
  report(in, "allowed_direction",
         fmt::format("allowed_direction must be NONE, FORWARD or BACKWARD, found {}", direction),
         direction == "BOTH" ? "leave the barrier out: it would block nothing" : "");
}

namespace detail {

// The value of an edge is a static tensor, and the edge is its only user.
inline bool verify_edge_operand(const VerifyInput& in) {
  const TypeId type = type_of(in.m, result(in.m, in.op, 0));
  bool ok = in.m.types.is_static_tensor(type);
  if (!ok)
    report(
        in, "static_shape",
        fmt::format("the value must be a tensor of known sizes, found {}", to_string(in.m, type)));
  if (!has_one_use(in.m, operand(in.m, in.op, 0))) {
    report(in, "single_use", "the edge must be the only user of its operand",
           "let all other users take the result of the edge");
    ok = false;
  }
  return ok;
}

}  // namespace detail

inline void verify_data_flow_edge(const VerifyInput& in) {
  detail::verify_edge_operand(in);
  const OpId maker = defining_op(in.m, operand(in.m, in.op, 0));
  if (!maker.valid()) return;
  const std::string_view name = op_name(in.m, maker);
  if (!name.starts_with("sdy.") || name == "sdy.named_computation" ||
      name == "sdy.manual_computation")
    return;
  report(in, "source", fmt::format("the operand must not be made by {}", name),
         "the operand must be the owner of a data-flow edge: a result or block argument of an "
         "operation with "
         "data-flow edges");
}

inline void verify_func_data_flow_edge(const VerifyInput& in) {
  if (!detail::verify_edge_operand(in)) return;
  const ValueId value = operand(in.m, in.op, 0);
  const OpId maker = defining_op(in.m, value);
  const bool fits = maker.valid() ? in.m.ops[maker].name == known::kFuncCall
                                  : in.m.blocks[argument_block(in.m, value)].parent_func.valid();
  if (!fits)
    report(in, "source", "the operand must be an argument of a function or a result of func.call");
}

// The types that the body returns.
inline std::optional<std::vector<TypeId>> infer_named_computation(const InferInput& in) {
  return returned_types(in.m, block_of(in.m, in.op, 0));
}

inline void verify_named_computation(const VerifyInput& in) {
  AttributeReader attributes(in);
  attributes.text("name");
  const std::vector<TypeId> outside = operand_types(in.m, in.op);
  const std::vector<TypeId> inside = argument_types(in.m, block_of(in.m, in.op, 0));
  if (outside != inside) {
    report(
        in, "argument_types",
        fmt::format("the arguments of the body must be of the types of the operands {}, found {}",
                    to_string(in.m, outside), to_string(in.m, inside)));
  }
  if (attributes.has(kInShardings)) detail::verify_sharding_list(in, kInShardings, outside);
  if (!attributes.has(kOutShardings)) return;
  const std::vector<TypeId> types = result_types(in.m, in.op);
  detail::verify_sharding_list(in, kOutShardings, types);
}

}  // namespace shardprop
