// Copies of functions with all functions that they call, so that each call has functions of its
// own.
#pragma once

#include <string>
#include <vector>

#include "shardprop/ir/clone.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/symbols.hpp"
#include "shardprop/ir/walk.hpp"

namespace shardprop {

// The name of the function that `f` is a copy of, or its own. `key::kOriginalFuncName` is on a
// copy: the name of the function that it was first copied from.
inline StringId original_name(const Module& m, FuncId f) {
  const AttrId attr = m.attrs.find(m.funcs[f].attributes, key::kOriginalFuncName);
  const StringId name = m.attrs.string_or_none(attr);
  return name.valid() ? name : m.funcs[f].name;
}

inline void set_callee(Module& m, OpId call, FuncId callee) {
  set_attribute(m, call, key::kCallee, m.attrs.string(m.funcs[callee].name));
}

// Copies `f` and, for each call in the copy, the function called. The copies stand after all other
// functions, callees first. Calls must not be recursive; the cost is that of the copies, which
// doubles with each level of functions that call another twice.
inline FuncId copy_with_callees(Module& m, Symbols& symbols, FuncId f) {
  const FuncId copy = clone_func(m, f);
  const AttrId original = m.attrs.string(original_name(m, f));
  m.funcs[copy].attributes =
      m.attrs.with(m.funcs[copy].attributes, key::kOriginalFuncName, original);
  std::vector<OpId> calls;
  walk_block(m, m.funcs[copy].body, [&](OpId op) {
    if (m.ops[op].name == known::kFuncCall) calls.push_back(op);
  });
  for (OpId call : calls) {
    set_callee(m, call, copy_with_callees(m, symbols, symbols.callee(m, call)));
  }
  symbols.add(m, copy, std::string(m.strings[m.funcs[f].name]));
  return copy;
}

}  // namespace shardprop
