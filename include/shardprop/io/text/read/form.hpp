// Reading an operation by its pretty form: the steps of forms/form.hpp one after the other.
#pragma once

#include <cstdint>
#include <string_view>

#include "fmt/core.h"
#include "shardprop/io/text/forms/form.hpp"
#include "shardprop/io/text/read/context.hpp"
#include "shardprop/io/text/read/form_parts.hpp"
#include "shardprop/io/text/read/form_regions.hpp"

namespace shardprop::detail {

inline bool accept_literal(TextReadContext& c, const FormStep& step) {
  if (step.text.size() == 1 && !step.is_word) return c.in.accept(step.text[0]);
  if (step.text.empty()) return true;  // blanks
  return step.is_word ? c.in.accept_word(step.text) : c.in.accept(step.text);
}

// Whether the text that group number `at` begins with comes next.
inline bool group_comes(TextReadContext& c, std::uint32_t at, const FormStep& group) {
  if (group.text == "none") return c.in.peek() == '(';
  const char* const from = c.in.here();
  bool comes = true;
  for (std::uint32_t i = at + 1; comes && i <= at + group.number; ++i) {
    const FormStep step = c.forms[i];
    if (step.part == FormPart::kOperands) comes = c.in.peek() == '%';
    if (step.part != FormPart::kLiteral) break;
    comes = accept_literal(c, step);
  }
  c.in.go_to(from);
  return comes;
}

// `%a, %b`, or nothing.
inline bool read_form_operands(TextReadContext& c, TextOp& op) {
  return c.in.peek() != '%' || read_operands(c, op.operands);
}

// `%a, %b,`, or nothing.
inline bool read_operands_each(TextReadContext& c, TextOp& op) {
  while (c.in.peek() == '%') {
    ValueId value;
    if (!read_operand(c, value) || !expect(c, ',')) return false;
    op.operands.push_back(value);
  }
  return true;
}

inline bool read_operand_step(TextReadContext& c, TextOp& op) {
  ValueId value;
  if (!read_operand(c, value)) return false;
  op.operands.push_back(value);
  return true;
}

inline bool read_attribute_step(TextReadContext& c, TextOp& op, const FormStep& step) {
  AttrId value;
  if (step.part == FormPart::kSymbol) {
    if (!read_symbol_name(c, value)) return false;
  } else if (step.part == FormPart::kResultSharding) {
    ShardingId sharding;
    if (!read_sharding_body(c, sharding)) return false;
    value = c.m.attrs.sharding(sharding);
  } else if (!(step.attribute ? read_bare_attribute(c, *step.attribute, value)
                              : read_plain_attribute(c, value))) {
    return false;
  }
  op.attributes.push_back({step.key, value});
  return true;
}

inline bool read_type_step(TextReadContext& c, TextOp& op, FormPart part) {
  switch (part) {
    case FormPart::kFunctionType:
      return read_op_function_type(c, op);
    case FormPart::kSameType:
      return read_same_type(c, op);
    case FormPart::kOutTypes:
      return read_types(c, op.result_types);
    case FormPart::kInTypes:
      return read_operand_types(c, op);
    case FormPart::kInType:
      return read_operand_type(c, op);
    case FormPart::kInTypesInBrackets:
      return expect(c, '(') && read_operand_types(c, op) && expect(c, ')');
    case FormPart::kPairTypes:
      return read_pair_types(c, op);
    case FormPart::kSelectType:
      return read_select_type(c, op);
    case FormPart::kComplexType:
      return read_complex_type(c, op);
    case FormPart::kTupleType:
      return read_tuple_type(c, op);
    default:
      return read_arrow_types(c, op);
  }
}

// Parts that single operations have.
inline bool read_own_step(TextReadContext& c, TextOp& op, FormPart part) {
  AttrId value;
  switch (part) {
    case FormPart::kSliceRanges:
      return read_slice_ranges(c, op);
    case FormPart::kDotDims:
      return read_dot_dims(c, op);
    case FormPart::kConvDims:
      return read_conv_dims(c, value) && set_attribute(c, op, "dimension_numbers", value);
    case FormPart::kWindow:
      return read_window(c, op);
    case FormPart::kFloatBits:
      return read_float_bits(c, op);
    case FormPart::kReduction:
      return read_reduction(c, op);
    case FormPart::kConstant:
      return read_constant(c, op);
    case FormPart::kNumberAttribute:
      return read_number_constant(c, op);
    case FormPart::kBody:
      return read_body(c, op);
    case FormPart::kRegions:
      return read_form_regions(c, op);
    case FormPart::kReduce:
      return read_reduce(c, op);
    case FormPart::kScan:
      return read_scan(c, op);
    default:
      return read_while(c, op);
  }
}

inline bool read_step(TextReadContext& c, TextOp& op, const FormStep& step) {
  switch (step.part) {
    case FormPart::kLiteral:
      return accept_literal(c, step) || fail_expected(c, fmt::format("'{}'", step.text));
    case FormPart::kOperand:
      return read_operand_step(c, op);
    case FormPart::kOperands:
      return read_form_operands(c, op);
    case FormPart::kOperandsEach:
      return read_operands_each(c, op);
    case FormPart::kAttribute:
    case FormPart::kSymbol:
    case FormPart::kResultSharding:
      return read_attribute_step(c, op, step);
    case FormPart::kDict:
      return read_optional_attributes(c, op.attributes);
    default:
      return step.part < FormPart::kSliceRanges ? read_type_step(c, op, step.part)
                                                : read_own_step(c, op, step.part);
  }
}

// Reads the operation `op.name` by its pretty form, from after its name, and finishes it.
// `known` is false, and nothing read, if it has none.
inline bool read_form(TextReadContext& c, TextOp& op, bool& known) {
  const auto key_of = [&c](std::string_view key) { return c.m.strings.intern(key); };
  const FormSteps steps = c.forms.find(op.name, c.m.strings[op.name], key_of);
  known = steps.begin != steps.end;
  if (!known) return true;
  for (std::uint32_t i = steps.begin; i != steps.end; ++i) {
    const FormStep step = c.forms[i];
    if (step.part == FormPart::kGroup) {
      if (!group_comes(c, i, step)) i += step.number;
    } else if (!read_step(c, op, step)) {
      return false;
    }
  }
  return finish_op(c, op);
}

}  // namespace shardprop::detail
