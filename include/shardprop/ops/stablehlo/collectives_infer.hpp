// Types and constraints of the collectives of StableHLO (specification, section Ops; numbers as the
// reference has them).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/common/reducer.hpp"
#include "shardprop/ops/common/replica_groups.hpp"
#include "shardprop/ops/common/type_compatibility.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

namespace detail {

inline bool has_dynamic_root(const Module& m, OpId op) {
  return AttributeReader(m, op, nullptr).boolean_or("has_dynamic_root", false);
}

// The operands that are sent: all, but the last where it names the roots.
inline std::size_t data_operands(const Module& m, OpId op) {
  const std::size_t count = m.ops[op].operand_count;
  return has_dynamic_root(m, op) && count > 0 ? count - 1 : count;
}

// The types of the first `count` operands with the element type that the computation returns.
inline std::vector<TypeId> accumulated_types(const InferInput& in, std::size_t count) {
  const OpId last = terminator(in.m, block_of(in.m, in.op, 0));
  const bool computed = last.valid() && in.m.ops[last].operand_count > 0;
  std::vector<TypeId> types;
  for (std::size_t i = 0; i < count; ++i) {
    const TypeId type = operand_type(in.m, in.op, i);
    const TypeId element = computed ? operand_type(in.m, last, 0) : type;
    types.push_back(with_shape(in.types, element, in.m.types.shape(type)));
  }
  return types;
}

// What a constraint on a pair of an operand and its result is called, and the dimension in which
// they may differ.
struct PairConstraints {
  std::size_t dim;
  std::string_view same_shape;
  std::string_view not_empty;
};

// Whether both have the same shape except in one dimension, where the larger size is a multiple of
// the smaller one.
inline bool check_multiple(const VerifyInput& in, std::span<const std::int64_t> small,
                           std::span<const std::int64_t> large,
                           const PairConstraints& constraints) {
  if (small.size() != large.size()) {
    report(in, constraints.same_shape,
           fmt::format("operand and result must have the same rank, found shapes {} and {}",
                       to_string(small), to_string(large)));
    return false;
  }
  bool same = true;
  for (std::size_t d = 0; d < small.size(); ++d) {
    same = same && (d == constraints.dim || small[d] == large[d] || small[d] == kDynamic ||
                    large[d] == kDynamic);
  }
  const std::int64_t a = small[constraints.dim];
  const std::int64_t b = large[constraints.dim];
  if (a == 0 || b == 0) {
    report(in, constraints.not_empty,
           fmt::format("dimension {} must not be empty", constraints.dim));
    return false;
  }
  if (same && (a == kDynamic || b == kDynamic || b % a == 0)) return true;
  report(
      in, constraints.same_shape,
      fmt::format("shapes {} and {} must be equal except in dimension {}, where one is a multiple "
                  "of the other",
                  to_string(small), to_string(large), constraints.dim));
  return false;
}

// Checks a computation of two scalars, which is applied to each of the first `count` operands on
// its own. What it returns stands for the initial values, which a collective has none of.
inline void verify_scalar_reducer(const VerifyInput& in, std::size_t count,
                                  std::string_view constraint) {
  const BlockId computation = block_of(in.m, in.op, 0);
  const OpId last = terminator(in.m, computation);
  for (std::size_t i = 0; i < count; ++i) {
    const TypeId input = type_of(in.m, operand(in.m, in.op, i));
    const bool returns = last.valid() && in.m.ops[last].operand_count > 0;
    const TypeId init = returns ? type_of(in.m, operand(in.m, last, 0)) : input;
    const ReducerUse use{std::span(&input, 1), std::span(&init, 1), {}, constraint};
    if (!check_reducer(in, computation, use)) return;
  }
}

// Operands and results come in pairs of one element type.
inline bool check_pairs(const VerifyInput& in, std::string_view constraint) {
  const Operation& op = in.m.ops[in.op];
  bool same = op.operand_count == op.result_count;
  for (std::size_t i = 0; same && i < op.operand_count; ++i) {
    same = in.m.types.dtype(type_of(in.m, operand(in.m, in.op, i))) ==
           in.m.types.dtype(type_of(in.m, result(in.m, in.op, i)));
  }
  if (!same) report(in, constraint, "each operand must have a result of the same element type");
  return same;
}

// The roots of a collective with `has_dynamic_root`: the last operand, an i32 for each other
// operand.
inline void verify_roots(const VerifyInput& in, std::string_view none,
                         std::string_view constraint) {
  const std::size_t count = in.m.ops[in.op].operand_count;
  AttributeReader attributes(in);
  const bool has_roots = attributes.boolean_or("has_dynamic_root", false);
  if (!attributes.ok()) return;
  if (!has_roots) {
    if (count == 0) report(in, none, "there must be at least one operand");
    return;
  }
  if (count < 2)
    return report(in, constraint,
                  "has_dynamic_root needs an operand to send and one with its root");
  const TypeId roots = type_of(in.m, operand(in.m, in.op, count - 1));
  const ElementType element = parse_element_type(in.m.strings[in.m.types.dtype(roots)]);
  const auto shape = in.m.types.shape(roots);
  const bool fits = (element.kind & kInt) && element.bits == 32 && shape.size() == 1 &&
                    shape[0] == static_cast<std::int64_t>(count) - 1;
  if (fits) return;
  report(in, constraint,
         fmt::format("with has_dynamic_root the last operand must be tensor<{}xi32>, found {}",
                     count - 1, to_string(in.m, roots)));
}

}  // namespace detail

