// When two types mean the same for inference: a dynamic dimension goes with any size, and a
// quantised element type with one that differs in scales and zero points only. O(rank), plus the
// text of quantised types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/common/element_type.hpp"

namespace shardprop {

// `!quant.uniform<i8<-127:127>:f32:1, {...}>` stores i8<-127:127>, expresses f32 and is quantised
// along axis 1.
struct QuantizedParts {
  std::string_view storage;
  std::string_view expressed;
  bool per_axis = false;
};

// The parts of a quantised type's text; all empty where it cannot be read.
inline QuantizedParts parse_quantized(std::string_view text) {
  const std::size_t open = text.find('<');
  if (open == std::string_view::npos) return {};
  std::string_view rest = text.substr(open + 1);
  std::size_t colon = rest.find(':');
  const std::size_t bounds = rest.find('<');
  if (bounds < colon) colon = rest.find(':', rest.find('>'));
  if (colon == std::string_view::npos) return {};
  const std::string_view storage = rest.substr(0, colon);
  rest = rest.substr(colon + 1);
  const std::size_t end = rest.find_first_of(",:>");
  return {storage, rest.substr(0, end), end != std::string_view::npos && rest[end] == ':'};
}

inline bool compatible_shapes(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && a[i] != kDynamic && b[i] != kDynamic) return false;
  }
  return true;
}

// Equal, or both quantised with the same storage and expressed type, per tensor or per axis both.
inline bool compatible_element_types(std::string_view a, std::string_view b) {
  if (a == b) return true;
  if (!a.starts_with("!quant") || !b.starts_with("!quant")) return false;
  const QuantizedParts x = parse_quantized(a);
  const QuantizedParts y = parse_quantized(b);
  return !x.expressed.empty() && x.storage == y.storage && x.expressed == y.expressed &&
         x.per_axis == y.per_axis;
}

inline bool compatible_types(const Module& m, TypeId a, TypeId b) {
  if (a == b) return true;
  if (!m.types.is_tensor(a) || !m.types.is_tensor(b)) return false;
  return compatible_shapes(m.types.shape(a), m.types.shape(b)) &&
         compatible_element_types(m.strings[m.types.dtype(a)], m.strings[m.types.dtype(b)]);
}

// The element class of a type; a type that is not a tensor is a token or of class kOther.
inline ElementClasses element_class(const Module& m, TypeId type) {
  const ElementClasses kind = parse_element_type(m.strings[m.types.dtype(type)]).kind;
  if (m.types.is_tensor(type)) return kind;
  return kind == kToken ? kToken : kOther;
}

}  // namespace shardprop
