// Pass `add-func-data-flow-edges`: puts an `sdy.func_data_flow_edge` on each argument of a function
// that is called and on each result of a call, so that shardings pass between functions.
// `sink-func-data-flow-edges` removes them.
#pragma once

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/passes/import/data_flow_edges.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

inline bool is_main(const Module& m, FuncId f) {
  return m.func_order.size() == 1 || m.strings[m.funcs[f].name] == "main";
}

inline bool add_func_edge(Module& m, ValueId value, Cursor at) {
  if (!m.types.is_static_tensor(type_of(m, value))) return false;
  add_edge(m, value, m.value_shardings[value], known::kSdyFuncDataFlowEdge, at);
  return true;
}

}  // namespace detail

inline Result<bool> add_func_data_flow_edges(Module& m) {
  bool changed = false;
  for (FuncId f : m.func_order) {
    if (detail::is_main(m, f)) continue;
    const BlockId body = m.funcs[f].body;
    const Cursor start = at_start(m, body);
    for (ValueId argument : m.blocks[body].arguments)
      changed = detail::add_func_edge(m, argument, start) || changed;
  }
  if (!has_op(m, known::kFuncCall)) return changed;
  for (OpId op : preorder(m)) {
    if (m.ops[op].name != known::kFuncCall) continue;
    const Cursor at = after(m, op);
    for (ValueId value : results(m, op)) changed = detail::add_func_edge(m, value, at) || changed;
  }
  return changed;
}

inline Result<bool> sink_func_data_flow_edges(Module& m) {
  bool changed = false;
  if (!has_op(m, known::kSdyFuncDataFlowEdge)) return changed;
  for (OpId op : preorder(m)) {
    if (m.ops[op].name != known::kSdyFuncDataFlowEdge) continue;
    ShardingId& target = m.value_shardings[operand(m, op, 0)];
    if (const ShardingId sharding = m.value_shardings[result(m, op, 0)]; sharding.valid()) {
      target = sharding;
    } else if (target.valid()) {
      const TensorSharding& s = m.shardings[target];
      target = m.shardings.intern(open_sharding(s.mesh, s.rank()));
    }
    detail::remove_edge(m, op);
    changed = true;
  }
  return changed;
}

}  // namespace shardprop
