// Which values a name stands for, while a function is read. Names are seen in the region that
// defines them and in the regions inside; a region may use a name of the regions around it for a
// value of its own, which then hides the other until the region ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "shardprop/ir/module.hpp"
#include "shardprop/support/hash.hpp"
#include "shardprop/support/vector.hpp"

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
      row(hidden_.back().name) = hidden_.back().before;
      hidden_.pop_back();
    }
    marks_.pop_back();
  }
  std::size_t depth() const { return marks_.size(); }

  // What `name` stands for here; `count` 0 if nothing.
  NamedValues find(ValueName name) const {
    if (name.bits < by_number_.size()) return by_number_[name.bits];
    const std::uint32_t at = others_.find(hash_mix(0, name.bits),
                                          [&](std::uint32_t i) { return rows_[i].name == name; });
    return at == HashIndex::kEmpty ? NamedValues() : rows_[at].values;
  }

  // False, and nothing defined, if this scope has the name already.
  bool define(ValueName name, ValueId first, std::uint32_t count) {
    const std::uint32_t scope = static_cast<std::uint32_t>(marks_.size());
    NamedValues& now = row(name);
    if (now.count != 0 && now.scope == scope) return false;
    hidden_.push_back({name, now});
    now = {first, count, scope};
    return true;
  }

 private:
  static constexpr std::size_t kSlack = 64;

  struct Row {
    ValueName name;
    NamedValues values;
  };
  struct Hidden {
    ValueName name;
    NamedValues before;
  };

  // Numbers that are dense are looked up in a list, all other names by hash.
  NamedValues& row(ValueName name) {
    if (name.bits < by_number_.size()) return by_number_[name.bits];
    if (name.bits < 2 * by_number_.size() + kSlack) {
      grow(name.bits + 1);
      return by_number_[name.bits];
    }
    const std::uint32_t next = static_cast<std::uint32_t>(rows_.size());
    const std::uint32_t at = others_.find_or_insert(
        hash_mix(0, name.bits), next, [&](std::uint32_t i) { return rows_[i].name == name; });
    if (at == next) rows_.push_back({name, NamedValues()});
    return rows_[at].values;
  }

  // Names that were too far ahead before get their place in the list.
  void grow(std::size_t size) {
    by_number_.resize(std::max(size, 2 * by_number_.size()));
    for (const Row& row : rows_) {
      if (row.name.bits < by_number_.size()) by_number_[row.name.bits] = row.values;
    }
  }

  Vector<NamedValues> by_number_;
  Vector<Row> rows_;
  HashIndex others_;
  Vector<Hidden> hidden_;
  Vector<std::size_t> marks_;
};

}  // namespace shardprop::detail
