// Writing an operation by its pretty form: the steps of forms/form.hpp one after the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "shardprop/io/text/forms/form.hpp"
#include "shardprop/io/text/write/context.hpp"
#include "shardprop/io/text/write/form_parts.hpp"
#include "shardprop/io/text/write/form_regions.hpp"
#include "shardprop/io/text/write/op_attribute.hpp"

namespace shardprop::detail {

// The attributes that a part of a form writes.
inline std::uint64_t part_entries(const Module& m, OpId op, FormPart part) {
  const auto bits = [&](auto... keys) { return (entry_bit(m, op, std::string_view(keys)) | ...); };
  switch (part) {
    case FormPart::kSliceRanges:
      return bits("start_indices", "limit_indices", "strides");
    case FormPart::kDotDims:
      return bits("dot_dimension_numbers");
    case FormPart::kConvDims:
      return bits("dimension_numbers");
    case FormPart::kWindow:
      return bits("window_strides", "padding", "lhs_dilation", "rhs_dilation", "window_reversal");
    case FormPart::kFloatBits:
      return bits("exponent_bits", "mantissa_bits");
    case FormPart::kReduction:
      return bits("reduction_op");
    default:
      return 0;
  }
}

// What the steps of a form say of an operation, so that the rest can be left to the dictionary, or
// another form taken where there is a rest that has no place.
struct FormCover {
  std::uint64_t entries = 0;  // of the dictionary
  std::size_t operands = 0;   // that stand by their number
  bool all_operands = false;
  bool regions = false;
  bool result_types = false;
  bool result_sharding = false;
};

// Whether `part` says what the results are.
inline bool gives_result_types(FormPart part) {
  switch (part) {
    case FormPart::kInTypes:
    case FormPart::kInTypesInBrackets:
      return false;
    case FormPart::kConstant:
    case FormPart::kNumberAttribute:
    case FormPart::kReduce:
    case FormPart::kScan:
    case FormPart::kWhile:
      return true;
    default:
      return part > FormPart::kDict && part < FormPart::kSliceRanges;
  }
}

inline bool group_is_there(const Module& m, OpId op, const FormStep& step, std::size_t fixed) {
  const Operation& row = m.ops[op];
  if (step.text == "none") return row.operand_count == 0;
  if (step.text == "*") return row.operand_count > fixed;
  if (step.text == "in") return row.operand_count > 0;
  if (step.text == "out") return row.result_count > 0;
  if (step.text == "<") {
    return row.result_count == 1 && m.value_shardings[result(m, op, 0)].valid();
  }
  return m.attrs.find(row.attributes, step.key).valid();
}

inline FormCover cover_of(TextWriteContext& c, OpId op, FormSteps steps) {
  FormCover cover;
  for (std::uint32_t i = steps.begin; i != steps.end; ++i) {
    const FormStep step = c.forms[i];
    if (step.part == FormPart::kGroup && !group_is_there(c.m, op, step, cover.operands)) {
      i += step.number;
      continue;
    }
    cover.entries |= part_entries(c.m, op, step.part);
    cover.result_types = cover.result_types || gives_result_types(step.part);
    switch (step.part) {
      case FormPart::kOperand:
        cover.operands = std::max<std::size_t>(cover.operands, step.number + std::size_t{1});
        break;
      case FormPart::kOperands:
      case FormPart::kOperandsEach:
        cover.all_operands = true;
        break;
      case FormPart::kAttribute:
      case FormPart::kSymbol:
        cover.entries |= entry_bit(c.m, op, step.key);
        break;
      case FormPart::kResultSharding:
        cover.result_sharding = true;
        break;
      case FormPart::kBody:
      case FormPart::kRegions:
        cover.regions = true;
        break;
      case FormPart::kReduce:
      case FormPart::kScan:
      case FormPart::kWhile:
        cover.regions = cover.all_operands = true;
        break;
      default:
        break;
    }
  }
  return cover;
}

// Whether the operands, regions and results have a place in the form.
inline bool covers(const Module& m, OpId op, const FormCover& cover) {
  const Operation& row = m.ops[op];
  if (row.operand_count < cover.operands) return false;
  if (row.operand_count > cover.operands && !cover.all_operands) return false;
  if (row.first_block.valid() && !cover.regions) return false;
  return row.result_count == 0 || cover.result_types;
}

inline bool write_attribute_step(TextWriteContext& c, OpId op, const FormStep& step) {
  if (step.part == FormPart::kResultSharding) {
    if (c.m.ops[op].result_count != 1) return false;
    const ShardingId sharding = c.m.value_shardings[result(c.m, op, 0)];
    if (!sharding.valid()) return false;
    write_sharding(c, sharding);
    return true;
  }
  const AttrId value = c.m.attrs.find(c.m.ops[op].attributes, step.key);
  if (!value.valid() || c.m.attrs.kind(value) == AttrKind::kTyped) return false;
  if (step.part == FormPart::kSymbol) return write_symbol_of(c, value);
  return step.attribute && write_own_attribute(c, op, *step.attribute, value, false);
}

// `%a, %b,`, from operand number `from` on.
inline void write_operands_each(TextWriteContext& c, OpId op, std::size_t from) {
  for (std::size_t i = from; i < c.m.ops[op].operand_count; ++i) {
    if (i != from) c.out += ' ';
    write_value(c, operand(c.m, op, i));
    c.out += ',';
  }
}

inline bool write_own_step(TextWriteContext& c, OpId op, FormPart part) {
  switch (part) {
    case FormPart::kSliceRanges:
      return write_slice_ranges(c, op);
    case FormPart::kDotDims:
      return write_dot_dims(c, op);
    case FormPart::kConvDims:
      return write_form_conv_dims(c, op);
    case FormPart::kWindow:
      return write_window(c, op);
    case FormPart::kFloatBits:
      return write_float_bits(c, op);
    case FormPart::kReduction:
      return write_reduction(c, op);
    case FormPart::kConstant:
      return write_constant(c, op);
    case FormPart::kNumberAttribute:
      return write_number_constant(c, op);
    case FormPart::kBody:
      return write_body(c, op);
    case FormPart::kRegions:
      return write_form_regions(c, op);
    case FormPart::kReduce:
      return write_reduce(c, op);
    case FormPart::kScan:
      return write_scan(c, op);
    default:
      return write_while(c, op);
  }
}

inline bool write_step(TextWriteContext& c, OpId op, const FormStep& step, const FormCover& cover) {
  switch (step.part) {
    case FormPart::kLiteral:
      c.out.append(step.written);
      return true;
    case FormPart::kOperand:
      write_value(c, operand(c.m, op, step.number));
      return true;
    case FormPart::kOperands:
      write_operands(c, op, cover.operands);
      return true;
    case FormPart::kOperandsEach:
      write_operands_each(c, op, cover.operands);
      return true;
    case FormPart::kAttribute:
    case FormPart::kSymbol:
    case FormPart::kResultSharding:
      return write_attribute_step(c, op, step);
    case FormPart::kDict:
      write_attr_dict(c, op, cover.entries);
      return true;
    default:
      return step.part < FormPart::kSliceRanges ? write_type_step(c, op, step.part)
                                                : write_own_step(c, op, step.part);
  }
}

// Writes `op` by its pretty form, from its name on. False, and nothing written, if it has none or
// the form cannot say all of it.
inline bool write_form(TextWriteContext& c, OpId op) {
  const auto key_of = [&c](std::string_view key) { return c.m.strings.find(key); };
  const FormSteps steps = c.forms.find(c.m.ops[op].name, op_name(c.m, op), key_of);
  if (steps.begin == steps.end) return false;
  const FormCover cover = cover_of(c, op, steps);
  if (!covers(c.m, op, cover)) return false;
  const std::size_t begin = c.out.size();
  write_op_name(c, op);
  for (std::uint32_t i = steps.begin; i != steps.end; ++i) {
    const FormStep step = c.forms[i];
    if (step.part == FormPart::kGroup) {
      if (!group_is_there(c.m, op, step, cover.operands)) i += step.number;
    } else if (!write_step(c, op, step, cover)) {
      c.out.resize(begin);
      return false;
    }
  }
  return true;
}

}  // namespace shardprop::detail

// Defines what this header only declares, so that it stands alone.
#include "shardprop/io/text/write/op.hpp"
