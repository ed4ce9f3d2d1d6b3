// Pass `export-named-computations`: turns each `sdy.named_computation` into a private function and
// a call of it. The shardings on the data-flow edges of the computation go to the arguments of the
// function and the results of the call. O(operations).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/ir/clone.hpp"
#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/symbols.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/passes/calls/func_copies.hpp"
#include "shardprop/passes/common/all_shardings.hpp"
#include "shardprop/passes/import/data_flow_edges.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

class ComputationExporter {
 public:
  explicit ComputationExporter(Module& m) : m_(m), symbols_(m) {}

  void export_computation(OpId op) {
    sink_edges(op, m_.blocks[m_.ops[op].first_block].arguments, kInShardings);
    sink_edges(op, results(m_, op), kOutShardings);
    const FuncId func = make_func(op);
    replace_by_call(op, func);
  }

 private:
  // Moves the shardings on the edges on `owners`, if there are any, to the list under `key`.
  void sink_edges(OpId op, IdRange<ValueId> owners, std::string_view key) {
    const std::vector<ValueId> values(owners.begin(), owners.end());
    const std::vector<ShardingId> shardings = shardings_on_edges(m_, values);
    if (!shardings.empty()) set_sharding_list(m_, op, key, shardings);
    for (ValueId value : values) {
      const OpId edge = edge_on(m_, value);
      if (edge.valid()) remove_edge(m_, edge);
    }
  }

  std::string name_of_computation(OpId op) const {
    const StringId name = m_.attrs.string_or_none(attribute(m_, op, key::kName));
    return name.valid() ? std::string(m_.strings[name]) : "computation";
  }

  FuncId make_func(OpId op) {
    const BlockId body = take_body(op);
    const std::vector<ShardingId> in = shardings_in(m_, op, kInShardings);
    for (std::size_t i = 0; i < in.size() && i < m_.blocks[body].arguments.size(); ++i) {
      m_.value_shardings[m_.blocks[body].arguments[i]] = in[i];
    }
    const std::string name = name_of_computation(op);
    Function func;
    func.is_private = true;
    func.body = body;
    set_func_attribute(func, key::kOriginalFuncName, text_attribute(m_, name));
    set_func_attribute(func, key::kExecutionThread, attribute(m_, op, key::kExecutionThread));
    for (TypeId type : types_of(m_, results(m_, op))) {
      func.results.push_back({type, ShardingId(), AttrId()});
    }
    const FuncId id = m_.funcs.push(std::move(func));
    m_.blocks[body].parent_func = id;
    symbols_.add(m_, id, name);
    return id;
  }

  void set_func_attribute(Function& func, StringId key, AttrId value) {
    if (value.valid()) func.attributes = m_.attrs.with(func.attributes, key, value);
  }

  // Takes the body out of `op` and ends it with func.return.
  BlockId take_body(OpId op) {
    const BlockId body = m_.ops[op].first_block;
    m_.ops[op].first_block = BlockId();
    m_.blocks[body].parent_op = OpId();
    m_.ops[terminator(m_, body)].name = known::kFuncReturn;
    return body;
  }

  void replace_by_call(OpId op, FuncId func) {
    const std::vector<ValueId> operands = operands_of(m_, op);
    const std::vector<TypeId> types = types_of(m_, results(m_, op));
    AttrId attributes = m_.ops[op].attributes;
    for (StringId key : {m_.strings.intern(kInShardings), m_.strings.intern(kOutShardings),
                         key::kName, key::kExecutionThread}) {
      attributes = m_.attrs.with(attributes, key, AttrId());
    }
    const OpId call =
        create_op(m_, before(m_, op), {known::kFuncCall, operands, types, attributes});
    set_callee(m_, call, func);
    const std::vector<ShardingId> out = shardings_in(m_, op, kOutShardings);
    for (std::size_t i = 0; i < types.size() && i < out.size(); ++i) {
      m_.value_shardings[result(m_, call, i)] = out[i];
    }
    replace_results(m_, op, call);
    erase_op(m_, op);
  }

  Module& m_;
  Symbols symbols_;
};

}  // namespace detail

inline Result<bool> export_named_computations(Module& m) {
  if (!has_op(m, known::kSdyNamedComputation)) return false;
  detail::ComputationExporter exporter(m);
  bool changed = false;
  for (OpId op : postorder(m)) {
    if (is_erased(m, op) || m.ops[op].name != known::kSdyNamedComputation ||
        !m.ops[op].first_block.valid())
      continue;
    exporter.export_computation(op);
    changed = true;
  }
  return changed;
}

}  // namespace shardprop
