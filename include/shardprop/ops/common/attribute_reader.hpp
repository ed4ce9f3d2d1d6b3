// Checked access to the attributes of an operation. A missing attribute or one of the wrong kind
// gives a diagnostic that names it, never an assertion; the getter then returns an empty value, so
// that a caller reads all it needs and asks `ok` once. Integers that are out of the caller's range
// are the caller's to check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/print.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop {

namespace detail {

// Whether `path` is `prefix` or something in it: "numbers.batch" is in "numbers".
inline bool is_within(std::string_view path, std::string_view prefix) {
  return path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '.');
}

// The place, from 1, of attribute `path` in the list `inputs` of a row, or 0. An attribute that
// holds several inputs has the number of the first one: with "operand, numbers.a, numbers.b" both
// `numbers` and `numbers.a` are input 2.
inline std::size_t input_number(std::string_view inputs, std::string_view path) {
  for (std::size_t number = 1; !inputs.empty(); ++number) {
    const std::size_t comma = inputs.find(", ");
    const std::string_view name = inputs.substr(0, comma);
    if (is_within(name, path) || is_within(path, name)) return number;
    inputs.remove_prefix(comma == std::string_view::npos ? inputs.size() : comma + 2);
  }
  return 0;
}

}  // namespace detail

class AttributeReader {
 public:
  // Reads the dictionary of `op`. `diagnostics` may be null: then only `ok` tells.
  AttributeReader(const Module& m, OpId op, Diagnostics* diagnostics)
      : AttributeReader({m, op, diagnostics, {}}, m.ops[op].attributes, "") {}
  // The same with diagnostics that have the attribute's input number in their codes.
  explicit AttributeReader(const VerifyInput& in)
      : AttributeReader({in.m, in.op, &in.diagnostics, in.inputs}, in.m.ops[in.op].attributes, "") {
  }

  bool has(std::string_view key) const { return find(key).valid(); }
  bool ok() const { return ok_; }

  // Whether the attribute is there, of whatever kind.
  bool require(std::string_view key, std::string_view expected) {
    if (!has(key)) missing(key, expected);
    return has(key);
  }

  std::int64_t integer(std::string_view key) { return integer(key, nullptr); }
  std::int64_t integer_or(std::string_view key, std::int64_t absent) {
    return integer(key, &absent);
  }

  // A list of integers. The view stays valid until the module's next attribute is made.
  std::span<const std::int64_t> ints(std::string_view key) { return ints(key, true); }
  std::span<const std::int64_t> ints_or_empty(std::string_view key) { return ints(key, false); }

  // A list of lists of integers, such as `padding` or `replica_groups`; empty where absent.
  std::vector<std::span<const std::int64_t>> int_lists_or_empty(std::string_view key) {
    std::vector<std::span<const std::int64_t>> rows;
    const AttrId id = find(key);
    if (!id.valid()) return rows;
    if (m_->attrs.kind(id) == AttrKind::kInts && m_->attrs.as_ints(id).empty()) return rows;
    if (m_->attrs.kind(id) != AttrKind::kList)
      return wrong_kind(key, "a list of lists of integers"), rows;
    for (AttrId item : m_->attrs.items(id)) {
      if (m_->attrs.kind(item) != AttrKind::kInts)
        return wrong_kind(key, "a list of lists of integers"), rows;
      rows.push_back(m_->attrs.as_ints(item));
    }
    return rows;
  }

  // A number, of whatever kind.
  double number(std::string_view key) {
    const AttrId id = find(key);
    if (!id.valid()) return missing(key, "a number"), 0.0;
    switch (m_->attrs.kind(id)) {
      case AttrKind::kInt:
        return static_cast<double>(m_->attrs.as_int(id));
      case AttrKind::kUint:
        return static_cast<double>(m_->attrs.as_uint(id));
      case AttrKind::kFloat:
        return m_->attrs.as_float(id);
      default:
        return wrong_kind(key, "a number"), 0.0;
    }
  }

