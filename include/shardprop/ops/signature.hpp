// What a row declares of all its operations, checked once: counts, element classes, what operands
// and results have in common. O(operands + results) an operation.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/common/type_compatibility.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

// `bool, signed integer or float`
inline std::string to_string_classes(ElementClasses classes) {
  static constexpr std::string_view kNames[] = {"bool",  "signed integer", "unsigned integer",
                                                "float", "complex",        "quantized",
                                                "token", "other"};
  std::string out;
  for (std::size_t i = 0; i < 8; ++i) {
    if (!(classes >> i & 1)) continue;
    if (!out.empty()) out += classes >> (i + 1) & 0xFF ? ", " : " or ";
    out += kNames[i];
  }
  return out;
}

namespace detail {

// The class that a list of classes gives value `i`: the last one that is not 0 holds for all
// further values.
template <std::size_t N>
ElementClasses class_at(const std::array<ElementClasses, N>& classes, std::size_t i,
                        std::size_t& input) {
  std::size_t last = 0;
  for (std::size_t k = 1; k < N && classes[k] != 0; ++k) last = k;
  input = i < last ? i : last;
  return classes[input];
}

inline bool check_count(const Module& m, OpId op, Diagnostics& out, std::string_view what,
                        std::size_t count, std::int8_t min, std::int8_t max) {
  const bool enough = count >= static_cast<std::size_t>(min);
  const bool few = max == kVariadic || count <= static_cast<std::size_t>(max);
  if (enough && few) return true;
  std::string expected = std::to_string(min);
  if (max == kVariadic) expected += " or more";
  if (max > min) expected += " to " + std::to_string(max);
  out.push_back({fmt::format("op.{}_count", what),
                 fmt::format("expected {} {}s, found {}", expected, what, count),
                 {},
                 place_of(m, op)});
  return false;
}

inline void report_class(const Module& m, OpId op, Diagnostics& out, std::string_view code,
                         std::string_view what, TypeId type, ElementClasses expected) {
  out.push_back({std::string(code),
                 fmt::format("{} must be {}, found {}", what, to_string_classes(expected),
                             to_string(m, type)),
                 {},
                 place_of(m, op)});
}

inline bool check_operand_classes(const Signature& s, const Module& m, OpId op, Diagnostics& out) {
  bool ok = true;
  for (std::size_t i = 0; i < m.ops[op].operand_count; ++i) {
    std::size_t input = 0;
    const ElementClasses expected = class_at(s.operand_classes, i, input);
    const TypeId type = type_of(m, operand(m, op, i));
    if (expected == kAnyValue || (element_class(m, type) & expected)) continue;
    const std::string_view name = op_name(m, op);
    if (s.max_operands != kVariadic) input = i;  // each operand is an input of its own
    const std::string code =
        name.starts_with("stablehlo.") ? fmt::format("{}.i{}", name, input + 1) : "op.operand_type";
    report_class(m, op, out, code, fmt::format("operand {}", i), type, expected);
    ok = false;
  }
  return ok;
}

inline bool check_result_classes(const Signature& s, const Module& m, OpId op, Diagnostics& out) {
  bool ok = true;
  for (std::size_t i = 0; i < m.ops[op].result_count; ++i) {
    std::size_t output = 0;
    const ElementClasses expected = class_at(s.result_classes, i, output);
    const TypeId type = type_of(m, result(m, op, i));
    if (expected == kAnyValue || (element_class(m, type) & expected)) continue;
    report_class(m, op, out, "op.result_type", fmt::format("result {}", i), type, expected);
    ok = false;
  }
  return ok;
}

// Calls `fn` with the type of each operand and result.
template <class Fn>
void for_each_type(const Module& m, OpId op, Fn&& fn) {
  for (UseId use : operand_uses(m, op)) fn(type_of(m, m.uses[use].value));
  for (ValueId value : results(m, op)) fn(type_of(m, value));
}

inline bool check_same_shape(const Module& m, OpId op, Diagnostics& out) {
  TypeId first;
  bool same = true;
  for_each_type(m, op, [&](TypeId type) {
    if (m.types.rank(type) == 0) return;
    if (!first.valid()) first = type;
    if (!same || compatible_shapes(m.types.shape(first), m.types.shape(type))) return;
    same = false;
    report(m, op, out, "same_shape",
           fmt::format("operands and results must have the same shape, found {} and {}",
                       to_string(m, first), to_string(m, type)));
  });
  return same;
}

inline bool check_same_element_type(const Module& m, OpId op, Diagnostics& out) {
  TypeId first;
  bool same = true;
  for_each_type(m, op, [&](TypeId type) {
    if (!first.valid()) first = type;
    const auto text = [&](TypeId t) { return m.strings[m.types.dtype(t)]; };
    if (!same || compatible_element_types(text(first), text(type))) return;
    same = false;
    report(m, op, out, "same_element_type",
           fmt::format("operands and results must have the same element type, found {} and {}",
                       text(first), text(type)));
  });
  return same;
}

}  // namespace detail

// Whether operands and regions are as the row declares: what inference may rely on.
inline bool check_inputs(const Signature& s, const Module& m, OpId op, Diagnostics& out) {
  const bool operands = detail::check_count(m, op, out, "operand", m.ops[op].operand_count,
                                            s.min_operands, s.max_operands);
  const bool blocks =
      detail::check_count(m, op, out, "block", block_count(m, op), s.min_blocks, s.max_blocks);
  const bool classes = detail::check_operand_classes(s, m, op, out);
  return operands && blocks && classes;
}

// Whether results, and what operands and results have in common, are as the row declares.
inline bool check_results(const Signature& s, const Module& m, OpId op, Diagnostics& out) {
  const bool count = detail::check_count(m, op, out, "result", m.ops[op].result_count,
                                         s.min_results, s.max_results);
  if (!detail::check_result_classes(s, m, op, out) || !count) return false;
  const bool same_shape =
      s.agreement != Agreement::kSameShape && s.agreement != Agreement::kSameType
          ? true
          : detail::check_same_shape(m, op, out);
  const bool same_element =
      s.agreement != Agreement::kSameElementType && s.agreement != Agreement::kSameType
          ? true
          : detail::check_same_element_type(m, op, out);
  return same_shape && same_element;
}

}  // namespace shardprop
