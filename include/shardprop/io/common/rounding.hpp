// The rounding mode of floating-point arithmetic, which belongs to the thread of the caller.
#pragma once

#include <cfenv>

namespace shardprop::detail {

// Rounds to nearest while it lives, so that the same text gives the same numbers in a program that
// rounds otherwise. O(1).
class RoundToNearest {
 public:
  RoundToNearest() : before_(std::fegetround()) {
    if (before_ != FE_TONEAREST) std::fesetround(FE_TONEAREST);
  }
  RoundToNearest(const RoundToNearest&) = delete;
  RoundToNearest& operator=(const RoundToNearest&) = delete;
  ~RoundToNearest() {
    if (before_ != FE_TONEAREST) std::fesetround(before_);
  }

 private:
  int before_;
};

}  // namespace shardprop::detail
