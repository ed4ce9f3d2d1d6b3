// The origins of the axes of tensors: for each tensor and axis the place where a user wrote the axis.
//
// Most tensors have equal origins with others, so they are lists that are stored once: a list is the
// one before it and one more entry.
//
// Worked example, `%1 = tanh(%arg0)` with %arg0 sharded along x: the list of %arg0 is [x: input 0],
// and that of %1 is the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/support/memo.hpp"
#include "shardprop/support/string_table.hpp"

namespace shardprop {

enum class OriginKind : std::uint8_t { kInput, kConstraint, kOutput, kManualInput, kManualOutput };

// Where a user wrote an axis. `index` is that of the argument, result, input or output; `source`
// numbers constraints and manual computations.
struct Origin {
  OriginKind kind = OriginKind::kInput;
  std::size_t index = 0;
  std::size_t source = 0;

  friend bool operator==(const Origin&, const Origin&) = default;
};

// `input: 0`, `output: 1`, `constraint_2`, `mc_0_input: 1`.
inline std::string to_string(const Origin& origin) {
  switch (origin.kind) {
    case OriginKind::kInput:
      return "input: " + std::to_string(origin.index);
    case OriginKind::kConstraint:
      return fmt::format("constraint_{}", origin.source);
    case OriginKind::kOutput:
      return fmt::format("output: {}", origin.index);
    case OriginKind::kManualInput:
      return fmt::format("mc_{}_input: {}", origin.source, origin.index);
    case OriginKind::kManualOutput:
      return fmt::format("mc_{}_output: {}", origin.source, origin.index);
  }
  return {};
}

// An axis by name, since the places where users wrote it may be on different meshes. `part` is its
// sub-axis, as a reference to axis 0.
struct TracedAxis {
  StringId name;
  AxisRef part;
};

// The number of an axis in `Trace::axes`.
struct TracedAxisTag;
using TracedAxisId = Id<TracedAxisTag>;

// The axes of a trace, each once.
class TracedAxes {
 public:
  TracedAxisId intern(const Mesh& mesh, AxisRef axis) {
    const std::string& name = mesh.axes[axis.axis].name;
    axis.axis = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const TracedAxisId row(i);
      if (rows_[row].part == axis && this->name(row) == name) return row;
    }
    return rows_.push({names_.intern(name), axis});
  }
  const TracedAxis& operator[](TracedAxisId id) const { return rows_[id]; }
  std::string_view name(TracedAxisId id) const { return names_[rows_[id].name]; }
  // `x` or `x:(1)2`.
  std::string text(TracedAxisId id) const {
    const AxisRef part = rows_[id].part;
    if (part.is_full) return std::string(name(id));
    return fmt::format("{}:({}){}", name(id), part.pre_size, part.size);
  }
  // Whether the two share a part of one axis.
  bool overlap(TracedAxisId a, TracedAxisId b) const {
    return rows_[a].name == rows_[b].name && overlaps(rows_[a].part, rows_[b].part);
  }
  std::size_t size() const { return rows_.size(); }

 private:
  StringTable names_;
  IdVector<TracedAxisId, TracedAxis> rows_;  // few
};

// The axes of a tensor with their origins, in the order in which they were noted. Equal lists are
// one: a list is the one before it and one more entry.
struct OriginListTag;
using OriginListId = Id<OriginListTag>;
struct OriginList {
  OriginListId before;  // none: this is the first entry
  TracedAxisId axis;
  std::uint32_t origin = 0;  // in `Trace::origins`
  OriginListId longer = {};  // the last one that was made, or asked for, of this and an entry
};

class Origins {
 public:
  // Makes room for a program of so many values.
  void reserve(std::size_t values) { lists_of_.resize(values); }

