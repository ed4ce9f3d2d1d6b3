// The text form of a tensor sharding, that of `#sdy.sharding`:
//   <@mesh, [{"a", "b":(1)2, ?}p1, {}], replicated={"c"}, unreduced={"d"}>
// Dimensions in order, each with its axes major to minor; `?` marks an open dimension, `p1` its
// priority. An inlined mesh is `mesh<["a"=2]>` in the place of `@mesh`; `unreduced=max{...}` or
// `min{...}` names another reduction than the sum.
//
// Worked example, mesh <["a"=2, "b"=4]>: `<@mesh, [{"a", ?}, {"b":(1)2}]>` cuts the rows in two
// along a and may cut them further, and cuts the columns in two along the major half of b.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "fmt/core.h"
#include "shardprop/sharding/axis_text.hpp"
#include "shardprop/sharding/mesh_text.hpp"
#include "shardprop/sharding/scanner.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"
#include "shardprop/support/result.hpp"
#include "shardprop/support/text_list.hpp"

namespace shardprop {

// The keyword of a reduction: sum, max, min.
constexpr std::string_view to_string(ReductionOp op) {
  return op == ReductionOp::kSum ? "sum" : op == ReductionOp::kMax ? "max" : "min";
}

// The reduction that `keyword` names, or none.
constexpr std::optional<ReductionOp> parse_reduction(std::string_view keyword) {
  for (ReductionOp op : {ReductionOp::kSum, ReductionOp::kMax, ReductionOp::kMin}) {
    if (keyword == to_string(op)) return op;
  }
  return std::nullopt;
}

// A priority that was read, checked to be at least 0 and to fit. Error, without a place:
// `sharding.priority`.
inline Result<std::int32_t> checked_priority(std::int64_t priority) {
  if (priority >= 0 && priority <= std::numeric_limits<std::int32_t>::max()) {
    return static_cast<std::int32_t>(priority);
  }
  return Diagnostic{"sharding.priority", fmt::format("{} is not a priority", priority),
                    "priorities count from 0, which is propagated first, and fit 31 bits"};
}

namespace detail {

// `@name`, quoted where it is not a plain identifier.
inline std::string mesh_symbol(std::string_view name) {
  bool plain = !name.empty() && !is_digit(name[0]) && name[0] != '.' && name[0] != '$';
  for (char c : name) plain = plain && is_word_char(c);
  return fmt::format("@{}", plain ? std::string(name) : detail::quoted(name));
}

inline std::string axes_text(AxisSpan axes, const Mesh& mesh) {
  return comma_list(axes, [&](AxisRef axis) { return quoted_axis(axis, mesh); });
}

inline std::string dim_text(const DimSharding& dim, const Mesh& mesh) {
  std::string out = axes_text(dim.axes, mesh);
  if (dim.open) out += out.empty() ? "?" : ", ?";
  out = "{" + out + "}";
  if (dim.priority != kNoPriority) out += fmt::format("p{}", dim.priority);
  return out;
}

}  // namespace detail

// Prints `sharding`. A mesh that is not in `meshes` is an empty one.
inline std::string to_string(const TensorSharding& sharding, const MeshTable& meshes) {
  const Mesh& mesh = meshes[sharding.mesh];
  std::string out = mesh.name.empty() ? fmt::format("<mesh{}", to_string(mesh))
                                      : fmt::format("<{}", detail::mesh_symbol(mesh.name));
  const auto dim_text = [&](const DimSharding& dim) { return detail::dim_text(dim, mesh); };
  out += ", [" + comma_list(sharding.dims, dim_text) + ']';
  if (!sharding.replicated.empty()) {
    out += fmt::format(", replicated={{{}}}", detail::axes_text(sharding.replicated, mesh));
  }
  if (!sharding.unreduced.empty()) {
    const bool sum = sharding.reduction == ReductionOp::kSum;
    out += fmt::format(", unreduced={}{{{}}}", sum ? "" : to_string(sharding.reduction),
                       detail::axes_text(sharding.unreduced, mesh));
  }
  return out + '>';
}

namespace detail {

class ShardingParser {
 public:
  ShardingParser(std::string_view text, MeshTable& meshes)
      : in_(text, "sharding.syntax", R"(write a sharding as <@mesh, [{"x", "y":(1)2, ?}p1, {}]>)"),
        meshes_(meshes) {}

  Result<TensorSharding> run() {
    in_.accept("#sdy.sharding");
    const bool read = in_.expect("<") && mesh() && in_.expect(",") && dims() && axis_lists() &&
                      in_.expect(">") && in_.expect_end();
    if (!read || !in_.errors().empty()) return std::move(in_.errors());
    // Only now: a text with errors must leave the table alone.
    if (mesh_ == &inlined_) out_.mesh = meshes_.add(inlined_);
    return std::move(out_);
  }

