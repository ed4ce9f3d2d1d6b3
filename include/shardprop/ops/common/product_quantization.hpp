// What dot_general and convolution ask of quantised tensors alike (StableHLO specification, C14-C20
// of dot_general, C28-C34 of convolution): the right side is quantised, and the left side is
// exactly when the result is.
#pragma once

#include <string_view>

#include "fmt/core.h"
#include "shardprop/ops/common/infer_support.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/common/quantized.hpp"
#include "shardprop/ops/common/type_compatibility.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

// The constraints of an operation, in the order of the checks.
struct ProductQuantization {
  std::string_view which;        // which sides are quantised
  std::string_view storage;      // storage types of both sides
  std::string_view expressed;    // expressed types of all three
  std::string_view granularity;  // one scale a tensor on the right: the same of the result
  std::string_view mixed;        // the left is not quantised: its type is what the right expresses
};

// Checks operands 0 and 1 and result 0, where one of them is quantised.
inline bool check_product_quantization(const VerifyInput& in, const ProductQuantization& codes) {
  const std::string_view lhs = detail::dtype_of(in.m, detail::operand_type(in.m, in.op, 0));
  const std::string_view rhs = detail::dtype_of(in.m, detail::operand_type(in.m, in.op, 1));
  const std::string_view out = detail::dtype_of(in.m, type_of(in.m, result(in.m, in.op, 0)));
  const bool of_lhs = detail::is_quantized(lhs);
  if (!of_lhs && !detail::is_quantized(rhs) && !detail::is_quantized(out)) return true;
  const auto refuse = [&](std::string_view code, std::string_view rule) {
    report(in, code, fmt::format("{}, found {}, {} and {}", rule, lhs, rhs, out));
    return false;
  };
  if (!detail::is_quantized(rhs) || of_lhs != detail::is_quantized(out)) {
    return refuse(codes.which,
                  "the right side must be quantized, and the left side exactly when the result is");
  }
  const QuantizedParts right = parse_quantized(rhs);
  if (!of_lhs) {
    if (lhs == right.expressed && lhs == out) return true;
    return refuse(codes.mixed,
                  "left side and result must be of the type that the right side expresses");
  }
  const QuantizedParts left = parse_quantized(lhs);
  if (left.storage != right.storage)
    return refuse(codes.storage, "both sides must have the same storage type");
  if (left.expressed != right.expressed || left.expressed != parse_quantized(out).expressed) {
    return refuse(codes.expressed, "both sides and the result must express the same type");
  }
  if (quantization_dimension(rhs) == kPerTensor && quantization_dimension(out) != kPerTensor) {
    return refuse(codes.granularity, "the result must have one scale, as the right side has");
  }
  return true;
}

}  // namespace shardprop
