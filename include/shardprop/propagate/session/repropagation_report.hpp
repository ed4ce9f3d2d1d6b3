// What `PropagationSession::repropagate` did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "shardprop/ir/module.hpp"

namespace shardprop {

// Why it propagated from the beginning.
enum class FullRunReason : std::uint8_t {
  kNone,
  kStructure,
  kTraced,
  kVisitLimit,
  kOwnersInAttributes,
  kGroupConflict,
  kPriorities,
  kLargeChange,
};

constexpr std::string_view explain(FullRunReason reason) {
  switch (reason) {
    case FullRunReason::kNone:
      return "";
    case FullRunReason::kStructure:
      return "the program is a new one";
    case FullRunReason::kTraced:
      return "the propagation is traced";
    case FullRunReason::kVisitLimit:
      return "the number of visits is limited";
    case FullRunReason::kOwnersInAttributes:
      return "shardings are kept in attributes of operations: add data-flow edges first";
    case FullRunReason::kGroupConflict:
      return "members of a sharding group disagree";
    case FullRunReason::kPriorities:
      return "a user priority is new, or is not used any more";
    case FullRunReason::kLargeChange:
      return "the edit changes so much that a propagation from the beginning is faster";
  }
  return "";
}

struct RepropagationReport {
  bool fully = false;  // whether it propagated from the beginning; `reason` says why
  FullRunReason reason = FullRunReason::kNone;
  std::size_t transactions = 0;  // that were run again
  std::size_t visits = 0;        // of operations, as in `PropagationReport`
  std::vector<ValueId> changed;  // values whose final sharding changed; empty after a full run
  double seconds = 0;
};

}  // namespace shardprop
