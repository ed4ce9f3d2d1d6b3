// Gives the values of a module the shardings that a user wrote outside of it
// (sharding/annotation_text.hpp).
//
// A pattern is compared with the names of the arguments of its function, then with what frameworks
// note of them: texts of attributes whose key ends in `name` or `info` (`ttir.name`,
// `jax.arg_info`) and the name of the source location. Where no argument fits, the results of the
// function's operations are looked at in the same way. Results of the function are found by number
// or by `jax.result_info`. A later annotation of the same value takes the place of an earlier one,
// and of what the program says.
//
// Nothing changes where any annotation is wrong. O(values of the functions * annotations).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/common/type_text.hpp"
#include "shardprop/ops/sdy/manual_axes.hpp"
#include "shardprop/sharding/annotation_text.hpp"
#include "shardprop/sharding/verify_sharding.hpp"
#include "shardprop/support/glob.hpp"
#include "shardprop/support/nearest_name.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

struct AnnotationReport {
  std::size_t values = 0;  // and results of functions, that the annotations were for
  Diagnostics warnings;
};

// The function that a program is entered by: `main`, else the first that is not private, else the
// first; none of an empty module.
inline FuncId entry_func(const Module& m) {
  if (const FuncId main = find_func(m, "main"); main.valid()) return main;
  for (FuncId f : m.func_order) {
    if (!m.funcs[f].is_private) return f;
  }
  return m.func_order.empty() ? FuncId() : m.func_order.front();
}

// The first mesh that splits anything, or none.
inline MeshId default_mesh(const Module& m) {
  for (MeshId id : m.meshes.ids()) {
    if (!m.meshes[id].axes.empty()) return id;
  }
  return MeshId();
}

namespace detail {

// The text in the quotes that a location begins with, `"args.weight"(...)`; empty without quotes.
inline std::string_view location_name(const Module& m, LocId location) {
  const LocationTable& table = m.locations.table;
  if (!location.valid() || (table.is_alias(location) && !table.is_defined(location))) return {};
  const std::string_view text =
      table.is_alias(location) ? table.definition(location) : table.text(location);
  if (!text.starts_with('"')) return {};
  const std::size_t end = text.find('"', 1);
  // `"model.py":3:4` is a place in a file, not a name.
  if (end == std::string_view::npos || text.substr(end + 1).starts_with(':')) return {};
  return text.substr(1, end - 1);
}

inline void add_attribute_names(const Module& m, AttrId dict, std::vector<std::string>& out) {
  if (!dict.valid()) return;
  for (const AttrEntry& entry : m.attrs.entries(dict)) {
    const std::string_view key = m.strings[entry.key];
    const AttrId value = m.attrs.plain(entry.value);
    if (!key.ends_with("name") && !key.ends_with("info")) continue;
    if (m.attrs.kind(value) == AttrKind::kString)
      out.emplace_back(m.strings[m.attrs.as_string(value)]);
  }
}

// What an annotation can be for: a value, or a result of a function (then there is no value).
struct AnnotationTarget {
  ValueId value;
  FuncId func;
  std::size_t result = 0;
  TypeId type;
  std::vector<std::string> names;  // the first one is shown

