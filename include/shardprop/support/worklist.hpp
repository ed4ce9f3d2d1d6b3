// A last-in first-out list of the rows 0..n-1. It lists each row at most once, and it starts with
// all rows, the first on top. Pushing a row that is listed leaves it in its place. The order of
// visits of the propagation engine depends on exactly this.
//
// Rows that have been listed since the start are not stored: they are the rows beyond the cursor.
// Worked example with 4 rows: `advance(1)` takes row 1. Then row 0 is not listed any more, and rows
// 2 and 3 are. `push(3)` does nothing, `push(0)` puts row 0 on top, and `pop()` returns 0.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardprop {

class Worklist {
 public:
  // Lists all of `count` rows. O(rows on the stack); O(count) if the count differs from the last
  // one.
  void restart(std::size_t count) {
    while (!empty()) pop();
    on_stack_.resize(count, 0);
    beyond_ = 0;
  }

  // Takes `row`, which must be listed, and all rows before it. The stack must be empty.
  void advance(std::size_t row) { beyond_ = row + 1; }

  void push(std::uint32_t row) {
    if (row >= beyond_ || on_stack_[row]) return;
    on_stack_[row] = 1;
    stack_.push_back(row);
  }

  // Whether only rows beyond the cursor are left.
  bool empty() const { return stack_.empty(); }

  std::uint32_t pop() {
    assert(!empty());
    const std::uint32_t row = stack_.back();
    stack_.pop_back();
    on_stack_[row] = 0;
    return row;
  }

 private:
  std::vector<std::uint32_t> stack_;
  std::vector<std::uint8_t> on_stack_;
  std::size_t beyond_ = 0;  // the cursor: rows from here on are listed in their places
};

}  // namespace shardprop
