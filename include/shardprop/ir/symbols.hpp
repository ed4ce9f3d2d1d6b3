// The symbols of a module, which are its functions and meshes, by name. It is for passes that look
// up or add many of them. It is a snapshot, so symbols must be added through it. O(1) per name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"

namespace shardprop {

class Symbols {
 public:
  explicit Symbols(const Module& m) {
    for (MeshId mesh : m.meshes.ids()) {
      if (!m.meshes[mesh].name.empty()) taken_.insert(m.meshes[mesh].name);
    }
    for (FuncId f : m.func_order) {
      taken_.insert(std::string(m.strings[m.funcs[f].name]));
      funcs_.emplace(m.funcs[f].name.index, f);
    }
  }

  // The function called `name`, or none.
  FuncId func(StringId name) const {
    const auto found = funcs_.find(name.index);
    return found == funcs_.end() ? FuncId() : found->second;
  }

  // The function that `op` names in its attribute `callee`, or none.
  FuncId callee(const Module& m, OpId op) const {
    return func(m.attrs.string_or_none(attribute(m, op, key::kCallee)));
  }

  // Takes `name`, or `name`, `_` and a number if the name is taken. The numbers continue from one
  // name to the next, whatever the names are: foo_0, bar_1, foo_2.
  std::string take(const std::string& name) {
    std::string free = name;
    while (!taken_.insert(free).second) free = fmt::format("{}_{}", name, next_number_++);
    return free;
  }

  // Names `f` after `name` by the rule of `take`, and adds it as the last function of the module.
  void add(Module& m, FuncId f, const std::string& name) {
    m.funcs[f].name = m.strings.intern(take(name));
    m.func_order.push_back(f);
    funcs_.emplace(m.funcs[f].name.index, f);
  }

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::uint32_t, FuncId> funcs_;  // by StringId
  std::size_t next_number_ = 0;
};

}  // namespace shardprop
