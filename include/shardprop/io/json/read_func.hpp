// Functions, in two steps like operations: `begin_func` makes the function with its arguments,
// `finish_func` adds what the document may say later.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/io/json/context.hpp"
#include "shardprop/io/json/read_op.hpp"
#include "shardprop/ir/edit.hpp"

namespace shardprop::detail {

// Adds the function, whose fields must have a name. `at` is the function's object.
inline FuncId begin_func(ReadContext& c, const ObjectFields& fields, NodeId at) {
  c.func = FuncId();
  c.op_name = StringId();
  c.errors_before_func = c.error_count;
  clear_names(c);
  const std::string_view name =
      read_name(c, fields[Field::kName], "the name of a function").value_or("");
  const StringId id = c.m.strings.intern(name);
  c.func_defined.resize(c.m.strings.size(), 0);
  if (c.func_defined[id.index] && !name.empty()) {
    report(c, at, "json.duplicate_function", fmt::format("two functions are called \"{}\"", name),
           "give each function a name of its own");
  }
  c.func_defined[id.index] = 1;
  const DeclaredValues declared = read_arguments(c, fields);
  std::vector<TypeId> types;
  for (const DeclaredValue& value : declared) types.push_back(value.type);
  c.func = create_func(c.m, {.name = name, .argument_types = types});
  define_values(c, c.m.blocks[c.m.funcs[c.func].body].arguments, declared);
  return c.func;
}

// The type of a result that declares none is that of the value which is returned for it.
inline TypeId returned_type(const ReadContext& c, FuncId func, std::size_t number) {
  const OpId last = terminator(c.m, c.m.funcs[func].body);
  if (!last.valid() || number >= c.m.ops[last].operand_count) return TypeId();
  return type_of(c.m, operand(c.m, last, number));
}

inline void read_func_results(ReadContext& c, FuncId func, NodeId list) {
  const DeclaredValues declared = read_declared_list(
      c, list, "the results", {.object = &kFuncResultObject, .may_lack_type = true});
  for (std::size_t i = 0; i < declared.size(); ++i) {
    const DeclaredValue& value = declared[i];
    TypeId type = value.type;
    if (!type.valid()) {
      type = returned_type(c, func, i);
      check_sharding(c, value.sharding, type, value.node);
    }
    if (!type.valid() && c.error_count == c.errors_before_func) {
      report(c, value.node, "json.missing_type",
             "a result of a function has no type, and no value is returned for it",
             "give shape and dtype, or return a value");
    }
    c.m.funcs[func].results.push_back({type, value.sharding, value.attributes});
  }
}

// Adds the results, attributes and visibility.
inline void finish_func(ReadContext& c, const ObjectFields& fields, FuncId func) {
  c.op_name = StringId();
  if (fields.has(Field::kResults)) read_func_results(c, func, fields[Field::kResults]);
  if (fields.has(Field::kAttributes)) {
    const AttrId attributes = read_attributes(c, fields[Field::kAttributes]);
    c.m.funcs[func].attributes = attributes;
  }
  if (fields.has(Field::kPrivate)) {
    c.m.funcs[func].is_private = read_bool(c, fields[Field::kPrivate], "private").value_or(false);
  }
  c.func = FuncId();
}

inline void read_func_body(ReadContext& c, FuncId func, NodeId ops, NodeId at) {
  const std::size_t before = c.error_count;
  read_ops(c, ops, c.m.funcs[func].body);
  if (c.error_count == before) finish_block(c, c.m.funcs[func].body, at);
}

// A function of which nothing was converted yet; its fields must have a name and operations.
inline void read_whole_func(ReadContext& c, const ObjectFields& fields, NodeId at) {
  const FuncId func = begin_func(c, fields, at);
  read_func_body(c, func, fields[Field::kOps], at);
  finish_func(c, fields, func);
}

// The functions of a document in which they came before the meshes.
inline void read_functions(ReadContext& c, NodeId list) {
  if (!expect_list(c, list, "functions")) return;
  for (NodeId item : c.tape.items(list)) {
    if (c.stopped) return;
    ObjectFields fields;
    if (collect_fields(c, item, kFunctionObject, fields)) read_whole_func(c, fields, item);
  }
}

}  // namespace shardprop::detail
