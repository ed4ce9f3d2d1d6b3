// Pass `import-func-calls`: replaces each call by an `sdy.named_computation` with the body of the
// function. The first call of a function takes its body, later ones get copies; the functions that
// were called are gone.
#pragma once

#include <string_view>
#include <vector>

#include "shardprop/ir/clone.hpp"
#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/symbols.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/passes/calls/call_order.hpp"
#include "shardprop/passes/calls/func_copies.hpp"
#include "shardprop/passes/common/all_shardings.hpp"
#include "shardprop/passes/import/data_flow_edges.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

struct ImportFuncCallsOptions {
  // Puts data-flow edges on all named computations of the module, for a program that has those of
  // its other operations already.
  bool add_data_flow_edges_on_named_computations = true;
};

namespace detail {

// Turns calls into named computations, one by one, callees first.
class CallImporter {
 public:
  explicit CallImporter(Module& m) : m_(m), imported_(m.funcs.size()) {}

  void import_call(const CallSite& site) {
    const OpId computation = make_computation(site);
    Imported& func = imported_[site.callee.index];
    if (func.body.valid()) {
      ValueMap copies;
      clone_block(m_, func.body, computation, copies);
    } else {
      func.body = take_body(site.callee, computation);
    }
    replace_results(m_, site.op, computation);
    erase_op(m_, site.op);
  }

  // Erases the functions whose bodies were taken.
  void finish() {
    erase_if(m_.func_order, [&](FuncId f) { return imported_[f.index].body.valid(); });
  }

 private:
  struct Imported {
    BlockId body;  // none before the first call
    std::vector<ShardingId> argument_shardings;
  };

  OpId make_computation(const CallSite& site) {
    const std::vector<ValueId> operands = operands_of(m_, site.op);
    const std::vector<TypeId> types = types_of(m_, results(m_, site.op));
    const AttrId attributes = computation_attributes(site);
    const OpId op = create_op(m_, before(m_, site.op),
                              {known::kSdyNamedComputation, operands, types, attributes});
    set_shardings(op, kOutShardings, complete_shardings(m_, results(m_, site.op)));
    set_shardings(op, kInShardings, argument_shardings(site.callee));
    return op;
  }

  void set_shardings(OpId op, std::string_view key, const std::vector<ShardingId>& shardings) {
    if (!shardings.empty()) set_sharding_list(m_, op, key, shardings);
  }

  // The attributes of the call that the user added, and the thread of the function.
  AttrId computation_attributes(const CallSite& site) {
    AttrId attributes = m_.ops[site.op].attributes;
    constexpr std::string_view kOfCalls[] = {"no_inline", "arg_attrs", "res_attrs", kOpShardings};
    for (std::string_view own : kOfCalls) {
      attributes = m_.attrs.with(attributes, m_.strings.find(own), AttrId());
    }
    attributes = m_.attrs.with(attributes, key::kCallee, AttrId());
    const AttrId name = m_.attrs.string(original_name(m_, site.callee));
    attributes = m_.attrs.with(attributes, key::kName, name);
    const AttrId thread = m_.attrs.find(m_.funcs[site.callee].attributes, key::kExecutionThread);
    return thread.valid() ? m_.attrs.with(attributes, key::kExecutionThread, thread) : attributes;
  }

  // The shardings of the function's arguments, which its body does not keep when it is taken.
  const std::vector<ShardingId>& argument_shardings(FuncId f) {
    Imported& func = imported_[f.index];
    if (!func.body.valid()) func.argument_shardings = func_argument_shardings(m_, f);
    return func.argument_shardings;
  }

  // Moves the body of `f` into `computation`, where it ends with sdy.return.
  BlockId take_body(FuncId f, OpId computation) {
    const BlockId body = m_.funcs[f].body;
    m_.blocks[body].parent_func = FuncId();
    m_.blocks[body].parent_op = computation;
    m_.ops[computation].first_block = body;
    for (ValueId argument : m_.blocks[body].arguments) {
      m_.value_shardings[argument] = ShardingId();
      m_.value_attributes.erase(argument.index);
    }
    const OpId end = terminator(m_, body);
    create_op(m_, at_end(body), {known::kSdyReturn, operands_of(m_, end)});
    erase_op(m_, end);
    return body;
  }

  Module& m_;
  std::vector<Imported> imported_;  // by FuncId
};

inline bool add_edges_on_named_computations(Module& m, const OpTable& ops) {
  const OpRow* row = ops.find(m.strings[known::kSdyNamedComputation]);
  if (!row || !row->def.data_flow) return false;
  const DataFlow& flow = *row->def.data_flow;
  bool changed = false;
  for (OpId op : postorder(m)) {
    if (m.ops[op].name != known::kSdyNamedComputation) continue;
    changed = add_edges_of_op(m, op, flow) || changed;
  }
  return changed;
}

}  // namespace detail

inline Result<bool> import_func_calls(Module& m, const OpTable& ops,
                                      const ImportFuncCallsOptions& options = {}) {
  const CallOrder order = call_order(m, Symbols(m));
  if (Diagnostics errors = check_call_order(m, order); !errors.empty()) return errors;
  bool changed = false;
  detail::CallImporter importer(m);
  for (FuncId f : order.funcs) {
    for (const CallSite& site : order.calls[f]) {
      importer.import_call(site);
      changed = true;
    }
  }
  importer.finish();
  if (!options.add_data_flow_edges_on_named_computations) return changed;
  return detail::add_edges_on_named_computations(m, ops) || changed;
}

}  // namespace shardprop
