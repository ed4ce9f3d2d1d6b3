// The generic form, in which every operation of any dialect can be written:
//   "dialect.op"(%a, %b) <{property = 1 : i64}> ({region}, {region}) {attribute = 2 : i64}
//       : (type, type) -> type
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "shardprop/io/text_context.hpp"
#include "shardprop/io/text_read_attribute.hpp"
#include "shardprop/io/text_read_type.hpp"

namespace shardprop::detail {

// Checks the types that the text gives for the operands. Error: `text.operand_types`.
inline bool check_operand_types(TextReadContext& c, const TextOp& op, const TextTypes& types,
                                const char* at) {
  if (types.size() != op.operands.size()) {
    return fail(c, at, "text.operand_types",
                format_text("{} types for {} operands", types.size(), op.operands.size()),
                "give the type of each operand");
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (type_of(c.m, op.operands[i]) == types[i]) continue;
    return fail(c, at, "text.operand_types",
                format_text("operand {} has another type than the text says", i),
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

// The type of `dense<...> : type` or `dense_resource<...> : type`; empty of any other text.
inline std::string_view type_behind_elements(std::string_view text, std::size_t max_depth) {
  TextCursor in(text);
  const std::string_view word = in.word();
  if (word != "dense" && word != "dense_resource") return {};
  if (!in.skip_brackets(max_depth) || !in.accept(':')) return {};
  const char* const from = in.here();
  return text.substr(static_cast<std::size_t>(from - text.data()));
}

// Checks the value of a constant: elements, `dense<...> : type`, of the type of the result. The
// result of a quantized constant has another type than its elements. Error: `text.constant`.
inline bool check_generic_constant(TextReadContext& c, const TextOp& op) {
  const std::string_view name = c.m.strings[op.name];
  const bool is_constant = name == "stablehlo.constant" || name == "sdy.constant";
  if (!is_constant || op.result_types.size() != 1) return true;
  for (const AttrEntry& entry : op.attributes) {
    if (c.m.strings[entry.key] != "value" || c.m.attrs.kind(entry.value) == AttrKind::kData)
      continue;
    const std::string text = c.m.attrs.kind(entry.value) == AttrKind::kTyped
                                 ? std::string(c.m.strings[c.m.attrs.typed_text(entry.value)])
                                 : std::string();
    const std::string_view type_text = type_behind_elements(text, c.options.max_depth);
    TypeId type;
    if (type_text.empty()) {
      return fail(c, op.at, "text.constant", "the value of the constant has no elements",
                  "write it as value = dense<...> : tensor<...>");
    }
    if (!make_type(c, type_text, op.at, type)) return false;
    const TypeId result = op.result_types[0];
    if (type == result || c.m.strings[c.m.types.dtype(result)].starts_with("!quant.")) continue;
    return fail(c, op.at, "text.constant", "the constant has another type than its result",
                "let the type behind dense<...> be that of the result");
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
         check_generic_constant(c, op) && finish_op(c, op);
}

}  // namespace shardprop::detail
