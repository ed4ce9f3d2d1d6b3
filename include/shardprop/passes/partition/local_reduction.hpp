// `convert-global-to-local` of reductions along split dimensions: each device reduces its part, and the
// all-reduce that follows puts the results together.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/float_format.hpp"
#include "shardprop/ops/common/reducing_body.hpp"
#include "shardprop/passes/common/identity.hpp"
#include "shardprop/passes/partition/local_program.hpp"

namespace shardprop::detail {

// Whether `value` is a constant that may be added more than once: zero, an infinity, not a number.
inline bool may_be_added_again(const Module& m, ValueId value) {
  const OpId op = defining_op(m, value);
  if (!op.valid() || !is_one_of(m.ops[op].name, {known::kConstant, known::kSdyConstant}))
    return false;
  const AttrId number = m.attrs.plain(attribute(m, op, key::kValue));
  switch (m.attrs.kind(number)) {
    case AttrKind::kBool:
      return true;
    case AttrKind::kInt:
      return m.attrs.as_int(number) == 0;
    case AttrKind::kFloat:
      return m.attrs.as_float(number) == 0 || std::isinf(m.attrs.as_float(number));
    default:
      break;
  }
  // What is not a number is written as its bits.
  const FloatFormat* format = find_float_format(m.strings[m.types.dtype(type_of(m, value))]);
  const std::string_view text = text_of(m, number);
  std::uint64_t bits = 0;
  return format && text.starts_with("0x") && parse_hexadecimal(text.substr(2), bits) &&
         number_of_pattern(bits, *format).value_or(0) == 0;
}

// A sum may have its initial value on one device only.
inline void localize_reduce(LocalProgram& p, OpId op) {
  Module& m = p.m;
  const std::size_t inputs = m.ops[op].operand_count / 2;
  const ValueId input = operand(m, op, 0);
  AxisList axes;
  AttributeReader reader(m, op, nullptr);
  for (std::int64_t dim : reader.ints_or_empty("dimensions"))
    axes.append(p.axes(input, static_cast<std::size_t>(dim)));
  if (total_size(axes) == 1) return;
  const std::optional<ReductionOp> reduction = partial_reduction(m, op);
  if (!reduction) {
    return p.fail(
        op, "moves_data",
        "a reduction that no all_reduce can put together is along a dimension that is split",
        "run insert-explicit-reshards{enable-full-version=true} before");
  }
  if (*reduction != ReductionOp::kSum) return;
  std::optional<ValueId> leads;
  for (std::size_t i = inputs; i < 2 * inputs; ++i) {
    const ValueId initial = operand(m, op, i);
    if (may_be_added_again(m, initial)) continue;
    if (!leads) leads = p.reshape(p.leads_group(p.mesh(input), axes), {});
    const TypeId type = type_of(m, initial);
    const ValueId zero = p.constant(type, zero_of(m, type));
    set_operand(m, op, i, p.make(known::kSelect, {*leads, initial, zero}, type));
  }
}

inline constexpr LocalRow kLocalReductions[] = {{"stablehlo.reduce", localize_reduce}};

}  // namespace shardprop::detail
