// A last-in first-out list of rows 0..n-1, each at most once, that starts with all rows, of which
// the first is on top. Pushing what is listed leaves it in its place. The order of visits of the
// propagation engine depends on exactly this.
//
// The rows that have stood there from the start are not stored: they are those beyond the cursor.
// Worked example with 4 rows: `advance(1)` takes row 1; row 0 is not listed any more, rows 2 and 3
// are. `push(3)` does nothing, `push(0)` puts row 0 on top; `pop()` gives 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardprop {

class Worklist {
 public:
  // Lists all of `count` rows; O(rows on the stack), O(count) where that is another count.
  void restart(std::size_t count) {
    while (!empty()) pop();
    on_stack_.resize(count, 0);
    beyond_ = 0;
  }

  // Takes `row`, which is listed, and with it all rows before it. The stack is empty.
  void advance(std::size_t row) { beyond_ = row + 1; }

  void push(std::uint32_t row) {
    if (row >= beyond_ || on_stack_[row]) return;
    on_stack_[row] = 1;
    stack_.push_back(row);
  }

  // Whether nothing is left but rows beyond the cursor.
  bool empty() const { return stack_.empty(); }

  std::uint32_t pop() {
    const std::uint32_t row = stack_.back();
    stack_.pop_back();
    on_stack_[row] = 0;
    return row;
  }

 private:
  std::vector<std::uint32_t> stack_;
  std::vector<std::uint8_t> on_stack_;
  std::size_t beyond_ = 0;  // rows from here on are listed in their places
};

}  // namespace shardprop
