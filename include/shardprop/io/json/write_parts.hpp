// JSON of what a module stores once and uses often: meshes, shardings, types and attributes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "shardprop/io/common/literals.hpp"
#include "shardprop/io/common/output_cache.hpp"
#include "shardprop/io/json/options.hpp"
#include "shardprop/io/text/read/kept_elements.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/sharding/sharding_text.hpp"
#include "shardprop/support/text_list.hpp"

namespace shardprop::detail {

inline void append_mesh_content(std::string& out, const Mesh& mesh) {
  out.append("\"axes\": [");
  for (std::size_t i = 0; i < mesh.axes.size(); ++i) {
    out.append(i == 0 ? "{\"name\": " : ", {\"name\": ");
    append_string(out, mesh.axes[i].name);
    out.append(", \"size\": ");
    append_integer(out, mesh.axes[i].size);
    out += '}';
  }
  out += ']';
  if (mesh.device_ids.empty()) return;
  out.append(", \"device_ids\": [");
  append_list(out, mesh.device_ids, [&](std::int64_t id) { append_integer(out, id); });
  out += ']';
}

inline void append_axes(std::string& out, AxisSpan axes, const Mesh& mesh) {
  out += '[';
  append_list(out, axes, [&](AxisRef axis) { append_string(out, to_string(axis, mesh)); });
  out += ']';
}

inline void append_dim(std::string& out, const DimSharding& dim, const Mesh& mesh) {
  out.append("{\"axes\": ");
  append_axes(out, dim.axes, mesh);
  if (dim.open) out.append(", \"open\": true");
  if (dim.priority != kNoPriority) {
    out.append(", \"priority\": ");
    append_integer(out, dim.priority);
  }
  out += '}';
}

inline void append_sharding(std::string& out, const TensorSharding& s, const Mesh& mesh) {
  out.append("{\"mesh\": ");
  if (mesh.name.empty()) {
    out += '{';
    append_mesh_content(out, mesh);
    out += '}';
  } else {
    append_string(out, mesh.name);
  }
  out.append(", \"dims\": [");
  append_list(out, s.dims, [&](const DimSharding& dim) { append_dim(out, dim, mesh); });
  out += ']';
  if (!s.replicated.empty()) {
    out.append(", \"replicated\": ");
    append_axes(out, s.replicated, mesh);
  }
  if (!s.unreduced.empty()) {
    out.append(", \"unreduced\": ");
    append_axes(out, s.unreduced, mesh);
    if (s.reduction != ReductionOp::kSum) {
      out.append(", \"reduction\": ");
      append_string(out, to_string(s.reduction));
    }
  }
  out += '}';
}

// `"shape": [8, 32], "dtype": "f32"`
inline void append_type(std::string& out, const Module& m, TypeId type) {
  if (m.types.is_tensor(type)) {
    out.append("\"shape\": [");
    append_list(out, m.types.shape(type), [&](std::int64_t size) { append_integer(out, size); });
    out.append("], ");
  }
  out.append("\"dtype\": ");
  append_string(out, m.strings[m.types.dtype(type)]);
}

// Appends the interned parts of one module to one output.
class PartWriter {
 public:
  PartWriter(const Module& m, std::string& out, const WriteOptions& options = {})
      : m_(m),
        out_(out),
        max_elements_(options.max_elements),
        shardings_(m.shardings.size()),
        types_(m.types.size()),
        attrs_(m.attrs.size()) {}

  void sharding(ShardingId id) {
    shardings_.append(out_, id, [&] {
      const TensorSharding& row = m_.shardings[id];
      append_sharding(out_, row, m_.meshes[row.mesh]);
    });
  }

  void type(TypeId id) {
    types_.append(out_, id, [&] { append_type(out_, m_, id); });
  }

  // A whole dictionary or any other attribute.
  void attribute(AttrId id) {
    attrs_.append(out_, id, [&] { write_attribute(id); });
  }

  // `, "attributes": {...}`, nothing where there are none.
  void attributes(AttrId dict) {
    if (!dict.valid() || m_.attrs.entries(dict).empty()) return;
    out_.append(", \"attributes\": ");
    attribute(dict);
  }

  // `"key": value`
  void entry(const AttrEntry& entry) {
    append_string(out_, m_.strings[entry.key]);
    out_.append(": ");
    attribute(entry.value);
  }

 private:
  void write_attribute(AttrId id) {
    switch (m_.attrs.kind(id)) {
      case AttrKind::kNull:
        out_.append("null");
        return;
      case AttrKind::kBool:
        out_.append(m_.attrs.as_bool(id) ? "true" : "false");
        return;
      case AttrKind::kInt:
        append_integer(out_, m_.attrs.as_int(id));
        return;
      case AttrKind::kUint:
        append_integer(out_, m_.attrs.as_uint(id));
        return;
      case AttrKind::kFloat:
        append_number(out_, m_.attrs.as_float(id));
        return;
      case AttrKind::kString:
        append_string(out_, m_.strings[m_.attrs.as_string(id)]);
        return;
      case AttrKind::kSharding:
        sharding(m_.attrs.as_sharding(id));
        return;
      case AttrKind::kInts:
        write_ints(m_.attrs.as_ints(id));
        return;
      case AttrKind::kList:
        write_list(m_.attrs.items(id));
        return;
      case AttrKind::kDict:
        write_dict(m_.attrs.entries(id));
        return;
      case AttrKind::kTyped:
        if (is_resource(id)) return write_elements(m_.strings[m_.attrs.typed_text(id)]);
        attribute(m_.attrs.plain(id));
        return;
      case AttrKind::kData:
        write_elements(slice_text(m_, m_.attrs.as_data(id)));
        return;
    }
  }

  bool is_resource(AttrId id) const {
    return m_.strings[m_.attrs.typed_text(id)].starts_with("dense_resource");
  }

  // The elements of a constant that was left in its text. What cannot be decoded is opaque.
  void write_elements(std::string_view text) {
    if (!resources_) resources_.emplace(m_);
    const TextReadOptions options{.max_depth = kMaxTextDepth, .max_listed_elements = max_elements_};
    TextReadContext c(borrowed_text(text), options);
    const AttrId value = read_kept_elements(c, *resources_);
    if (value.valid()) return PartWriter(c.m, out_).attribute(value);
    out_.append("{\"opaque\": ");
    append_string(out_, text);
    out_ += '}';
  }

  void write_ints(std::span<const std::int64_t> values) {
    out_ += '[';
    append_list(out_, values, [&](std::int64_t value) { append_integer(out_, value); });
    out_ += ']';
  }

  void write_list(std::span<const AttrId> items) {
    out_ += '[';
    append_list(out_, items, [&](AttrId item) { attribute(item); });
    out_ += ']';
  }

  void write_dict(std::span<const AttrEntry> entries) {
    out_ += '{';
    append_list(out_, entries, [&](const AttrEntry& one) { entry(one); });
    out_ += '}';
  }

  const Module& m_;
  std::string& out_;
  std::size_t max_elements_;
  std::optional<TextResources> resources_;  // made for the first constant that may name one
  OutputCache<ShardingId> shardings_;
  OutputCache<TypeId> types_;
  OutputCache<AttrId> attrs_;
};

}  // namespace shardprop::detail
