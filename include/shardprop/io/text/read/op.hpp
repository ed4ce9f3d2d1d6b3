// Operations: the names of their results, their pretty or generic form, and what is done with their
// types and attributes at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fmt/core.h"
#include "shardprop/io/common/sdy_attributes.hpp"
#include "shardprop/io/text/read/attribute.hpp"
#include "shardprop/io/text/read/context.hpp"
#include "shardprop/io/text/read/form.hpp"
#include "shardprop/io/text/read/generic.hpp"
#include "shardprop/io/text/read/location.hpp"
#include "shardprop/io/text/read/sharding.hpp"
#include "shardprop/support/nearest_name.hpp"

namespace shardprop::detail {

inline std::size_t named_result_count(const TextOp& op) {
  std::size_t count = 0;
  for (const TextResultName& name : op.result_names) count += name.count;
  return count;
}

inline bool make_op(TextReadContext& c, TextOp& op) {
  if (c.m.ops.size() >= c.options.max_operations) {
    return fail(c, op.at, "text.too_many_operations",
                fmt::format("more than {} operations", c.options.max_operations),
                "split the program");
  }
  const bool has_types = !op.result_types.empty();
  const std::size_t count = has_types ? op.result_types.size() : named_result_count(op);
  // The types of the results are still to come, or were there: two characters or more for each.
  if (count > c.in.text().size() / 2) {
    return fail(c, op.at, "text.result_count", fmt::format("{} names without types", count),
                "name each result, several at once as %0:2");
  }
  op.result_types.resize(count);
  op.op = create_op(c.m, at_end(op.block),
                    {.name = op.name,
                     .operands = {op.operands.data(), op.operands.size()},
                     .result_types = {op.result_types.data(), count}});
  if (!has_types) op.result_types.clear();
  return true;
}

// Gives the results their types. The results of an operation that was made without names for them
// are made now.
inline void set_result_types(TextReadContext& c, const TextOp& op) {
  Operation& row = c.m.ops[op.op];
  const std::size_t count = op.result_types.size();
  if (row.result_count == count) {
    for (std::size_t i = 0; i < count; ++i)
      set_type(c.m, ValueId(row.first_result.index + i), op.result_types[i]);
    return;
  }
  row.first_result = c.m.values.next_id();
  row.result_count = static_cast<std::uint32_t>(count);
  for (std::size_t i = 0; i < count; ++i) new_value(c.m, op.result_types[i], op.op.index, i, false);
}

inline bool name_results(TextReadContext& c, const TextOp& op) {
  std::uint32_t next = c.m.ops[op.op].first_result.index;
  for (const TextResultName& name : op.result_names) {
    if (!define_values(c, name.name, ValueId(next), name.count, name.at)) return false;
    next += name.count;
  }
  return true;
}

// The sharding of each result, as `sdy.sharding` says it. An operation without results keeps the
// list.
inline bool set_shardings(TextReadContext& c, const TextOp& op, AttrId value, bool& keeps) {
  const std::size_t count = c.m.ops[op.op].result_count;
  const AttrKind kind = c.m.attrs.kind(value);
  SmallVector<AttrId, 8> items;
  if (kind == AttrKind::kSharding) {
    items.push_back(value);
  } else if (kind == AttrKind::kList) {
    items.append(c.m.attrs.items(value));
  }
  for (AttrId item : items) {
    if (c.m.attrs.kind(item) != AttrKind::kSharding) items.clear();
    if (items.empty()) break;
  }
  // An empty list says nothing.
  const bool is_empty = kind == AttrKind::kInts && c.m.attrs.as_ints(value).empty();
  keeps = count == 0 && !is_empty;
  if (count == 0 && (is_empty || kind == AttrKind::kList)) return true;
  if (items.empty() || items.size() != count) {
    return fail(c, op.at, "text.shardings",
                fmt::format("sdy.sharding has {} shardings for {} results", items.size(), count),
                "write #sdy.sharding_per_value<[...]> with a sharding for each result");
  }
  for (std::size_t i = 0; i < count; ++i) {
    const ShardingId sharding = c.m.attrs.as_sharding(items[i]);
    const ValueId result = ValueId(c.m.ops[op.op].first_result.index + i);
    c.m.value_shardings[result] = sharding;
    check_sharding(c, sharding, type_of(c.m, result), op.at);
  }
  return true;
}

// The rule that the attribute `sdy.sharding_rule` says.
inline bool set_rule(TextReadContext& c, const TextOp& op, AttrId value) {
  const StringId text = c.m.attrs.string_or_none(c.m.attrs.find(value, key::kOpaque));
  if (!text.valid()) {
    return fail(c, op.at, "text.sharding_rule", "sdy.sharding_rule is not a sharding rule",
                "write it as #sdy.op_sharding_rule<([i])->([i]) {i=8}>");
  }
  return read_rule(c, text, op.at, c.m.ops[op.op].rule);
}

// The sharding of the result that an sdy operation has as an attribute.
inline bool set_result_sharding(TextReadContext& c, const TextOp& op, AttrId value) {
  if (c.m.attrs.kind(value) != AttrKind::kSharding) {
    return fail(c, op.at, "text.shardings", "the sharding of the operation is not a sharding",
                "write it as #sdy.sharding<@mesh, [{\"x\"}, {}]>");
  }
  const ValueId result = c.m.ops[op.op].first_result;
  const ShardingId sharding = c.m.attrs.as_sharding(value);
  c.m.value_shardings[result] = sharding;
  check_sharding(c, sharding, type_of(c.m, result), op.at);
  return true;
}

// Moves shardings and the rule where the module keeps them, and gives the operation the rest.
inline bool set_attributes(TextReadContext& c, TextOp& op) {
  const bool has_result = c.m.ops[op.op].result_count == 1;
  const std::string_view result_key =
      has_result ? result_sharding_attribute(op.name) : std::string_view();
  TextAttributes kept;
  for (AttrEntry entry : op.attributes) {
    for (const AttrEntry& other : kept) {
      if (other.key == entry.key) {
        return fail(c, op.at, "text.duplicate_key",
                    fmt::format("the attribute {} is given twice", c.m.strings[entry.key]),
                    "keep one of the two");
      }
    }
    bool keeps = true;
    if (entry.key == c.sharding_key) {
      if (!set_shardings(c, op, entry.value, keeps)) return false;
    } else if (entry.key == c.rule_key) {
      if (!set_rule(c, op, entry.value)) return false;
      keeps = false;
    } else if (!result_key.empty() && c.m.strings[entry.key] == result_key) {
      if (!set_result_sharding(c, op, entry.value)) return false;
      keeps = false;
    } else {
      entry.value = op_attribute_value(c, op, entry.key, entry.value);
    }
    if (keeps) kept.push_back(entry);
  }
  if (!kept.empty()) c.m.ops[op.op].attributes = c.m.attrs.dict({kept.data(), kept.size()});
  return true;
}

inline bool finish_op(TextReadContext& c, TextOp& op) {
  const std::size_t named = named_result_count(op);
  if (!op.result_names.empty() && named != op.result_types.size()) {
    return fail(c, op.at, "text.result_count",
                fmt::format("{} names for {} results", named, op.result_types.size()),
                "name each result, several at once as %0:2");
  }
  if (op.op.valid()) {
    set_result_types(c, op);
  } else if (!make_op(c, op)) {
    return false;
  }
  if (!op.attributes.empty() && !set_attributes(c, op)) return false;
  return name_results(c, op);
}

// `%a, %b:2 =`
inline bool read_result_names(TextReadContext& c, TextOp& op) {
  do {
    TextResultName name;
    name.at = c.in.here();
    name.name = c.in.value_name();
    if (name.name.empty()) return fail_expected(c, "the name of a result, such as %0");
    if (c.in.accept(':')) {
      constexpr std::int64_t kMost = 1 << 20;
      std::int64_t count = 0;
      if (!read_integer(c, count)) return false;
      if (count < 1 || count > kMost) {
        return fail(c, name.at, "text.result_count",
                    fmt::format("{} cannot stand for {} results", name.name, count),
                    fmt::format("a name stands for 1 to {} results", kMost));
      }
      name.count = static_cast<std::uint32_t>(count);
    }
    op.result_names.push_back(name);
  } while (c.in.accept(','));
  return expect(c, '=');
}

// The form of the operation, from its name on.
inline bool read_op_form(TextReadContext& c, TextOp& op) {
  if (c.in.peek() == '"') {
    if (!read_string(c, op.name)) return false;
    c.op_name = op.name;
    return read_generic_form(c, op);
  }
  const char* const at = c.in.here();
  const std::string_view word = c.in.word();
  if (word.empty()) return fail_expected(c, "an operation");
  const bool is_short = word.find('.') == std::string_view::npos;
  op.name = is_short ? c.m.strings.intern(fmt::format("func.{}", word)) : intern_word(c, word);
  c.op_name = op.name;
  bool known = false;
  if (!read_form(c, op, known)) return false;
  if (known) return true;
  Nearest near(word);
  for_each_form_row([&](const FormRow& row) { near.offer(row.op); });
  return fail(c, at, "text.unknown_form", fmt::format("{} has no known notation", word),
              did_you_mean(near.text(),
                           "print the program in generic form (--mlir-print-op-generic): every "
                           "operation can be read in it, whatever its dialect"));
}

inline bool read_op(TextReadContext& c, BlockId block) {
  TextOp op;
  op.block = block;
  op.at = c.in.here();
  if (c.in.peek() == '%' && !read_result_names(c, op)) return false;
  const StringId around = c.op_name;
  if (!read_op_form(c, op)) return false;
  LocId location;
  if (!read_optional_location(c, location)) return false;
  if (location.valid()) c.m.locations.of_op.set(op.op, location);
  c.op_name = around;
  return true;
}

}  // namespace shardprop::detail
