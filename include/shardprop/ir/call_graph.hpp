// The call graph of a module: which function calls which, and where. A snapshot.
// O(operations + calls) to make.
#pragma once

#include <unordered_map>
#include <vector>

#include "shardprop/ir/known_names.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/symbols.hpp"
#include "shardprop/ir/walk.hpp"

namespace shardprop {

struct CallSite {
  OpId op;
  FuncId callee;  // none where the module has no function of the name
};

// Calls are in program order. A call of a function that the module lacks is in `calls` only.
struct CallGraph {
  IdVector<FuncId, std::vector<CallSite>> calls;  // that stand in a function
  IdVector<FuncId, std::vector<OpId>> callers;    // that name a function
  std::unordered_map<OpId, FuncId> callees;       // the function of each call

  // The function that `call` names, or none.
  FuncId callee(OpId call) const {
    const auto found = callees.find(call);
    return found == callees.end() ? FuncId() : found->second;
  }
};

inline CallGraph call_graph(const Module& m, const Symbols& symbols) {
  CallGraph graph;
  graph.calls.resize(m.funcs.size());
  graph.callers.resize(m.funcs.size());
  for (FuncId f : m.func_order) {
    walk_block(m, m.funcs[f].body, [&](OpId op) {
      if (m.ops[op].name != known::kFuncCall) return;
      const FuncId callee = symbols.callee(m, op);
      graph.calls[f].push_back({op, callee});
      if (!callee.valid()) return;
      graph.callers[callee].push_back(op);
      graph.callees.emplace(op, callee);
    });
  }
  return graph;
}

}  // namespace shardprop
