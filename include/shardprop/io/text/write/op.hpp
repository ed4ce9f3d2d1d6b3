// Operations, regions and locations in MLIR text, and the generic form, which any operation has:
//
//   %0 = "dialect.op"(%a, %b) <{dimension = 1 : i64}> ({
//   ^bb0(%x: tensor<f32>):
//     ...
//   }) {note = "text"} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "shardprop/io/common/sdy_attributes.hpp"
#include "shardprop/io/text/write/attribute.hpp"
#include "shardprop/io/text/write/context.hpp"
#include "shardprop/io/text/write/form.hpp"
#include "shardprop/io/text/write/sharding.hpp"
#include "shardprop/io/text/write/type.hpp"
#include "shardprop/support/text_list.hpp"

namespace shardprop::detail {

// ` loc(...)`, nothing where there is no location.
inline void write_location(TextWriteContext& c, LocId location) {
  if (!c.options.locations || !location.valid()) return;
  const LocationTable& table = c.m.locations.table;
  if (table.is_alias(location) && !table.is_defined(location)) return;
  c.out.append(table.is_alias(location) ? " loc(#" : " loc(").append(table.text(location)) += ')';
}

inline void write_region_argument(TextWriteContext& c, ValueId value) {
  write_value(c, value);
  c.out.append(": ");
  write_type(c, type_of(c.m, value));
  write_location(c, c.m.locations.of_value[value]);
}

inline void write_line_start(TextWriteContext& c) { c.out.append(2 * c.indent, ' '); }

inline void write_block_label(TextWriteContext& c, BlockId block) {
  write_line_start(c);
  c.out.append("^bb0(");
  append_list(c.out, c.m.blocks[block].arguments,
              [&](ValueId value) { write_region_argument(c, value); });
  c.out.append("):\n");
}

inline void write_ops(TextWriteContext& c, BlockId block) {
  ++c.indent;
  for (OpId op = c.m.blocks[block].first_op; op.valid(); op = c.m.layout[op].next) write_op(c, op);
  --c.indent;
}

inline void write_region(TextWriteContext& c, BlockId block, bool with_arguments) {
  WriteDepth depth(c);
  if (!depth.check()) return;
  const bool outer = c.in_func_body;
  c.in_func_body = false;
  c.out.append("{\n");
  if (with_arguments && !c.m.blocks[block].arguments.empty()) write_block_label(c, block);
  write_ops(c, block);
  write_line_start(c);
  c.out += '}';
  c.in_func_body = outer;
}

inline void write_op_name(TextWriteContext& c, OpId op) {
  constexpr std::string_view kFunc = "func.";
  const std::string_view name = op_name(c.m, op);
  c.out.append(c.in_func_body && name.starts_with(kFunc) ? name.substr(kFunc.size()) : name);
}

// The attributes that MLIR text has and the dictionary of an operation has not, or not so.
class WrittenDict {
 public:
  WrittenDict(TextWriteContext& c, OpId op, std::string_view open, std::string_view close)
      : c_(c), op_(op), open_(open), close_(close) {}

  // All entries but those of `written`, shardings and the rule in alphabetical order among them.
  void all_but(std::uint64_t written) {
    const AttrId dict = c_.m.ops[op_].attributes;
    shardings_ = has_result_shardings(c_.m, op_);
    rule_ = c_.m.ops[op_].rule.valid();
    if (dict.valid()) {
      std::size_t i = 0;
      for (const AttrEntry& one : c_.m.attrs.entries(dict)) {
        const bool done = i < 64 && (written >> i & 1) != 0;
        ++i;
        if (done) continue;
        add_before(c_.m.strings[one.key]);
        entry(one);
      }
    }
    add_before({});
    if (!first_) c_.out.append(close_);
  }

  // The entries that belong to the operation itself; gives their numbers as `all_but` takes them.
  std::uint64_t own_entries() {
    std::uint64_t written = 0;
    const AttrId dict = c_.m.ops[op_].attributes;
    if (dict.valid()) {
      std::size_t i = 0;
      for (const AttrEntry& one : c_.m.attrs.entries(dict)) {
        if (i < 64 && own_entry(one)) written |= std::uint64_t{1} << i;
        ++i;
      }
    }
    own_sharding();
    if (!first_) c_.out.append(close_);
    return written;
  }

