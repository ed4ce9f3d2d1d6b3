// What a propagation did, and what it could not do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "shardprop/support/diagnostic.hpp"

namespace shardprop {

class Trace;

enum class StopReason : std::uint8_t { kFixedPoint, kVisitLimit };

// Operations of one name that have no rule, so that shardings do not pass through them.
struct OpWithoutRule {
  std::string name;
  std::size_t count = 0;
  Place first;
};

// Why a tensor is not sharded as others of the same operation are.
enum class UnresolvedReason : std::uint8_t {
  kDifferentAxes,
  kAxisInUse,
  kClosedDimension,
  kNotDivisible,
  kReplicatedAxis,
  kUnreducedAxis,
  kBlockedFactor,
  kOtherTensor,
  kDifferentMeshes,
  kBarrier,
  kStrided,
};

constexpr std::string_view explain(UnresolvedReason reason) {
  switch (reason) {
    case UnresolvedReason::kDifferentAxes:
      return "both are sharded already, differently";
    case UnresolvedReason::kAxisInUse:
      return "the axis shards another dimension of that tensor";
    case UnresolvedReason::kClosedDimension:
      return "the dimension is closed";
    case UnresolvedReason::kNotDivisible:
      return "the axis does not divide that part of the dimension, and another part follows";
    case UnresolvedReason::kReplicatedAxis:
      return "the tensor must stay replicated along the axis";
    case UnresolvedReason::kUnreducedAxis:
      return "the tensor is unreduced along the axis";
    case UnresolvedReason::kBlockedFactor:
      return "shardings are not propagated along this dimension";
    case UnresolvedReason::kOtherTensor:
      return "another tensor of the operation cannot take the axis, or a preferred dimension took "
             "it";
    case UnresolvedReason::kDifferentMeshes:
      return "the meshes differ";
    case UnresolvedReason::kBarrier:
      return "shardings do not pass the operation in this direction";
    case UnresolvedReason::kStrided:
      return "the axis would split a part of the dimension while the part before it is whole";
  }
  return "";
}

// A place where operands and results of an operation end with shardings that do not match, and the
// number of equal ones.
struct Unresolved {
  UnresolvedReason reason = UnresolvedReason::kDifferentAxes;
  std::string message;
  std::size_t count = 0;
  Place first;
};

struct PropagationReport {
  StopReason stop_reason = StopReason::kFixedPoint;
  std::size_t operations = 0;
  std::size_t runs = 0;  // runs to a fixed point: user priorities x op-priority rounds x strategies
  std::size_t visits = 0;     // operations taken from the work list
  std::size_t steps = 0;      // visits that the run allows to change a sharding
  std::size_t skipped = 0;    // operations not visited because nothing around them had changed
  std::size_t changes = 0;    // shardings set
  std::size_t memo_hits = 0;  // steps that were answered from memory
  std::size_t memo_entries = 0;
  double seconds = 0;
  std::vector<OpWithoutRule> without_rule;  // in program order of their first places
  std::vector<Unresolved> unresolved;       // in program order of their first places
  Diagnostics diagnostics;       // warnings, e.g. members of a sharding group that disagree
  std::shared_ptr<Trace> trace;  // where axes came from, if the options ask for it
};

}  // namespace shardprop
