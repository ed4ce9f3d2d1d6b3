// Decompositions, solvers and transforms: cholesky, triangular_solve, fft (StableHLO
// specification).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "fmt/core.h"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/infer_support.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/common/pointwise_rule.hpp"
#include "shardprop/ops/common/rule_builder.hpp"
#include "shardprop/ops/common/text_rule.hpp"
#include "shardprop/ops/common/type_compatibility.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

namespace detail {

// Whether the last two dimensions may be of the same size.
inline bool is_square(std::span<const std::int64_t> shape) {
  return compatible_sizes(shape[shape.size() - 2], shape[shape.size() - 1]);
}

}  // namespace detail

inline InferredTypes infer_cholesky(const InferInput& in) {
  const TypeId a = detail::operand_type(in.m, in.op, 0);
  const auto shape = in.m.types.shape(a);
  AttributeReader reader(in);
  reader.boolean_or("lower", false);
  if (!reader.ok()) return std::nullopt;
  if (shape.size() < 2) {
    return detail::refuse(
        in, "c2",
        fmt::format("the operand must have at least 2 dimensions, found {}", to_string(in.m, a)));
  }
  if (!detail::is_square(shape)) {
    return detail::refuse(in, "c3",
                          fmt::format("the last two dimensions must have the same size, found {}",
                                      to_string(in.m, a)));
  }
  return detail::inferred(a);
}

namespace detail {

// C2 and C3: a's matrices are square, b has as many rows (left side) or columns, and batches agree.
inline bool check_solved_shapes(const VerifyInput& in, bool left_side) {
  const TypeId type_a = operand_type(in.m, in.op, 0);
  const TypeId type_b = operand_type(in.m, in.op, 1);
  const auto a = in.m.types.shape(type_a);
  const auto b = in.m.types.shape(type_b);
  const auto refuse_shapes = [&](std::string_view constraint, std::string_view rule) {
    report(
        in, constraint,
        fmt::format("{}, found {} and {}", rule, to_string(in.m, type_a), to_string(in.m, type_b)));
    return false;
  };
  if (a.size() < 2) return refuse_shapes("c2", "a and b must have at least 2 dimensions");
  if (!is_square(a))
    return refuse_shapes("c3", "the last two dimensions of a must have the same size");
  if (a.size() != b.size()) return refuse_shapes("c2", "a and b must have as many dimensions");
  if (!compatible_sizes(a.back(), b[b.size() - (left_side ? 2 : 1)])) {
    return refuse_shapes(
        "c3", left_side ? "b must have as many rows as a" : "b must have as many columns as a");
  }
  if (!compatible_shapes(a.first(a.size() - 2), b.first(b.size() - 2))) {
    return refuse_shapes("c3",
                         "all but the last two dimensions of a and b must have the same sizes");
  }
  return true;
}

}  // namespace detail

inline InferredTypes infer_triangular_solve(const InferInput& input) {
  const VerifyInput in = input;
  AttributeReader reader(in);
  const bool left_side = reader.boolean("left_side");
  reader.boolean("lower");
  reader.boolean("unit_diagonal");
  const std::string_view transpose = reader.text("transpose_a");
  if (!reader.ok()) return std::nullopt;
  const TypeId a = detail::operand_type(in.m, in.op, 0);
  const TypeId b = detail::operand_type(in.m, in.op, 1);
  if (transpose != "NO_TRANSPOSE" && transpose != "TRANSPOSE" && transpose != "ADJOINT") {
    return detail::refuse(
        input, "i6",
        fmt::format("'transpose_a' must be NO_TRANSPOSE, TRANSPOSE or ADJOINT, found {}",
                    transpose));
  }
  if (!compatible_element_types(detail::dtype_of(in.m, a), detail::dtype_of(in.m, b))) {
    return detail::refuse(input, "c1",
                          fmt::format("a and b must have the same element type, found {} and {}",
                                      to_string(in.m, a), to_string(in.m, b)));
  }
  if (!detail::check_solved_shapes(in, left_side)) return std::nullopt;
  return detail::inferred(b);
}

