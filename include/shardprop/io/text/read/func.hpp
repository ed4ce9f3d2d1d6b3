// Functions: `func.func @name(%a: type {...}) -> (type {...}) attributes {...} { ... }`, and the
// generic form of one.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/io/text/numbers/number.hpp"
#include "shardprop/io/text/read/attribute.hpp"
#include "shardprop/io/text/read/context.hpp"
#include "shardprop/io/text/read/generic.hpp"
#include "shardprop/io/text/read/location.hpp"
#include "shardprop/io/text/read/op.hpp"
#include "shardprop/io/text/read/region.hpp"
#include "shardprop/io/text/read/sharding.hpp"

namespace shardprop::detail {

// A function as the text declares it.
struct TextFunc {
  const char* at = nullptr;
  StringId name;
  bool is_private = false;
  TextBlockArguments arguments;
  std::vector<AttrId> argument_attributes;  // a dictionary each, or none; may be fewer
  TextTypes result_types;
  std::vector<AttrId> result_attributes;  // as those of the arguments
  TextAttributes attributes;
};

// What the dictionary of an argument or a result says: its sharding, and the rest.
inline bool split_sharding(TextReadContext& c, AttrId dict, TypeId type, const char* at,
                           ShardingId& sharding, AttrId& rest) {
  rest = dict;
  const AttrId value = c.m.attrs.find(dict, c.sharding_key);
  if (!value.valid()) {
    if (dict.valid() && c.m.attrs.entries(dict).empty()) rest = AttrId();
    return true;
  }
  if (c.m.attrs.kind(value) != AttrKind::kSharding) {
    return fail(c, at, "text.shardings",
                "sdy.sharding of an argument or a result is not a sharding",
                "write it as #sdy.sharding<@mesh, [{\"x\"}, {}]>");
  }
  sharding = c.m.attrs.as_sharding(value);
  check_sharding(c, sharding, type, at);
  rest = c.m.attrs.with(dict, c.sharding_key, AttrId());
  return true;
}

// Plain values for the attributes of `sdy.`, which passes read, unless their text says more.
inline AttrId plain_sdy_attributes(TextReadContext& c, AttrId dict) {
  AttrId out = dict;
  if (!dict.valid()) return out;
  for (std::size_t i = 0; i < c.m.attrs.entries(dict).size(); ++i) {
    const AttrEntry entry = c.m.attrs.entries(dict)[i];
    const AttrId plain = c.m.attrs.plain(entry.value);
    if (plain == entry.value || !c.m.strings[entry.key].starts_with("sdy.")) continue;
    if (!is_plain_text(c.m, plain)) continue;
    out = c.m.attrs.with(out, entry.key, plain);
  }
  return out;
}

// --- the pretty form ---

// `%a: type {...} loc(...)`; of a declaration without a body only the type may stand there.
inline bool read_func_argument(TextReadContext& c, TextFunc& func) {
  TextBlockArgument argument;
  argument.at = c.in.here();
  if (c.in.peek() == '%') {
    argument.name = c.in.value_name();
    if (argument.name.empty()) return fail_expected(c, "the name of an argument, such as %arg0");
    c.value_name = argument.name;
    if (!expect(c, ':')) return false;
  }
  AttrId dict;
  if (!read_type(c, argument.type)) return false;
  if (c.in.peek() == '{' && !read_dictionary(c, dict)) return false;
  if (!read_optional_location(c, argument.location)) return false;
  c.value_name = {};
  func.arguments.push_back(argument);
  func.argument_attributes.push_back(dict);
  return true;
}

inline bool read_func_result(TextReadContext& c, TextFunc& func) {
  TypeId type;
  AttrId dict;
  if (!read_type(c, type)) return false;
  if (c.in.peek() == '{' && !read_dictionary(c, dict)) return false;
  func.result_types.push_back(type);
  func.result_attributes.push_back(dict);
  return true;
}

inline bool read_func_results(TextReadContext& c, TextFunc& func) {
  if (!c.in.accept("->")) return true;
  if (!c.in.accept('(')) {
    TypeId type;
    if (!read_type(c, type)) return false;
    func.result_types.push_back(type);
    return true;
  }
  if (c.in.accept(')')) return true;
  do {
    if (!read_func_result(c, func)) return false;
  } while (c.in.accept(','));
  return expect(c, ')');
}

// `public`, `private`, `nested`; only the last is kept as an attribute.
inline void read_visibility(TextReadContext& c, TextFunc& func) {
  if (c.in.accept_word("public")) return;
  func.is_private = c.in.accept_word("private");
  if (func.is_private || !c.in.accept_word("nested")) return;
  func.attributes.push_back(
      {c.m.strings.intern("sym_visibility"), c.m.attrs.string(c.m.strings.intern("nested"))});
}

inline bool read_signature(TextReadContext& c, TextFunc& func) {
  read_visibility(c, func);
  if (!read_symbol(c, func.name) || !expect(c, '(')) return false;
  c.func_name = func.name;
  if (!c.in.accept(')')) {
    do {
      if (!read_func_argument(c, func)) return false;
    } while (c.in.accept(','));
    if (!expect(c, ')')) return false;
  }
  if (!read_func_results(c, func)) return false;
  return !c.in.accept_word("attributes") || read_optional_attributes(c, func.attributes);
}

// --- what both forms share ---

inline FuncId make_func(TextReadContext& c, const TextFunc& func) {
  TextTypes types;
  for (const TextBlockArgument& argument : func.arguments) types.push_back(argument.type);
  return create_func(c.m, {.name = "", .argument_types = {types.data(), types.size()}});
}

inline bool check_func_name(TextReadContext& c, const TextFunc& func) {
  c.func_defined.resize(c.m.strings.size(), 0);
  if (c.func_defined[func.name.index]) {
    return fail(c, func.at, "text.duplicate_function",
                fmt::format("two functions are called {}", c.m.strings[func.name]),
                "give each function a name of its own");
  }
  c.func_defined[func.name.index] = 1;
  return true;
}

// Sets what the function's row says of itself.
inline bool finish_func(TextReadContext& c, const TextFunc& func, FuncId id) {
  if (!check_func_name(c, func)) return false;
  c.m.funcs[id].name = func.name;
  c.m.funcs[id].is_private = func.is_private;
  const BlockId body = c.m.funcs[id].body;
  for (std::size_t i = 0; i < func.argument_attributes.size(); ++i) {
    const ValueId value = c.m.blocks[body].arguments[i];
    AttrId rest;
    c.value_name = func.arguments[i].name;
    const char* const at = func.arguments[i].at ? func.arguments[i].at : func.at;
    if (!split_sharding(c, func.argument_attributes[i], type_of(c.m, value), at,
                        c.m.value_shardings[value], rest))
      return false;
    c.value_name = {};
    if (rest.valid()) c.m.value_attributes[value.index] = plain_sdy_attributes(c, rest);
  }
  for (std::size_t i = 0; i < func.result_types.size(); ++i) {
    FuncResult result{func.result_types[i], ShardingId(), AttrId()};
    const AttrId dict = i < func.result_attributes.size() ? func.result_attributes[i] : AttrId();
    if (!split_sharding(c, dict, result.type, func.at, result.sharding, result.attributes))
      return false;
    result.attributes = plain_sdy_attributes(c, result.attributes);
    c.m.funcs[id].results.push_back(result);
  }
  if (func.attributes.empty()) return true;
  if (!check_keys(c, func.at, func.attributes)) return false;
  const AttrId dict = c.m.attrs.dict({func.attributes.data(), func.attributes.size()});
  c.m.funcs[id].attributes = plain_sdy_attributes(c, dict);
  return true;
}

// The operations of a function up to `}`.
inline bool read_func_ops(TextReadContext& c, BlockId body, const TextBlockArguments& arguments,
                          bool may_be_empty) {
  const char* const at = c.in.here();
  c.names.enter();
  const bool read = name_arguments(c, body, arguments) && read_block_ops(c, body);
  c.names.leave();
  if (!read || may_be_empty || terminator(c.m, body).valid()) return read;
  return fail(c, at, "text.func", "the body of the function is empty",
              "end it with a return, or leave the braces out to declare the function only");
}

inline bool read_func_body(TextReadContext& c, const TextFunc& func, FuncId id) {
  TextDepth depth(c);
  TextBlockArguments labelled;
  if (!depth.check() || !expect(c, '{')) return false;
  const char* const at = c.in.here();
  if (func.arguments.empty() && !read_label(c, labelled)) return false;
  if (!labelled.empty()) {
    return fail(c, at, "text.func", "the block of a function has arguments of its own",
                "write the arguments after the name of the function");
  }
  const BlockId body = c.m.funcs[id].body;
  return read_func_ops(c, body, func.arguments, false);
}

// Reads a function in its pretty form; `func.func` is read. A declaration gets an empty body.
inline bool read_func(TextReadContext& c, const char* at) {
  TextFunc func;
  func.at = at;
  if (!read_signature(c, func)) return false;
  const FuncId id = make_func(c, func);
  if (!finish_func(c, func, id)) return false;
  if (c.in.peek() == '{' && !read_func_body(c, func, id)) return false;
  LocId location;
  if (!read_optional_location(c, location)) return false;
  if (location.valid()) c.m.locations.of_func.set(id, location);
  c.func_name = StringId();
  return true;
}

// --- the generic form ---

// The dictionaries of a list such as `arg_attrs = [{...}, {}]`.
inline std::vector<AttrId> dictionaries_of(const TextReadContext& c, AttrId list) {
  std::vector<AttrId> out;
  if (c.m.attrs.kind(list) != AttrKind::kList) return out;
  for (AttrId item : c.m.attrs.items(list))
    out.push_back(c.m.attrs.kind(item) == AttrKind::kDict ? item : AttrId());
  return out;
}

// Takes an attribute of a generic `func.func`: what the pretty form has a place for goes there.
inline void take_func_attribute(TextReadContext& c, TextFunc& func, const AttrEntry& entry) {
  const std::string_view key = c.m.strings[entry.key];
  const AttrId value = c.m.attrs.plain(entry.value);
  const bool is_string = c.m.attrs.kind(value) == AttrKind::kString;
  if (key == "sym_name" && is_string) {
    func.name = c.m.attrs.as_string(value);
  } else if (key == "sym_visibility" && is_string &&
             c.m.strings[c.m.attrs.as_string(value)] != "nested") {
    func.is_private = c.m.strings[c.m.attrs.as_string(value)] == "private";
  } else if (key == "arg_attrs") {
    func.argument_attributes = dictionaries_of(c, value);
  } else if (key == "res_attrs") {
    func.result_attributes = dictionaries_of(c, value);
  } else {
    func.attributes.push_back(entry);
  }
}

// The dictionary of a generic `func.func`, whose type is read as a type.
inline bool read_func_entries(TextReadContext& c, TextFunc& func, TextTypes& inputs) {
  if (!expect(c, '{')) return false;
  if (c.in.accept('}')) return true;
  do {
    if (c.in.accept_word("function_type")) {
      func.result_types.clear();
      inputs.clear();
      if (!expect(c, '=') || !read_function_type(c, inputs, func.result_types)) return false;
      continue;
    }
    AttrEntry entry;
    if (!read_entry(c, entry)) return false;
    take_func_attribute(c, func, entry);
  } while (c.in.accept(','));
  return expect(c, '}');
}

// `({ ^bb0(...): ... })`; an empty region is a declaration.
inline bool read_generic_func_region(TextReadContext& c, TextFunc& func, FuncId& id) {
  TextDepth depth(c);
  if (!depth.check() || !expect(c, '(') || !expect(c, '{')) return false;
  if (!read_label(c, func.arguments)) return false;
  id = make_func(c, func);
  const BlockId body = c.m.funcs[id].body;
  return read_func_ops(c, body, func.arguments, func.arguments.empty()) && expect(c, ')');
}

// A declaration has the arguments that its type says.
inline void take_declared_arguments(TextReadContext& c, TextFunc& func, FuncId& id,
                                    const TextTypes& inputs) {
  const BlockId body = c.m.funcs[id].body;
  if (!func.arguments.empty() || c.m.blocks[body].first_op.valid()) return;
  c.m.func_order.pop_back();
  for (TypeId type : inputs) {
    func.arguments.push_back(TextBlockArgument());
    func.arguments.back().type = type;
  }
  id = make_func(c, func);
}

inline bool check_func_properties(TextReadContext& c, const TextFunc& func,
                                  const TextTypes& inputs) {
  if (!func.name.valid()) {
    return fail(c, func.at, "text.func", "a function has no name",
                "give \"func.func\" the property sym_name = \"main\"");
  }
  bool same = inputs.size() == func.arguments.size() &&
              func.argument_attributes.size() <= inputs.size() &&
              func.result_attributes.size() <= func.result_types.size();
  for (std::size_t i = 0; same && i < inputs.size(); ++i)
    same = inputs[i] == func.arguments[i].type;
  if (same) return true;
  return fail(c, func.at, "text.func", "the type of a function does not fit its arguments",
              "let function_type, arg_attrs and the block agree");
}

// Reads a function in its generic form; its name is read.
inline bool read_generic_func(TextReadContext& c, const char* at) {
  TextFunc func;
  func.at = at;
  TextTypes inputs;
  if (!expect(c, '(') || !expect(c, ')')) return false;
  if (c.in.accept('<') && (!read_func_entries(c, func, inputs) || !expect(c, '>'))) return false;
  c.func_name = func.name;
  FuncId id;
  if (!read_generic_func_region(c, func, id)) return false;
  if (c.in.peek() == '{' && !read_func_entries(c, func, inputs)) return false;
  take_declared_arguments(c, func, id, inputs);
  if (!check_func_properties(c, func, inputs) || !finish_func(c, func, id)) return false;
  if (!expect(c, ':') || !expect(c, '(') || !expect(c, ')') || !expect(c, "->") ||
      !expect(c, '(') || !expect(c, ')'))
    return false;
  LocId location;
  if (!read_optional_location(c, location)) return false;
  if (location.valid()) c.m.locations.of_func.set(id, location);
  c.func_name = StringId();
  return true;
}

}  // namespace shardprop::detail
