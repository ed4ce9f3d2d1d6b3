// A model of axis references to prove the algebra against: the splits of an axis into nested
// digits, and the labels that the references give to devices. It shares no code with the library
// but the data types.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "shardprop/sharding/axis_list.hpp"
#include "shardprop/sharding/axis_ref.hpp"
#include "shardprop/sharding/mesh.hpp"

namespace shardprop::test {

inline Mesh make_mesh(const std::vector<std::int64_t>& sizes) {
  Mesh mesh;
  mesh.name = "mesh";
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    mesh.axes.push_back({std::string(1, static_cast<char>('a' + i)), sizes[i]});
  }
  return mesh;
}

// All meshes of one and of two axes.
inline std::vector<Mesh> small_meshes() {
  const std::vector<std::int64_t> sizes = {1, 2, 3, 4, 6, 8, 12};
  std::vector<Mesh> meshes;
  for (std::int64_t a : sizes) {
    meshes.push_back(make_mesh({a}));
    for (std::int64_t b : sizes) meshes.push_back(make_mesh({a, b}));
  }
  return meshes;
}

inline AxisRef whole(const Mesh& mesh, std::size_t axis) {
  AxisRef ref;
  ref.axis = static_cast<std::uint16_t>(axis);
  ref.is_full = 1;
  ref.size = static_cast<std::int32_t>(mesh.axes[axis].size);
  return ref;
}

inline AxisRef part(std::size_t axis, std::int64_t pre, std::int64_t next) {
  AxisRef ref;
  ref.axis = static_cast<std::uint16_t>(axis);
  ref.pre_size = static_cast<std::int32_t>(pre);
  ref.size = static_cast<std::int32_t>(next / pre);
  return ref;
}

// Each axis and each of its proper parts.
inline std::vector<AxisRef> all_refs(const Mesh& mesh) {
  std::vector<AxisRef> refs;
  for (std::size_t axis = 0; axis < mesh.axes.size(); ++axis) {
    const std::int64_t n = mesh.axes[axis].size;
    refs.push_back(whole(mesh, axis));
    for (std::int64_t pre = 1; pre <= n; ++pre) {
      for (std::int64_t next = 2 * pre; next <= n; next += pre) {
        if (n % next == 0 && next / pre != n) refs.push_back(part(axis, pre, next));
      }
    }
  }
  return refs;
}

// One digit of a split axis; the only digit of an axis of size 1 is (1, 1).
struct Digit {
  std::size_t axis;
  std::int64_t pre;
  std::int64_t next;
  friend auto operator<=>(const Digit&, const Digit&) = default;
};
using Digits = std::vector<Digit>;

// The coarsest split of each axis of which all `refs` are made; none if the cuts do not nest.
inline std::optional<Digits> split(const Mesh& mesh, const std::vector<AxisRef>& refs) {
  Digits digits;
  for (std::size_t axis = 0; axis < mesh.axes.size(); ++axis) {
    std::set<std::int64_t> cuts = {1, mesh.axes[axis].size};
    for (AxisRef ref : refs) {
      if (ref.axis != axis) continue;
      cuts.insert(ref.pre_size);
      cuts.insert(std::int64_t{ref.pre_size} * ref.size);
    }
    if (cuts.size() == 1) digits.push_back({axis, 1, 1});
    for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) {
      if (*std::next(cut) % *cut != 0) return std::nullopt;
      digits.push_back({axis, *cut, *std::next(cut)});
    }
  }
  return digits;
}

inline Digits digits_of(AxisRef ref, const Digits& all) {
  Digits out;
  for (const Digit& d : all) {
    if (d.axis == ref.axis && d.pre >= ref.pre_size &&
        d.next <= std::int64_t{ref.pre_size} * ref.size) {
      out.push_back(d);
    }
  }
  return out;
}

inline Digits digits_of(AxisSpan list, const Digits& all) {
  Digits out;
  for (AxisRef ref : list) {
    for (const Digit& d : digits_of(ref, all)) out.push_back(d);
  }
  return out;
}

inline bool has(const Digits& digits, const Digit& digit) {
  return std::find(digits.begin(), digits.end(), digit) != digits.end();
}

// The references that runs of neighbouring digits make.
inline std::vector<AxisRef> runs(const Digits& digits, const Mesh& mesh) {
  std::vector<AxisRef> out;
  for (std::size_t i = 0; i < digits.size();) {
    std::size_t end = i + 1;
    while (end < digits.size() && digits[end].axis == digits[i].axis &&
           digits[end].pre == digits[end - 1].next) {
      ++end;
    }
    const Digit& first = digits[i];
    const Digit& last = digits[end - 1];
    const bool full = first.pre == 1 && last.next == mesh.axes[first.axis].size;
    out.push_back(full ? whole(mesh, first.axis) : part(first.axis, first.pre, last.next));
    i = end;
  }
  return out;
}

