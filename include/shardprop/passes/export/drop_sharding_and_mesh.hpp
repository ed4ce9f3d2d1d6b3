// Pass `drop-sharding-and-mesh`: removes the shardings of all values and the meshes of the
// module. Operations that mean nothing without a sharding keep it and carry its mesh: constraints,
// reshards, edges, collectives of the sdy dialect, manual and named computations. O(operations).
#pragma once

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/known_names.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/passes/common/all_shardings.hpp"
#include "shardprop/passes/import/inline_meshes.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

inline bool owns_sharding(const OpRow* row, StringId name) {
  return (row && !row->def.sharding_attribute.empty()) || name == known::kSdyFuncDataFlowEdge;
}

inline bool drop_sharding(ShardingId& sharding) {
  const bool had = sharding.valid();
  sharding = ShardingId();
  return had;
}

inline bool drop_shardings_of_op(Module& m, OpId op) {
  bool changed = false;
  for (ValueId value : results(m, op)) {
    changed = drop_sharding(m.value_shardings[value]) || changed;
  }
  if (!attribute(m, op, kOpShardings).valid()) return changed;
  set_attribute(m, op, kOpShardings, AttrId());
  return true;
}

}  // namespace detail

inline Result<bool> drop_sharding_and_mesh(Module& m, const OpTable& ops) {
  OpRows rows(ops, m);
  bool changed = false;
  for (FuncId f : m.func_order) {
    for_each_signature_sharding(m, f, [&](ShardingId& sharding, TypeId) {
      changed = detail::drop_sharding(sharding) || changed;
    });
    walk_block(m, m.funcs[f].body, [&](OpId op) {
      if (detail::owns_sharding(rows[op], m.ops[op].name)) return;
      changed = detail::drop_shardings_of_op(m, op) || changed;
    });
  }
  const Result<bool> inlined = inline_meshes(m);
  return *inlined || changed;
}

}  // namespace shardprop
