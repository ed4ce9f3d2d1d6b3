// Which value, operation and block of a program as it was each one of a worked-on copy stands for.
//
// Passes copy operations, inline calls and make calls anew. A copy of a module whose lineage was
// started remembers what each new row stands for, so that an outcome can be mapped back. Ids of
// rows that were there at the start stand for themselves.
//
// Worked example: %c is copied to %c1, %c1 to %c2. Then the original of %c1 and of %c2 is %c.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "shardprop/support/id.hpp"

namespace shardprop {

// A copy also remembers, for each reshard and collective that it got, the operation that needs it.
// (`ModuleLineage::needed_by`, ir/module.hpp)

// The originals of the rows of one table.
template <class I>
class Originals {
 public:
  // From now on rows that are made are noted; there are `count` rows.
  void start(std::size_t count) { count_ = count; }
  bool is_on() const { return count_ != kOff; }
  // `made` stands for what `from` stands for. Does nothing where `start` was not called.
  void note(I from, I made) {
    if (!is_on()) return;
    if (const I original = of(from); original.valid()) originals_[made] = original;
  }
  // What a row stands for; none for one that was made and stands for nothing.
  I of(I row) const {
    if (!row.valid() || row.index < count_) return row;
    const auto found = originals_.find(row);
    return found == originals_.end() ? I() : found->second;
  }

 private:
  static constexpr std::size_t kOff = static_cast<std::size_t>(-1);

  std::size_t count_ = kOff;
  std::unordered_map<I, I> originals_;
};

}  // namespace shardprop
