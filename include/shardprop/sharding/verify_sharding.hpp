// Well-formedness of axis lists and of a tensor sharding for a value of a given shape.
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

#include "fmt/core.h"
#include "shardprop/sharding/axis_list.hpp"
#include "shardprop/sharding/axis_text.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop {

// The value that a sharding is for, and where it stands.
struct ShardedShape {
  bool is_tensor = true;                // false: a token, or no value at all
  std::span<const std::int64_t> shape;  // one size per dimension; negative: not known
  std::span<const std::string_view> manual_axes = {};  // bound by the manual computations around it
  bool must_divide = false;  // demand that each dimension splits into shards of equal size
};

// Checks axis lists that belong together: each axis exists and is a proper part or the whole of its
// mesh axis, none stands twice, no two neighbours of a list could be one axis, and (`finish`) none
// overlap, across all lists that were added.
class AxisListVerifier {
 public:
  // All three must outlive the verifier; the mesh must be verified.
  AxisListVerifier(const Mesh& mesh, const Place& place, Diagnostics& out)
      : mesh_(mesh), place_(place), out_(out) {}

  // `where` says what list it is in a message, e.g. `dimension 0`.
  void add(AxisSpan axes, std::string_view where) {
    std::optional<AxisRef> previous;
    for (AxisRef axis : axes) {
      if (!check_axis(axis, where)) {
        previous.reset();
        continue;
      }
      if (std::find(seen_.begin(), seen_.end(), axis) != seen_.end()) {
        report("sharding.duplicate_axis", fmt::format("{} in {} is used before", text(axis), where),
               "an axis can be used once in a sharding");
        continue;
      }
      if (previous && can_merge(*previous, axis)) {
        report("sharding.mergeable_sub_axes",
               fmt::format("{} and {} in {} are consecutive", text(*previous), text(axis), where),
               fmt::format("write {}", text(merge(*previous, axis, mesh_))));
      }
      seen_.push_back(axis);
      previous = axis;
    }
  }

  // The same for a list that must also be in the order of the mesh.
  void add_sorted(AxisSpan axes, std::string_view where) {
    if (!std::is_sorted(axes.begin(), axes.end())) {
      report("sharding.unsorted_axes", fmt::format("{} are not in the order of the mesh", where),
             "list the axes in the order of the mesh, and parts of an axis major to minor");
    }
    add(axes, where);
  }

  // Checks for overlaps among all axes that were added.
  void finish() {
    std::ranges::sort(seen_);
    for (std::size_t i = 1, widest = 0; i < seen_.size(); ++i) {
      if (overlaps(seen_[widest], seen_[i])) {
        report_overlap(seen_[widest], seen_[i]);
      } else if (!can_coexist(seen_[widest], seen_[i])) {
        report_gap(seen_[widest], seen_[i]);
      }
      const bool wider = seen_[i].next_pre_size() > seen_[widest].next_pre_size();
      if (wider || seen_[i].axis != seen_[widest].axis) widest = i;
    }
  }

 private:
  std::string text(AxisRef axis) const { return detail::quoted_axis(axis, mesh_); }

  void report(std::string_view code, std::string message, std::string hint) {
    out_.push_back({std::string(code), std::move(message), std::move(hint), place_});
  }

  bool check_axis(AxisRef axis, std::string_view where) {
    if (axis.axis >= mesh_.axes.size()) {
      report("sharding.unknown_axis",
             fmt::format("{} names axis number {} of a mesh of {} axes", where, axis.axis,
                         mesh_.axes.size()),
             "use the axes of the mesh that the sharding names");
      return false;
    }
    const MeshAxis& of = mesh_.axes[axis.axis];
    if (axis.is_full) {
      if (axis.pre_size == 1 && axis.size == of.size) return true;
      report("sharding.axis_size",
             fmt::format("{} in {} has size {}, that of the mesh has {}", text(axis), where,
                         axis.size, of.size),
             "make the reference with full_axis for this mesh");
      return false;
    }
    std::optional<Diagnostic> wrong = detail::check_sub_axis(of, axis.pre_size, axis.size);
    if (!wrong) return true;
    wrong->place = place_;
    out_.push_back(std::move(*wrong));
    return false;
  }

  void report_overlap(AxisRef a, AxisRef b) {
    if (a.is_full || b.is_full) {
      report("sharding.full_and_sub_axis", fmt::format("both {} and {} are used", text(a), text(b)),
             "use the whole axis once, or only parts of it that do not overlap");
    } else {
      report("sharding.overlapping_sub_axes", fmt::format("{} and {} overlap", text(a), text(b)),
             "parts of one axis must lie side by side: the next begins at pre-size times size");
    }
  }

