// The generic form, in which every operation of any dialect can be written:
//   "dialect.op"(%a, %b) <{property = 1 : i64}> ({region}, {region}) {attribute = 2 : i64}
//       : (type, type) -> type
#pragma once

#include <cstddef>
#include <string>

#include "fmt/core.h"
#include "shardprop/io/text/forms/attribute_rows.hpp"
#include "shardprop/io/text/numbers/float_format.hpp"
#include "shardprop/io/text/read/attribute.hpp"
#include "shardprop/io/text/read/context.hpp"
#include "shardprop/io/text/read/plain.hpp"
#include "shardprop/io/text/read/type.hpp"
#include "shardprop/ir/print.hpp"

namespace shardprop::detail {

// Checks the types that the text gives for the operands. Error: `text.operand_types`.
inline bool check_operand_types(TextReadContext& c, const TextOp& op, const TextTypes& types,
                                const char* at) {
  if (types.size() != op.operands.size()) {
    return fail(c, at, "text.operand_types",
                fmt::format("{} types for {} operands", types.size(), op.operands.size()),
                "give the type of each operand");
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (type_of(c.m, op.operands[i]) == types[i]) continue;
    return fail(c, at, "text.operand_types",
                fmt::format("operand {} is of type {}, the text says {}", i,
                            to_string(c.m, type_of(c.m, op.operands[i])), to_string(c.m, types[i])),
                "give the type with which the value was defined");
  }
  return true;
}

// `<{...}>`, which may be missing.
inline bool read_properties(TextReadContext& c, TextOp& op) {
  if (c.in.peek() != '<') return true;
  c.in.advance();
  return read_optional_attributes(c, op.attributes) && expect(c, '>');
}

// `({...}, {...})`, which may be missing.
inline bool read_generic_regions(TextReadContext& c, TextOp& op) {
  if (c.in.peek() != '(') return true;
  c.in.advance();
  do {
    if (!read_region(c, op)) return false;
  } while (c.in.accept(','));
  return expect(c, ')');
}

// `: (type, type) -> type`
inline bool read_generic_types(TextReadContext& c, TextOp& op) {
  if (!expect(c, ':')) return false;
  const char* const at = c.in.here();
  TextTypes inputs;
  return read_function_type(c, inputs, op.result_types) && check_operand_types(c, op, inputs, at);
}

// Checks the value of a constant of tensor type: elements, `dense<...> : type`, of that type. The
// elements of a quantized constant are of the type that is stored. Error: `text.constant`.
inline bool check_constant(TextReadContext& c, const TextOp& op) {
  const OpAttributeRow* const row = find_op_attribute(c.m.strings[op.name], "value");
  if (row == nullptr || row->kind != OpAttributeKind::kElements || op.result_types.size() != 1)
    return true;
  const TypeId result = op.result_types[0];
  TypeId expected = result;
  const std::string stored = quantized_storage(c.m.strings[c.m.types.dtype(result)]);
  if (!stored.empty() && c.m.types.is_tensor(result)) {
    const SmallVector<std::int64_t, 8> shape(c.m.types.shape(result));
    expected = c.m.types.tensor(c.m.strings.intern(stored), {shape.data(), shape.size()});
  }
  for (const AttrEntry& entry : op.attributes) {
    if (c.m.strings[entry.key] != "value") continue;
    const TypeId type = element_type(c, entry.value);
    // A constant of arith may be a number.
    const bool is_number = !type.valid() && !c.m.types.is_tensor(result);
    if (is_number && c.m.strings[op.name] == "arith.constant") continue;
    if (!type.valid()) {
      return fail(c, op.at, "text.constant", "the value of the constant has no elements",
                  "write it as value = dense<...> : tensor<...>");
    }
    if (type == expected) continue;
    return fail(c, op.at, "text.constant",
                fmt::format("the elements of the constant are of type {}, its result of type {}",
                            to_string(c.m, type), to_string(c.m, expected)),
                "give the type of the result after dense<...>");
  }
  return true;
}

// Reads an operation in generic form; its name is read.
inline bool read_generic_form(TextReadContext& c, TextOp& op) {
  if (!expect(c, '(')) return false;
  if (!c.in.accept(')') && (!read_operands(c, op.operands) || !expect(c, ')'))) return false;
  if (c.in.peek() == '[') {
    return fail_expected(c, "no successors",
                         "only operations without branches to other blocks can be read");
  }
  return read_properties(c, op) && make_op(c, op) && read_generic_regions(c, op) &&
         read_optional_attributes(c, op.attributes) && read_generic_types(c, op) &&
         check_constant(c, op) && finish_op(c, op);
}

}  // namespace shardprop::detail