  bool boolean(std::string_view key) {
    if (!has(key)) return missing(key, "true or false"), false;
    return boolean_or(key, false);
  }
  bool boolean_or(std::string_view key, bool absent) {
    const AttrId id = find(key);
    if (!id.valid()) return absent;
    if (m_->attrs.kind(id) != AttrKind::kBool) return wrong_kind(key, "true or false"), absent;
    return m_->attrs.as_bool(id);
  }
  // A list of booleans; empty where absent.
  std::vector<bool> booleans_or_empty(std::string_view key) {
    std::vector<bool> values;
    const AttrId id = find(key);
    if (!id.valid() || (m_->attrs.kind(id) == AttrKind::kInts && m_->attrs.as_ints(id).empty()))
      return values;
    if (m_->attrs.kind(id) != AttrKind::kList) return wrong_kind(key, "a list of booleans"), values;
    for (AttrId item : m_->attrs.items(id)) {
      if (m_->attrs.kind(item) != AttrKind::kBool)
        return wrong_kind(key, "a list of booleans"), values;
      values.push_back(m_->attrs.as_bool(item));
    }
    return values;
  }

  // A string or the keyword of an enumeration.
  std::string_view text(std::string_view key) {
    if (!has(key)) return missing(key, "a string"), std::string_view();
    return text_or(key, {});
  }
  std::string_view text_or(std::string_view key, std::string_view absent) {
    const AttrId id = find(key);
    if (!id.valid()) return absent;
    if (m_->attrs.kind(id) != AttrKind::kString) return wrong_kind(key, "a string"), absent;
    return m_->strings[m_->attrs.as_string(id)];
  }

  // The fields of a nested attribute such as `dot_dimension_numbers`; absent fields of it are empty
  // or 0.
  AttributeReader dict(std::string_view key) {
    const AttrId id = find(key);
    if (!id.valid()) {
      missing(key, "an object");
    } else if (m_->attrs.kind(id) != AttrKind::kDict) {
      wrong_kind(key, "an object");
    } else {
      return AttributeReader(source_, id, path_ + std::string(key) + ".");
    }
    return AttributeReader(source_, AttrId(), path_ + std::string(key) + ".");
  }

 private:
  struct Source {
    const Module& m;
    OpId op;
    Diagnostics* diagnostics;
    std::string_view inputs;
  };
  AttributeReader(const Source& source, AttrId dict, std::string path)
      : source_(source), m_(&source.m), dict_(dict), path_(std::move(path)) {}

  AttrId find(std::string_view key) const { return m_->attrs.find(dict_, m_->strings.find(key)); }

  std::int64_t integer(std::string_view key, const std::int64_t* absent) {
    const AttrId id = find(key);
    if (!id.valid()) {
      if (absent) return *absent;
      return missing(key, "an integer"), 0;
    }
    if (m_->attrs.kind(id) != AttrKind::kInt) return wrong_kind(key, "an integer"), 0;
    return m_->attrs.as_int(id);
  }

  std::span<const std::int64_t> ints(std::string_view key, bool required) {
    const AttrId id = find(key);
    if (!id.valid()) {
      if (required) missing(key, "a list of integers");
      return {};
    }
    if (m_->attrs.kind(id) != AttrKind::kInts)
      return wrong_kind(key, "a list of integers"), std::span<const std::int64_t>();
    return m_->attrs.as_ints(id);
  }

  void missing(std::string_view key, std::string_view expected) {
    report(key, "op.missing_attribute",
           fmt::format("attribute '{}{}' is missing; expected {}", path_, key, expected));
  }
  void wrong_kind(std::string_view key, std::string_view expected) {
    report(key, "op.attribute_kind",
           fmt::format("attribute '{}{}' must be {}", path_, key, expected));
  }
  // `code` is for attributes that are not inputs of the specification.
  void report(std::string_view key, std::string_view code, std::string message) {
    ok_ = false;
    if (!source_.diagnostics) return;
    const std::size_t input = detail::input_number(source_.inputs, path_ + std::string(key));
    source_.diagnostics->push_back(
        {input == 0 ? std::string(code) : fmt::format("{}.i{}", op_name(*m_, source_.op), input),
         std::move(message),
         {},
         place_of(*m_, source_.op)});
  }

  Source source_;
  const Module* m_;
  AttrId dict_;
  std::string path_;  // of the nested object, with a dot at the end
  bool ok_ = true;
};

}  // namespace shardprop
