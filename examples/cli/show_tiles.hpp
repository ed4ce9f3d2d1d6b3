// `show --tiles NAME`: a tensor over its mesh as text. Two dimensions are drawn: a box for each part,
// with the devices that hold it, and the indices that it covers. What does not fit in 80 columns is
// left out in the middle.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "examples/cli/named_values.hpp"
#include "examples/cli/output.hpp"
#include "examples/cli/units.hpp"
#include "fmt/core.h"
#include "fmt/format.h"
#include "shardprop/ir/print.hpp"
#include "shardprop/ops/sharding_view_inl.hpp"
#include "shardprop/sharding/axis_text.hpp"

namespace shardprop::cli {

namespace detail {

constexpr std::size_t kTileColumns = 80;
constexpr std::size_t kTileRows = 16;  // of parts; more are left out in the middle
constexpr std::size_t kLeftOut = static_cast<std::size_t>(-1);

// The part of `axis` that device number `device` of the mesh, in the order of its axes, is in.
inline std::int64_t part_of(const Mesh& mesh, AxisRef axis, std::int64_t device) {
  for (std::size_t a = mesh.axes.size(); a-- > axis.axis + std::size_t{1};)
    device /= mesh.axes[a].size;
  const std::int64_t size = mesh.axes[axis.axis].size;
  return device % size / (size / axis.next_pre_size()) % axis.size;
}

inline std::int64_t part_of(const Mesh& mesh, AxisSpan axes, std::int64_t device) {
  std::int64_t part = 0;
  for (const AxisRef axis : axes) part = part * axis.size + part_of(mesh, axis, device);
  return part;
}

// `0-3, 8`: numbers as ranges, cut to `width`.
inline std::string ranges_text(std::span<const std::int64_t> numbers, std::size_t width) {
  std::string out;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (last == i + 1) last = i;
    std::string piece = fmt::format("{}{}", i == 0 ? "" : ",", numbers[i]);
    if (last > i) piece += fmt::format("-{}", numbers[last]);
    const bool is_last = last + 1 == numbers.size();
    if (out.size() + piece.size() + (is_last ? 0 : 2) > width && i > 0) return out + "..";
    out += piece;
    i = last + 1;
  }
  return out;
}

// Positions 0..count-1, the middle left out where there are more than `most`.
inline std::vector<std::size_t> shown_positions(std::size_t count, std::size_t most) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < count; ++i) {
    if (count > most && i == most - 2) {
      out.push_back(kLeftOut);
      i = count - 1;
    }
    out.push_back(i);
  }
  return out;
}

// One of the two dimensions that are drawn; of a tensor of fewer there are some of size 1.
struct TileSide {
  std::optional<std::size_t> dimension;
  AxisList axes;
  std::int64_t size = 1;

  std::size_t parts() const { return static_cast<std::size_t>(total_size(axes)); }
  // `4:8`: the first index of a part and the one after its last.
  std::string range(std::size_t part) const {
    if (part == kLeftOut) return "..";
    if (!dimension) return "";
    const std::int64_t shards = total_size(axes);
    const std::int64_t local = (size + shards - 1) / shards;
    const std::int64_t begin = std::min(size, local * static_cast<std::int64_t>(part));
    return fmt::format("{}:{}", begin, std::min(size, begin + local));
  }
  std::string title(const Mesh& mesh) const {
    if (!dimension) return "";
    if (axes.empty()) return fmt::format("dimension {}, not split", *dimension);
    std::string by;
    for (const AxisRef axis : axes)
      by += fmt::format("{}{}", by.empty() ? "" : ", ", to_string(axis, mesh));
    return fmt::format("dimension {}, by {}", *dimension, by);
  }
};

class TileDrawing {
 public:
  TileDrawing(const Module& m, TypeId type, const TensorSharding& s)
      : mesh_(m.meshes[s.mesh]), shape_(m.types.shape(type)), s_(s) {
    choose_sides();
  }