  bool fits(std::string_view pattern) const {
    for (const std::string& name : names) {
      if (name == pattern || glob_match(pattern, name)) return true;
      if (name.starts_with('%') && glob_match(pattern, std::string_view(name).substr(1)))
        return true;
    }
    return false;
  }
};

// All of one function that annotations can be for.
struct AnnotationTargets {
  std::vector<AnnotationTarget> arguments;
  std::vector<AnnotationTarget> values;
  std::vector<AnnotationTarget> results;
};

inline AnnotationTarget value_target(const Module& m, FuncId func, ValueId value, AttrId dict,
                                     LocId location) {
  AnnotationTarget target{value, func, 0, type_of(m, value), {name_of(m, value)}};
  add_attribute_names(m, dict, target.names);
  if (const std::string_view name = location_name(m, location); !name.empty())
    target.names.emplace_back(name);
  return target;
}

inline AnnotationTargets annotation_targets(const Module& m, FuncId func) {
  AnnotationTargets out;
  for (ValueId value : m.blocks[m.funcs[func].body].arguments) {
    const auto at = m.value_attributes.find(value.index);
    const AttrId dict = at == m.value_attributes.end() ? AttrId() : at->second;
    out.arguments.push_back(value_target(m, func, value, dict, m.locations.of_value[value]));
  }
  walk_block(m, m.funcs[func].body, [&](OpId op) {
    for (ValueId value : results(m, op)) {
      out.values.push_back(
          value_target(m, func, value, m.ops[op].attributes, m.locations.of_op[op]));
    }
  });
  for (std::size_t i = 0; i < m.funcs[func].results.size(); ++i) {
    const FuncResult& result = m.funcs[func].results[i];
    out.results.push_back({ValueId(), func, i, result.type, {std::to_string(i)}});
    add_attribute_names(m, result.attributes, out.results.back().names);
  }
  return out;
}

class AnnotationRun {
 public:
  AnnotationRun(Module& m, MeshId mesh) : m_(m), default_mesh_(mesh) {}

  Result<AnnotationReport> run(std::span<const Annotation> annotations) {
    for (const Annotation& annotation : annotations) read(annotation);
    if (has_errors(errors_)) return std::move(errors_);
    for (auto& [target, sharding] : found_) {
      const ShardingId id = m_.shardings.intern(sharding);
      if (target->value.valid()) {
        m_.value_shardings[target->value] = id;
      } else {
        m_.funcs[target->func].results[target->result].sharding = id;
      }
    }
    return AnnotationReport{found_.size(), std::move(errors_)};
  }

 private:
  void report(std::string_view code, std::string message, std::string hint, const Place& place) {
    errors_.push_back({std::string(code), std::move(message), std::move(hint), place});
  }

  void read(const Annotation& annotation) {
    const FuncId func = func_of(annotation);
    if (!func.valid()) return;
    std::optional<TensorSharding> sharding = sharding_of(annotation);
    const std::vector<const AnnotationTarget*> targets = find(annotation, func);
    if (!sharding) return;
    for (const AnnotationTarget* target : targets) {
      if (!check(annotation, *sharding, *target)) return;
    }
  }

  FuncId func_of(const Annotation& annotation) {
    const FuncId func = annotation.func.empty() ? entry_func(m_) : find_func(m_, annotation.func);
    if (func.valid()) return func;
    std::vector<std::string_view> names;
    for (FuncId f : m_.func_order) names.push_back(m_.strings[m_.funcs[f].name]);
    report("annotation.unknown_function",
           fmt::format("the program has no function @{}", annotation.func),
           did_you_mean(nearest(annotation.func, names),
                        names.size() == 1 ? fmt::format("its function is @{}", names[0]) : ""),
           annotation.target);
    return func;
  }

  // --- targets ---

  const AnnotationTargets& targets_of(FuncId func) {
    for (const auto& [known, targets] : targets_) {
      if (known == func) return *targets;
    }
    targets_.emplace_back(func, std::make_unique<AnnotationTargets>(annotation_targets(m_, func)));
    return *targets_.back().second;
  }

  std::vector<const AnnotationTarget*> find(const Annotation& annotation, FuncId func) {
    const AnnotationTargets& all = targets_of(func);
    std::vector<const AnnotationTarget*> out;
    std::string near;
    const auto search = [&](const std::vector<AnnotationTarget>& targets) {
      Nearest best(annotation.pattern);
      for (const AnnotationTarget& target : targets) {
        if (target.fits(annotation.pattern)) out.push_back(&target);
        for (const std::string& name : target.names) best.offer(name);
      }
      if (near.empty()) near = best.text();
    };
    search(annotation.of_result ? all.results : all.arguments);
    if (out.empty() && !annotation.of_result) search(all.values);
    if (out.empty()) report_no_match(annotation, func, near);
    return out;
  }

