// sort (StableHLO specification, sort): n inputs and n results of one shape, sorted together along
// one dimension.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "fmt/core.h"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/infer_support.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/common/pointwise_rule.hpp"
#include "shardprop/ops/common/reducer_inputs.hpp"
#include "shardprop/ops/common/rule_builder.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

// The sorted dimension needs all its elements in one place. Where it is the only one that could be
// sharded, propagation along it is blocked, so that nothing is sharded just to be gathered.
inline std::optional<OpShardingRule> sort_rule(const RuleInput& in) {
  const std::size_t inputs = in.m.ops[in.op].operand_count;
  if (inputs == 0 || !detail::has_static_tensors(in, inputs, inputs)) return std::nullopt;
  const auto shape = shape_of(in.m, operand(in.m, in.op, 0));
  for (std::size_t i = 0; i < inputs; ++i) {
    if (rank_of(in.m, operand(in.m, in.op, i)) != shape.size()) return std::nullopt;
    if (rank_of(in.m, result(in.m, in.op, i)) != shape.size()) return std::nullopt;
  }
  AttributeReader reader(in.m, in.op, nullptr);
  const std::int64_t rank = static_cast<std::int64_t>(shape.size());
  std::int64_t sorted = reader.integer_or("dimension", -1);
  if (sorted < 0) sorted += rank;
  if (!reader.ok() || sorted < 0 || sorted >= rank) return std::nullopt;

  bool others_are_one = true;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    if (static_cast<std::int64_t>(dim) != sorted && shape[dim] != 1) others_are_one = false;
  }
  RuleBuilder builder(in.m, in.op);
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    const bool is_sorted = static_cast<std::int64_t>(dim) == sorted;
    builder.add_everywhere(
        dim, shape[dim],
        is_sorted ? FactorOptions{FactorKind::kNeedReplication, others_are_one} : FactorOptions{});
  }
  return std::move(builder).build();
}

namespace detail {

// C5: the comparator takes two scalars of each input's elements and returns tensor<i1>.
inline bool check_comparator(const VerifyInput& in) {
  const BlockId id = block_of(in.m, in.op, 0);
  const auto arguments = in.m.blocks[id].arguments;
  const std::size_t inputs = in.m.ops[in.op].operand_count;
  if (arguments.size() != 2 * inputs) {
    report(in, "c5",
           fmt::format("the comparator must take {} parameters, found {}", 2 * inputs,
                       arguments.size()));
    return false;
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const TypeId type = type_of(in.m, arguments[i]);
    const std::string_view expected = dtype_of(in.m, operand_type(in.m, in.op, i / 2));
    if (is_scalar(in.m, arguments[i]) && dtype_of(in.m, type) == expected) continue;
    report(in, "c5",
           fmt::format("parameter {} of the comparator must be tensor<{}>, found {}", i, expected,
                       to_string(in.m, type)));
    return false;
  }
  const OpId end = terminator(in.m, id);
  const std::size_t returned = end.valid() ? in.m.ops[end].operand_count : 0;
  if (returned == 1 && is_scalar(in.m, operand(in.m, end, 0)) &&
      dtype_of(in.m, operand_type(in.m, end, 0)) == "i1") {
    return true;
  }
  report(in, "c5",
         fmt::format("the comparator must return one tensor<i1>, found {}",
                     returned == 1 ? to_string(in.m, operand_type(in.m, end, 0))
                                   : std::to_string(returned) + " values"));
  return false;
}

}  // namespace detail

inline InferredTypes infer_sort(const InferInput& input) {
  const VerifyInput in = input;
  AttributeReader reader(in);
  const std::int64_t dimension = reader.integer_or("dimension", -1);
  reader.boolean_or("is_stable", false);
  if (!reader.ok()) return std::nullopt;
  const TypeId first = detail::operand_type(in.m, in.op, 0);
  const auto inputs = detail::operand_types(in.m, in.op, 0, in.m.ops[in.op].operand_count);
  if (!detail::check_same_shapes(in, "c3", inputs)) return std::nullopt;
  const std::int64_t rank = static_cast<std::int64_t>(in.m.types.rank(first));
  if (dimension < -rank || dimension >= rank) {
    return detail::refuse(
        input, "c4",
        fmt::format("'dimension' must be in [{}, {}), found {}", -rank, rank, dimension));
  }
  if (!detail::check_comparator(in)) return std::nullopt;
  return inputs;
}

inline constexpr OpDef kSortOps[] = {
    {.name = "stablehlo.sort",
     .traits = kPure,
     .signature = {.min_operands = 1,
                   .max_results = kVariadic,
                   .min_blocks = 1,
                   .max_blocks = 1,
                   .operand_classes = {kAnyTensorElement},
                   .result_classes = {kAnyTensorElement}},
     .rule = sort_rule,
     .infer = infer_sort,
     .result_constraint = "c3",
     .element_constraint = "c2",
     .count_constraint = "c2",
     .inputs = "inputs, dimension, is_stable, comparator"},
};

}  // namespace shardprop
