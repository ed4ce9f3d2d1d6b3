// Which values a name stands for, while a function is read. Names are seen in the region that
// defines them and in the regions inside; a region may use a name of the regions around it for a
// value of its own, which then hides the other until the region ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shardprop/io/common/value_name_map.hpp"
#include "shardprop/ir/module.hpp"

namespace shardprop::detail {

// `%a:2 = ...` names two values at once, `%a#0` and `%a#1`, which have consecutive ids.
struct NamedValues {
  ValueId first;
  std::uint32_t count = 0;
  std::uint32_t scope = 0;  // number of the region that defines them, 1 for the outermost
};

// All operations are O(1) on average; leaving a scope is O(names that it defined).
class TextNames {
 public:
  void enter() { marks_.push_back(hidden_.size()); }
  void leave() {
    while (hidden_.size() > marks_.back()) {
      values_.set(hidden_.back().name, hidden_.back().before);
      hidden_.pop_back();
    }
    marks_.pop_back();
  }

  // What `name` stands for here; `count` 0 if nothing.
  NamedValues find(ValueName name) const { return values_.find(name); }

  // False, and nothing defined, if this scope has the name already.
  bool define(ValueName name, ValueId first, std::uint32_t count) {
    const std::uint32_t scope = static_cast<std::uint32_t>(marks_.size());
    const NamedValues now = values_.find(name);
    if (now.count != 0 && now.scope == scope) return false;
    hidden_.push_back({name, now});
    values_.set(name, {first, count, scope});
    return true;
  }

 private:
  struct Hidden {
    ValueName name;
    NamedValues before;
  };

  ValueNameMap<NamedValues> values_;
  std::vector<Hidden> hidden_;
  std::vector<std::size_t> marks_;
};

}  // namespace shardprop::detail
