// What names of values stand for while a function is read or written.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "shardprop/ir/value_name.hpp"

namespace shardprop::detail {

// `T()` stands for nothing. Numbers are looked up in a plain list as long as they are dense, which
// keeps neighbours in the document neighbours in memory; all other names by hash. All is O(1) on
// average, and the memory O(calls of `set`), however large the numbers are.
template <class T>
class ValueNameMap {
 public:
  void clear() {
    by_number_.clear();
    others_ = {};
    sets_ = 0;
  }

  T find(ValueName name) const {
    if (name.bits < by_number_.size()) return by_number_[name.bits];
    const auto other = others_.find(name.bits);
    return other == others_.end() ? T() : other->second;
  }

  void set(ValueName name, T value) {
    ++sets_;
    if (name.bits >= by_number_.size() && name.bits < 2 * sets_ + kSlack) grow(name.bits + 1);
    (name.bits < by_number_.size() ? by_number_[name.bits] : others_[name.bits]) = value;
  }

  // Sets `name` where it stands for nothing; false, and nothing done, elsewhere.
  bool insert(ValueName name, T value) {
    if (find(name) != T()) return false;
    set(name, value);
    return true;
  }

 private:
  static constexpr std::size_t kSlack = 64;

  // Doubles the list. Numbers that were too far ahead before get their place in it; those that have
  // one already may have been set since they were moved.
  void grow(std::size_t size) {
    const std::size_t before = by_number_.size();
    by_number_.resize(std::max(size, 2 * before));
    for (const auto& [bits, value] : others_) {
      if (bits >= before && bits < by_number_.size()) by_number_[bits] = value;
    }
  }

  std::vector<T> by_number_;
  std::unordered_map<std::uint32_t, T> others_;
  std::size_t sets_ = 0;
};

}  // namespace shardprop::detail
