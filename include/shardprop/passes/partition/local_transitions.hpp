// `convert-global-to-local` of changes of a sharding for which nothing is sent: reshards of what each device
// has as a whole, and values that become unreduced.
#pragma once

#include <cstddef>
#include <vector>

#include "shardprop/passes/common/identity.hpp"
#include "shardprop/passes/partition/local_collectives.hpp"
#include "shardprop/passes/partition/local_program.hpp"
#include "shardprop/sharding/sharding_text.hpp"

namespace shardprop::detail {

// A reshard of what each device has as a whole; any other one is to be made collectives before.
inline void localize_reshard(LocalProgram& p, OpId op) {
  const ValueId value = operand(p.m, op, 0);
  const TensorSharding& to = out_sharding(p.m, op);
  if (p.is_split(value)) {
    return p.fail(op, "convert_global_to_local.moves_data", "a reshard moves data between devices",
                  "run reshard-to-collectives before");
  }
  std::vector<AxisList> axes;
  for (const DimSharding& dim : to.dims) axes.push_back(dim.axes);
  const Shape shape = p.local_shape(result(p.m, op, 0));
  p.replace(p.is_split(result(p.m, op, 0))
                ? p.slice_of_device(value, p.m.meshes[to.mesh], axes, shape)
                : value);
}

// The axes that a value becomes unreduced along, from copies: one device of each group keeps it, the others
// take what changes no sum.
inline void localize_replicated_to_unreduced(LocalProgram& p, OpId op) {
  Module& m = p.m;
  const ValueId value = operand(m, op, 0);
  const TensorSharding& to = out_sharding(m, op);
  const AxisList axes = axes_in(m, attribute(m, op, key::kAxes), m.meshes[to.mesh]);
  const TypeId type = type_of(m, value);
  const AttrId number = identity_of(m, reducer_named(to_string(to.reduction)), type);
  if (!number.valid()) {
    return p.fail(op, "convert_global_to_local.operation",
                  "the elements have no number that changes no reduction",
                  "reduce the value before");
  }
  const ValueId leads = p.reshape(p.leads_group(m.meshes[to.mesh], axes), {});
  p.replace(p.make(known::kSelect, {leads, value, p.constant(type, number)}, type));
}

// From parts: each device puts its part where it belongs in a whole of what changes no sum.
inline void localize_sharded_to_unreduced(LocalProgram& p, OpId op) {
  Module& m = p.m;
  const ValueId value = operand(m, op, 0);
  const TensorSharding& to = out_sharding(m, op);
  const Mesh& mesh = m.meshes[to.mesh];
  const auto axes = axes_per_dim_in(m, attribute(m, op, key::kAxes), mesh);
  const TypeId type = type_of(m, result(m, op, 0));
  const AttrId number = identity_of(m, reducer_named(to_string(to.reduction)), type);
  if (!number.valid()) {
    return p.fail(op, "convert_global_to_local.operation",
                  "the elements have no number that changes no reduction",
                  "reduce the value before");
  }
  std::vector<ValueId> operands = {p.constant(type, number), value};
  const Shape part = p.local_shape(value);
  for (std::size_t d = 0; d < part.size(); ++d)
    operands.push_back(axes[d].empty() ? p.index(0) : p.offset(mesh, axes[d], part[d]));
  const OpId made = p.make_op("stablehlo.dynamic_update_slice", operands, {&type, 1});
  p.replace(result(m, made, 0));
}

inline constexpr LocalRow kLocalTransitions[] = {
    {"sdy.replicated_to_unreduced", localize_replicated_to_unreduced},
    {"sdy.reshard", localize_reshard},
    {"sdy.sharded_to_unreduced", localize_sharded_to_unreduced},
};

}  // namespace shardprop::detail