// (C1), (C2), (C4) to (C6); the results are of any multiple of the operands' size, so they cannot
// be inferred.
inline void verify_all_gather(const VerifyInput& in) {
  verify_replica_groups(in, {.form = "i3", .unique = "c2", .complete = "c4"});
  verify_channel(in, "c5", 0);
  AttributeReader attributes(in);
  const std::int64_t dim = attributes.integer("all_gather_dim");
  if (!attributes.ok()) return;
  if (dim < 0)
    return report(in, "c1", fmt::format("all_gather_dim must be at least 0, found {}", dim));
  if (!detail::check_pairs(in, "c6")) return;
  for (std::size_t i = 0; i < in.m.ops[in.op].operand_count; ++i) {
    const auto from = shape_of(in.m, operand(in.m, in.op, i));
    if (static_cast<std::size_t>(dim) >= from.size()) {
      report(in, "c1",
             fmt::format("all_gather_dim must be below the rank {} of operand {}, found {}",
                         from.size(), i, dim));
      continue;
    }
    detail::check_multiple(in, from, shape_of(in.m, result(in.m, in.op, i)),
                           {static_cast<std::size_t>(dim), "c6", "c1"});
  }
}

// (C6) and (C7).
inline std::optional<std::vector<TypeId>> infer_all_reduce(const InferInput& in) {
  return detail::accumulated_types(in, in.m.ops[in.op].operand_count);
}

// (C1), (C3) to (C5).
inline void verify_all_reduce(const VerifyInput& in) {
  verify_replica_groups(in, {.form = "i2", .unique = "c1", .complete = "c3", .padded = true});
  verify_channel(in, "c4", 1);
  detail::verify_scalar_reducer(in, in.m.ops[in.op].operand_count, "c5");
}

// (C2), (C3), (C5) to (C9); the result is of any part of the operand's size, so it cannot be
// inferred.
inline void verify_reduce_scatter(const VerifyInput& in) {
  verify_replica_groups(in, {.form = "i3", .unique = "c3", .complete = "c5"});
  detail::verify_scalar_reducer(in, 1, "c7");
  verify_channel(in, "c6", 1);
  AttributeReader attributes(in);
  const std::int64_t dim = attributes.integer("scatter_dimension");
  if (!attributes.ok()) return;
  if (dim < 0)
    return report(in, "c2", fmt::format("scatter_dimension must be at least 0, found {}", dim));
  const auto from = shape_of(in.m, operand(in.m, in.op, 0));
  const auto to = shape_of(in.m, result(in.m, in.op, 0));
  if (from.size() == to.size() && static_cast<std::size_t>(dim) >= from.size()) {
    return report(
        in, "c2",
        fmt::format("scatter_dimension must be below the rank {}, found {}", from.size(), dim));
  }
  if (!detail::check_multiple(in, to, from, {static_cast<std::size_t>(dim), "c8", "c6"})) return;
  const OpId last = terminator(in.m, block_of(in.m, in.op, 0));
  if (!last.valid() || in.m.ops[last].operand_count != 1) return;
  const StringId computed = in.m.types.dtype(type_of(in.m, operand(in.m, last, 0)));
  const StringId declared = in.m.types.dtype(type_of(in.m, result(in.m, in.op, 0)));
  if (computed == declared) return;
  report(in, "c9",
         fmt::format("the result must be of the computation's element type {}, found {}",
                     in.m.strings[computed], in.m.strings[declared]));
}

