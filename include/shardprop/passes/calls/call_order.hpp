// The order of functions that their calls give: callees first. O(operations + calls).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/call_graph.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/symbols.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop {

// Functions in post-order of the call graph: each after those that it calls, calls in program
// order; functions that do not depend on each other keep the order of the module. Reversed, it is
// the order of `pre-order-funcs`.
//
// Worked example, `main` calls `f`, then `g`; `f` calls `h`: h, f, g, main.
struct CallOrder {
  std::vector<FuncId> funcs;
  IdVector<FuncId, std::vector<CallSite>> calls;  // of each function, in program order
  OpId recursive_call;                            // one that closes a circle of calls, if any
};

namespace detail {

// Adds `root` and what it reaches after its callees, without recursion: calls may nest deeply.
inline void visit_callees_first(FuncId root, CallOrder& order, std::vector<std::uint8_t>& state) {
  enum : std::uint8_t { kNew, kOpen, kDone };
  if (state[root.index] != kNew) return;
  std::vector<std::pair<FuncId, std::size_t>> path = {{root, 0}};  // a function, its next call
  state[root.index] = kOpen;
  while (!path.empty()) {
    const FuncId f = path.back().first;
    if (path.back().second == order.calls[f].size()) {
      state[f.index] = kDone;
      order.funcs.push_back(f);
      path.pop_back();
      continue;
    }
    const CallSite site = order.calls[f][path.back().second++];
    if (!site.callee.valid()) continue;
    std::uint8_t& callee = state[site.callee.index];
    if (callee == kOpen) order.recursive_call = site.op;
    if (callee != kNew) continue;
    callee = kOpen;
    path.push_back({site.callee, 0});
  }
}

}  // namespace detail

inline CallOrder call_order(const Module& m, const Symbols& symbols) {
  CallOrder order;
  order.calls = call_graph(m, symbols).calls;
  std::vector<std::uint8_t> state(m.funcs.size(), 0);
  for (FuncId f : m.func_order) detail::visit_callees_first(f, order, state);
  return order;
}

// Errors for calls that cannot be followed: of functions that the module lacks, or with other
// numbers of operands and results than the function has, or of a function by itself.
inline Diagnostics check_call_order(const Module& m, const CallOrder& order) {
  Diagnostics errors;
  for (FuncId f : order.funcs) {
    for (const CallSite& site : order.calls[f]) {
      if (!site.callee.valid()) {
        errors.push_back({"calls.unknown_callee", "the call names a function that the module lacks",
                          "add the function, or correct the attribute callee",
                          place_of(m, site.op)});
        continue;
      }
      const Function& callee = m.funcs[site.callee];
      const Operation& call = m.ops[site.op];
      if (m.blocks[callee.body].arguments.size() == call.operand_count &&
          callee.results.size() == call.result_count) {
        continue;
      }
      errors.push_back({"calls.signature",
                        fmt::format("@{} takes {} values and returns {}, the call has {} and {}",
                                    m.strings[callee.name], m.blocks[callee.body].arguments.size(),
                                    callee.results.size(), call.operand_count, call.result_count),
                        "let the call agree with its function", place_of(m, site.op)});
    }
  }
  if (order.recursive_call.valid()) {
    errors.push_back({"calls.recursive", "a function calls itself, or others that call it",
                      "only calls that end can be inlined: unroll the recursion or use a "
                      "stablehlo.while",
                      place_of(m, order.recursive_call)});
  }
  return errors;
}

}  // namespace shardprop
