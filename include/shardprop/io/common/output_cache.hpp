// Texts of what a module stores once and uses often: types, shardings, attributes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace shardprop::detail {

// The text of each row of a table, made once; a text of more than 4 KiB is made each time, so that
// the cache stays small.
template <class I>
class OutputCache {
 public:
  explicit OutputCache(std::size_t rows) : rows_(rows) {}

  // Appends the text of `id`, which `write()` appends to `out` the first time.
  template <class Write>
  void append(std::string& out, I id, Write&& write) {
    Row& row = rows_[id.index];
    if (row.size != 0) {
      out.append(texts_, row.begin, row.size);
      return;
    }
    const std::size_t begin = out.size();
    write();
    const std::size_t size = out.size() - begin;
    if (size > kLargest) return;
    row = {texts_.size(), static_cast<std::uint32_t>(size)};
    texts_.append(out, begin);
  }

 private:
  static constexpr std::size_t kLargest = std::size_t{1} << 12;

  struct Row {
    std::size_t begin = 0;
    std::uint32_t size = 0;  // 0: not made yet
  };
  std::vector<Row> rows_;
  std::string texts_;
};

}  // namespace shardprop::detail
