// Pass `remove-propagation-debug-info`: removes from operations, arguments and results of functions
// what the trace of propagation left there: the origins of axes and the steps that set them.
// O(operations).
#pragma once

#include <string_view>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/sdy/propagation_edge_attributes.hpp"
#include "shardprop/passes/import/data_flow_edges.hpp"
#include "shardprop/propagate/trace/trace_attributes.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

inline constexpr std::string_view kDebugAttributes[] = {
    kPropagationEdges,        kShardingOrigins,        kBlockArgPropagationEdges,
    kBlockArgShardingOrigins, kResultPropagationEdges, kResultShardingOrigins};

inline bool remove_debug_attributes(Module& m, AttrId& attributes) {
  const AttrId before = attributes;
  for (std::string_view key : kDebugAttributes) {
    const StringId name = m.strings.find(key);
    if (m.attrs.find(attributes, name).valid())
      attributes = m.attrs.with(attributes, name, AttrId());
  }
  return attributes != before;
}

}  // namespace detail

inline Result<bool> remove_propagation_debug_info(Module& m) {
  bool changed = false;
  for (FuncId f : m.func_order) {
    for (ValueId argument : m.blocks[m.funcs[f].body].arguments) {
      const auto found = m.value_attributes.find(argument.index);
      if (found == m.value_attributes.end()) continue;
      changed = detail::remove_debug_attributes(m, found->second) || changed;
      if (!found->second.valid()) m.value_attributes.erase(found);
    }
    for (FuncResult& r : m.funcs[f].results) {
      changed = detail::remove_debug_attributes(m, r.attributes) || changed;
    }
    walk_block(m, m.funcs[f].body, [&](OpId op) {
      changed = detail::remove_debug_attributes(m, m.ops[op].attributes) || changed;
    });
  }
  return changed;
}

}  // namespace shardprop
