// Runs of steps that repeat in an explanation: equal layers do the same with an axis.
//
// Worked example, the steps a b c b c b c d: from 1 on, two steps stand three times. Steps are equal
// if they are of operations of one name, between the same dimensions, in the same direction.
// O(steps * longest period).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "shardprop/analysis/explain/explanation.hpp"

namespace shardprop {

// The `length` steps from `begin` on stand `times` times.
struct StepFold {
  std::size_t begin = 0;
  std::size_t length = 0;
  std::size_t times = 0;
};

namespace detail {

inline bool is_alike(const ExplainedStep& a, const ExplainedStep& b) {
  return a.kind == b.kind && a.direction == b.direction && a.operation == b.operation &&
         a.from.words == b.from.words && a.to.words == b.to.words;
}

}  // namespace detail

// Folds that do not overlap, first to last. A fold leaves out two steps or more.
inline std::vector<StepFold> fold_steps(const std::vector<ExplainedStep>& steps) {
  constexpr std::size_t kLongest = 96;
  std::vector<StepFold> folds;
  for (std::size_t i = 0; i < steps.size();) {
    StepFold best{i, 1, 1};
    for (std::size_t length = 1; length <= std::min(kLongest, (steps.size() - i) / 2); ++length) {
      std::size_t end = i + length;
      while (end < steps.size() && detail::is_alike(steps[end], steps[end - length])) ++end;
      const std::size_t times = (end - i) / length;
      if (times > 1 && times * length > best.times * best.length) best = {i, length, times};
    }
    const bool folds_here = best.times * best.length >= best.length + 2 && best.times > 1;
    if (folds_here) folds.push_back(best);
    i += folds_here ? best.times * best.length : 1;
  }
  return folds;
}

}  // namespace shardprop
