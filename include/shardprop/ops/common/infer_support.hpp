// What inference and verification functions share: making result types, constants whose values are
// known, checks of lists of dimensions. Checks report under a constraint of the operation and tell
// whether it holds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/known_names.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/common/pointwise_rule.hpp"
#include "shardprop/ops/common/type_compatibility.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/support/text_list.hpp"

namespace shardprop {

using InferredTypes = std::optional<std::vector<TypeId>>;
using Shape = std::vector<std::int64_t>;

namespace detail {

// `[2, -1]`: a list as it was given, unlike a shape, where -1 is a size that is not known.
inline std::string list_text(std::span<const std::int64_t> numbers) {
  return "[" + comma_list(numbers, [](std::int64_t n) { return std::to_string(n); }) + "]";
}

// Reports the constraint that does not hold; for `return refuse(...)` in a function of
// InferredTypes.
inline std::nullopt_t refuse(const InferInput& in, std::string_view constraint, std::string message,
                             std::string hint = {}) {
  report(in, constraint, std::move(message), std::move(hint));
  return std::nullopt;
}

inline TypeId operand_type(const Module& m, OpId op, std::size_t i) {
  return type_of(m, operand(m, op, i));
}
inline std::string_view dtype_of(const Module& m, TypeId type) {
  return m.strings[m.types.dtype(type)];
}
inline Shape shape_copy(const Module& m, TypeId type) {
  const auto dims = m.types.shape(type);
  return Shape(dims.begin(), dims.end());
}

inline InferredTypes inferred(TypeId type) { return std::vector<TypeId>{type}; }
// The type `like` with another shape, or with another element type.
inline TypeId with_shape(Module& m, TypeId like, std::span<const std::int64_t> shape) {
  return m.types.tensor(m.types.dtype(like), shape);
}
inline TypeId with_element(Module& m, TypeId like, std::string_view dtype) {
  const StringId id = m.strings.intern(std::string(dtype));
  return m.types.tensor(id, shape_copy(m, like));
}

// Operand 0's shape with another element type.
inline InferredTypes infer_with_dtype(const InferInput& in, std::string_view dtype) {
  return inferred(with_element(in.types, operand_type(in.m, in.op, 0), dtype));
}

// The sizes that two compatible shapes know together.
inline Shape most_specific(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  Shape out(a.begin(), a.end());
  for (std::size_t i = 0; i < out.size() && i < b.size(); ++i) {
    if (out[i] == kDynamic) out[i] = b[i];
  }
  return out;
}

// Sums and products of sizes that stop at the largest and the smallest number: sizes come from
// files.
constexpr std::int64_t add_sizes(std::int64_t a, std::int64_t b) {
  if (b > 0 && a > INT64_MAX - b) return INT64_MAX;
  if (b < 0 && a < INT64_MIN - b) return INT64_MIN;
  return a + b;
}
// Of factors that are not negative.
constexpr std::int64_t multiply_sizes(std::int64_t a, std::int64_t b) {
  return a != 0 && b > INT64_MAX / a ? INT64_MAX : a * b;
}

inline bool compatible_sizes(std::int64_t a, std::int64_t b) {
  return a == b || a == kDynamic || b == kDynamic;
}

// An operand that lists sizes has one per dimension: no tensor has more.
constexpr std::int64_t kMaxListLength = 65536;

// The values of a one-dimensional integer constant, or none where `value` is none or its data was
// left out.
inline std::optional<Shape> constant_ints(const Module& m, ValueId value) {
  const OpId op = defining_op(m, value);
  if (!op.valid() || m.ops[op].name != known::kConstant) return std::nullopt;
  const AttrId data = attribute(m, op, "value");
  const auto shape = shape_of(m, value);
  if (!data.valid() || shape.size() != 1) return std::nullopt;
  if (shape[0] < 0 || shape[0] > kMaxListLength) return std::nullopt;
  if (m.attrs.kind(data) == AttrKind::kInts &&
      m.attrs.as_ints(data).size() == static_cast<std::size_t>(shape[0])) {
    const auto values = m.attrs.as_ints(data);
    return Shape(values.begin(), values.end());
  }
  if (m.attrs.kind(data) != AttrKind::kInt) return std::nullopt;
  return Shape(static_cast<std::size_t>(shape[0]), m.attrs.as_int(data));
}

// Each element of `dims` must be at least 0 and below `limit`.
template <class Input>
bool check_in_range(const Input& in, std::string_view constraint, std::string_view name,
                    std::span<const std::int64_t> dims, std::size_t limit) {
  for (std::int64_t dim : dims) {
    if (dim >= 0 && dim < static_cast<std::int64_t>(limit)) continue;
    report(in, constraint,
           fmt::format("{} must be in [0, {}), found {}", name, limit, list_text(dims)));
    return false;
  }
  return true;
}

template <class Input>
bool check_unique(const Input& in, std::string_view constraint, std::string_view name,
                  std::span<const std::int64_t> dims) {
  Shape sorted(dims.begin(), dims.end());
  std::ranges::sort(sorted);
  if (std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end()) return true;
  report(in, constraint,
         fmt::format("{} must not repeat a number, found {}", name, list_text(dims)));
  return false;
}

template <class Input>
bool check_sorted(const Input& in, std::string_view constraint, std::string_view name,
                  std::span<const std::int64_t> dims) {
  if (std::is_sorted(dims.begin(), dims.end())) return true;
  report(in, constraint,
         fmt::format("{} must be in increasing order, found {}", name, list_text(dims)));
  return false;
}

template <class Input>
bool check_size(const Input& in, std::string_view constraint, std::string_view name,
                std::size_t size, std::string_view of, std::size_t expected) {
  if (size == expected) return true;
  report(
      in, constraint,
      fmt::format("{} must have as many elements as {}: {}, found {}", name, of, expected, size));
  return false;
}

// The result has as many dimensions as shape operand `i`, which is called `name`, has elements.
inline bool check_result_rank(const VerifyInput& in, std::string_view constraint, std::size_t i,
                              std::string_view name) {
  const TypeId type = type_of(in.m, result(in.m, in.op, 0));
  const std::int64_t size = shape_of(in.m, operand(in.m, in.op, i))[0];
  if (size == static_cast<std::int64_t>(in.m.types.rank(type))) return true;
  report(in, constraint,
         fmt::format("the result must have {} dimensions, the size of {}, found {}", size, name,
                     to_string(in.m, type)));
  return false;
}

// A shape operand, where its value is known, must be non-negative and go with the shape of the
// result.
inline bool check_shape_operand(const VerifyInput& in, std::string_view constraint, std::size_t i) {
  const auto values = constant_ints(in.m, operand(in.m, in.op, i));
  if (!values) return true;
  const TypeId type = type_of(in.m, result(in.m, in.op, 0));
  const bool positive =
      std::all_of(values->begin(), values->end(), [](std::int64_t v) { return v >= 0; });
  if (positive && compatible_shapes(*values, in.m.types.shape(type))) return true;
  report(in, constraint,
         fmt::format("the result's shape must be {}, the value of operand {}, found {}",
                     list_text(*values), i, to_string(in.m, type)));
  return false;
}

// A tensor operand that stands for a list: one dimension, of known size.
inline bool check_list_operand(const VerifyInput& in, std::size_t i) {
  const TypeId type = operand_type(in.m, in.op, i);
  const auto shape = in.m.types.shape(type);
  if (in.m.types.is_static_tensor(type) && shape.size() == 1 && shape[0] >= 0 &&
      shape[0] <= kMaxListLength) {
    return true;
  }
  report(in, fmt::format("i{}", i + 1),
         fmt::format("operand {} must be a tensor of one dimension of known size, found {}", i,
                     to_string(in.m, type)));
  return false;
}

// Operands `first` to `first + 2` must be lists of one type with an element for each dimension of
// operand 0.
inline bool check_lists_a_dimension(const VerifyInput& in, std::size_t first,
                                    std::string_view constraint) {
  const std::size_t rank = rank_of(in.m, operand(in.m, in.op, 0));
  for (std::size_t i = first; i < first + 3; ++i) {
    if (!check_list_operand(in, i)) return false;
    const TypeId type = operand_type(in.m, in.op, i);
    const bool as_first = type == operand_type(in.m, in.op, first);
    if (as_first && in.m.types.shape(type)[0] == static_cast<std::int64_t>(rank)) continue;
    report(in, constraint,
           fmt::format("operands {} to {} must have one type, with an element for each of {} "
                       "dimensions, found {}",
                       first, first + 2, rank, to_string(in.m, type)));
    return false;
  }
  return true;
}

}  // namespace detail

}  // namespace shardprop