  void report_no_match(const Annotation& annotation, FuncId func, const std::string& near) {
    const std::string_view name = m_.strings[m_.funcs[func].name];
    const std::size_t results = m_.funcs[func].results.size();
    if (annotation.of_result) {
      return report(
          "annotation.no_match", fmt::format("@{} has no result '{}'", name, annotation.pattern),
          fmt::format("@{} has {} results, counted from 0", name, results), annotation.target);
    }
    const std::string what = is_glob(annotation.pattern) ? "that fits" : "called";
    report("annotation.no_match",
           fmt::format("@{} has no value {} '{}'", name, what, annotation.pattern),
           did_you_mean(near,
                        "values are named as in the program, such as %arg0; those of another "
                        "function after its name: '@layer %arg0=...'"),
           annotation.target);
  }

  // --- shardings ---

  // None after an error.
  std::optional<TensorSharding> sharding_of(const Annotation& annotation) {
    if (!annotation.sdy_text.empty()) return sdy_sharding(annotation);
    const MeshId mesh = mesh_of(annotation);
    if (!mesh.valid()) return std::nullopt;
    const std::size_t errors = errors_.size();
    TensorSharding out;
    out.mesh = mesh;
    for (const AnnotatedDim& dim : annotation.dims) {
      out.dims.push_back({{}, dim.open, dim.priority});
      for (const AnnotatedAxis& axis : dim.axes) add_axis(axis, mesh, out.dims.back().axes);
    }
    if (errors_.size() != errors) return std::nullopt;
    return out;
  }

  std::optional<TensorSharding> sdy_sharding(const Annotation& annotation) {
    Result<TensorSharding> read = parse_sharding(annotation.sdy_text, m_.meshes);
    if (read) return *std::move(read);
    for (Diagnostic& d : read.errors()) {
      const std::uint32_t column = annotation.sharding.column + d.place.column - 1;
      d.place = annotation.sharding;
      d.place.column = column;
      errors_.push_back(std::move(d));
    }
    return std::nullopt;
  }

  // The named mesh; else the default one, or the first other one that alone has all of the axes.
  MeshId mesh_of(const Annotation& annotation) {
    if (annotation.mesh.empty() && default_mesh_.valid()) {
      if (has_axes(default_mesh_, annotation)) return default_mesh_;
      for (MeshId id : m_.meshes.ids()) {
        if (!m_.meshes[id].name.empty() && has_axes(id, annotation)) return id;
      }
      return default_mesh_;
    }
    if (annotation.mesh.empty()) {
      report("annotation.no_mesh", "the program has no mesh whose axes could be meant",
             "give a mesh first, such as data=4,model=2 (--mesh of the command line)",
             annotation.sharding);
      return MeshId();
    }
    const MeshId mesh = m_.meshes.find(annotation.mesh);
    if (mesh.valid()) return mesh;
    std::vector<std::string_view> names;
    for (MeshId id : m_.meshes.ids()) names.push_back(m_.meshes[id].name);
    report("sharding.unknown_mesh",
           fmt::format("there is no mesh {}", mesh_symbol(annotation.mesh)),
           did_you_mean(nearest(annotation.mesh, names)), annotation.sharding);
    return mesh;
  }

  bool has_axes(MeshId mesh, const Annotation& annotation) const {
    for (const AnnotatedDim& dim : annotation.dims) {
      for (const AnnotatedAxis& axis : dim.axes) {
        if (m_.meshes[mesh].find_axis(axis.name) < 0) return false;
      }
    }
    return true;
  }

  void add_axis(const AnnotatedAxis& axis, MeshId mesh_id, AxisList& out) {
    const Mesh& mesh = m_.meshes[mesh_id];
    const int number = mesh.find_axis(axis.name);
    if (number >= 0 && axis.size == 0) {
      return out.push_back(full_axis(mesh, static_cast<std::size_t>(number)));
    }
    const Result<AxisRef> part = make_sub_axis(axis.name, axis.pre_size, axis.size, mesh);
    if (part) return out.push_back(*part);
    Diagnostic error = part.errors().front();
    error.place = axis.place;
    errors_.push_back(std::move(error));
  }

