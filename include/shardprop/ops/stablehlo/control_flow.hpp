// Control flow of StableHLO: while, case, if, return and optimization_barrier. None has a sharding
// rule; values flow along the edges of the row instead (`if` has none, as in the reference).
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/common/region_edges.hpp"
#include "shardprop/ops/common/type_compatibility.hpp"
#include "shardprop/ops/common/type_lists.hpp"
#include "shardprop/ops/data_flow.hpp"
#include "shardprop/ops/op_def.hpp"

// Types of control flow, and what its regions must take and return.

namespace shardprop {

namespace detail {

// The type that holds both: a dimension is known only if it is in both.
inline TypeId least_specific(Module& m, TypeId a, TypeId b) {
  if (a == b || !m.types.is_tensor(a) || !m.types.is_tensor(b)) return a;
  std::vector<std::int64_t> shape(m.types.shape(a).begin(), m.types.shape(a).end());
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
  const std::vector<TypeId> first = returned_types(in.m, block_of(in.m, in.op, 0));
  const std::vector<TypeId> returned = returned_types(in.m, block);
  if (!in.m.blocks[block].arguments.empty()) {
    report(in, constraints.no_arguments,
           fmt::format("region {} must take no arguments, found {}", number,
                       in.m.blocks[block].arguments.size()),
           "a region sees the values around it");
    return false;
  }
  if (compatible_lists(in.m, first, returned)) return true;
  report(in, constraints.same_results,
         fmt::format("regions must return the same types; the first returns {}, region {} {}",
                     to_string(in.m, first), number, to_string(in.m, returned)));
  return false;
}

inline std::optional<std::vector<TypeId>> infer_branches(const InferInput& in,
                                                         const BranchConstraints& constraints) {
  bool ok = is_scalar(in.m, operand(in.m, in.op, 0));
  if (!ok) {
    report(in, "i1",
           fmt::format("the operand must be a scalar, found {}",
                       to_string(in.m, type_of(in.m, operand(in.m, in.op, 0)))));
  }
  std::size_t number = 0;
  for (BlockId b = in.m.ops[in.op].first_block; b.valid(); b = in.m.blocks[b].next_sibling) {
    ok = check_branch(in, b, number++, constraints) && ok;
  }
  if (!ok) return std::nullopt;
  std::vector<TypeId> types = returned_types(in.m, block_of(in.m, in.op, 0));
  for (BlockId b = in.m.ops[in.op].first_block; b.valid(); b = in.m.blocks[b].next_sibling) {
    const std::vector<TypeId> returned = returned_types(in.m, b);
    for (std::size_t i = 0; i < types.size(); ++i)
      types[i] = least_specific(in.types, types[i], returned[i]);
  }
  return types;
}

}  // namespace detail

// (C1) to (C3) of `if`.
inline std::optional<std::vector<TypeId>> infer_if(const InferInput& in) {
  return detail::infer_branches(in, {"c1", "c2"});
}

// (C1) to (C4) of `case`.
inline std::optional<std::vector<TypeId>> infer_case(const InferInput& in) {
  if (block_count(in.m, in.op) == 0) {
    report(in, "c1", "there must be at least one branch");
    return std::nullopt;
  }
  const TypeId index = type_of(in.m, operand(in.m, in.op, 0));
  if (in.m.strings[in.m.types.dtype(index)] != "i32") {
    report(in, "i1",
           fmt::format("the index must be a scalar i32, found {}", to_string(in.m, index)));
    return std::nullopt;
  }
  return detail::infer_branches(in, {"c2", "c3"});
}

// The results have the types of the operands.
inline std::optional<std::vector<TypeId>> infer_operand_types(const InferInput& in) {
  return operand_types(in.m, in.op);
}

// (C1) and (C2) of `while`: what the condition and the body take and return.
inline void verify_while(const VerifyInput& in) {
  const BlockId condition = block_of(in.m, in.op, 0);
  const BlockId body = block_of(in.m, in.op, 1);
  const std::vector<TypeId> carried = operand_types(in.m, in.op);
  const auto check = [&](const std::vector<TypeId>& found, std::string_view constraint,
                         std::string_view what) {
    if (compatible_lists(in.m, carried, found)) return;
    report(in, constraint,
           fmt::format("{} must be of the types of the operands {}, found {}", what,
                       to_string(in.m, carried), to_string(in.m, found)));
  };
  check(argument_types(in.m, condition), "c1", "the arguments of the condition");
  check(argument_types(in.m, body), "c2", "the arguments of the body");
  check(returned_types(in.m, body), "c2", "the values that the body returns");
  const std::vector<TypeId> decided = returned_types(in.m, condition);
  const bool one_bool = decided.size() == 1 && in.m.types.is_tensor(decided[0]) &&
                        in.m.types.rank(decided[0]) == 0 &&
                        element_class(in.m, decided[0]) == kBool;
  if (!one_bool) {
    report(
        in, "c1",
        fmt::format("the condition must return one scalar i1, found {}", to_string(in.m, decided)));
  }
}

// Operands and results come in pairs of exactly one type.
inline void verify_same_pairs(const VerifyInput& in) {
  const std::vector<TypeId> operands = operand_types(in.m, in.op);
  const std::vector<TypeId> declared = result_types(in.m, in.op);
  if (operands == declared) return;
  report(in, "c1",
         fmt::format("the results must be of the types of the operands {}, found {}",
                     to_string(in.m, operands), to_string(in.m, declared)));
}

namespace detail {

inline constexpr DataFlow kLoopFlow = {.edges = loop_edges};
inline constexpr DataFlow kBranchFlow = {.edges = branch_edges};
inline constexpr DataFlow kPassFlow = {.edges = pass_edges};

}  // namespace detail

inline constexpr OpDef kControlFlowOps[] = {
    {.name = "stablehlo.while",
     .signature = {.min_results = 0, .max_results = kVariadic, .min_blocks = 2, .max_blocks = 2},
     .infer = infer_operand_types,
     .verify = verify_while,
     .data_flow = &detail::kLoopFlow,
     .silent_without_rule = true,
     .result_constraint = "c3"},
    {.name = "stablehlo.case",
     .signature = {.min_operands = 1,
                   .max_operands = 1,
                   .min_results = 0,
                   .max_results = kVariadic,
                   .min_blocks = 0,
                   .max_blocks = kVariadic,
                   .operand_classes = {kSignedInt}},
     .infer = infer_case,
     .data_flow = &detail::kBranchFlow,
     .silent_without_rule = true,
     .result_constraint = "c4"},
    {.name = "stablehlo.if",
     .signature = {.min_operands = 1,
                   .max_operands = 1,
                   .min_results = 0,
                   .max_results = kVariadic,
                   .min_blocks = 2,
                   .max_blocks = 2,
                   .operand_classes = {kBool}},
     .infer = infer_if,
     .result_constraint = "c3"},
    {.name = "stablehlo.optimization_barrier",
     .traits = kPure,
     .signature = {.min_results = 0, .max_results = kVariadic},
     .infer = infer_operand_types,
     .verify = verify_same_pairs,
     .data_flow = &detail::kPassFlow,
     .silent_without_rule = true,
     .result_constraint = "c1"},
    {.name = "stablehlo.return",
     .traits = kTerminator | kPure,
     .signature = kTerminatorSignature,
     .silent_without_rule = true},
};

}  // namespace shardprop
