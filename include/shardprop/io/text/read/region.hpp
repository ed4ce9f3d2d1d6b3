// Regions: `{ ... }` with one block, whose arguments stand in the label `^bb0(%a: type):` or in the
// notation of the operation.
#pragma once

#include <cstddef>

#include "shardprop/io/text/read/context.hpp"
#include "shardprop/io/text/read/location.hpp"
#include "shardprop/io/text/read/type.hpp"

namespace shardprop::detail {

// `%a: tensor<f32> loc(...)`
inline bool read_block_argument(TextReadContext& c, TextBlockArgument& out) {
  out.at = c.in.here();
  out.name = c.in.value_name();
  if (out.name.empty()) return fail_expected(c, "an argument, such as %arg0: tensor<f32>");
  return expect(c, ':') && read_type(c, out.type) && read_optional_location(c, out.location);
}

// `(%a: type, %b: type)`
inline bool read_block_arguments(TextReadContext& c, TextBlockArguments& out) {
  if (!expect(c, '(')) return false;
  if (c.in.accept(')')) return true;
  do {
    TextBlockArgument argument;
    if (!read_block_argument(c, argument)) return false;
    out.push_back(argument);
  } while (c.in.accept(','));
  return expect(c, ')');
}

// `^bb0(%a: type):`, which may be missing.
inline bool read_label(TextReadContext& c, TextBlockArguments& out) {
  if (c.in.peek() != '^') return true;
  c.in.advance();
  if (c.in.suffix().empty()) return fail_expected(c, "the name of a block after '^'");
  if (c.in.peek() == '(' && !read_block_arguments(c, out)) return false;
  return expect(c, ':');
}

// Names the arguments of a block and notes their locations.
inline bool name_arguments(TextReadContext& c, BlockId block, const TextBlockArguments& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ValueId value = c.m.blocks[block].arguments[i];
    const TextBlockArgument& argument = arguments[i];
    if (!argument.name.empty() && !define_values(c, argument.name, value, 1, argument.at))
      return false;
    if (argument.location.valid()) c.m.locations.of_value.set(value, argument.location);
  }
  return true;
}

// A return, which was read from `at` on, makes no values and ends its block.
inline bool check_return(TextReadContext& c, OpId op, const char* at) {
  const StringId name = c.m.ops[op].name;
  if (name != known::kFuncReturn && name != known::kReturn && name != known::kSdyReturn)
    return true;
  if (c.m.ops[op].result_count != 0) {
    return fail(c, at, "text.result_count", "a return has no results", "leave its results out");
  }
  const bool ends = c.in.peek() == '}' || c.in.peek() == '^' || c.in.at_end();
  if (ends) return true;  // the caller says what is wrong with the last two
  return fail(c, c.in.here(), "text.after_return", "operations follow the return of a block",
              "end the block here, or move the return to its end");
}

// The operations of a block up to `}`, which is read.
inline bool read_block_ops(TextReadContext& c, BlockId block) {
  while (!c.in.accept('}')) {
    if (c.in.peek() == '^') {
      return fail(c, c.in.here(), "text.several_blocks", "a region has more than one block",
                  "only regions of one block can be read: write branches as stablehlo.if, "
                  "stablehlo.case or stablehlo.while");
    }
    if (c.in.at_end()) return fail_expected(c, "an operation or '}'");
    const char* const at = c.in.here();
    if (!read_op(c, block) || !check_return(c, c.m.blocks[block].last_op, at)) return false;
  }
  return true;
}

// Makes a block as the next region of the operation. O(1).
inline BlockId append_region(TextReadContext& c, TextOp& op, const TextBlockArguments& arguments) {
  TextTypes types;
  for (const TextBlockArgument& argument : arguments) types.push_back(argument.type);
  const BlockId block = create_block(c.m, {types.data(), types.size()});
  c.m.blocks[block].parent_op = op.op;
  BlockId& link =
      op.last_region.valid() ? c.m.blocks[op.last_region].next_sibling : c.m.ops[op.op].first_block;
  link = block;
  op.last_region = block;
  return block;
}

inline bool read_region(TextReadContext& c, TextOp& op, const TextBlockArguments& arguments) {
  TextDepth depth(c);
  if (!depth.check() || !expect(c, '{')) return false;
  TextBlockArguments labelled;
  if (arguments.empty() && !read_label(c, labelled)) return false;
  const TextBlockArguments& all = arguments.empty() ? labelled : arguments;
  const BlockId block = append_region(c, op, all);
  c.names.enter();
  const bool read = name_arguments(c, block, all) && read_block_ops(c, block);
  c.names.leave();
  return read;
}

}  // namespace shardprop::detail
