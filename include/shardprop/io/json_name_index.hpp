// Which value of a function has a name.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "shardprop/ir/module.hpp"
#include "shardprop/support/hash.hpp"
#include "shardprop/support/vector.hpp"

namespace shardprop::detail {

// Numbered names are looked up in a plain list as long as the numbers are dense, which keeps
// neighbours in the document neighbours in memory; all others by hash.
class NameIndex {
 public:
  void clear() {
    by_number_.clear();
    others_ = HashIndex();
    rows_.clear();
  }

  // The value called `name`, or none.
  ValueId find(ValueName name) const {
    if (name.bits < by_number_.size()) return by_number_[name.bits];
    const std::uint32_t row = others_.find(hash_mix(0, name.bits),
                                           [&](std::uint32_t i) { return rows_[i].name == name; });
    return row == HashIndex::kEmpty ? ValueId() : rows_[row].value;
  }

  // Gives `name` to `value`; false if another value has it, which keeps it then.
  bool insert(ValueName name, ValueId value) {
    if (find(name).valid()) return false;
    ++size_;
    if (name.bits < std::max(by_number_.size(), 2 * size_ + kSlack)) {
      if (name.bits >= by_number_.size()) grow(name.bits + 1);
      by_number_[name.bits] = value;
      return true;
    }
    const std::uint32_t next = static_cast<std::uint32_t>(rows_.size());
    others_.find_or_insert(hash_mix(0, name.bits), next, [](std::uint32_t) { return false; });
    rows_.push_back({name, value});
    return true;
  }

 private:
  static constexpr std::size_t kSlack = 64;

  struct Row {
    ValueName name;
    ValueId value;
  };

  // Doubles the list. Numbers that were too far ahead before get their place in it.
  void grow(std::size_t size) {
    const std::size_t before = by_number_.size();
    by_number_.resize(std::max(size, 2 * before));
    for (const Row& row : rows_) {
      if (row.name.bits < by_number_.size()) by_number_[row.name.bits] = row.value;
    }
  }

  Vector<ValueId> by_number_;
  HashIndex others_;
  Vector<Row> rows_;
  std::size_t size_ = 0;
};

}  // namespace shardprop::detail