namespace detail {

struct FftAttributes {
  std::string_view type;
  std::span<const std::int64_t> length;
};

// C1 and C3, and that the type is a known keyword.
inline std::optional<FftAttributes> read_fft(const VerifyInput& in) {
  AttributeReader reader(in);
  const FftAttributes fft = {reader.text("fft_type"), reader.ints("fft_length")};
  if (!reader.ok()) return std::nullopt;
  if (fft.type != "FFT" && fft.type != "IFFT" && fft.type != "RFFT" && fft.type != "IRFFT") {
    report(in, "i2",
           fmt::format("'fft_type' must be FFT, IFFT, RFFT or IRFFT, found {}", fft.type));
    return std::nullopt;
  }
  if (fft.length.empty() || fft.length.size() > 3) {
    report(in, "c3",
           fmt::format("'fft_length' must have 1 to 3 elements, found {}", fft.length.size()));
    return std::nullopt;
  }
  const TypeId operand = operand_type(in.m, in.op, 0);
  if (fft.length.size() > in.m.types.rank(operand)) {
    report(in, "c1",
           fmt::format("'fft_length' must not have more elements than the operand has dimensions, "
                       "found {} and {}",
                       to_string(fft.length), to_string(in.m, operand)));
    return std::nullopt;
  }
  return fft;
}

// C2: the element type of the result: complex for FFT, IFFT and RFFT, real for IRFFT. Empty after a
// diagnostic.
inline std::string fft_element(const VerifyInput& in, std::string_view type) {
  const std::string_view dtype = dtype_of(in.m, operand_type(in.m, in.op, 0));
  if (type == "RFFT") {
    if (dtype == "f32" || dtype == "f64") return fmt::format("complex<{}>", dtype);
    report(in, "c2", fmt::format("RFFT takes elements f32 or f64, found {}", dtype));
    return {};
  }
  if (!dtype.starts_with("complex<")) {
    report(in, "c2", fmt::format("{} takes complex elements, found {}", type, dtype));
    return {};
  }
  return std::string(type == "IRFFT" ? dtype.substr(8, dtype.size() - 9) : dtype);
}

// C4: the real one of operand and result is as `length` says; the operand's last dimension in IRFFT
// is checked by C5.
inline bool check_fft_length(const VerifyInput& in, const FftAttributes& fft) {
  const auto shape = shape_of(in.m, operand(in.m, in.op, 0));
  const std::size_t count = fft.length.size() - (fft.type == "IRFFT" ? 1 : 0);
  if (fft.type != "RFFT" && fft.type != "IRFFT") return true;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t size = shape[shape.size() - fft.length.size() + i];
    if (size == fft.length[i] || (size == kDynamic && fft.length[i] >= 0)) continue;
    report(in, "c4",
           fmt::format("the transformed dimensions must be of sizes {}, found {}",
                       to_string(fft.length), to_string(shape)));
    return false;
  }
  return true;
}

}  // namespace detail

inline InferredTypes infer_fft(const InferInput& input) {
  const VerifyInput in = input;
  const auto fft = detail::read_fft(in);
  if (!fft) return std::nullopt;
  const std::string element = detail::fft_element(in, fft->type);
  if (element.empty() || !detail::check_fft_length(in, *fft)) return std::nullopt;

  Shape shape = detail::shape_copy(in.m, detail::operand_type(in.m, in.op, 0));
  const std::int64_t last = fft->length.back();
  const std::int64_t half = last == 0 ? 0 : last / 2 + 1;
  if (fft->type == "RFFT") shape.back() = half;
  if (fft->type == "IRFFT") {
    if (last < 0 || !detail::compatible_sizes(shape.back(), half)) {
      return detail::refuse(
          input, "c5",
          fmt::format(
              "the operand's last dimension must be {}, half of 'fft_length' {} and 1, found {}",
              half, last, shape.back()));
    }
    shape.back() = last;
  }
  return detail::inferred(tensor_type(input.types, element, shape));
}

// Sharding rules of decompositions, solvers and transforms: leading dimensions are batches, the
// last ones are computed as a whole and need replication.

