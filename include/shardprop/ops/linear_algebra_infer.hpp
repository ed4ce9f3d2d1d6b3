// Types and constraints of cholesky, triangular_solve and fft (StableHLO specification).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "shardprop/ops/attribute_reader.hpp"
#include "shardprop/ops/compatibility.hpp"
#include "shardprop/ops/infer_support.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/report.hpp"
#include "shardprop/support/array_view.hpp"
#include "shardprop/support/format_text.hpp"
#include "shardprop/support/optional.hpp"

namespace shardprop {

namespace detail {

// Whether the last two dimensions may be of the same size.
inline bool is_square(ArrayView<const std::int64_t> shape) {
  return compatible_sizes(shape[shape.size() - 2], shape[shape.size() - 1]);
}

}  // namespace detail

inline InferredTypes infer_cholesky(const InferInput& in) {
  const TypeId a = detail::operand_type(in.m, in.op, 0);
  const auto shape = in.m.types.shape(a);
  AttributeReader reader(in);
  reader.boolean_or("lower", false);
  if (!reader.ok()) return nullopt;
  if (shape.size() < 2) {
    return detail::refuse(
        in, "c2",
        format_text("the operand must have at least 2 dimensions, found {}", to_string(in.m, a)));
  }
  if (!detail::is_square(shape)) {
    return detail::refuse(in, "c3",
                          format_text("the last two dimensions must have the same size, found {}",
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
        format_text("{}, found {} and {}", rule, to_string(in.m, type_a), to_string(in.m, type_b)));
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
  if (!reader.ok()) return nullopt;
  const TypeId a = detail::operand_type(in.m, in.op, 0);
  const TypeId b = detail::operand_type(in.m, in.op, 1);
  if (transpose != "NO_TRANSPOSE" && transpose != "TRANSPOSE" && transpose != "ADJOINT") {
    return detail::refuse(
        input, "i6",
        format_text("'transpose_a' must be NO_TRANSPOSE, TRANSPOSE or ADJOINT, found {}",
                    transpose));
  }
  if (!compatible_element_types(detail::dtype_of(in.m, a), detail::dtype_of(in.m, b))) {
    return detail::refuse(input, "c1",
                          format_text("a and b must have the same element type, found {} and {}",
                                      to_string(in.m, a), to_string(in.m, b)));
  }
  if (!detail::check_solved_shapes(in, left_side)) return nullopt;
  return detail::inferred(b);
}

namespace detail {

struct FftAttributes {
  std::string_view type;
  ArrayView<const std::int64_t> length;
};

// C1 and C3, and that the type is a known keyword.
inline Optional<FftAttributes> read_fft(const VerifyInput& in) {
  AttributeReader reader(in);
  const FftAttributes fft = {reader.text("fft_type"), reader.ints("fft_length")};
  if (!reader.ok()) return nullopt;
  if (fft.type != "FFT" && fft.type != "IFFT" && fft.type != "RFFT" && fft.type != "IRFFT") {
    report(in, "i2",
           format_text("'fft_type' must be FFT, IFFT, RFFT or IRFFT, found {}", fft.type));
    return nullopt;
  }
  if (fft.length.empty() || fft.length.size() > 3) {
    report(in, "c3",
           format_text("'fft_length' must have 1 to 3 elements, found {}", fft.length.size()));
    return nullopt;
  }
  const TypeId operand = operand_type(in.m, in.op, 0);
  if (fft.length.size() > in.m.types.rank(operand)) {
    report(in, "c1",
           format_text("'fft_length' must not have more elements than the operand has dimensions, "
                       "found {} and {}",
                       to_string(fft.length), to_string(in.m, operand)));
    return nullopt;
  }
  return fft;
}

// C2: the element type of the result: complex for FFT, IFFT and RFFT, real for IRFFT. Empty after a
// diagnostic.
inline std::string fft_element(const VerifyInput& in, std::string_view type) {
  const std::string_view dtype = dtype_of(in.m, operand_type(in.m, in.op, 0));
  if (type == "RFFT") {
    if (dtype == "f32" || dtype == "f64") return format_text("complex<{}>", dtype);
    report(in, "c2", format_text("RFFT takes elements f32 or f64, found {}", dtype));
    return {};
  }
  if (!dtype.starts_with("complex<")) {
    report(in, "c2", format_text("{} takes complex elements, found {}", type, dtype));
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
           format_text("the transformed dimensions must be of sizes {}, found {}",
                       to_string(fft.length), to_string(shape)));
    return false;
  }
  return true;
}

}  // namespace detail

inline InferredTypes infer_fft(const InferInput& input) {
  const VerifyInput in = input;
  const auto fft = detail::read_fft(in);
  if (!fft) return nullopt;
  const std::string element = detail::fft_element(in, fft->type);
  if (element.empty() || !detail::check_fft_length(in, *fft)) return nullopt;

  Shape shape = detail::shape_copy(in.m, detail::operand_type(in.m, in.op, 0));
  const std::int64_t last = fft->length.back();
  const std::int64_t half = last == 0 ? 0 : last / 2 + 1;
  if (fft->type == "RFFT") shape.back() = half;
  if (fft->type == "IRFFT") {
    if (last < 0 || !detail::compatible_sizes(shape.back(), half)) {
      return detail::refuse(
          input, "c5",
          format_text(
              "the operand's last dimension must be {}, half of 'fft_length' {} and 1, found {}",
              half, last, shape.back()));
    }
    shape.back() = last;
  }
  return detail::inferred(input.m.types.tensor(input.m.strings.intern(element), shape));
}

}  // namespace shardprop
