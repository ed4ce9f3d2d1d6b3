// Types of control flow, and what its regions must take and return.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "shardprop/ops/compatibility.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/report.hpp"
#include "shardprop/ops/type_lists.hpp"
#include "shardprop/support/format_text.hpp"
#include "shardprop/support/optional.hpp"
#include "shardprop/support/vector.hpp"

namespace shardprop {

namespace detail {

// The type that holds both: a dimension is known only if it is in both.
inline TypeId least_specific(Module& m, TypeId a, TypeId b) {
  if (a == b || !m.types.is_tensor(a) || !m.types.is_tensor(b)) return a;
  Vector<std::int64_t> shape(m.types.shape(a).begin(), m.types.shape(a).end());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (m.types.shape(b)[i] == kDynamic) shape[i] = kDynamic;
  }
  return m.types.tensor(m.types.dtype(a), shape);
}

// The constraints of an operation that runs one of its regions, by their numbers in the
// specification.
struct BranchConstraints {
  std::string_view no_arguments;
  std::string_view same_results;
};

inline bool check_branch(const InferInput& in, BlockId block, std::size_t number,
                         const BranchConstraints& constraints) {
  const Vector<TypeId> first = returned_types(in.m, block_of(in.m, in.op, 0));
  const Vector<TypeId> returned = returned_types(in.m, block);
  if (!in.m.blocks[block].arguments.empty()) {
    report(in, constraints.no_arguments,
           format_text("region {} must take no arguments, found {}", number,
                       in.m.blocks[block].arguments.size()),
           "a region sees the values around it");
    return false;
  }
  if (compatible_lists(in.m, first, returned)) return true;
  report(in, constraints.same_results,
         format_text("regions must return the same types; the first returns {}, region {} {}",
                     to_string(in.m, first), number, to_string(in.m, returned)));
  return false;
}

inline Optional<Vector<TypeId>> infer_branches(const InferInput& in,
                                               const BranchConstraints& constraints) {
  bool ok = is_scalar(in.m, operand(in.m, in.op, 0));
  if (!ok) {
    report(in, "i1",
           format_text("the operand must be a scalar, found {}",
                       to_string(in.m, type_of(in.m, operand(in.m, in.op, 0)))));
  }
  std::size_t number = 0;
  for (BlockId b = in.m.ops[in.op].first_block; b.valid(); b = in.m.blocks[b].next_sibling) {
    ok = check_branch(in, b, number++, constraints) && ok;
  }
  if (!ok) return nullopt;
  Vector<TypeId> types = returned_types(in.m, block_of(in.m, in.op, 0));
  for (BlockId b = in.m.ops[in.op].first_block; b.valid(); b = in.m.blocks[b].next_sibling) {
    const Vector<TypeId> returned = returned_types(in.m, b);
    for (std::size_t i = 0; i < types.size(); ++i)
      types[i] = least_specific(in.m, types[i], returned[i]);
  }
  return types;
}

}  // namespace detail

// (C1) to (C3) of `if`.
inline Optional<Vector<TypeId>> infer_if(const InferInput& in) {
  return detail::infer_branches(in, {"c1", "c2"});
}

// (C1) to (C4) of `case`.
inline Optional<Vector<TypeId>> infer_case(const InferInput& in) {
  if (block_count(in.m, in.op) == 0) {
    report(in, "c1", "there must be at least one branch");
    return nullopt;
  }
  const TypeId index = type_of(in.m, operand(in.m, in.op, 0));
  if (in.m.strings[in.m.types.dtype(index)] != "i32") {
    report(in, "i1",
           format_text("the index must be a scalar i32, found {}", to_string(in.m, index)));
    return nullopt;
  }
  return detail::infer_branches(in, {"c2", "c3"});
}

// The results have the types of the operands.
inline Optional<Vector<TypeId>> infer_operand_types(const InferInput& in) {
  return operand_types(in.m, in.op);
}

// (C1) and (C2) of `while`: what the condition and the body take and return.
inline void verify_while(const VerifyInput& in) {
  const BlockId condition = block_of(in.m, in.op, 0);
  const BlockId body = block_of(in.m, in.op, 1);
  const Vector<TypeId> carried = operand_types(in.m, in.op);
  const auto check = [&](const Vector<TypeId>& found, std::string_view constraint,
                         std::string_view what) {
    if (compatible_lists(in.m, carried, found)) return;
    report(in, constraint,
           format_text("{} must be of the types of the operands {}, found {}", what,
                       to_string(in.m, carried), to_string(in.m, found)));
  };
  check(argument_types(in.m, condition), "c1", "the arguments of the condition");
  check(argument_types(in.m, body), "c2", "the arguments of the body");
  check(returned_types(in.m, body), "c2", "the values that the body returns");
  const Vector<TypeId> decided = returned_types(in.m, condition);
  const bool one_bool = decided.size() == 1 && in.m.types.is_tensor(decided[0]) &&
                        in.m.types.rank(decided[0]) == 0 &&
                        element_class(in.m, decided[0]) == kBool;
  if (!one_bool) {
    report(
        in, "c1",
        format_text("the condition must return one scalar i1, found {}", to_string(in.m, decided)));
  }
}

// Operands and results come in pairs of exactly one type.
inline void verify_same_pairs(const VerifyInput& in) {
  const Vector<TypeId> operands = operand_types(in.m, in.op);
  const Vector<TypeId> declared = result_types(in.m, in.op);
  if (operands == declared) return;
  report(in, "c1",
         format_text("the results must be of the types of the operands {}, found {}",
                     to_string(in.m, operands), to_string(in.m, declared)));
}

}  // namespace shardprop
