// What a piece of the text was read as, so that the same piece is read once: types, shardings and
// dictionaries repeat a lot.
#pragma once

#include <cstdint>
#include <string_view>

#include "shardprop/support/interner.hpp"

namespace shardprop::detail {

// From text to `Value`. The texts must outlive the memo: they are pieces of what is being read.
template <class Value>
class TextMemo {
 public:
  // The value of `text`, or null.
  const Value* find(std::string_view text, std::uint64_t hash) const {
    const RowId id = rows_.find(hash, [&](const Row& row) { return row.text == text; });
    return id.valid() ? &rows_[id].value : nullptr;
  }
  bool empty() const { return rows_.size() == 0; }
  // `text` must not be there yet.
  void add(std::string_view text, std::uint64_t hash, Value value) {
    rows_.intern(
        hash, [](const Row&) { return false; },
        [&] {
          return Row{text, value};
        });
  }

 private:
  struct Row {
    std::string_view text;
    Value value;
  };
  using RowId = Id<Row>;
  Interner<RowId, Row> rows_;
};

}  // namespace shardprop::detail