  // Accepted, since the reference does; no split of the axis into digits has both.
  void report_gap(AxisRef a, AxisRef b) {
    report(
        "sharding.incompatible_sub_axes",
        fmt::format("{} and {} are not digits of one split of the axis", text(a), text(b)),
        "let the pre-size of the minor one be a multiple of the pre-size times size of the other");
    out_.back().severity = Severity::kWarning;
  }

  const Mesh& mesh_;
  const Place& place_;
  Diagnostics& out_;
  std::vector<AxisRef> seen_;
};

namespace detail {

inline void verify_dim(const DimSharding& dim, std::size_t number, const Place& place,
                       Diagnostics& out) {
  if (dim.priority < kNoPriority) {
    out.push_back({"sharding.priority",
                   fmt::format("dimension {} has the priority {}", number, dim.priority),
                   "priorities count from 0, which is propagated first", place});
  }
  if (dim.priority != kNoPriority && !dim.open && dim.axes.empty()) {
    out.push_back({"sharding.idle_priority",
                   fmt::format("dimension {} is closed and has no axes, but a priority", number),
                   "leave the priority out, or open the dimension", place});
  }
}

inline void verify_divides(const TensorSharding& s, const ShardedShape& value, const Place& place,
                           Diagnostics& out) {
  for (std::size_t i = 0; i < s.rank(); ++i) {
    const std::int64_t shards = total_size(s.dims[i].axes);
    if (value.shape[i] < 0 || value.shape[i] % shards == 0) continue;
    out.push_back(
        {"sharding.not_divisible",
         fmt::format("dimension {} of size {} is cut into {} shards", i, value.shape[i], shards),
         "use axes whose sizes divide the dimension", place});
  }
}

inline void verify_not_manual(const TensorSharding& s, const Mesh& mesh, const ShardedShape& value,
                              const Place& place, Diagnostics& out) {
  for (std::string_view name : value.manual_axes) {
    bool used = false;
    for_each_axis(s, [&](AxisRef axis) {
      used = used || (axis.axis < mesh.axes.size() && mesh.axes[axis.axis].name == name);
    });
    if (!used) continue;
    out.push_back({"sharding.manual_axis",
                   fmt::format("axis {} is manual in the computation around", detail::quoted(name)),
                   "within a manual computation use only axes that are not manual", place});
  }
}

}  // namespace detail

// Appends to `out` what is wrong with `sharding` for a value of this shape, at `place`; true if
// there is no error (there may be a warning). The sharding's mesh must be verified. O(axes
// squared).
inline bool verify_sharding(const TensorSharding& sharding, const MeshTable& meshes,
                            const ShardedShape& value, const Place& place, Diagnostics& out) {
  if (sharding.mesh.index >= meshes.size()) {
    out.push_back({"sharding.unknown_mesh", "the sharding names no mesh of the module",
                   "add the mesh to the module first", place});
    return false;
  }
  const Mesh& mesh = meshes[sharding.mesh];
  const bool bare =
      sharding.dims.empty() && sharding.replicated.empty() && sharding.unreduced.empty();
  if (mesh.is_maximal() || !value.is_tensor) {
    if (bare) return true;
    const std::string_view code =
        mesh.is_maximal() ? "sharding.maximal_with_axes" : "sharding.not_a_tensor";
    out.push_back({std::string(code),
                   mesh.is_maximal()
                       ? "a sharding on a maximal mesh has dimensions or axes"
                       : "the sharding of a value that is not a tensor has dimensions or axes",
                   "leave out all dimensions, replicated and unreduced axes: <@mesh, []>", place});
    return false;
  }
  if (sharding.rank() != value.shape.size()) {
    out.push_back({"sharding.rank_mismatch",
                   fmt::format("the sharding has {} dimensions, the tensor has {}", sharding.rank(),
                               value.shape.size()),
                   "give one dimension sharding for each dimension; {} leaves one unsharded",
                   place});
    return false;
  }
  const std::size_t before = out.size();
  AxisListVerifier axes(mesh, place, out);
  for (std::size_t i = 0; i < sharding.rank(); ++i) {
    detail::verify_dim(sharding.dims[i], i, place, out);
    axes.add(sharding.dims[i].axes, fmt::format("dimension {}", i));
  }
  axes.add_sorted(sharding.replicated, "the replicated axes");
  axes.add_sorted(sharding.unreduced, "the unreduced axes");
  axes.finish();
  detail::verify_not_manual(sharding, mesh, value, place, out);
  const auto is_error = [](const Diagnostic& d) { return d.severity == Severity::kError; };
  bool valid = std::none_of(out.begin() + static_cast<std::ptrdiff_t>(before), out.end(), is_error);
  if (valid && value.must_divide) {
    const std::size_t checked = out.size();
    detail::verify_divides(sharding, value, place, out);
    valid = out.size() == checked;
  }
  return valid;
}

}  // namespace shardprop