// Propagation along the last dimension is blocked where the transform changes its size (real to
// complex and back).
inline std::optional<OpShardingRule> fft_rule(const RuleInput& in) {
  if (!detail::has_static_tensors(in, 1, 1)) return std::nullopt;
  const auto shape = shape_of(in.m, operand(in.m, in.op, 0));
  const auto out = shape_of(in.m, result(in.m, in.op, 0));
  AttributeReader reader(in.m, in.op, nullptr);
  const std::size_t transformed = reader.ints("fft_length").size();
  if (!reader.ok() || shape.empty() || transformed > shape.size() || out.size() != shape.size())
    return std::nullopt;

  RuleBuilder builder(in.m, in.op);
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    FactorOptions options;
    if (dim + transformed >= shape.size()) options.kind = FactorKind::kNeedReplication;
    if (options.kind == FactorKind::kNeedReplication && dim + 1 == shape.size()) {
      options.blocked = shape.back() != out.back();
    }
    builder.add_everywhere(dim, shape[dim], options);
  }
  return std::move(builder).build();
}

// Solves `op(a) x = b` (left side) or `x op(a) = b`, where op is the identity or a transposition of
// the last two dimensions. Of a, one dimension is contracted with x, the other one is b's.
inline std::optional<OpShardingRule> triangular_solve_rule(const RuleInput& in) {
  if (!detail::has_static_tensors(in, 2, 1)) return std::nullopt;
  const auto a = shape_of(in.m, operand(in.m, in.op, 0));
  const auto b = shape_of(in.m, operand(in.m, in.op, 1));
  if (a.size() < 2 || b.size() != a.size() || rank_of(in.m, result(in.m, in.op, 0)) != a.size())
    return std::nullopt;
  AttributeReader reader(in.m, in.op, nullptr);
  const bool left_side = reader.boolean("left_side");
  const std::string_view transpose = reader.text("transpose_a");
  if (!reader.ok()) return std::nullopt;
  const bool transposed = transpose == "TRANSPOSE" || transpose == "ADJOINT";

  RuleBuilder builder(in.m, in.op);
  for (std::size_t dim = 0; dim + 2 < a.size(); ++dim) builder.add_everywhere(dim, a[dim]);
  const std::int64_t row = static_cast<std::int64_t>(a.size()) - 2;
  const std::int64_t column = row + 1;
  const auto size = [](std::span<const std::int64_t> shape, std::int64_t dim) {
    return shape[static_cast<std::size_t>(dim)];
  };
  const FactorOptions replicated = {FactorKind::kNeedReplication};
  const std::int64_t free_of_a = left_side == transposed ? column : row;
  const std::int64_t contracting = left_side == transposed ? row : column;
  // The dimension of b and x that the product leaves alone, and the one that it takes.
  const std::int64_t kept = left_side ? column : row;
  const std::int64_t solved = left_side ? row : column;
  if (left_side) builder.add({free_of_a, solved}, {kNoDim}, size(a, free_of_a), replicated);
  builder.add({kNoDim, kept}, {kept}, size(b, kept), replicated);
  if (!left_side) builder.add({free_of_a, solved}, {kNoDim}, size(a, free_of_a), replicated);
  builder.add({contracting, kNoDim}, {solved}, size(a, contracting), replicated);
  return std::move(builder).build();
}

namespace detail {

constexpr ElementClasses kFloatOrComplex = kFloat | kComplex;

}  // namespace detail

inline constexpr OpDef kLinearAlgebraOps[] = {
    {.name = "stablehlo.cholesky",
     .traits = kPure,
     .signature = tensors_to_tensor(1, detail::kFloatOrComplex | kQuantized,
                                    detail::kFloatOrComplex | kQuantized),
     .rule = rule<"([..., i, j]) -> ([..., i, j]) need_replication={i, j}">,
     .infer = infer_cholesky,
     .result_constraint = "c1",
     .inputs = "a, lower"},
    {.name = "stablehlo.triangular_solve",
     .traits = kPure,
     .signature = tensors_to_tensor(2, detail::kFloatOrComplex, detail::kFloatOrComplex),
     .rule = triangular_solve_rule,
     .infer = infer_triangular_solve,
     .result_constraint = "c4",
     .inputs = "a, b, left_side, lower, unit_diagonal, transpose_a"},
    {.name = "stablehlo.fft",
     .traits = kPure,
     .signature = tensors_to_tensor(1, detail::kFloatOrComplex, detail::kFloatOrComplex),
     .rule = fft_rule,
     .infer = infer_fft,
     .result_constraint = "c5",
     .element_constraint = "c2",
     .inputs = "operand, fft_type, fft_length"},
};

}  // namespace shardprop
