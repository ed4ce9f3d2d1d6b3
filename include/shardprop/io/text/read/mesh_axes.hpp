// Groups of replicas that are given by axes of a mesh instead of lists of numbers:
//   #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>
// JSON has {"mesh": "mesh", "axes": [{"name": "x"}]}; a mesh that is given in place is an object.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "fmt/core.h"
#include "shardprop/io/text/read/axes.hpp"
#include "shardprop/io/text/read/context.hpp"
#include "shardprop/io/text/read/plain.hpp"

namespace shardprop::detail {

inline bool expect_field(TextReadContext& c, std::string_view name) {
  return expect_word(c, name) && expect(c, '=');
}

// `#stablehlo.name<` or, without the dialect, `<`
inline bool expect_stablehlo(TextReadContext& c, std::string_view name) {
  if (c.in.accept('#') && !c.in.accept(fmt::format("stablehlo.{}", name)))
    return fail_expected(c, fmt::format("'stablehlo.{}'", name));
  return expect(c, '<');
}

inline AttrEntry integer_entry(TextReadContext& c, std::string_view key, std::int64_t value) {
  return {c.m.strings.intern(key), c.m.attrs.integer(value)};
}

// `#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>`
inline bool read_stablehlo_axis(TextReadContext& c, AttrId& out) {
  SmallVector<AttrEntry, 2> entries;
  StringId name;
  if (!expect_stablehlo(c, "axis_ref") || !expect_field(c, "name") || !read_string(c, name))
    return false;
  entries.push_back({c.m.strings.intern("name"), c.m.attrs.string(name)});
  if (c.in.accept(',')) {
    std::int64_t before = 0;
    std::int64_t size = 0;
    if (!expect_field(c, "sub_axis_info") || !expect(c, '(') || !read_integer(c, before) ||
        !expect(c, ')') || !read_integer(c, size))
      return false;
    const std::array<AttrEntry, 2> info = {integer_entry(c, "pre_size", before),
                                           integer_entry(c, "size", size)};
    entries.push_back({c.m.strings.intern("sub_axis_info"), c.m.attrs.dict(info)});
  }
  out = c.m.attrs.dict({entries.data(), entries.size()});
  return expect(c, '>');
}

// `#stablehlo.mesh_axis<name = "x", size = 2>`; JSON has {"opaque": "<name = \"x\", size = 2>"}.
inline bool read_stablehlo_mesh_axis(TextReadContext& c, AttrId& out) {
  StringId name;
  std::int64_t size = 0;
  if (!expect_stablehlo(c, "mesh_axis") || !expect_field(c, "name") || !read_string(c, name) ||
      !expect(c, ',') || !expect_field(c, "size") || !read_integer(c, size))
    return false;
  const std::string text =
      fmt::format("<name = {}, size = {}>", detail::quoted(c.m.strings[name]), size);
  const AttrEntry entry{key::kOpaque, c.m.attrs.string(c.m.strings.intern(text))};
  out = c.m.attrs.dict({&entry, 1});
  return expect(c, '>');
}

// `@mesh` or `#stablehlo.mesh<axes = [...], device_ids = dense<[1, 0]> : tensor<2xi64>>`
inline bool read_stablehlo_mesh(TextReadContext& c, AttrId& out) {
  if (c.in.peek() == '@') {
    StringId name;
    if (!read_symbol(c, name)) return false;
    out = c.m.attrs.string(name);
    return true;
  }
  SmallVector<AttrEntry, 2> entries;
  AttrId axes;
  if (!expect_stablehlo(c, "mesh") || !expect_field(c, "axes") ||
      !read_attribute_list(c, read_stablehlo_mesh_axis, axes))
    return false;
  entries.push_back({key::kAxes, axes});
  if (c.in.accept(',')) {
    AttrId ids;
    if (!expect_field(c, "device_ids") || !read_listed_elements(c, ids)) return false;
    if (c.m.attrs.kind(ids) != AttrKind::kInts) return fail_expected(c, "a list of device ids");
    entries.push_back({key::kDeviceIds, ids});
  }
  out = c.m.attrs.dict({entries.data(), entries.size()});
  return expect(c, '>');
}

// `<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>`
inline bool read_mesh_axes(TextReadContext& c, AttrId& out) {
  AttrId mesh;
  AttrId axes;
  if (!expect(c, '<') || !expect_field(c, "mesh") || !read_stablehlo_mesh(c, mesh) ||
      !expect(c, ',') || !expect_field(c, "axes") ||
      !read_attribute_list(c, read_stablehlo_axis, axes))
    return false;
  const std::array<AttrEntry, 2> entries = {AttrEntry{key::kMesh, mesh},
                                            AttrEntry{key::kAxes, axes}};
  out = c.m.attrs.dict(entries);
  return expect(c, '>');
}

}  // namespace shardprop::detail
