// Types and constraints of map: a function of scalars, applied to each element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "fmt/core.h"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/infer_support.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

namespace detail {

// C4: the computation takes a scalar of each input's element type.
inline bool check_map_arguments(const InferInput& in, BlockId block) {
  const Module& m = in.m;
  const auto arguments = m.blocks[block].arguments;
  if (arguments.size() != m.ops[in.op].operand_count) {
    report(
        in, "c4",
        fmt::format("the computation must take as many arguments as there are inputs: {}, found {}",
                    m.ops[in.op].operand_count, arguments.size()));
    return false;
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const TypeId type = type_of(m, arguments[i]);
    const std::string_view element = dtype_of(m, operand_type(m, in.op, i));
    if (m.types.is_tensor(type) && m.types.rank(type) == 0 && dtype_of(m, type) == element)
      continue;
    report(in, "c4",
           fmt::format("argument {} of the computation must be tensor<{}>, found {}", i, element,
                       to_string(m, type)));
    return false;
  }
  return true;
}

}  // namespace detail

inline InferredTypes infer_map(const InferInput& in) {
  const Module& m = in.m;
  if (m.ops[in.op].operand_count == 0) return detail::refuse(in, "c2", "there must be an input");
  const TypeId first = detail::operand_type(m, in.op, 0);
  for (UseId use : operand_uses(m, in.op)) {
    const TypeId type = type_of(m, m.uses[use].value);
    if (compatible_shapes(m.types.shape(first), m.types.shape(type))) continue;
    return detail::refuse(in, "c1",
                          fmt::format("inputs must have one shape, found {} and {}",
                                      to_string(m, first), to_string(m, type)));
  }
  const BlockId block = m.ops[in.op].first_block;
  if (!detail::check_map_arguments(in, block)) return std::nullopt;
  const OpId last = terminator(m, block);
  const std::size_t count = last.valid() ? m.ops[last].operand_count : 0;
  if (count != 1)
    return detail::refuse(in, "c4",
                          fmt::format("the computation must return one value, found {}", count));
  const TypeId returned = detail::operand_type(m, last, 0);
  if (!m.types.is_tensor(returned) || m.types.rank(returned) != 0) {
    return detail::refuse(
        in, "c4",
        fmt::format("the computation must return a scalar, found {}", to_string(m, returned)));
  }
  return detail::inferred(detail::with_shape(in.types, returned, detail::shape_copy(m, first)));
}

// C3: all dimensions in order.
inline void verify_map(const VerifyInput& in) {
  AttributeReader attributes(in);
  const auto dimensions = attributes.ints("dimensions");
  if (!attributes.ok() || in.m.ops[in.op].operand_count == 0) return;
  const std::size_t rank = rank_of(in.m, operand(in.m, in.op, 0));
  bool all = dimensions.size() == rank;
  for (std::size_t i = 0; all && i < rank; ++i) all = dimensions[i] == static_cast<std::int64_t>(i);
  if (all) return;
  report(in, "c3",
         fmt::format("dimensions must be all {} dimensions of the inputs in order, found {}", rank,
                     detail::list_text(dimensions)));
}

}  // namespace shardprop
