// `shardprop explain IN VALUE...`: how each axis came to a value, and why another one did not.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "examples/cli/arguments.hpp"
#include "examples/cli/explain_json.hpp"
#include "examples/cli/explain_text.hpp"
#include "examples/cli/named_values.hpp"
#include "examples/cli/output.hpp"
#include "examples/cli/propagation.hpp"
#include "examples/cli/shardings.hpp"
#include "shardprop/analysis/explain/explainer.hpp"

namespace shardprop::cli {

inline constexpr std::array kExplainOptions =
    kShardingOptions +
    std::array{
        Option{"--axis", "AXIS", "only this axis, and why it is not where it is not"},
        Option{"--all", "", "with --json: each value of the program, with its last step only"},
        Option{"--json", "", "as JSON"},
    };

inline constexpr std::string_view kExplainDetails =
    "A VALUE is '%12', '@func %12' or 'result 0', and may be a pattern: '%arg{1-18}'. Without a\n"
    "function, the values of that name in all functions are told of.";

namespace detail {

inline std::optional<ShardingView> sharding_of(const Module& m, const ValueRef& ref) {
  return ref.value.valid() ? shardprop::sharding_of(m, ref.value)
                           : shardprop::sharding_of(m, ref.func, ref.number);
}

// The axes of the program's meshes that some sharding has.
inline std::vector<std::string> used_axes(const Module& m, const Explainer& explainer) {
  std::vector<std::string> out;
  for (MeshId mesh : m.meshes.ids()) {
    for (const MeshAxis& axis : m.meshes[mesh].axes) {
      if (explainer.is_given(axis.name) && std::ranges::find(out, axis.name) == out.end())
        out.push_back(axis.name);
    }
  }
  return out;
}

inline ValueExplanation explain(Explainer& explainer, const Module& m, const ValueRef& ref,
                                const std::string& axis) {
  ValueExplanation out{ref, explainer.axes(ref, axis), {}};
  std::vector<std::string> wanted;
  if (!axis.empty()) wanted.push_back(axis);
  const TypeId type = type_of(m, ref);
  const bool has_dims = m.types.is_static_tensor(type) && !m.types.shape(type).empty();
  if (axis.empty() && out.axes.empty() && has_dims) wanted = used_axes(m, explainer);
  for (const std::string& name : wanted) {
    for (MissingAxis& missing : explainer.missing(ref, name)) {
      // Of an axis that is there in another dimension, only what stops at the value itself counts.
      const bool stops_here = missing.at && !missing.at->words.empty() && missing.distance == 0;
      if (out.axes.empty() || stops_here) out.missing.push_back(std::move(missing));
    }
  }
  return out;
}

inline bool has_axis(const Module& m, const std::string& axis) {
  std::vector<std::string> names;
  for (MeshId mesh : m.meshes.ids()) {
    for (const MeshAxis& own : m.meshes[mesh].axes) names.push_back(own.name);
  }
  if (axis.empty() || std::ranges::find(names, axis) != names.end()) return true;
  print_error(fmt::format("no mesh has an axis '{}'{}", axis, or_did_you_mean(axis, names)));
  return false;
}

// The values that the command line names; none after an error.
inline std::vector<ValueRef> wanted_values(const Module& m, const Arguments& arguments) {
  if (arguments.has("--all")) return all_values(m);
  std::vector<ValueRef> values;
  for (const std::string& name : std::span(arguments.positional).subspan(1)) {
    if (!find_values(m, name, values)) return {};
  }
  if (values.empty()) print_error("name a value, such as %12, or give --all");
  return values;
}

}  // namespace detail

inline int explain_command(const Arguments& arguments) {
  const OpTable ops = standard_ops();
  std::optional<Input> input;
  if (const int code = load_to_propagate(arguments, ops, input); code != kOk) return code;
  const Module& m = input->m;
  const std::string axis = arguments.get("--axis");
  const std::vector<ValueRef> values = detail::wanted_values(m, arguments);
  if (values.empty() || !detail::has_axis(m, axis)) return kBadInput;
  Module after = m;
  Result<TracedPropagation> traced = run_traced(after, ops);
  if (!traced) {
    print_diagnostics(traced.errors(), input->texts());
    return kBadInput;
  }
  print_warnings(traced->report, input->texts());
  const PropagateOptions options;
  Explainer explainer(m, traced->copy, ops, options);
  const bool last_only = arguments.has("--all");
  Json json = {{"rounds", rounds_json(explainer)}, {"values", Json::array()}};
  std::string text;
  for (const ValueRef& ref : values) {
    const auto view = detail::sharding_of(after, ref);
    const ValueExplanation e = last_only ? ValueExplanation{ref, explainer.last_steps(ref), {}}
                                         : detail::explain(explainer, m, ref, axis);
    if (arguments.has("--json")) {
      json["values"].push_back(explanation_json(m, e, view, last_only));
    } else {
      text += explanation_text(m, e, view);
    }
  }
  return print_text(arguments.has("--json") ? json.dump(2) + "\n" : text);
}

}  // namespace shardprop::cli