// (C1) to (C4) and (C9).
inline std::optional<std::vector<TypeId>> infer_all_to_all(const InferInput& in) {
  AttributeReader attributes(in);
  const std::int64_t split = attributes.integer("split_dimension");
  const std::int64_t concat = attributes.integer("concat_dimension");
  const std::int64_t parts = attributes.integer("split_count");
  if (!attributes.ok()) return std::nullopt;
  const std::size_t before = in.diagnostics.size();
  if (split < 0)
    report(in, "c1", fmt::format("split_dimension must be at least 0, found {}", split));
  if (concat < 0)
    report(in, "c3", fmt::format("concat_dimension must be at least 0, found {}", concat));
  if (parts <= 0) report(in, "c4", fmt::format("split_count must be at least 1, found {}", parts));
  if (in.diagnostics.size() != before) return std::nullopt;
  std::vector<TypeId> types;
  for (UseId use : operand_uses(in.m, in.op)) {
    const TypeId type = type_of(in.m, in.m.uses[use].value);
    std::vector<std::int64_t> shape(in.m.types.shape(type).begin(), in.m.types.shape(type).end());
    const auto inside = [&](std::int64_t dim) {
      return static_cast<std::size_t>(dim) < shape.size();
    };
    if (!inside(split)) {
      report(
          in, "c1",
          fmt::format("split_dimension must be below the rank {}, found {}", shape.size(), split));
    } else if (!inside(concat)) {
      report(in, "c3",
             fmt::format("concat_dimension must be below the rank {}, found {}", shape.size(),
                         concat));
    } else if (std::int64_t& size = shape[static_cast<std::size_t>(split)];
               size != kDynamic && size % parts != 0) {
      report(
          in, "c2",
          fmt::format("dimension {} of size {} cannot be split in {} parts", split, size, parts));
    } else {
      if (size != kDynamic) size /= parts;
      if (std::int64_t& joined = shape[static_cast<std::size_t>(concat)]; joined != kDynamic)
        joined *= parts;
      types.push_back(detail::with_shape(in.types, type, shape));
      continue;
    }
    return std::nullopt;
  }
  return types;
}

// (C5), (C7), (C8).
inline void verify_all_to_all(const VerifyInput& in) {
  AttributeReader attributes(in.m, in.op, nullptr);
  GroupRules rules{.form = "i5", .unique = "c5", .complete = "c7", .group_size = "c8"};
  const std::int64_t parts = attributes.integer("split_count");
  if (attributes.ok()) rules.size = parts;
  verify_replica_groups(in, rules);
  detail::check_pairs(in, "c9");
}

// The data operands' own types; see `verify_roots`.
inline std::optional<std::vector<TypeId>> infer_collective_broadcast(const InferInput& in) {
  std::vector<TypeId> types;
  for (std::size_t i = 0; i < detail::data_operands(in.m, in.op); ++i) {
    types.push_back(type_of(in.m, operand(in.m, in.op, i)));
  }
  return types;
}

// (C1) to (C5).
inline void verify_collective_broadcast(const VerifyInput& in) {
  verify_replica_groups(in, {.form = "i2", .unique = "c1", .complete = "c2", .any_ids = true});
  detail::verify_roots(in, "c3", "c4");
}

inline std::optional<std::vector<TypeId>> infer_collective_reduce(const InferInput& in) {
  return detail::accumulated_types(in, detail::data_operands(in.m, in.op));
}

inline void verify_collective_reduce(const VerifyInput& in) {
  verify_replica_groups(in, {.form = "i2", .unique = "c1", .complete = "c2", .padded = true});
  verify_channel(in, "channel", 1);
  detail::verify_roots(in, "c3", "c3");
  detail::verify_scalar_reducer(in, detail::data_operands(in.m, in.op), "c5");
}

// (C5).
inline std::optional<std::vector<TypeId>> infer_collective_permute(const InferInput& in) {
  return std::vector<TypeId>{type_of(in.m, operand(in.m, in.op, 0))};
}

// A scalar ui32: the number of the process in one of its two groupings.
inline std::optional<std::vector<TypeId>> infer_process_id(const InferInput& in) {
  return std::vector<TypeId>{tensor_type(in.types, "ui32", {})};
}

}  // namespace shardprop