  std::string text() {
    collect_devices();
    std::size_t left = 0;
    for (std::size_t r = 0; r < rows_.parts(); ++r) left = std::max(left, rows_.range(r).size());
    const std::size_t needed = cell_width();
    const std::size_t most = std::max<std::size_t>(3, (kTileColumns - left - 4) / (needed + 3));
    const auto columns = shown_positions(columns_.parts(), most);
    const auto rows = shown_positions(rows_.parts(), kTileRows);
    std::string out = others();
    if (const std::string title = columns_.title(mesh_); !title.empty())
      out += fmt::format("{:{}}  {}\n", "", left, title);
    std::string heads = fmt::format("{:{}}  ", "", left);
    for (std::size_t c : columns) heads += fmt::format("{:^{}}", columns_.range(c), needed + 3);
    while (heads.ends_with(' ')) heads.pop_back();
    if (!heads.empty()) out += heads + "\n";
    out += rule(left, needed, columns.size(), "┌", "┬", "┐");
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i > 0) out += rule(left, needed, columns.size(), "├", "┼", "┤");
      out += fmt::format("{:>{}} ", rows_.range(rows[i]), left);
      for (std::size_t c : columns)
        out += fmt::format("│ {:^{}} ", cell(rows[i], c, needed), needed);
      out += "│\n";
    }
    out += rule(left, needed, columns.size(), "└", "┴", "┘");
    if (const std::string title = rows_.title(mesh_); !title.empty()) out += title + "\n";
    return out;
  }

 private:
  // The two dimensions with axes, else the first ones; the later of them are the columns.
  void choose_sides() {
    std::vector<std::size_t> chosen;
    for (std::size_t d = 0; d < s_.rank() && chosen.size() < 2; ++d) {
      if (!s_.dims[d].axes.empty()) chosen.push_back(d);
    }
    for (std::size_t d = 0; d < s_.rank() && chosen.size() < 2; ++d) {
      if (std::ranges::find(chosen, d) == chosen.end()) chosen.push_back(d);
    }
    std::ranges::sort(chosen);
    const auto side = [&](std::size_t d) { return TileSide{d, s_.dims[d].axes, shape_[d]}; };
    if (!chosen.empty()) columns_ = side(chosen.back());
    if (chosen.size() == 2) rows_ = side(chosen.front());
  }

  // The devices of each part, those of the first part along the dimensions that are not drawn.
  void collect_devices() {
    devices_.resize(rows_.parts() * columns_.parts());
    for (std::int64_t device = 0; device < mesh_.device_count(); ++device) {
      bool drawn = true;
      for (std::size_t d = 0; d < s_.rank(); ++d) {
        const bool is_side = rows_.dimension == d || columns_.dimension == d;
        drawn = drawn && (is_side || part_of(mesh_, s_.dims[d].axes, device) == 0);
      }
      if (!drawn) continue;
      const auto row = static_cast<std::size_t>(part_of(mesh_, rows_.axes, device));
      const auto column = static_cast<std::size_t>(part_of(mesh_, columns_.axes, device));
      const bool listed = !mesh_.device_ids.empty();
      devices_[row * columns_.parts() + column].push_back(
          listed ? mesh_.device_ids[static_cast<std::size_t>(device)] : device);
    }
    for (auto& devices : devices_) std::ranges::sort(devices);
  }

  // What the widest part needs, but at least three parts fit in a line.
  std::size_t cell_width() const {
    constexpr std::size_t kMost = 20;
    std::size_t width = 2;
    for (const auto& devices : devices_)
      width = std::max(width, ranges_text(devices, kMost).size());
    for (std::size_t c = 0; c < columns_.parts(); ++c)
      width = std::max(width, columns_.range(c).size());
    return std::min(width, kMost);
  }

  std::string cell(std::size_t row, std::size_t column, std::size_t width) const {
    if (row == kLeftOut || column == kLeftOut) return "..";
    return ranges_text(devices_[row * columns_.parts() + column], width);
  }

  // What the picture does not show.
  std::string others() const {
    std::string out;
    for (std::size_t d = 0; d < s_.rank(); ++d) {
      if (rows_.dimension == d || columns_.dimension == d) continue;
      const TileSide side{d, s_.dims[d].axes, shape_[d]};
      out += fmt::format(
          "{}{}\n", side.title(mesh_),
          side.axes.empty() ? "" : fmt::format("; its part {} is drawn", side.range(0)));
    }
    if (!s_.unreduced.empty()) {
      std::string axes;
      for (const AxisRef axis : s_.unreduced)
        axes += fmt::format("{}{}", axes.empty() ? "" : ", ", to_string(axis, mesh_));
      out += fmt::format("each device holds a part of the sum along {}\n", axes);
    }
    return out;
  }

  static std::string rule(std::size_t left, std::size_t width, std::size_t cells,
                          std::string_view begin, std::string_view between, std::string_view end) {
    std::string line = fmt::format("{:{}} {}", "", left, begin);
    for (std::size_t i = 0; i < cells; ++i) {
      for (std::size_t k = 0; k < width + 2; ++k) line += "─";
      line += i + 1 < cells ? between : end;
    }
    return line + "\n";
  }

  const Mesh& mesh_;
  std::span<const std::int64_t> shape_;
  const TensorSharding& s_;
  TileSide rows_;
  TileSide columns_;
  std::vector<std::vector<std::int64_t>> devices_;  // of the parts, row by row
};

inline std::string tiles_text(const Module& m, const ValueRef& ref) {
  const TypeId type =
      ref.value.valid() ? type_of(m, ref.value) : m.funcs[ref.func].results[ref.number].type;
  std::string out = fmt::format("@{} {}  {}", m.strings[m.funcs[func_of(m, ref)].name],
                                name_of(m, ref), to_string(m, type));
  const std::optional<TensorSharding> s =
      ref.value.valid()
          ? tensor_sharding_of(m, ref.value)
          : shardprop::detail::stored_sharding(m, m.funcs[ref.func].results[ref.number].sharding);
  if (!s) return out + "\n  no sharding: each device holds the whole\n";
  if (!m.types.is_static_tensor(type)) return out + "\n  not a tensor of known sizes\n";
  const ShardingView view = shardprop::detail::view_of(m, type, *s);
  const Mesh& mesh = m.meshes[s->mesh];
  out += fmt::format("  {}\n", to_string(view));
  std::string axes;
  for (const MeshAxis& axis : mesh.axes) axes += fmt::format("{}={}, ", axis.name, axis.size);
  out += fmt::format(
      "{}{} device{}; each holds {}, {}\n\n", axes, mesh.device_count(),
      mesh.device_count() == 1 ? "" : "s",
      view.local_shape.empty() ? "the scalar" : fmt::to_string(fmt::join(view.local_shape, " x ")),
      bytes_text(static_cast<double>(view.local_bytes)));
  return out + TileDrawing(m, type, *s).text();
}

}  // namespace detail

// The drawings of all values that `names` name, an empty line between them. Returns an exit code.
inline int print_tiles(const Module& m, const std::vector<std::string>& names) {
  std::vector<ValueRef> values;
  for (const std::string& name : names) {
    if (!find_values(m, name, values)) return kBadInput;
  }
  std::string out;
  for (const ValueRef& ref : values)
    out += fmt::format("{}{}", out.empty() ? "" : "\n", detail::tiles_text(m, ref));
  return print_text(out);
}

}  // namespace shardprop::cli