  // A place where a user wrote axes; gives its number.
  std::uint32_t add(Origin origin) {
    places_.push_back(origin);
    return static_cast<std::uint32_t>(places_.size()) - 1;
  }
  // Notes that `value`, which must carry its own sharding, has the axis from place number `origin`,
  // which is new.
  void start(ValueId value, TracedAxisId axis, std::uint32_t origin) {
    if (OriginListId* list = list_without(value, axis)) *list = lists_.push({*list, axis, origin});
  }
  // Gives `to` the origin that `from` has for the axis, if any.
  void pass(ValueId from, ValueId to, TracedAxisId axis, const TracedAxes& axes) {
    const OriginListId list = find(from, axis, axes);
    if (list.valid()) take(to, axis, list);
  }

  // The list of a value that carries its own sharding, or none.
  OriginListId of(ValueId value) const {
    return value.index < lists_of_.size() ? lists_of_[value] : OriginListId();
  }
  // Calls `fn(ValueId)` for each value that has one.
  template <class Fn>
  void for_each(Fn&& fn) const {
    for (ValueId value : lists_of_.ids()) {
      if (lists_of_[value].valid()) fn(value);
    }
  }
  const IdVector<OriginListId, OriginList>& lists() const { return lists_; }
  std::span<const Origin> places() const { return places_; }

 private:
  // The list of `value`, if it can have one and has no entry of `axis`.
  OriginListId* list_without(ValueId value, TracedAxisId axis) {
    if (!value.valid()) return nullptr;
    if (value.index >= lists_of_.size()) lists_of_.resize(value.index + std::size_t{1});
    OriginListId& list = lists_of_[value];
    for (OriginListId at = list; at.valid(); at = lists_[at].before) {
      if (lists_[at].axis == axis) return nullptr;
    }
    return &list;
  }

  // Gives `value` the origin of `from`, an entry of another value. Most values get all axes of one
  // other value in the same order, and so its lists.
  void take(ValueId value, TracedAxisId axis, OriginListId from) {
    OriginListId* const at = list_without(value, axis);
    if (!at) return;
    OriginListId& list = *at;
    if (lists_[from].before == list && lists_[from].axis == axis) {
      list = from;
      return;
    }
    const std::uint32_t origin = lists_[from].origin;
    const OriginListId longer = list.valid() ? lists_[list].longer : first_list_;
    const bool is_known =
        longer.valid() && lists_[longer].axis == axis && lists_[longer].origin == origin;
    if (is_known) {
      list = longer;
      return;
    }
    const OriginListId made = make_list({list, axis, origin});
    (list.valid() ? lists_[list].longer : first_list_) = made;
    list = made;
  }

  OriginListId make_list(const OriginList& row) {
    const std::uint32_t words[] = {row.axis.index, row.origin};
    const MemoKey<std::uint32_t> key = {row.before.index, words};
    const OriginListId* known = longer_.find(key);
    return known ? *known : longer_.insert(key, lists_.push(row));
  }

  // An axis that was split or merged on its way has the origin of one that contains it or is
  // contained in it, the first one.
  OriginListId find(ValueId value, TracedAxisId axis, const TracedAxes& axes) const {
    const OriginListId list = of(value);
    for (OriginListId at = list; at.valid(); at = lists_[at].before) {
      if (lists_[at].axis == axis) return at;
    }
    OriginListId found;
    for (OriginListId at = list; at.valid(); at = lists_[at].before) {
      const TracedAxis& a = axes[lists_[at].axis];
      const TracedAxis& b = axes[axis];
      if (a.name == b.name && (contains(a.part, b.part) || contains(b.part, a.part))) found = at;
    }
    return found;
  }

  std::vector<Origin> places_;
  IdVector<ValueId, OriginListId> lists_of_;
  IdVector<OriginListId, OriginList> lists_;
  OriginListId first_list_;                   // as `OriginList::longer`, of the empty list
  Memo<std::uint32_t, OriginListId> longer_;  // by the list before, the axis and the origin
};

}  // namespace shardprop
