// Checked access to values on the tape: kinds, numbers, and the fields of an object. Each function
// reports what is wrong at the node and returns nothing then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fmt/core.h"
#include "shardprop/io/json/context.hpp"
#include "shardprop/support/nearest_name.hpp"

namespace shardprop::detail {

// `what` names the value: `the shape`.
inline void report_kind(ReadContext& c, NodeId at, std::string_view what,
                        std::string_view expected) {
  report(c, at, "json.wrong_kind",
         fmt::format("{} must be {}, not {}", what, expected, kind_text(c.tape.kind(at))));
}

inline bool expect_list(ReadContext& c, NodeId at, std::string_view what) {
  if (c.tape.kind(at) == JsonKind::kList) return true;
  report_kind(c, at, what, "a list");
  return false;
}

inline std::optional<std::string_view> read_string(ReadContext& c, NodeId at,
                                                   std::string_view what) {
  if (c.tape.kind(at) == JsonKind::kString) return c.tape.text(at);
  report_kind(c, at, what, "a string");
  return std::nullopt;
}

// A name: a string that is not empty.
inline std::optional<std::string_view> read_name(ReadContext& c, NodeId at, std::string_view what) {
  auto name = read_string(c, at, what);
  if (!name || !name->empty()) return name;
  report(c, at, "json.empty_name", fmt::format("{} is empty", what), "give it a name");
  return std::nullopt;
}

inline std::optional<bool> read_bool(ReadContext& c, NodeId at, std::string_view what) {
  if (c.tape.kind(at) == JsonKind::kBool) return c.tape.as_bool(at);
  report_kind(c, at, what, "a boolean");
  return std::nullopt;
}

inline std::optional<std::int64_t> read_int(ReadContext& c, NodeId at, std::string_view what) {
  if (c.tape.kind(at) == JsonKind::kInt) return c.tape.as_int(at);
  if (c.tape.kind(at) == JsonKind::kUint) {
    report(c, at, "json.number_too_large", fmt::format("{} is {}", what, c.tape.as_uint(at)),
           "integers must fit 64 bits with sign");
  } else {
    report_kind(c, at, what, "an integer");
  }
  return std::nullopt;
}

inline void report_unknown_field(ReadContext& c, NodeId key, std::string_view name,
                                 const ObjectSpec& spec) {
  const std::string known = list_fields(spec.allowed);
  std::string hint = fmt::format("known fields are {}", known);
  Nearest nearest(name);
  for (std::size_t i = 0; i < kFieldCount; ++i) {
    if (spec.allowed >> i & 1) nearest.offer(kFieldNames[i]);
  }
  if (nearest.found()) hint = fmt::format("did you mean {}? {}", nearest.text(), hint);
  const bool keeps_extras = (spec.allowed & bit(Field::kAttributes)) != 0;
  if (keeps_extras) hint += "; data of your own goes in attributes";
  report(c, key, "json.unknown_field", fmt::format("{} has no field \"{}\"", spec.what, name),
         std::move(hint));
}

// Checks one key of an object against its specification and what was seen before; true if its value
// counts.
inline bool accept_key(ReadContext& c, NodeId key, const ObjectSpec& spec,
                       const ObjectFields& seen) {
  const Field field = c.tape.field(key);
  if (field == Field::kNone || !(spec.allowed & bit(field))) {
    report_unknown_field(c, key, std::string(c.tape.text(key)), spec);
    return false;
  }
  if (seen.has(field)) {
    report(c, key, "json.duplicate_key",
           fmt::format("{} has the field \"{}\" twice", spec.what, field_name(field)),
           "keep one of the two");
    return false;
  }
  return true;
}

inline bool require_fields(ReadContext& c, NodeId object, const ObjectSpec& spec,
                           const ObjectFields& fields) {
  const FieldSet missing = spec.required & ~fields.seen();
  if (missing == 0) return true;
  report(c, object, "json.missing_field",
         fmt::format("{} lacks {}", spec.what, list_fields(missing)));
  return false;
}

// Finds the fields of an object on the tape; false if it is not an object.
inline bool collect_members(ReadContext& c, NodeId object, const ObjectSpec& spec,
                            ObjectFields& fields) {
  if (c.tape.kind(object) != JsonKind::kObject) {
    report_kind(c, object, spec.what, "an object");
    return false;
  }
  for (NodeId key = c.tape.first(object); key < c.tape.end(object); key = c.tape.next(key + 1)) {
    if (accept_key(c, key, spec, fields)) fields.set(c.tape.field(key), key + 1);
  }
  return true;
}

// The same; also false if it lacks a field that it must have.
inline bool collect_fields(ReadContext& c, NodeId object, const ObjectSpec& spec,
                           ObjectFields& fields) {
  return collect_members(c, object, spec, fields) && require_fields(c, object, spec, fields);
}

}  // namespace shardprop::detail