  // Checks the sharding for one value, and notes it.
  bool check(const Annotation& annotation, TensorSharding sharding,
             const AnnotationTarget& target) {
    const std::string name = annotation.of_result ? "result " + target.names[0] : target.names[0];
    const std::size_t rank = m_.types.is_tensor(target.type) ? m_.types.rank(target.type) : 0;
    if (annotation.pads && sharding.rank() < rank) sharding.dims.resize(rank);
    if (m_.types.is_tensor(target.type) && sharding.rank() != rank &&
        !m_.meshes[sharding.mesh].is_maximal()) {
      report("annotation.rank",
             fmt::format("{} is {} and has {} dimension{}, the sharding has {}", name,
                         to_string(m_, target.type), rank, rank == 1 ? "" : "s", sharding.rank()),
             "give one entry for each dimension: '-' leaves one not split, '?' to propagation",
             annotation.sharding);
      return false;
    }
    AxisNames manual;
    if (const OpId op = target.value.valid() ? defining_op(m_, target.value) : OpId(); op.valid()) {
      if (keeps_own_shardings(op, name, annotation.target)) return false;
      manual = manual_axes_around(m_, m_.layout[op].block);
    }
    const ShardedShape shape{.is_tensor = m_.types.is_tensor(target.type),
                             .shape = m_.types.shape(target.type),
                             .manual_axes = manual};
    Place place = annotation.sharding;
    place.value = name;
    if (!verify_sharding(sharding, m_.meshes, shape, place, errors_)) return false;
    found_.emplace_back(&target, std::move(sharding));
    return true;
  }

  // Whether `op` has the shardings of its results in an attribute; an error then.
  bool keeps_own_shardings(OpId op, const std::string& value, const Place& place) {
    const StringId name = m_.ops[op].name;
    if (name != known::kSdyManualComputation && name != known::kSdyNamedComputation) return false;
    report("annotation.computation",
           fmt::format("{} is a result of {}, which has shardings of its own", value,
                       m_.strings[name]),
           "change its out_shardings in the program, or annotate a value that it is used by",
           place);
    return true;
  }

  Module& m_;
  MeshId default_mesh_;
  std::vector<std::pair<FuncId, std::unique_ptr<AnnotationTargets>>> targets_;
  std::vector<std::pair<const AnnotationTarget*, TensorSharding>> found_;
  Diagnostics errors_;
};

}  // namespace detail

// Adds `mesh`, which has a name. A mesh of that name and content that is there already is given.
// Error: `annotation.mesh_exists`.
inline Result<MeshId> add_mesh(Module& m, const Mesh& mesh, const Place& place = {}) {
  const MeshId known = m.meshes.find(mesh.name);
  if (!known.valid()) return m.meshes.add(mesh);
  if (m.meshes[known].same_content(mesh)) return known;
  return Diagnostic{
      "annotation.mesh_exists",
      fmt::format("the program has another mesh @{}, {}", mesh.name, to_string(m.meshes[known])),
      fmt::format("use its axes, or give yours a name of its own: other:{}=...",
                  mesh.axes.empty() ? "data" : mesh.axes[0].name),
      place};
}

// Applies `annotations`, in order; gives the number of values that they were for. Axes are those of
// `mesh` (by default the first one with axes) or, where that has not all of them, of the first mesh
// that has, unless an annotation names its mesh. Errors, each at
// its place in the annotation's text: `annotation.no_match` with the nearest name,
// `annotation.unknown_function`, `annotation.no_mesh`, `annotation.rank`, and those of
// `parse_sharding` and `verify_sharding`.
inline Result<AnnotationReport> apply_annotations(Module& m,
                                                  std::span<const Annotation> annotations,
                                                  MeshId mesh = {}) {
  return detail::AnnotationRun(m, mesh.valid() ? mesh : default_mesh(m)).run(annotations);
}

}  // namespace shardprop