 private:
  bool mesh() {
    const std::size_t start = in_.offset();
    if (in_.accept_word("mesh")) {
      if (!scan_mesh(in_, inlined_)) return false;
      if (in_.errors().empty()) mesh_ = &inlined_;
      return true;
    }
    if (!in_.accept("@")) return in_.fail("'@' and the name of a mesh, or 'mesh<...>'");
    std::string name;
    if (in_.next_is("\"")) {
      if (!in_.string(name)) return false;
    } else {
      name = in_.word();
    }
    if (name.empty()) return in_.fail("the name of a mesh");
    out_.mesh = meshes_.find(name);
    if (out_.mesh.valid()) {
      mesh_ = &meshes_[out_.mesh];
    } else {
      in_.report({"sharding.unknown_mesh", fmt::format("there is no mesh {}", mesh_symbol(name)),
                  did_you_mean(near_mesh(name), "declare the mesh in the module, or inline it")},
                 start);
    }
    return true;
  }

  std::string near_mesh(std::string_view name) const {
    Nearest near(name);
    for (MeshId id : meshes_.ids()) near.offer(meshes_[id].name);
    return near.text();
  }

  bool dims() {
    if (!in_.expect("[")) return false;
    if (in_.accept("]")) return true;
    do {
      if (!dim()) return false;
    } while (in_.accept(","));
    return in_.expect("]");
  }

  bool dim() {
    DimSharding& dim = out_.dims.emplace_back();
    if (!in_.expect("{")) return false;
    if (!in_.accept("}")) {
      do {
        dim.open = in_.accept("?");
        if (!dim.open && !axis(dim.axes)) return false;
      } while (!dim.open && in_.accept(","));
      if (!in_.expect("}")) return false;
    }
    return priority(dim);
  }

  bool priority(DimSharding& dim) {
    const std::size_t start = in_.offset();
    const std::string_view word = in_.peek_word();
    if (word.empty()) return true;
    std::int64_t number = 0;
    const bool leading_zero = word.size() > 2 && word[1] == '0';
    if (word[0] != 'p' || leading_zero || !parse_integer(word.substr(1), number)) {
      return in_.fail("a priority such as p0 or p12");
    }
    in_.word();
    if (auto checked = checked_priority(number)) {
      dim.priority = *checked;
    } else {
      in_.report(checked.errors().front(), start);
    }
    return true;
  }

  bool axis(AxisList& axes) {
    const std::size_t start = in_.offset();
    std::string name;
    if (!in_.string(name)) return false;
    const bool is_part = in_.accept(":");
    std::int64_t pre_size = 0;
    std::int64_t size = 0;
    if (is_part &&
        (!in_.expect("(") || !in_.integer(pre_size) || !in_.expect(")") || !in_.integer(size))) {
      return false;
    }
    if (!mesh_) return true;
    const int number = mesh_->find_axis(name);
    if (number >= 0 && !is_part) {
      axes.push_back(full_axis(*mesh_, static_cast<std::size_t>(number)));
      return true;
    }
    // Of an unknown name this makes the error that it is unknown.
    const Result<AxisRef> part = make_sub_axis(name, pre_size, size, *mesh_);
    if (part) {
      axes.push_back(*part);
    } else {
      in_.report(part.errors().front(), start);
    }
    return true;
  }

  bool axis_list(AxisList& axes) {
    if (!in_.expect("{")) return false;
    do {
      if (!axis(axes)) return false;
    } while (in_.accept(","));
    return in_.expect("}");
  }

  // The lists that follow the dimensions, each at most once, in any order.
  bool axis_lists() {
    bool has_replicated = false;
    bool has_unreduced = false;
    while (in_.accept(",")) {
      if (!has_replicated && in_.accept_word("replicated")) {
        has_replicated = true;
        if (!in_.expect("=") || !axis_list(out_.replicated)) return false;
      } else if (!has_unreduced && in_.accept_word("unreduced")) {
        has_unreduced = true;
        // The reference takes `unreduced{"x"}`, too.
        const bool may_name_reduction = in_.accept("=");
        if (const auto reduction = parse_reduction(in_.peek_word());
            may_name_reduction && reduction) {
          out_.reduction = *reduction;
          in_.word();
        }
        if (!axis_list(out_.unreduced)) return false;
      } else {
        return in_.fail("'replicated=' or 'unreduced=', each at most once");
      }
    }
    return true;
  }

  TextScanner in_;
  MeshTable& meshes_;
  Mesh inlined_;
  const Mesh* mesh_ =
      nullptr;  // none while the mesh is unknown or wrong: axes are then not looked up
  TensorSharding out_;
};

}  // namespace detail

// Reads the text form, also with `#sdy.sharding` in front. An inlined mesh is added to `meshes`,
// but not if there are errors: `sharding.syntax`, `sharding.unknown_mesh`, `sharding.priority`,
// those of an axis (see `parse_axis_ref`) and of an inlined mesh (see `verify_mesh`), each with
// line and column. What axes mean together is for `verify_sharding`.
inline Result<TensorSharding> parse_sharding(std::string_view text, MeshTable& meshes) {
  return detail::ShardingParser(text, meshes).run();
}

}  // namespace shardprop
