// How unreduced axes may change from an operand to a result: axes that come must be of one
// reduction, axes that go must be reduced by the right one, axes that stay keep theirs.
#pragma once

#include <optional>
#include <string_view>

#include "fmt/core.h"
#include "shardprop/ir/known_names.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/sharding/axis_list.hpp"
#include "shardprop/sharding/axis_text.hpp"
#include "shardprop/sharding/sharding_text.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"

namespace shardprop {

// The reductions that may introduce and remove unreduced axes; none: no axis may come or go.
struct UnreducedChange {
  std::optional<ReductionOp> introduced;
  std::optional<ReductionOp> removed;
};

// The value that reaches `value` through propagation barriers.
inline ValueId before_barriers(const Module& m, ValueId value) {
  for (OpId op = defining_op(m, value); op.valid(); op = defining_op(m, value)) {
    if (m.ops[op].name != known::kSdyPropagationBarrier || m.ops[op].operand_count != 1) break;
    value = operand(m, op, 0);
  }
  return value;
}

namespace detail {

// Axes that `s` has beyond what is in `other`, where only reduction `allowed` may have them.
struct ChangedAxes {
  const TensorSharding& s;
  const TensorSharding& other;
  std::optional<ReductionOp> allowed;
  std::string_view verb;
};

inline bool check_changed_axes(const VerifyInput& in, const ChangedAxes& c) {
  const AxisList changed = difference(c.s.unreduced, c.other.unreduced);
  if (changed.empty() || c.allowed == c.s.reduction) return true;
  const std::string axis = quoted_axis(changed[0], in.m.meshes[c.s.mesh]);
  if (!c.allowed) {
    report(in, "unreduced_axes",
           fmt::format("the operation must not {} the unreduced axis {}", c.verb, axis));
  } else {
    report(in, "unreduced_axes",
           fmt::format("the operation may {} axes that are unreduced by {}, but {} is by {}",
                       c.verb, to_string(*c.allowed), axis, to_string(c.s.reduction)));
  }
  return false;
}

}  // namespace detail

// Shardings on different meshes are not compared.
inline void verify_unreduced_transition(const VerifyInput& in, const TensorSharding& from,
                                        const TensorSharding& to, const UnreducedChange& change) {
  if (in.m.meshes.content(from.mesh) != in.m.meshes.content(to.mesh)) return;
  if (!detail::check_changed_axes(in, {to, from, change.introduced, "introduce"})) return;
  if (!detail::check_changed_axes(in, {from, to, change.removed, "reduce"})) return;
  if (!overlaps(from.unreduced, to.unreduced) || from.reduction == to.reduction) return;
  report(in, "unreduced_axes",
         fmt::format("axes that stay unreduced must keep their reduction {}, found {}",
                     to_string(from.reduction), to_string(to.reduction)));
}

}  // namespace shardprop
