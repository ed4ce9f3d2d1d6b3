// Axis lists of sdy operations, and the dimensions of convolutions, in MLIR text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/io/text/forms/attribute_rows.hpp"
#include "shardprop/io/text/write/context.hpp"
#include "shardprop/io/text/write/type.hpp"
#include "shardprop/io/text/write/values.hpp"

namespace shardprop::detail {

// Whether `text` is `:(1)2`, as a part of an axis is written after its name.
inline bool is_axis_part(std::string_view text) {
  const std::size_t close = text.find(')');
  if (!text.starts_with(":(") || close == std::string_view::npos) return false;
  std::int64_t before = 0;
  std::int64_t size = 0;
  return parse_integer(text.substr(2, close - 2), before) &&
         parse_integer(text.substr(close + 1), size) &&
         text == fmt::format(":({}){}", before, size);
}

// `"x"` of JSON's x, `"x":(1)2` of x:(1)2.
inline bool write_axis(TextWriteContext& c, AttrId axis) {
  if (c.m.attrs.kind(axis) != AttrKind::kString) return false;
  const std::string_view text = c.m.strings[c.m.attrs.as_string(axis)];
  const std::size_t part = text.rfind(":(");
  const bool is_part = part != std::string_view::npos && is_axis_part(text.substr(part));
  write_string(c, is_part ? text.substr(0, part) : text);
  if (is_part) c.out.append(text.substr(part));
  return true;
}

// `{"x", "y"}`
inline bool write_axes(TextWriteContext& c, AttrId axes) {
  return write_items(c, axes, write_axis, "{}");
}

// `{"x"}: 0->1`
inline bool write_axes_move(TextWriteContext& c, AttrId move) {
  if (c.m.attrs.kind(move) != AttrKind::kDict || c.m.attrs.entries(move).size() != 3) return false;
  const auto field = [&](std::string_view name) {
    return c.m.attrs.find(move, c.m.strings.find(name));
  };
  const AttrId axes = field("axes");
  const AttrId from = field("source_dimension");
  const AttrId to = field("target_dimension");
  const auto is_int = [&](AttrId id) { return c.m.attrs.kind(id) == AttrKind::kInt; };
  if (!axes.valid() || !is_int(from) || !is_int(to) || !write_axes(c, axes)) return false;
  c.out.append(": ");
  append_integer(c.out, c.m.attrs.as_int(from));
  c.out.append("->");
  append_integer(c.out, c.m.attrs.as_int(to));
  return true;
}

// Puts `name` at place `number` of `side`; false if something stands there, or it has no such
// place.
inline bool place_conv_dim(std::vector<std::string>& side, std::int64_t number, std::string name) {
  if (number < 0 || number >= static_cast<std::int64_t>(side.size())) return false;
  std::string& at = side[static_cast<std::size_t>(number)];
  if (!at.empty()) return false;
  at = std::move(name);
  return true;
}

// `[b, 0, f]` of the three fields from number `from` of `kConvFields` on.
inline bool write_conv_side(TextWriteContext& c, AttrId dims, std::size_t from,
                            std::string_view letters) {
  std::array<AttrId, 3> fields;
  for (std::size_t i = 0; i < 3; ++i) {
    fields[i] = c.m.attrs.find(dims, c.m.strings.find(kConvFields[from + i].name));
    const AttrKind kind = i == 2 ? AttrKind::kInts : AttrKind::kInt;
    if (!fields[i].valid() || c.m.attrs.kind(fields[i]) != kind) return false;
  }
  const auto spatial = c.m.attrs.as_ints(fields[2]);
  std::vector<std::string> side(spatial.size() + 2);
  for (std::size_t i = 0; i < 2; ++i) {
    if (!place_conv_dim(side, c.m.attrs.as_int(fields[i]), std::string(1, letters[i])))
      return false;
  }
  for (std::size_t i = 0; i < spatial.size(); ++i) {
    if (!place_conv_dim(side, spatial[i], std::to_string(i))) return false;
  }
  c.out += '[';
  for (std::size_t i = 0; i < side.size(); ++i) c.out.append(i == 0 ? "" : ", ").append(side[i]);
  c.out += ']';
  return true;
}

// `[b, 0, f]x[0, i, o]->[b, 0, f]`; false where the dimensions are not a permutation.
inline bool write_conv_dims(TextWriteContext& c, AttrId dims) {
  if (c.m.attrs.kind(dims) != AttrKind::kDict) return false;
  if (c.m.attrs.entries(dims).size() != kConvFields.size()) return false;
  if (!write_conv_side(c, dims, 0, "bf")) return false;
  c.out += 'x';
  if (!write_conv_side(c, dims, 3, "oi")) return false;
  c.out.append("->");
  return write_conv_side(c, dims, 6, "bf");
}

// `#sdy<axis_ref_list{"x"}>` and the like, in brief `{"x"}`.
inline bool write_axes_attribute(TextWriteContext& c, const OpAttributeRow& row, AttrId value,
                                 bool full) {
  if (row.kind == OpAttributeKind::kConvDims) {
    if (full) c.out.append("#stablehlo.conv<");
    if (!write_conv_dims(c, value)) return false;
    if (full) c.out += '>';
    return true;
  }
  if (full) c.out.append("#sdy<").append(row.detail);
  bool written = false;
  if (row.kind == OpAttributeKind::kAxes) written = write_axes(c, value);
  if (row.kind == OpAttributeKind::kAxesLists) written = write_items(c, value, write_axes);
  if (row.kind == OpAttributeKind::kAxesMoves) written = write_items(c, value, write_axes_move);
  if (full) c.out += '>';
  return written;
}

}  // namespace shardprop::detail