 private:
  void next() {
    c_.out.append(first_ ? open_ : ", ");
    first_ = false;
  }

  // Adds what comes before `key` and was not added yet; all that is left for an empty one.
  void add_before(std::string_view key) {
    if (shardings_ && (key.empty() || key > kOpShardings)) {
      shardings_ = false;
      next();
      c_.out.append(kOpShardings).append(" = ");
      write_result_shardings(c_, op_);
    }
    if (rule_ && (key.empty() || key > kRuleKey)) {
      rule_ = false;
      next();
      c_.out.append(kRuleKey).append(" = ");
      write_rule_attribute(c_, c_.m.ops[op_].rule);
    }
  }

  void entry(const AttrEntry& one) {
    const bool is_shardings = c_.m.strings[one.key] == kOpShardings;
    next();
    if (own_value(one, is_shardings)) return;
    write_entry(c_, one);
  }

  // `key = value` as the operation's own attribute has it; nothing if it is none.
  bool own_value(const AttrEntry& one, bool is_shardings) {
    const std::string_view key = c_.m.strings[one.key];
    const std::size_t begin = c_.out.size();
    write_key(c_, key);
    c_.out.append(" = ");
    if (is_shardings || is_sharding_list(c_.m.ops[op_].name, key)) {
      c_.out.append("#sdy.sharding_per_value<");
      if (write_sharding_list(c_, one.value)) {
        c_.out += '>';
        return true;
      }
    } else if (write_op_attribute(c_, op_, key, one.value)) {
      // A unit is there by its name.
      constexpr std::string_view kUnit = " = unit";
      if (c_.out.ends_with(kUnit)) c_.out.resize(c_.out.size() - kUnit.size());
      return true;
    }
    c_.out.resize(begin);
    return false;
  }

  bool own_entry(const AttrEntry& one) {
    const std::size_t begin = c_.out.size();
    const bool was_first = first_;
    next();
    if (own_value(one, false)) return true;
    c_.out.resize(begin);
    first_ = was_first;
    return false;
  }

  // The sharding of the result where it is an attribute of the operation: `out_sharding`.
  void own_sharding() {
    const std::string_view key = result_sharding_attribute(c_.m.ops[op_].name);
    if (key.empty() || c_.m.ops[op_].result_count != 1) return;
    const ShardingId sharding = c_.m.value_shardings[result(c_.m, op_, 0)];
    if (!sharding.valid()) return;
    next();
    c_.out.append(key).append(" = ");
    write_sharding_attribute(c_, sharding);
  }

  static constexpr std::string_view kRuleKey = "sdy.sharding_rule";

  TextWriteContext& c_;
  OpId op_;
  std::string_view open_;
  std::string_view close_;
  bool first_ = true;
  bool shardings_ = false;
  bool rule_ = false;
};

inline void write_attr_dict(TextWriteContext& c, OpId op, std::uint64_t written) {
  WrittenDict(c, op, " {", "}").all_but(written);
}

inline void write_generic_op(TextWriteContext& c, OpId op) {
  write_string(c, op_name(c.m, op));
  c.out += '(';
  write_operands(c, op);
  c.out += ')';
  const std::uint64_t own = WrittenDict(c, op, " <{", "}>").own_entries();
  if (c.m.ops[op].first_block.valid()) {
    c.out.append(" (");
    for (BlockId b = c.m.ops[op].first_block; b.valid(); b = c.m.blocks[b].next_sibling) {
      if (b != c.m.ops[op].first_block) c.out.append(", ");
      write_region(c, b, true);
    }
    c.out += ')';
  }
  write_attr_dict(c, op, own);
  c.out.append(" : ");
  write_functional_type(c, op);
}

inline void write_op(TextWriteContext& c, OpId op) {
  write_line_start(c);
  if (c.m.ops[op].result_count > 0) {
    c.names.append_results(c.out, op);
    c.out.append(" = ");
  }
  if (c.options.generic || !write_form(c, op)) write_generic_op(c, op);
  write_location(c, c.m.locations.of_op[op]);
  c.out += '\n';
  // Operations around this one may still take back what they wrote.
  if (c.in_func_body && c.out.size() > kFullPiece) flush(c);
}

}  // namespace shardprop::detail
