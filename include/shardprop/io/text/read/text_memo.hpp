// What a piece of the text was read as, so that the same piece is read once: types, shardings and
// dictionaries repeat a lot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "shardprop/support/hash.hpp"

namespace shardprop::detail {

// From text to `Value`. The texts must outlive the memo: they are pieces of what is being read.
template <class Value>
class TextMemo {
 public:
  // The value of `text`, or none.
  const Value* find(std::string_view text, std::uint64_t hash) const {
    const std::uint32_t at =
        index_.find(hash, [&](std::uint32_t i) { return rows_[i].text == text; });
    return at == HashIndex::kEmpty ? nullptr : &rows_[at].value;
  }
  bool empty() const { return rows_.empty(); }
  // `text` must not be there yet.
  void add(std::string_view text, std::uint64_t hash, Value value) {
    const std::uint32_t next = static_cast<std::uint32_t>(rows_.size());
    index_.find_or_insert(hash, next, [](std::uint32_t) { return false; });
    rows_.push_back({text, value});
  }

 private:
  struct Row {
    std::string_view text;
    Value value;
  };
  std::vector<Row> rows_;
  HashIndex index_;
};

}  // namespace shardprop::detail
