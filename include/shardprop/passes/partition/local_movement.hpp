// `convert-global-to-local` of operations that make or move data: constants, iota, slice, pad,
// concatenate, dynamic_slice.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/passes/partition/local_program.hpp"
#include "shardprop/sharding/axis_text.hpp"

namespace shardprop::detail {

inline Shape ints_of(const LocalProgram& p, OpId op, std::string_view name) {
  AttributeReader reader(p.m, op, nullptr);
  const auto values = reader.ints_or_empty(name);
  return {values.begin(), values.end()};
}

// The axes of each dimension of `value`.
inline std::vector<AxisList> axes_per_dim(const LocalProgram& p, ValueId value) {
  std::vector<AxisList> out;
  for (std::size_t d = 0; d < rank_of(p.m, value); ++d) out.emplace_back(p.axes(value, d));
  return out;
}

// Whether the value of a constant is one number for all elements.
inline bool is_splat(const Module& m, AttrId value) {
  const AttrKind kind = m.attrs.kind(m.attrs.plain(value));
  return kind != AttrKind::kList && kind != AttrKind::kInts && kind != AttrKind::kData &&
         kind != AttrKind::kDict;
}

// A constant of one number gets the local type, any other one is cut on each device.
inline void localize_constant(LocalProgram& p, OpId op) {
  Module& m = p.m;
  const ValueId out = result(m, op, 0);
  const AttrId value = attribute(m, op, key::kValue);
  const Shape global = p.global_shape(out);
  const Shape local = p.local_shape(out);
  if (local == global || is_splat(m, value)) {
    if (m.ops[op].name == known::kSdyConstant) p.replace(p.constant(type_of(m, out), value));
    return;
  }
  const ValueId whole = p.constant(p.type_as(out, global), value);
  p.replace(p.slice_of_device(whole, p.mesh(out), axes_per_dim(p, out), local));
}

// A part of an iota along its dimension is an iota of that size plus the place where it begins.
inline void localize_iota(LocalProgram& p, OpId op) {
  Module& m = p.m;
  const ValueId out = result(m, op, 0);
  if (!p.is_split(out)) return;
  AttributeReader reader(m, op, nullptr);
  const auto dim = static_cast<std::size_t>(reader.integer("iota_dimension"));
  p.drop_sharding();
  const AxisSpan axes = p.axes(out, dim);
  if (axes.empty()) return;
  const TypeId type = type_of(m, out);
  const ValueId local = p.make(known::kIota, {}, type, m.ops[op].attributes);
  const ValueId offset = p.offset(p.mesh(out), axes, shape_of(m, out)[dim]);
  const ValueId converted = p.make(known::kConvert, {offset}, p.type_as(out, {}));
  p.replace(p.make(known::kAdd, {local, p.broadcast(converted, type)}, type));
}

inline std::string axes_text(const LocalProgram& p, ValueId value, std::size_t dim) {
  std::string out;
  for (AxisRef axis : p.axes(value, dim)) {
    out += out.empty() ? "" : ", ";
    out += to_string(axis, p.mesh(value));
  }
  return "{" + out + "}";
}

// Whether dimension `dim` of the two is split alike; an error if not.
inline bool check_same_axes(LocalProgram& p, OpId op, ValueId a, ValueId b, std::size_t dim) {
  if (equal(p.axes(a, dim), p.axes(b, dim))) return true;
  p.fail(
      op, "convert_global_to_local.different_axes",
      fmt::format("dimension {} is split by {} and by {}", dim, axes_text(p, a, dim),
                  axes_text(p, b, dim)),
      "run insert-explicit-reshards{enable-full-version=true} and reshard-to-collectives before");
  return false;
}

// A slice along a split dimension keeps, on each device, the begin of its part: all of it, or as much
// as the result's part has.
inline void localize_slice(LocalProgram& p, OpId op) {
  Module& m = p.m;
  const ValueId in = operand(m, op, 0);
  const ValueId out = result(m, op, 0);
  if (!p.is_split(in) && !p.is_split(out)) return;
  const Shape starts = ints_of(p, op, "start_indices");
  Shape limits = ints_of(p, op, "limit_indices");
  const Shape strides = ints_of(p, op, "strides");
  const Shape global = p.global_shape(in);
  const Shape global_out = p.global_shape(out);
  for (std::size_t d = 0; d < global.size(); ++d) {
    if (!check_same_axes(p, op, in, out, d)) return;
    const std::int64_t shards = p.shards(in, d);
    if (p.axes(in, d).empty()) continue;
    const auto part = [&](std::int64_t size) { return (size + shards - 1) / shards; };
    const bool all = limits[d] == global[d];
    const bool stays = shards == 1 || (strides[d] == 1 && part(global[d]) == part(global_out[d]));
    if (starts[d] != 0 || (!all && !stays)) {
      return p.fail(op, "convert_global_to_local.moves_data",
                    fmt::format("a slice moves data along dimension {}, which is split", d),
                    "run resolve-permutation-factors before");
    }
    limits[d] = shape_of(m, all ? in : out)[d];
  }
  set_attribute(m, op, "limit_indices", p.ints(limits));
  p.drop_sharding();
}

// How a pad lies on the devices: `offset[d][i]` elements of the result's part on device i come before
// the first element of the operand's part, along dimension d.
struct PadPlaces {
  std::vector<Shape> offset;
  std::vector<bool> same;  // on all devices
};

inline PadPlaces pad_places(const LocalProgram& p, OpId op, std::span<const std::int64_t> low,
                            std::span<const std::int64_t> interior) {
  const ValueId in = operand(p.m, op, 0);
  const ValueId out = result(p.m, op, 0);
  PadPlaces places;
  const DeviceGrid grid(p.mesh(in));
  for (std::size_t d = 0; d < low.size(); ++d) {
    Shape offset = grid.shards_by_id(p.axes(in, d));
    for (std::int64_t& at : offset) {
      at = at * shape_of(p.m, in)[d] * (interior[d] + 1) + low[d] - at * shape_of(p.m, out)[d];
    }
    places.same.push_back(std::ranges::all_of(offset, [&](auto at) { return at == offset[0]; }));
    places.offset.push_back(std::move(offset));
  }
  return places;
}

// Worked example: f32[4] on two devices padded by 1 below and 1 above is f32[6], parts of two and
// three: device 0 has [v a b], its part begins 1 before the operand's; device 1 has [c d v], 0 before.
// So pad by 1 on both sides, [v a b v] and [v c d v], and take three from place 0 on device 0 and from
// place 1 on device 1.
inline void localize_pad(LocalProgram& p, OpId op) {
  Module& m = p.m;
  const ValueId in = operand(m, op, 0);
  const ValueId out = result(m, op, 0);
  if (!p.is_split(in) && !p.is_split(out)) return;
  Shape low = ints_of(p, op, "edge_padding_low");
  Shape high = ints_of(p, op, "edge_padding_high");
  const Shape interior = ints_of(p, op, "interior_padding");
  for (std::size_t d = 0; d < low.size(); ++d) {
    if (!check_same_axes(p, op, in, out, d)) return;
  }
  const PadPlaces places = pad_places(p, op, low, interior);
  const bool same = std::ranges::all_of(places.same, [](bool one) { return one; });
  Shape padded;
  for (std::size_t d = 0; d < low.size(); ++d) {
    const std::int64_t from = shape_of(m, in)[d];
    const std::int64_t spread = (from - 1) * (interior[d] + 1) + 1;
    const auto [least, most] = std::ranges::minmax(places.offset[d]);
    low[d] = same ? most : std::max<std::int64_t>(0, most);
    high[d] = shape_of(m, out)[d] - least - spread;
    if (!same) high[d] = std::max<std::int64_t>(0, high[d]);
    padded.push_back(low[d] + spread + high[d]);
  }
  AttrId attributes = m.attrs.with(m.ops[op].attributes, p.key("edge_padding_low"), p.ints(low));
  attributes = m.attrs.with(attributes, p.key("edge_padding_high"), p.ints(high));
  if (same) {
    m.ops[op].attributes = attributes;
    return p.drop_sharding();
  }
  const ValueId wide =
      p.make("stablehlo.pad", {in, operand(m, op, 1)}, p.type_as(in, padded), attributes);
  const ValueId device = p.device_id();
  std::vector<ValueId> starts;
  for (std::size_t d = 0; d < low.size(); ++d) {
    Shape from = places.offset[d];
    for (std::int64_t& at : from) at = low[d] - at;
    starts.push_back(places.same[d] ? p.index(from[0]) : p.look_up(from, device));
  }
  p.replace(p.dynamic_slice(wide, starts, p.local_shape(out)));
}

inline void localize_concatenate(LocalProgram& p, OpId op) {
  const ValueId out = result(p.m, op, 0);
  AttributeReader reader(p.m, op, nullptr);
  const auto dim = static_cast<std::size_t>(reader.integer("dimension"));
  std::vector<ValueId> values = operands_of(p.m, op);
  values.push_back(out);
  for (ValueId value : values) {
    if (!p.axes(value, dim).empty()) {
      return p.fail(op, "convert_global_to_local.moves_data",
                    fmt::format("a concatenation is along dimension {}, which is split", dim),
                    "run insert-explicit-reshards{enable-full-version=true} before");
    }
    if (!p.is_split(value)) continue;
    for (std::size_t d = 0; d < rank_of(p.m, out); ++d) {
      if (!check_same_axes(p, op, value, out, d)) return;
    }
  }
}

// Along a split dimension, a dynamic slice takes all of it.
inline void localize_dynamic_slice(LocalProgram& p, OpId op) {
  const ValueId in = operand(p.m, op, 0);
  const ValueId out = result(p.m, op, 0);
  Shape sizes = ints_of(p, op, "slice_sizes");
  const Shape global = p.global_shape(in);
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (p.axes(in, d).empty() && p.axes(out, d).empty()) continue;
    if (!check_same_axes(p, op, in, out, d)) return;
    if (sizes[d] != global[d]) {
      return p.fail(op, "convert_global_to_local.moves_data",
                    fmt::format("a dynamic slice takes a part of dimension {}, which is split", d),
                    "run insert-explicit-reshards{enable-full-version=true} before");
    }
    sizes[d] = shape_of(p.m, out)[d];
  }
  set_attribute(p.m, op, "slice_sizes", p.ints(sizes));
}

inline constexpr LocalRow kLocalMovement[] = {
    {"sdy.constant", localize_constant},       {"stablehlo.concatenate", localize_concatenate},
    {"stablehlo.constant", localize_constant}, {"stablehlo.dynamic_slice", localize_dynamic_slice},
    {"stablehlo.iota", localize_iota},         {"stablehlo.pad", localize_pad},
    {"stablehlo.slice", localize_slice},
};

}  // namespace shardprop::detail
