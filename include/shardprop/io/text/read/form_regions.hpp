// Constants, and the operations whose pretty form has regions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "shardprop/io/text/numbers/float_format.hpp"
#include "shardprop/io/text/numbers/number.hpp"
#include "shardprop/io/text/read/context.hpp"
#include "shardprop/io/text/read/dense.hpp"
#include "shardprop/io/text/read/form_parts.hpp"
#include "shardprop/io/text/read/generic.hpp"
#include "shardprop/io/text/read/region.hpp"

namespace shardprop::detail {

inline bool read_dense_value(TextReadContext& c, TextOp& op) {
  TextElements elements;
  if (!read_tensor_elements(c, elements)) return false;
  if (!quantized_storage(c.m.strings[c.m.types.dtype(elements.type)]).empty()) {
    return fail(
        c, op.at, "text.constant", "the elements of a constant are of a quantized type",
        "give them with the type that is stored: () {value = dense<...> : ...} : () -> ...");
  }
  op.result_types.push_back(elements.type);
  return set_attribute(c, op, "value", elements.value);
}

// `{note = "x"} dense<1.0> : tensor<2xf32>`, or `() {value = dense<...> : ...} : () -> type`.
inline bool read_constant(TextReadContext& c, TextOp& op) {
  if (c.in.accept('(')) {
    return expect(c, ')') && read_properties(c, op) && read_optional_attributes(c, op.attributes) &&
           read_generic_types(c, op) && check_constant(c, op);
  }
  return read_optional_attributes(c, op.attributes) && read_dense_value(c, op);
}

// `1 : i32`, `true`, `1.5 : f32`, or elements of a tensor.
inline bool read_number_constant(TextReadContext& c, TextOp& op) {
  if (!read_optional_attributes(c, op.attributes)) return false;
  if (c.in.peek() == 'd') return read_dense_value(c, op);
  const char* const from = c.in.here();
  AttrId value;
  TypeId type;
  if (!read_element(c, "i1", value)) return false;
  const char* end = c.in.raw();
  if (c.in.accept(':')) {
    if (!read_type(c, type)) return false;
    end = c.in.raw();
  } else {
    const AttrKind kind = c.m.attrs.kind(value);
    const std::string_view text = c.in.since(from);
    const bool is_word = text.starts_with('t') || text.starts_with('f');
    type = c.m.types.non_tensor(c.m.strings.intern(is_word                    ? "i1"
                                                   : kind == AttrKind::kFloat ? "f64"
                                                                              : "i64"));
  }
  if (c.m.types.is_tensor(type)) {
    return fail(c, from, "text.constant", "a tensor is not a number",
                "write its elements as dense<1> : tensor<2xi32>");
  }
  const std::string dtype(c.m.strings[c.m.types.dtype(type)]);
  c.in.go_to(from);
  if (!read_element(c, dtype, value)) return false;
  c.in.go_to(end);
  if (!is_number_of(c.m, value, dtype)) value = typed_attribute(c, value, from);
  op.result_types.push_back(type);
  return set_attribute(c, op, "value", value);
}

// `(%a: type, %b: type) {...}`
inline bool read_body(TextReadContext& c, TextOp& op) {
  TextBlockArguments arguments;
  return read_block_arguments(c, arguments) && make_op(c, op) && read_region(c, op, arguments);
}

// `({...}, {...})`, which may be missing.
inline bool read_form_regions(TextReadContext& c, TextOp& op) {
  if (c.in.peek() != '(') return true;
  return make_op(c, op) && read_generic_regions(c, op);
}

// --- while ---

// `%iterArg = %0`: an argument of both regions and the operand that it begins with.
inline bool read_while_operand(TextReadContext& c, TextOp& op, TextBlockArguments& arguments) {
  TextBlockArgument argument;
  argument.at = c.in.here();
  argument.name = c.in.value_name();
  if (argument.name.empty()) return fail_expected(c, "an argument, such as %iterArg = %0");
  arguments.push_back(argument);
  ValueId value;
  if (!expect(c, '=') || !read_operand(c, value)) return false;
  op.operands.push_back(value);
  return true;
}

// `(%iterArg = %0) : type attributes {...} cond {...} do {...}`
inline bool read_while(TextReadContext& c, TextOp& op) {
  TextBlockArguments arguments;
  if (!expect(c, '(')) return false;
  if (!c.in.accept(')')) {
    do {
      if (!read_while_operand(c, op, arguments)) return false;
    } while (c.in.accept(','));
    if (!expect(c, ')') || !expect(c, ':') || !read_pair_types(c, op)) return false;
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) arguments[i].type = op.result_types[i];
  if (c.in.accept_word("attributes") && !read_optional_attributes(c, op.attributes)) return false;
  return make_op(c, op) && expect_word(c, "cond") && read_region(c, op, arguments) &&
         expect_word(c, "do") && read_region(c, op, arguments);
}

// --- reduce ---

// `(%a init: %b), (%c init: %d)`: the inputs come first among the operands.
inline bool read_reduce_operands(TextReadContext& c, TextOp& op) {
  TextOperands inits;
  do {
    ValueId input;
    ValueId init;
    if (!expect(c, '(') || !read_operand(c, input) || !expect_word(c, "init") || !expect(c, ':') ||
        !read_operand(c, init) || !expect(c, ')'))
      return false;
    op.operands.push_back(input);
    inits.push_back(init);
  } while (c.in.accept(','));
  op.operands.append({inits.data(), inits.size()});
  return true;
}

// The region that `applies stablehlo.add` stands for.
inline bool make_reduce_region(TextReadContext& c, TextOp& op, StringId inner) {
  const TypeId input = type_of(c.m, op.operands[0]);
  const TypeId type = c.m.types.tensor(c.m.types.dtype(input), {});
  TextBlockArguments arguments(2, TextBlockArgument());
  arguments[0].type = arguments[1].type = type;
  const BlockId block = append_region(c, op, arguments);
  const std::array<ValueId, 2> operands = {c.m.blocks[block].arguments[0],
                                           c.m.blocks[block].arguments[1]};
  const OpId made = create_op(c.m, at_end(block),
                              {.name = inner, .operands = operands, .result_types = {&type, 1}});
  const ValueId value = result(c.m, made, 0);
  create_op(c.m, at_end(block), {.name = known::kReturn, .operands = {&value, 1}});
  return true;
}

// `reducer(%x: type, %y: type) (...) {...}`: a pair for each input; the first ones of the pairs
// come first among the arguments.
inline bool read_reducer(TextReadContext& c, TextOp& op) {
  if (!expect_word(c, "reducer")) return false;
  TextBlockArguments arguments;
  TextBlockArguments seconds;
  while (c.in.peek() == '(') {
    TextBlockArgument first;
    TextBlockArgument second;
    if (!expect(c, '(') || !read_block_argument(c, first) || !expect(c, ',') ||
        !read_block_argument(c, second) || !expect(c, ')'))
      return false;
    arguments.push_back(first);
    seconds.push_back(second);
  }
  arguments.append({seconds.data(), seconds.size()});
  return read_region(c, op, arguments);
}

// `(%a init: %b) applies stablehlo.add across dimensions = [1] : types`, or with a region.
inline bool read_reduce(TextReadContext& c, TextOp& op) {
  if (!read_reduce_operands(c, op)) return false;
  StringId inner;
  if (c.in.accept_word("applies")) {
    const char* const at = c.in.here();
    if (c.in.peek() == '"') {
      if (!read_string(c, inner)) return false;
    } else {
      inner = c.m.strings.intern(c.in.word());
    }
    if (!is_reduce_op(c.m.strings[inner]) || !c.m.types.is_tensor(type_of(c.m, op.operands[0]))) {
      return fail(c, at, "text.reduce",
                  "a reduce of tensors can apply stablehlo.add, and, maximum, "
                  "minimum, multiply, or, xor",
                  "write another reduction as a region: reducer(%x: type, %y: type) {...}");
    }
  }
  AttrId dimensions;
  if (!expect_word(c, "across") || !expect_word(c, "dimensions") || !expect(c, '=') ||
      !read_bare_ints(c, dimensions) || !set_attribute(c, op, "dimensions", dimensions) ||
      !read_optional_attributes(c, op.attributes) || !expect(c, ':') ||
      !read_op_function_type(c, op) || !make_op(c, op))
    return false;
  return inner.valid() ? make_reduce_region(c, op, inner) : read_reducer(c, op);
}

// --- scan ---

// `(%a, %b)`, added to the operands; gives how many.
inline bool read_operands_in_brackets(TextReadContext& c, TextOp& op, std::int64_t& count) {
  const std::size_t before = op.operands.size();
  if (!expect(c, '(')) return false;
  if (!c.in.accept(')') && (!read_operands(c, op.operands) || !expect(c, ')'))) return false;
  count = static_cast<std::int64_t>(op.operands.size() - before);
  return true;
}

// `(%a) inits (%b) dimension=0 attributes {...} {...} : types`. In generic form two attributes say
// how many of the operands are inputs, and how many of the results are outputs.
inline bool read_scan(TextReadContext& c, TextOp& op) {
  std::int64_t inputs = 0;
  std::int64_t inits = 0;
  std::int64_t dimension = 0;
  if (!read_operands_in_brackets(c, op, inputs) || !expect_word(c, "inits") ||
      !read_operands_in_brackets(c, op, inits) || !expect_word(c, "dimension") || !expect(c, '=') ||
      !read_integer(c, dimension) ||
      !set_attribute(c, op, "dimension", c.m.attrs.integer(dimension)))
    return false;
  if (c.in.accept_word("attributes") && !read_optional_attributes(c, op.attributes)) return false;
  if (!make_op(c, op) || !read_region(c, op) || !expect(c, ':') || !read_op_function_type(c, op))
    return false;
  const std::int64_t outputs = static_cast<std::int64_t>(op.result_types.size()) - inits;
  if (outputs < 0) {
    return fail(c, op.at, "text.result_count", "a scan has fewer results than initial values",
                "give it a result for each initial value, after its outputs");
  }
  const std::int64_t operand_counts[] = {inputs, inits};
  const std::int64_t result_counts[] = {outputs, inits};
  return set_attribute(c, op, "operandSegmentSizes", c.m.attrs.ints(operand_counts)) &&
         set_attribute(c, op, "resultSegmentSizes", c.m.attrs.ints(result_counts));
}

}  // namespace shardprop::detail