inline std::optional<AxisRef> one_run(const Digits& digits, const Mesh& mesh) {
  if (digits.empty()) return std::nullopt;
  return runs(digits, mesh).front();
}

// The numbers from pre-size to before pre-size times size: what a part covers, also where splits do
// not nest.
inline std::set<std::int64_t> covered(AxisRef ref) {
  std::set<std::int64_t> out;
  const std::int64_t next = std::int64_t{ref.pre_size} * ref.size;
  for (std::int64_t at = ref.pre_size; at < std::max(next, std::int64_t{ref.pre_size} + 1); ++at) {
    out.insert(at + 1000 * ref.axis);
  }
  return out;
}

// For each device, in row-major order of its coordinates, which of the shards along `ref` it has.
inline std::vector<std::int64_t> labels(const Mesh& mesh, AxisRef ref) {
  std::int64_t devices = 1;
  std::int64_t minor = 1;
  for (std::size_t axis = 0; axis < mesh.axes.size(); ++axis) {
    devices *= mesh.axes[axis].size;
    if (axis > ref.axis) minor *= mesh.axes[axis].size;
  }
  const std::int64_t size = mesh.axes[ref.axis].size;
  const std::int64_t rest = size / (std::int64_t{ref.pre_size} * ref.size);
  std::vector<std::int64_t> out;
  for (std::int64_t d = 0; d < devices; ++d) out.push_back(d / minor % size / rest % ref.size);
  return out;
}

// The shards of a list of axes, major to minor, numbered as one dimension.
inline std::vector<std::int64_t> labels(const Mesh& mesh, AxisSpan list) {
  std::vector<std::int64_t> out(labels(mesh, whole(mesh, 0)).size(), 0);
  for (AxisRef ref : list) {
    const std::vector<std::int64_t> next = labels(mesh, ref);
    for (std::size_t d = 0; d < out.size(); ++d) out[d] = out[d] * ref.size + next[d];
  }
  return out;
}

// Whether devices with one label in `fine` have one label in `coarse`.
inline bool refines(const std::vector<std::int64_t>& fine,
                    const std::vector<std::int64_t>& coarse) {
  std::map<std::int64_t, std::int64_t> seen;
  for (std::size_t d = 0; d < fine.size(); ++d) {
    if (seen.emplace(fine[d], coarse[d]).first->second != coarse[d]) return false;
  }
  return true;
}

// Whether each label of `a` meets each label of `b` on equally many devices.
inline bool independent(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  std::map<std::int64_t, std::size_t> in_a;
  std::map<std::int64_t, std::size_t> in_b;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> both;
  for (std::size_t d = 0; d < a.size(); ++d) {
    ++in_a[a[d]];
    ++in_b[b[d]];
    ++both[{a[d], b[d]}];
  }
  for (const auto& [x, x_count] : in_a) {
    for (const auto& [y, y_count] : in_b) {
      if (both[{x, y}] * a.size() != x_count * y_count) return false;
    }
  }
  return true;
}

using Random =
    std::mt19937;  // the engine is the same everywhere; the standard's distributions are not
inline std::size_t pick(Random& random, std::size_t count) { return random() % count; }

// Up to `most` references of one split that do not overlap and of which no two neighbours are
// consecutive parts.
inline std::vector<AxisRef> random_list(Random& random, const Mesh& mesh, std::size_t most) {
  const std::vector<AxisRef> refs = all_refs(mesh);
  std::vector<AxisRef> list;
  std::set<std::int64_t> used;
  for (std::size_t tries = pick(random, most + 1); tries > 0; --tries) {
    const AxisRef next = refs[pick(random, refs.size())];
    const std::set<std::int64_t> more = covered(next);
    const bool fresh =
        std::none_of(more.begin(), more.end(), [&](auto at) { return used.count(at); });
    const bool consecutive = !list.empty() && list.back().axis == next.axis &&
                             list.back().next_pre_size() == next.pre_size;
    list.push_back(next);
    if (!fresh || consecutive || !split(mesh, list)) {
      list.pop_back();
    } else {
      used.insert(more.begin(), more.end());
    }
  }
  return list;
}

inline std::string text(const Mesh& mesh, AxisSpan list) {
  std::string out = "[";
  for (AxisRef ref : list) {
    out += (out.size() > 1 ? ", " : "") + mesh.axes[ref.axis].name;
    if (!ref.is_full) out += ":(" + std::to_string(ref.pre_size) + ")" + std::to_string(ref.size);
  }
  out += "] of";
  for (const MeshAxis& axis : mesh.axes) out += " " + axis.name + "=" + std::to_string(axis.size);
  return out;
}
inline std::string text(const Mesh& mesh, AxisRef ref) { return text(mesh, AxisSpan(&ref, 1)); }

}  // namespace shardprop::test
