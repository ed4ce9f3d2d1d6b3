// Operations and blocks. Each is read in two steps, so that what a region holds can be read in
// between, from the tape or straight from the document: `begin_op` makes the operation with its
// operands and results, `finish_op` adds the rest.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "fmt/core.h"
#include "shardprop/io/common/sdy_attributes.hpp"
#include "shardprop/io/json/context.hpp"
#include "shardprop/io/json/read_attribute.hpp"
#include "shardprop/io/json/read_sharding.hpp"
#include "shardprop/io/json/read_value.hpp"
#include "shardprop/ir/edit.hpp"
#include "shardprop/sharding/rule_text.hpp"

namespace shardprop::detail {

using Operands = SmallVector<ValueId, 8>;

// The values that are known; an unknown one is reported and left out.
inline Operands read_operands(ReadContext& c, NodeId list) {
  Operands operands;
  if (!expect_list(c, list, "the operands")) return operands;
  for (NodeId item : c.tape.items(list)) {
    const auto name = read_string(c, item, "an operand");
    if (!name) continue;
    const ValueId value = find_value(c, *name, item);
    if (value.valid()) operands.push_back(value);
  }
  return operands;
}

// Makes the operation at the end of `block`, also if something is wrong with it, so that what uses
// its results is not wrong for that. `at` is the operation's object.
inline OpId begin_op(ReadContext& c, const ObjectFields& fields, NodeId at, BlockId block) {
  c.op_name = StringId();
  std::string_view name;
  if (require_fields(c, at, kOpObject, fields)) {
    name = read_name(c, fields[Field::kOp], "the name of an operation").value_or("");
  }
  if (!name.empty()) c.op_name = c.m.strings.intern(name);
  Operands operands;
  if (fields.has(Field::kOperands)) operands = read_operands(c, fields[Field::kOperands]);
  DeclaredValues declared;
  if (fields.has(Field::kResults)) {
    declared =
        read_declared_list(c, fields[Field::kResults], "the results", {.may_lack_type = true});
  }
  SmallVector<TypeId, 4> types;
  for (const DeclaredValue& value : declared) types.push_back(value.type);
  const OpId op = create_op(c.m, at_end(block),
                            {.name = name,
                             .operands = {operands.data(), operands.size()},
                             .result_types = {types.data(), types.size()}});
  define_values(c, results(c.m, op), declared);
  return op;
}

// The sharding that an sdy operation has as an attribute becomes that of its result.
inline void read_result_sharding(ReadContext& c, OpId op, NodeId key) {
  const ShardingId sharding = read_sharding(c, key + 1);
  const ValueId value = result(c.m, op, 0);
  if (c.m.value_shardings[value].valid()) {
    report(c, key, "json.duplicate_sharding",
           "the result has a sharding of its own besides this attribute", "keep the attribute");
    return;
  }
  c.m.value_shardings[value] = sharding;
  check_sharding(c, sharding, type_of(c.m, value), key + 1);
}

inline AttrId read_op_attributes(ReadContext& c, OpId op, NodeId at) {
  if (c.tape.kind(at) != JsonKind::kObject) {
    report_kind(c, at, "attributes", "an object");
    return AttrId();
  }
  const bool has_result = c.m.ops[op].result_count == 1;
  const std::string_view result_key =
      has_result ? result_sharding_attribute(c.m.ops[op].name) : std::string_view();
  const AttrEntries entries = read_entries(c, at, [&](NodeId key) -> std::optional<AttrId> {
    const std::string_view name = c.tape.text(key);
    if (!result_key.empty() && name == result_key) {
      read_result_sharding(c, op, key);
      return AttrId();
    }
    if (is_sharding_list(c.m.ops[op].name, name)) return read_sharding_list(c, key + 1, false);
    return refuse_hidden_sharding(c, key);
  });
  return entries.empty() ? AttrId() : c.m.attrs.dict({entries.data(), entries.size()});
}

// The field `sharding` of an operation without results.
inline void read_op_shardings(ReadContext& c, OpId op, NodeId at) {
  if (c.m.ops[op].result_count == 0) {
    set_attribute(c.m, op, kOpShardings, read_sharding_list(c, at, true));
    return;
  }
  report(c, at, "json.misplaced_sharding", "an operation with results has no sharding of its own",
         "put the sharding of each result in that result");
}

inline void read_rule(ReadContext& c, OpId op, NodeId at) {
  const auto text = read_string(c, at, "the sharding rule");
  if (!text) return;
  const Result<OpShardingRule> rule = parse_rule(*text);
  if (rule) {
    c.m.ops[op].rule = c.m.rules.intern(*rule);
  } else {
    report_all(c, at, rule.errors());
  }
}

// Whether inference has all it builds on: types of operands, and of what the regions hold.
inline bool can_infer_types(const ReadContext& c, OpId op) {
  for (UseId use : operand_uses(c.m, op)) {
    if (!type_of(c.m, c.m.uses[use].value).valid()) return false;
  }
  return !c.m.ops[op].first_block.valid() || c.error_count == c.errors_before_func;
}

// Infers the types that results lack. After another error in what it depends on a result is left
// without a type, in silence.
inline void infer_result_types(ReadContext& c, OpId op, std::size_t errors_before, NodeId at) {
  bool lacks_type = false;
  for (ValueId value : results(c.m, op)) lacks_type = lacks_type || !type_of(c.m, value).valid();
  if (!lacks_type || c.error_count != errors_before || !can_infer_types(c, op)) return;
  if (!c.options.infer_types) {
    report(c, at, "json.missing_type", "a result has no shape and dtype",
           "give the types of all results, or read with type inference");
    return;
  }
  Diagnostics wrong;
  const auto types = c.options.infer_types(c.m, op, wrong);
  report_all(c, at, wrong);
  if (c.error_count != errors_before) return;
  if (!types || types->size() != c.m.ops[op].result_count) {
    report(c, at, "json.missing_type",
           fmt::format("{} types were inferred for {} results", types ? types->size() : 0,
                       c.m.ops[op].result_count),
           "let the operation have as many results as types are inferred");
    return;
  }
  for (std::size_t i = 0; i < types->size(); ++i) {
    const ValueId value = result(c.m, op, i);
    if (type_of(c.m, value).valid()) continue;
    set_type(c.m, value, (*types)[i]);
    check_sharding(c, c.m.value_shardings[value], (*types)[i], at);
  }
}

// Adds attributes, shardings, the rule and the types that are inferred. `errors_before` is what
// `c.error_count` was before the operation began.
inline void finish_op(ReadContext& c, const ObjectFields& fields, NodeId at, OpId op,
                      std::size_t errors_before) {
  c.op_name = c.m.ops[op].name;
  if (fields.has(Field::kAttributes)) {
    const AttrId attributes = read_op_attributes(c, op, fields[Field::kAttributes]);
    c.m.ops[op].attributes = attributes;
  }
  if (fields.has(Field::kSharding)) read_op_shardings(c, op, fields[Field::kSharding]);
  if (fields.has(Field::kShardingRule)) read_rule(c, op, fields[Field::kShardingRule]);
  infer_result_types(c, op, errors_before, at);
  c.op_name = StringId();
}

inline DeclaredValues read_arguments(ReadContext& c, const ObjectFields& fields) {
  if (!fields.has(Field::kArguments)) return {};
  return read_declared_list(c, fields[Field::kArguments], "the arguments", {});
}

// Adds a block to `op`.
inline BlockId begin_block(ReadContext& c, const ObjectFields& fields, OpId op) {
  const DeclaredValues declared = read_arguments(c, fields);
  SmallVector<TypeId, 4> types;
  for (const DeclaredValue& value : declared) types.push_back(value.type);
  const BlockId block = append_block(c.m, op, {types.data(), types.size()});
  define_values(c, c.m.blocks[block].arguments, declared);
  return block;
}

// The end of the list `ops` of `block`, which must have a terminator. `at` is the object that has
// the list.
inline void finish_block(ReadContext& c, BlockId block, NodeId at) {
  close_block(c, block);
  const OpId last = terminator(c.m, block);
  if (last.valid() && c.m.ops[last].result_count == 0) return;
  report(c, at, "json.missing_terminator",
         last.valid()
             ? fmt::format("the last operation is {}, which returns nothing from its block",
                           op_name(c.m, last))
             : "a block has no operations",
         "end it with func.return, stablehlo.return or sdy.return");
}

inline void read_ops(ReadContext& c, NodeId list, BlockId block);

inline void read_block(ReadContext& c, NodeId node, OpId op) {
  ObjectFields fields;
  if (!collect_fields(c, node, kBlockObject, fields)) return;
  const BlockId block = begin_block(c, fields, op);
  const std::size_t before = c.error_count;
  read_ops(c, fields[Field::kOps], block);
  // After an error the last operation may be missing only because it could not be read.
  if (c.error_count == before) finish_block(c, block, node);
}

inline void read_blocks(ReadContext& c, NodeId list, OpId op) {
  if (!expect_list(c, list, "the blocks")) return;
  c.open_ops.push_back(op);
  for (NodeId item : c.tape.items(list)) read_block(c, item, op);
  c.open_ops.pop_back();
}

inline void read_op(ReadContext& c, NodeId node, BlockId block) {
  const std::size_t before = c.error_count;
  ObjectFields fields;
  if (!collect_members(c, node, kOpObject, fields)) return;
  const OpId op = begin_op(c, fields, node, block);
  if (fields.has(Field::kBlocks)) read_blocks(c, fields[Field::kBlocks], op);
  finish_op(c, fields, node, op, before);
}

inline void read_ops(ReadContext& c, NodeId list, BlockId block) {
  if (!expect_list(c, list, "the operations")) return;
  for (NodeId item : c.tape.items(list)) {
    if (c.stopped) return;
    read_op(c, item, block);
  }
}

}  // namespace shardprop::detail
