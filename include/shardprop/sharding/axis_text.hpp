// Text forms of one axis reference: `x` and `x:(pre)size` in the JSON graph, `"x"` and
// `"x":(pre)size` in the sdy notation; and what makes such a reference valid on its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fmt/core.h"
#include "shardprop/sharding/axis_ref.hpp"
#include "shardprop/sharding/mesh.hpp"
#include "shardprop/sharding/scanner.hpp"
#include "shardprop/support/diagnostic.hpp"
#include "shardprop/support/nearest_name.hpp"
#include "shardprop/support/result.hpp"
#include "shardprop/support/text_list.hpp"

namespace shardprop {

// The name of an axis; one that the mesh does not have is `#` and its number.
inline std::string axis_name(AxisRef axis, const Mesh& mesh) {
  if (axis.axis < mesh.axes.size()) return mesh.axes[axis.axis].name;
  return fmt::format("#{}", axis.axis);
}

// The spelling of the JSON graph.
inline std::string to_string(AxisRef axis, const Mesh& mesh) {
  std::string name = axis_name(axis, mesh);
  if (axis.is_full) return name;
  return fmt::format("{}:({}){}", name, axis.pre_size, axis.size);
}

namespace detail {

// The spelling of the sdy notation.
inline std::string quoted_axis(AxisRef axis, const Mesh& mesh) {
  std::string name = detail::quoted(axis_name(axis, mesh));
  if (axis.is_full) return name;
  return fmt::format("{}:({}){}", name, axis.pre_size, axis.size);
}

inline Diagnostic unknown_axis(std::string_view name, const Mesh& mesh) {
  const std::string names =
      comma_list(mesh.axes, [](const MeshAxis& axis) { return detail::quoted(axis.name); });
  Nearest near(name);
  for (const MeshAxis& axis : mesh.axes) near.offer(axis.name);
  return {"sharding.unknown_axis", fmt::format("the mesh has no axis {}", detail::quoted(name)),
          names.empty() ? "the mesh has no axes"
                        : did_you_mean(near.text(), {}) + (near.found() ? " " : "") +
                              "its axes are " + names};
}

// What is wrong with the part (pre_size)size of `axis`, without a place; none if it is a proper
// part of the axis.
inline std::optional<Diagnostic> check_sub_axis(const MeshAxis& axis, std::int64_t pre_size,
                                                std::int64_t size) {
  const std::string text = fmt::format("{}:({}){}", detail::quoted(axis.name), pre_size, size);
  if (pre_size < 1) {
    return Diagnostic{"sharding.sub_axis_pre_size",
                      fmt::format("the sub-axis {} has a pre-size below 1", text),
                      "the pre-size is the product of the sizes of all parts that are more major"};
  }
  if (size < 2) {
    return Diagnostic{"sharding.sub_axis_size",
                      fmt::format("the sub-axis {} does not split anything", text),
                      "a sub-axis has at least size 2; leave this one out"};
  }
  // Dividing first keeps the product from overflowing.
  if (pre_size > axis.size / size || axis.size % (pre_size * size) != 0) {
    return Diagnostic{
        "sharding.sub_axis_not_dividing",
        fmt::format("the sub-axis {} does not divide its axis of size {}", text, axis.size),
        "pre-size times size must divide the size of the axis"};
  }
  if (size == axis.size) {
    return Diagnostic{"sharding.sub_axis_is_full",
                      fmt::format("the sub-axis {} is the whole axis", text),
                      fmt::format("write {}", detail::quoted(axis.name))};
  }
  return std::nullopt;
}

// The part (pre_size)size of the axis `name`, checked.
inline Result<AxisRef> make_sub_axis(std::string_view name, std::int64_t pre_size,
                                     std::int64_t size, const Mesh& mesh) {
  const int axis = mesh.find_axis(name);
  if (axis < 0) return unknown_axis(name, mesh);
  const std::size_t number = static_cast<std::size_t>(axis);
  if (auto wrong = check_sub_axis(mesh.axes[number], pre_size, size)) return *wrong;
  return sub_axis(number, pre_size, size);
}

}  // namespace detail

// Reads the spelling of the JSON graph; `mesh` must be verified. Errors, without a place:
// `sharding.syntax`, `sharding.unknown_axis` and the four `sharding.sub_axis_*`.
inline Result<AxisRef> parse_axis_ref(std::string_view text, const Mesh& mesh) {
  if (const int axis = mesh.find_axis(text); axis >= 0) {
    return full_axis(mesh, static_cast<std::size_t>(axis));
  }
  const std::size_t colon = text.rfind(":(");
  if (colon == std::string_view::npos) return detail::unknown_axis(text, mesh);
  const std::string_view numbers = text.substr(colon + 2);
  const std::size_t close = numbers.find(')');
  std::int64_t pre_size = 0;
  std::int64_t size = 0;
  if (close == std::string_view::npos ||
      !detail::parse_integer(numbers.substr(0, close), pre_size) ||
      !detail::parse_integer(numbers.substr(close + 1), size)) {
    return Diagnostic{"sharding.syntax",
                      fmt::format("{} is not an axis or sub-axis", detail::quoted(text)),
                      "write name, or name:(pre-size)size for a sub-axis"};
  }
  return detail::make_sub_axis(text.substr(0, colon), pre_size, size, mesh);
}

}  // namespace shardprop
