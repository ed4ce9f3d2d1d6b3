// Types and constraints of dot and dot_general (StableHLO specification, dot_general). The element
// type of a result is free, as accumulation in a wider type is usual; where a program leaves it out
// it is the left operand's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/infer_support.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/common/precision.hpp"
#include "shardprop/ops/common/product_quantization.hpp"
#include "shardprop/ops/common/quantized.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/stablehlo/contraction_rules.hpp"

namespace shardprop {

namespace detail {

// One side of a product: its dimensions of each sort, their names and the constraints on them.
struct DotSide {
  std::span<const std::int64_t> batching;
  std::span<const std::int64_t> contracting;
  std::string_view name;
  std::string_view unique_constraint;
  std::string_view batching_constraint;
  std::string_view contracting_constraint;
};

inline bool check_dot_side(const VerifyInput& in, const DotSide& side, std::size_t rank) {
  Shape all(side.batching.begin(), side.batching.end());
  all.insert(all.end(), side.contracting.begin(), side.contracting.end());
  return check_unique(in, side.unique_constraint,
                      fmt::format("'{}_batching_dimensions' and '{}_contracting_dimensions'",
                                  side.name, side.name),
                      all) &&
         check_in_range(in, side.batching_constraint,
                        fmt::format("'{}_batching_dimensions'", side.name), side.batching, rank) &&
         check_in_range(in, side.contracting_constraint,
                        fmt::format("'{}_contracting_dimensions'", side.name), side.contracting,
                        rank);
}

// The sizes of paired dimensions of both sides must agree.
inline bool check_dot_sizes(const VerifyInput& in, std::string_view constraint,
                            std::string_view sort, std::span<const std::int64_t> lhs_dims,
                            std::span<const std::int64_t> rhs_dims) {
  const auto lhs = shape_of(in.m, operand(in.m, in.op, 0));
  const auto rhs = shape_of(in.m, operand(in.m, in.op, 1));
  for (std::size_t i = 0; i < lhs_dims.size(); ++i) {
    const std::int64_t a = lhs[static_cast<std::size_t>(lhs_dims[i])];
    const std::int64_t b = rhs[static_cast<std::size_t>(rhs_dims[i])];
    if (compatible_sizes(a, b)) continue;
    report(in, constraint,
           fmt::format("{} dimension {} of the left and {} of the right side must have the same "
                       "size, found {} and {}",
                       sort, lhs_dims[i], rhs_dims[i], a, b));
    return false;
  }
  return true;
}

inline bool check_dot_dims(const VerifyInput& in, const DotDims& dims) {
  const std::size_t lhs_rank = rank_of(in.m, operand(in.m, in.op, 0));
  const std::size_t rhs_rank = rank_of(in.m, operand(in.m, in.op, 1));
  const DotSide lhs = {dims.lhs_batching, dims.lhs_contracting, "lhs", "c3", "c5", "c6"};
  const DotSide rhs = {dims.rhs_batching, dims.rhs_contracting, "rhs", "c4", "c7", "c8"};
  return check_size(in, "c1", "'lhs_batching_dimensions'", dims.lhs_batching.size(),
                    "'rhs_batching_dimensions'", dims.rhs_batching.size()) &&
         check_size(in, "c2", "'lhs_contracting_dimensions'", dims.lhs_contracting.size(),
                    "'rhs_contracting_dimensions'", dims.rhs_contracting.size()) &&
         check_dot_side(in, lhs, lhs_rank) && check_dot_side(in, rhs, rhs_rank) &&
         check_dot_sizes(in, "c9", "batching", dims.lhs_batching, dims.rhs_batching) &&
         check_dot_sizes(in, "c10", "contracting", dims.lhs_contracting, dims.rhs_contracting);
}

}  // namespace detail

inline InferredTypes infer_dot_general(const InferInput& input) {
  const VerifyInput in = input;
  bool ok = true;
  read_precision(in, "c11", ok);
  const auto dims = read_dot_dims(AttributeReader(in));
  if (!ok || !dims || !detail::check_dot_dims(in, *dims)) return std::nullopt;

  const auto lhs = shape_of(in.m, operand(in.m, in.op, 0));
  const auto rhs = shape_of(in.m, operand(in.m, in.op, 1));
  Shape shape;
  for (std::size_t i = 0; i < dims->lhs_batching.size(); ++i) {
    const std::int64_t size = lhs[static_cast<std::size_t>(dims->lhs_batching[i])];
    shape.push_back(size == kDynamic ? rhs[static_cast<std::size_t>(dims->rhs_batching[i])] : size);
  }
  for (std::size_t i = 0; i < lhs.size(); ++i) {
    if (dims->is_free_of_lhs(static_cast<std::int64_t>(i))) shape.push_back(lhs[i]);
  }
  for (std::size_t i = 0; i < rhs.size(); ++i) {
    if (dims->is_free_of_rhs(static_cast<std::int64_t>(i))) shape.push_back(rhs[i]);
  }
  return detail::inferred(
      detail::with_shape(input.types, detail::operand_type(in.m, in.op, 0), shape));
}

namespace detail {

// Which combinations of precision, accumulation and number of products hardware is known to have.
struct DotAlgorithm {
  std::string_view precision;
  std::string_view accumulation;
  std::int64_t products;
};
inline constexpr DotAlgorithm kDotAlgorithms[] = {
    {"f16", "f16", 1},  {"f16", "f32", 1},  {"bf16", "bf16", 1}, {"bf16", "f32", 1},
    {"bf16", "f32", 3}, {"bf16", "f32", 6}, {"bf16", "f32", 9},  {"tf32", "f32", 1},
    {"tf32", "f32", 3}, {"f32", "f32", 1},  {"f64", "f64", 1},
};

inline bool is_dot_f8(std::string_view dtype) {
  for (std::string_view known :
       {"f8E3M4", "f8E4M3", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E5M2FNUZ"}) {
    if (dtype == known) return true;
  }
  return false;
}

inline bool is_known_algorithm(std::string_view lhs, std::string_view rhs,
                               const DotAlgorithm& algorithm, bool imprecise) {
  if (is_dot_f8(lhs) && is_dot_f8(rhs))
    return algorithm.accumulation == "f32" && algorithm.products == 1;
  if (imprecise || lhs != rhs) return false;
  for (const DotAlgorithm& known : kDotAlgorithms) {
    if (known.precision == algorithm.precision && known.accumulation == algorithm.accumulation &&
        known.products == algorithm.products) {
      return true;
    }
  }
  return false;
}

// C22 to C24, and the precision types (I8 to I10) in their known combinations.
inline void check_dot_algorithm(const VerifyInput& in) {
  AttributeReader reader = AttributeReader(in).dict("algorithm");
  if (reader.has("opaque")) return;
  const std::string_view lhs = reader.text("lhs_precision_type");
  const std::string_view rhs = reader.text("rhs_precision_type");
  const std::string_view accumulation = reader.text("accumulation_type");
  const std::int64_t lhs_count = reader.integer("lhs_component_count");
  const std::int64_t rhs_count = reader.integer("rhs_component_count");
  const std::int64_t products = reader.integer("num_primitive_operations");
  const bool imprecise = reader.boolean_or("allow_imprecise_accumulation", false);
  if (!reader.ok()) return;
  const auto check_positive = [&](std::string_view constraint, std::string_view name,
                                  std::int64_t value) {
    if (value > 0) return true;
    report(in, constraint, fmt::format("'{}' must be positive, found {}", name, value));
    return false;
  };
  if (!check_positive("c22", "lhs_component_count", lhs_count) ||
      !check_positive("c23", "rhs_component_count", rhs_count) ||
      !check_positive("c24", "num_primitive_operations", products)) {
    return;
  }
  if (lhs_count == 1 && rhs_count == 1 &&
      is_known_algorithm(lhs, rhs, {lhs, accumulation, products}, imprecise))
    return;
  report(in, "i8",
         fmt::format("no hardware is known to have the algorithm {} x {} -> {} of {} x {} "
                     "components and {} products{}",
                     lhs, rhs, accumulation, lhs_count, rhs_count, products,
                     imprecise ? ", imprecise" : ""),
         "leave 'algorithm' out to let the compiler choose");
}

}  // namespace detail

// What needs the result or more than the dimensions: quantisation and the algorithm.
inline void verify_dot_general(const VerifyInput& in) {
  if (attribute(in.m, in.op, "algorithm").valid()) {
    bool ok = true;
    Diagnostics reported;
    const VerifyInput quiet{in.m, in.op, reported};
    for (std::string_view keyword : read_precision(quiet, "c11", ok)) {
      if (keyword == "DEFAULT" || !ok) continue;
      report(
          in, "c21",
          fmt::format("'precision_config' must be DEFAULT with an algorithm, found {}", keyword));
      break;
    }
    detail::check_dot_algorithm(in);
  }
  const std::string_view rhs = detail::dtype_of(in.m, detail::operand_type(in.m, in.op, 1));
  for (std::string_view parameter :
       detail::is_quantized(rhs) ? quantization_parameters(rhs) : std::vector<std::string_view>()) {
    const std::size_t colon = parameter.find(':');
    if (colon == std::string_view::npos || parameter.substr(colon + 1) == "0") continue;
    report(in, "c15", fmt::format("zero points of the right side must be 0, found {}", rhs));
    break;
  }
  const auto dims = read_dot_dims({in.m, in.op, nullptr});
  if (dims && detail::is_quantized(rhs) &&
      detail::contains(dims->rhs_contracting, quantization_dimension(rhs))) {
    report(in, "c16",
           fmt::format("the quantization dimension of the right side must not be contracted, found "
                       "dimension {}",
                       quantization_dimension(rhs)));
  }
  check_product_quantization(in, {"c14", "c17", "c18", "c19", "c20"});
}

// dot is dot_general of vectors and matrices.
inline InferredTypes infer_dot(const InferInput& input) {
  const VerifyInput in = input;
  bool ok = true;
  read_precision(in, "precision_config", ok);
  const auto lhs = shape_of(in.m, operand(in.m, in.op, 0));
  const auto rhs = shape_of(in.m, operand(in.m, in.op, 1));
  if (!ok) return std::nullopt;
  if (lhs.empty() || lhs.size() > 2 || rhs.empty() || rhs.size() > 2) {
    return detail::refuse(
        input, "rank",
        fmt::format("both sides must be vectors or matrices, found {} and {} dimensions",
                    lhs.size(), rhs.size()),
        "use stablehlo.dot_general");
  }
  if (!detail::compatible_sizes(lhs.back(), rhs.front())) {
    return detail::refuse(
        input, "contracting_size",
        fmt::format("the last dimension of the left and the first of the right side must have the "
                    "same size, found {} and {}",
                    lhs.back(), rhs.front()));
  }
  Shape shape;
  if (lhs.size() == 2) shape.push_back(lhs[0]);
  if (rhs.size() == 2) shape.push_back(rhs[1]);
  return detail::inferred(
      detail::with_shape(input.types, detail::operand_type(in.m, in.op, 0), shape));
}

}  // namespace shardprop
