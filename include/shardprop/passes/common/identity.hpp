// Numbers that change nothing: zero, and the identity of a reduction.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/common/element_type.hpp"
#include "shardprop/ops/common/float_format.hpp"

namespace shardprop::detail {

// The zero of an element type, as a constant of tensors of `type` has it.
inline AttrId zero_of(Module& m, TypeId type) {
  const ElementType element = parse_element_type(m.strings[m.types.dtype(type)]);
  if (element.kind == kBool) return m.attrs.boolean(false);
  if ((element.kind & kInt) != 0) return m.attrs.integer(0);
  if (element.kind != kComplex) return m.attrs.number(0);
  const AttrId parts[] = {m.attrs.number(0), m.attrs.number(0)};
  return m.attrs.list(parts);
}

// The least number of an element type, or the largest; none where it has no order. Of floats the
// finite one.
inline AttrId bound_of(Module& m, std::string_view dtype, bool largest) {
  const ElementType element = parse_element_type(dtype);
  if (const FloatFormat* format = find_float_format(dtype)) {
    const double value = number_of_pattern(format->largest(), *format).value_or(0);
    return m.attrs.number(largest ? value : -value);
  }
  if (element.kind == kBool) return m.attrs.boolean(largest);
  if (element.bits < 1 || element.bits > 64) return AttrId();
  if (element.kind == kUnsignedInt) {
    const std::uint64_t all = std::numeric_limits<std::uint64_t>::max() >> (64 - element.bits);
    return m.attrs.unsigned_integer(largest ? all : 0);
  }
  if (element.kind != kSignedInt) return AttrId();
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() >> (64 - element.bits);
  return m.attrs.integer(largest ? most : -most - 1);
}

// The identity of operation `reducer`, one of stablehlo.add, multiply, maximum, minimum, and, or, on
// elements of `type`; none for any other. Where a maximum begins with the least finite number, as
// it does in the reference, -inf in the data is lost.
inline AttrId identity_of(Module& m, std::string_view reducer, TypeId type) {
  const std::string_view dtype = m.strings[m.types.dtype(type)];
  const ElementType element = parse_element_type(dtype);
  if (reducer == "stablehlo.add" || reducer == "stablehlo.or") return zero_of(m, type);
  if (reducer == "stablehlo.maximum") return bound_of(m, dtype, false);
  if (reducer == "stablehlo.minimum") return bound_of(m, dtype, true);
  if (reducer != "stablehlo.multiply" && reducer != "stablehlo.and") return AttrId();
  if (element.kind == kBool) return m.attrs.boolean(true);
  return element.kind == kFloat ? m.attrs.number(1) : m.attrs.integer(1);
}

}  // namespace shardprop::detail
