// Checked access to the attributes of an operation. A missing attribute or one of the wrong kind
// gives a diagnostic that names it, never an assertion; the getter then returns an empty value, so
// that a caller reads all it needs and asks `ok` once. Integers that are out of the caller's range
// are the caller's to check.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop {

class AttributeReader {
 public:
  // Reads the dictionary of `op`. `diagnostics` may be null: then only `ok` tells.
  AttributeReader(const Module& m, OpId op, Diagnostics* diagnostics)
      : AttributeReader(m, op, diagnostics, m.ops[op].attributes, "") {}

  bool has(std::string_view key) const { return find(key).valid(); }
  bool ok() const { return ok_; }

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
      case AttrKind::kInt: return static_cast<double>(m_->attrs.as_int(id));
      case AttrKind::kUint: return static_cast<double>(m_->attrs.as_uint(id));
      case AttrKind::kFloat: return m_->attrs.as_float(id);
      default: return wrong_kind(key, "a number"), 0.0;
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
      return AttributeReader(*m_, op_, diagnostics_, id, path_ + std::string(key) + ".");
    }
    return AttributeReader(*m_, op_, diagnostics_, AttrId(), path_ + std::string(key) + ".");
  }

 private:
  AttributeReader(const Module& m, OpId op, Diagnostics* diagnostics, AttrId dict, std::string path)
      : m_(&m), op_(op), diagnostics_(diagnostics), dict_(dict), path_(std::move(path)) {}

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
    report("op.missing_attribute",
           fmt::format("attribute '{}{}' is missing; expected {}", path_, key, expected));
  }
  void wrong_kind(std::string_view key, std::string_view expected) {
    report("op.attribute_kind", fmt::format("attribute '{}{}' must be {}", path_, key, expected));
  }
  void report(std::string_view code, std::string message) {
    ok_ = false;
    if (diagnostics_)
      diagnostics_->push_back({std::string(code), std::move(message), {}, place_of(*m_, op_)});
  }

  const Module* m_;
  OpId op_;
  Diagnostics* diagnostics_;
  AttrId dict_;
  std::string path_;  // of the nested object, with a dot at the end
  bool ok_ = true;
};

}  // namespace shardprop
