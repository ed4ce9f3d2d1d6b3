// A last-in first-out list of ids in which each id stands at most once: pushing what is already
// there leaves it in its place. The order of visits of the propagation engine depends on exactly
// this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shardprop/support/id.hpp"

namespace shardprop {

template <class I>
class Worklist {
 public:
  // Starts with `initial`, of which the first is popped first. `universe` is one more than the
  // largest id index.
  void reset(std::span<const I> initial, std::size_t universe) {
    listed_.assign(universe, 0);
    stack_.assign(initial.rbegin(), initial.rend());
    for (I id : stack_) listed_[id.index] = 1;
  }

  void push(I id) {
    if (listed_[id.index]) return;
    listed_[id.index] = 1;
    stack_.push_back(id);
  }

  bool empty() const { return stack_.empty(); }

  I pop() {
    const I id = stack_.back();
    stack_.pop_back();
    listed_[id.index] = 0;
    return id;
  }

 private:
  std::vector<I> stack_;
  std::vector<std::uint8_t> listed_;
};

}  // namespace shardprop
