// Values: their names and types as the document declares them, and looking them up by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fmt/core.h"
#include "shardprop/io/json/context.hpp"
#include "shardprop/io/json/read_attribute.hpp"
#include "shardprop/io/json/read_fields.hpp"
#include "shardprop/io/json/read_sharding.hpp"

namespace shardprop::detail {

// What an argument or a result says of itself; ids are none where it says nothing.
struct DeclaredValue {
  ValueName name;
  TypeId type;
  ShardingId sharding;
  AttrId attributes;
  NodeId node = kHere;
};

using DeclaredValues = SmallVector<DeclaredValue, 4>;

// One entry of `arguments` or `results`.
struct ValueForm {
  const ObjectSpec* object = &kValueObject;
  bool may_lack_type = false;
};

inline bool read_shape(ReadContext& c, NodeId list, SmallVector<std::int64_t, 8>& shape) {
  if (!expect_list(c, list, "the shape")) return false;
  const std::size_t before = c.error_count;
  for (NodeId item : c.tape.items(list)) {
    const auto size = read_int(c, item, "the size of a dimension");
    if (size && *size < kDynamic) {
      report(c, item, "json.bad_shape", fmt::format("a dimension has size {}", *size),
             "sizes are 0 or more, or -1 where they are not known");
    }
    shape.push_back(size.value_or(0));
  }
  return c.error_count == before;
}

// The type that the fields declare; none after a diagnostic.
inline TypeId read_type(ReadContext& c, const ObjectFields& fields, NodeId object) {
  if (!fields.has(Field::kDtype)) {
    if (fields.has(Field::kShape)) {
      report(c, object, "json.missing_field", "a value with a shape has no dtype");
    } else {
      report(c, object, "json.missing_type", "a value has no shape and dtype",
             "give its type, such as \"shape\": [8, 32], \"dtype\": \"f32\"");
    }
    return TypeId();
  }
  const auto dtype = read_name(c, fields[Field::kDtype], "dtype");
  SmallVector<std::int64_t, 8> shape;
  const bool is_tensor = fields.has(Field::kShape);
  if (is_tensor && !read_shape(c, fields[Field::kShape], shape)) return TypeId();
  if (!dtype) return TypeId();
  const StringId element = c.m.strings.intern(*dtype);
  return is_tensor ? c.m.types.tensor(element, {shape.data(), shape.size()})
                   : c.m.types.non_tensor(element);
}

inline DeclaredValue read_declared(ReadContext& c, NodeId node, const ValueForm& form) {
  DeclaredValue value;
  value.node = node;
  ObjectFields fields;
  // Without its type nothing else of the value can be checked.
  if (!collect_fields(c, node, *form.object, fields)) return value;
  if (fields.has(Field::kName)) {
    const auto name = read_name(c, fields[Field::kName], "the name of a value");
    if (name) value.name = make_value_name(c.m.strings, *name);
  }
  const bool lacks_type = !fields.has(Field::kShape) && !fields.has(Field::kDtype);
  if (!lacks_type || !form.may_lack_type) value.type = read_type(c, fields, node);
  if (fields.has(Field::kSharding)) {
    value.sharding = read_sharding(c, fields[Field::kSharding]);
    check_sharding(c, value.sharding, value.type, fields[Field::kSharding]);
  }
  if (fields.has(Field::kAttributes))
    value.attributes = read_attributes(c, fields[Field::kAttributes]);
  return value;
}

inline DeclaredValues read_declared_list(ReadContext& c, NodeId list, std::string_view what,
                                         const ValueForm& form) {
  DeclaredValues values;
  if (!expect_list(c, list, what)) return values;
  for (NodeId item : c.tape.items(list)) values.push_back(read_declared(c, item, form));
  return values;
}

// Makes `name` the name of `value` and findable.
inline void define_value(ReadContext& c, ValueId value, ValueName name, NodeId at) {
  c.m.value_names[value] = name;
  if (name.bits == ValueName::kUnnamed) return;
  if (c.names.insert(name, value)) return;
  report(c, at, "json.duplicate_value",
         fmt::format("two values are called {}", to_string(c.m.strings, name)),
         "names are unique in a function, nested blocks included");
}

// Stores what was declared with the values of `ids`, which were made for them in order.
inline void define_values(ReadContext& c, IdRange<ValueId> ids, const DeclaredValues& declared) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    define_value(c, ids[i], declared[i].name, declared[i].node);
    c.m.value_shardings[ids[i]] = declared[i].sharding;
    if (declared[i].attributes.valid()) c.m.value_attributes[ids[i].index] = declared[i].attributes;
  }
}

// Forgets the names, when a function begins.
inline void clear_names(ReadContext& c) {
  c.names.clear();
  c.open_ops.clear();
}

inline bool is_block_closed(const ReadContext& c, BlockId block) {
  return block.index < c.block_closed.size() && c.block_closed[block.index];
}

inline void close_block(ReadContext& c, BlockId block) {
  c.block_closed.resize(c.m.blocks.size(), 0);
  c.block_closed[block.index] = 1;
}

inline bool is_visible(const ReadContext& c, ValueId value) {
  const OpId maker = defining_op(c.m, value);
  if (!maker.valid()) return !is_block_closed(c, argument_block(c.m, value));
  for (OpId open : c.open_ops) {
    if (open == maker) return false;
  }
  return !is_block_closed(c, c.m.layout[maker].block);
}

// Why a value of the function cannot be used here, or that there is none, with the nearest name
// that can.
inline void report_unknown_value(ReadContext& c, NodeId at, std::string_view text, ValueId hidden) {
  if (hidden.valid()) {
    report(
        c, at, "json.unknown_value", fmt::format("{} is not visible here", text),
        "a block sees the values around it that were defined before it, not those of other blocks");
    return;
  }
  Nearest nearest(text);
  const ValueId first = c.m.blocks[c.m.funcs[c.func].body].arguments.first;
  for (std::size_t i = first.index; i < c.m.values.size(); ++i) {
    const ValueName name = c.m.value_names[ValueId(i)];
    if (name.bits != ValueName::kUnnamed && is_visible(c, ValueId(i)))
      nearest.offer(to_string(c.m.strings, name));
  }
  report(c, at, "json.unknown_value", fmt::format("no value {} is defined before its use", text),
         nearest.found() ? fmt::format("did you mean {}?", nearest.text())
                         : "define a value before it is used");
}

// The value called `text`, or none after a diagnostic.
inline ValueId find_value(ReadContext& c, std::string_view text, NodeId at) {
  ValueName name;
  std::uint32_t number = 0;
  if (parse_numbered_name(text, number)) {
    name = numbered_name(number);
  } else if (const StringId id = c.m.strings.find(text); id.valid()) {
    name.bits = id.index | ValueName::kIsText;
  }
  const ValueId value = name.bits == ValueName::kUnnamed ? ValueId() : c.names.find(name);
  if (value.valid() && is_visible(c, value)) return value;
  report_unknown_value(c, at, text, value);
  return ValueId();
}

}  // namespace shardprop::detail
