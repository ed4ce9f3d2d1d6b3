// Types and constraints of operations that change the element type: convert, bitcast_convert and
// the quantisations.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "fmt/core.h"
#include "shardprop/ops/common/infer_support.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/common/quantized.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

// C1: any element type to any other, in the same shape.
inline void verify_convert(const VerifyInput& in) {
  const auto from = shape_of(in.m, operand(in.m, in.op, 0));
  const auto to = shape_of(in.m, result(in.m, in.op, 0));
  if (compatible_shapes(from, to)) return;
  report(in, "c1",
         fmt::format("operand and result must have one shape, found {} and {}", to_string(from),
                     to_string(to)));
}

inline void verify_bitcast_convert(const VerifyInput& in) {
  const Module& m = in.m;
  const TypeId from = detail::operand_type(m, in.op, 0);
  const TypeId to = type_of(m, result(m, in.op, 0));
  const ElementType a = parse_element_type(detail::dtype_of(m, from));
  const ElementType b = parse_element_type(detail::dtype_of(m, to));
  const auto found = [&] {
    return fmt::format("found {} and {}", to_string(m, from), to_string(m, to));
  };
  if ((a.kind == kComplex) != (b.kind == kComplex)) {
    report(in, "c2", "complex numbers can be cast to complex numbers only, " + found());
    return;
  }
  if (a.bits == 0 || b.bits == 0) return;
  const bool narrows = b.bits < a.bits;
  const auto wide = m.types.shape(narrows ? from : to);
  const auto narrow = m.types.shape(narrows ? to : from);
  if (a.bits != b.bits && narrow.size() != wide.size() + 1) {
    report(in, "c1",
           "the tensor of the narrower element type must have one dimension more, " + found());
    return;
  }
  const int bits = std::max(a.bits, b.bits);
  const int part_bits = std::min(a.bits, b.bits);
  const std::int64_t parts = a.bits != b.bits ? narrow.back() : kDynamic;
  if (parts != kDynamic && (bits % part_bits != 0 || parts != bits / part_bits)) {
    report(in, "c1",
           "the additional dimension must hold the parts of one wider element, " + found());
  } else if (!compatible_shapes(a.bits == b.bits ? narrow : narrow.first(wide.size()), wide)) {
    report(in, "c1", "the dimensions that both have must be of one size, " + found());
  }
}

// The expressed type of quantised numbers.
inline InferredTypes infer_uniform_dequantize(const InferInput& in) {
  return detail::infer_with_dtype(
      in, parse_quantized(detail::dtype_of(in.m, detail::operand_type(in.m, in.op, 0))).expressed);
}

inline void verify_uniform_quantize(const VerifyInput& in) {
  const TypeId from = detail::operand_type(in.m, in.op, 0);
  const TypeId to = type_of(in.m, result(in.m, in.op, 0));
  if (!compatible_shapes(in.m.types.shape(from), in.m.types.shape(to))) {
    report(in, "c1",
           fmt::format("operand and result must have one shape, found {} and {}",
                       to_string(in.m, from), to_string(in.m, to)));
  }
  const std::string_view dtype = detail::dtype_of(in.m, from);
  const std::string_view expected =
      detail::is_quantized(dtype) ? parse_quantized(dtype).expressed : dtype;
  const std::string_view expressed = parse_quantized(detail::dtype_of(in.m, to)).expressed;
  if (expressed == expected) return;
  report(in, "c2", fmt::format("the result must express {}, found {}", expected, expressed));
}

}  // namespace shardprop
