// Operations that make a tensor from nothing but attributes or a shape.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fmt/core.h"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/infer_support.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

namespace detail {

// Whether nested lists have the shape `dims`. Data that is not given as lists (a splat, elided,
// opaque) fits any shape.
inline bool data_has_shape(const Module& m, AttrId data, std::span<const std::int64_t> dims) {
  const AttrKind kind = m.attrs.kind(data);
  if (kind != AttrKind::kInts && kind != AttrKind::kList) return true;
  if (dims.empty()) return false;
  const std::size_t size =
      kind == AttrKind::kInts ? m.attrs.as_ints(data).size() : m.attrs.items(data).size();
  if (static_cast<std::int64_t>(size) != dims[0]) return false;
  if (kind == AttrKind::kInts) return dims.size() == 1 || size == 0;
  for (AttrId item : m.attrs.items(data)) {
    const AttrKind inner = m.attrs.kind(item);
    const bool is_list = inner == AttrKind::kInts || inner == AttrKind::kList;
    if (is_list != (dims.size() > 1) || !data_has_shape(m, item, dims.subspan(1))) return false;
  }
  return true;
}

// Whether `data` may be the value of a tensor: one without elements may be a list of none, a
// complex number is a pair, and one pair stands for all elements.
inline bool data_fits(const Module& m, AttrId data, TypeId type) {
  Shape shape = shape_copy(m, type);
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return true;
  if (data_has_shape(m, data, shape)) return true;
  if (parse_element_type(dtype_of(m, type)).kind != kComplex) return false;
  constexpr std::int64_t kPair[] = {2};
  shape.push_back(2);
  return data_has_shape(m, data, kPair) || data_has_shape(m, data, shape);
}

inline bool check_iota_dimension(const VerifyInput& in, std::int64_t dimension, std::size_t rank) {
  if (dimension >= 0 && dimension < static_cast<std::int64_t>(rank)) return true;
  report(in, "c1", fmt::format("iota_dimension must be in [0, {}), found {}", rank, dimension));
  return false;
}

}  // namespace detail

// C1: the data has the shape of the result, which must be known.
inline void verify_constant(const VerifyInput& in) {
  const TypeId type = type_of(in.m, result(in.m, in.op, 0));
  const AttrId data = attribute(in.m, in.op, "value");
  if (!AttributeReader(in).require("value", "the constant's data")) return;
  if (!in.m.types.is_static_tensor(type)) {
    report(in, "c1",
           fmt::format("a constant must have a known shape, found {}", to_string(in.m, type)));
  } else if (!detail::data_fits(in.m, data, type)) {
    report(in, "c1",
           fmt::format("the value must have the result's shape {}, found lists of other lengths",
                       to_string(in.m.types.shape(type))));
  }
}

inline void verify_iota(const VerifyInput& in) {
  AttributeReader attributes(in);
  const std::int64_t dimension = attributes.integer("iota_dimension");
  const TypeId type = type_of(in.m, result(in.m, in.op, 0));
  if (!attributes.ok()) return;
  if (!in.m.types.is_static_tensor(type)) {
    report(in, "output",
           fmt::format("the result must have a known shape, found {}", to_string(in.m, type)),
           "use stablehlo.dynamic_iota for a shape that is not known");
    return;
  }
  detail::check_iota_dimension(in, dimension, in.m.types.rank(type));
}

inline void verify_dynamic_iota(const VerifyInput& in) {
  AttributeReader attributes(in);
  const std::int64_t dimension = attributes.integer("iota_dimension");
  const TypeId type = type_of(in.m, result(in.m, in.op, 0));
  if (!attributes.ok() || !detail::check_list_operand(in, 0)) return;
  if (detail::check_iota_dimension(in, dimension, in.m.types.rank(type)) &&
      detail::check_result_rank(in, "c2", 0, "output_shape")) {
    detail::check_shape_operand(in, "c2", 0);
  }
}

// A constant has no operand to propagate from or to: it may have any sharding.
inline constexpr OpDef kConstantOps[] = {
    {.name = "stablehlo.constant",
     .traits = kConstantLike | kPure,
     .signature = {.max_operands = 0, .result_classes = {kAnyTensorElement}},
     .verify = verify_constant,
     .silent_without_rule = true,
     .inputs = "value"},
    {.name = "stablehlo.iota",
     .traits = kConstantFoldable | kPure,
     .signature = {.max_operands = 0, .result_classes = {kInt | kFloat | kComplex | kQuantized}},
     .verify = verify_iota,
     .silent_without_rule = true,
     .inputs = "iota_dimension"},
    {.name = "stablehlo.dynamic_iota",
     .traits = kPure,
     .signature = tensors_to_tensor(1, kInt | kOther, kAnyTensorElement),
     .verify = verify_dynamic_iota,
     .inputs = "output_shape, iota_dimension"},
    // MLIR's own constant, which PyTorch/XLA programs hold as operands of dynamic operations. It is
    // not copied for each use as those above are, as in the reference.
    {.name = "arith.constant",
     .traits = kPure,
     .signature = kNoOperandsSignature,
     .silent_without_rule = true},
};

}  // namespace shardprop
