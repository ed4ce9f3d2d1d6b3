// Pass `flatten-call-graph`: gives each call a function of its own. The first call of a function
// keeps it, each later one gets a copy of it and of all that it calls.
#pragma once

#include <cstdint>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ir/symbols.hpp"
#include "shardprop/passes/calls/call_order.hpp"
#include "shardprop/passes/calls/func_copies.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

inline Result<bool> flatten_call_graph(Module& m) {
  Symbols symbols(m);
  const CallOrder order = call_order(m, symbols);
  if (Diagnostics errors = check_call_order(m, order); !errors.empty()) return errors;
  bool changed = false;
  std::vector<std::uint8_t> called(m.funcs.size(), 0);
  for (FuncId f : order.funcs) {
    for (const CallSite& site : order.calls[f]) {
      if (!called[site.callee.index]) {
        called[site.callee.index] = 1;
        continue;
      }
      set_callee(m, site.op, copy_with_callees(m, symbols, site.callee));
      changed = true;
    }
  }
  return changed;
}

}  // namespace shardprop
