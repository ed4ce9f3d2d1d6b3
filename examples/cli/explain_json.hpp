// Explanations as JSON (docs/explain.md has the fields).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "examples/cli/explain_text.hpp"
#include "nlohmann/json.hpp"
#include "shardprop/analysis/explain/explainer.hpp"
#include "shardprop/analysis/explain/folded_steps.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ops/common/type_text.hpp"

namespace shardprop::cli {

using Json = nlohmann::ordered_json;

namespace detail {

inline Json value_json(const Module& m, const ValueRef& ref) {
  const FuncId func = func_of(m, ref);
  return {{"function", func.valid() ? m.strings[m.funcs[func].name] : std::string_view()},
          {"name", name_of(m, ref)}};
}

inline Json dim_json(const Module& m, const ExplainedDim& dim) {
  Json out = value_json(m, dim.value);
  out["dimension"] = dim.dim;
  if (!dim.words.empty()) out["words"] = dim.words;
  return out;
}

inline Json origin_json(const Module& m, const AnnotationPlace& place) {
  constexpr std::string_view kKinds[] = {"argument",     "result",        "constraint",
                                         "manual_input", "manual_output", "value"};
  Json out = {{"kind", kKinds[static_cast<std::size_t>(place.kind)]}};
  out.update(value_json(m, ref_of(place)));
  out["dimension"] = place.dim;
  out["location"] = source_place(m, ref_of(place));
  out["text"] = origin_text(m, place);
  return out;
}

inline Json step_json(const Module& m, const ExplainedStep& step) {
  constexpr std::string_view kKinds[] = {"rule", "edge", "result", "group", "rule"};
  const FuncId func =
      step.op.valid() ? enclosing_func(m, m.layout[step.op].block) : func_of(m, step.to.value);
  return {{"kind", kKinds[static_cast<std::size_t>(step.kind)]},
          {"direction", direction_text(step.direction)},
          {"operation", step.operation},
          {"function", func.valid() ? m.strings[m.funcs[func].name] : std::string_view()},
          {"location", op_place(m, step.op)},
          {"from", dim_json(m, step.from)},
          {"to", dim_json(m, step.to)},
          {"run", step.run},
          {"text", step_text(m, step)}};
}

// With `last_only`, `e` has its last step only.
inline Json axis_json(const Module& m, const AxisExplanation& e, bool last_only) {
  Json out = {{"axis", e.axis}, {"dimension", e.dim}, {"use", e.use}};
  if (e.origin) out["origin"] = origin_json(m, *e.origin);
  out["steps"] = Json::array();
  for (const ExplainedStep& step : e.steps) out["steps"].push_back(step_json(m, step));
  if (last_only) out["length"] = e.length;
  out["folded"] = Json::array();
  for (const StepFold& fold : last_only ? std::vector<StepFold>() : fold_steps(e.steps)) {
    out["folded"].push_back(
        {{"begin", fold.begin}, {"length", fold.length}, {"times", fold.times}});
  }
  return out;
}

inline Json missing_json(const Module& m, const MissingAxis& missing) {
  Json out = {{"axis", missing.axis}};
  if (missing.at) out["dimension"] = missing.at->dim;
  out["reasons"] = Json::array();
  for (const MissingReason& reason : missing.reasons) {
    Json one = {{"reason", reason.code}};
    if (reason.by) {
      one["by"] = value_json(m, reason.by->value);
      one["by"]["dimension"] = reason.by->dim;
      one["by"]["axis"] = reason.by_axis;
    }
    if (!reason.won.empty()) one["won"] = reason.won;
    one["text"] = reason_text(m, reason);
    out["reasons"].push_back(std::move(one));
  }
  if (missing.neighbour) out["neighbour"] = dim_json(m, *missing.neighbour);
  if (missing.at) out["at"] = dim_json(m, *missing.at);
  out["distance"] = missing.distance;
  out["others"] = missing.others;
  const FuncId func = missing.op.valid() ? enclosing_func(m, m.layout[missing.op].block) : FuncId();
  out["operation"] = missing.operation;
  out["function"] = func.valid() ? m.strings[m.funcs[func].name] : std::string_view();
  out["location"] = op_place(m, missing.op);
  out["text"] = missing_text(m, missing).substr(2);
  return out;
}

}  // namespace detail

// The runs of the propagation, by user priority and round. `m` is the program as it was given.
inline Json rounds_json(const Explainer& explainer) {
  Json out = Json::array();
  for (std::size_t run = 0; run < explainer.run_count(); ++run) {
    out.push_back({{"run", run},
                   {"priority", explainer.priority_of(run)},
                   {"round", run % explainer.runs_per_priority()}});
  }
  return out;
}

inline Json explanation_json(const Module& m, const ValueExplanation& e,
                             const std::optional<ShardingView>& view, bool last_only = false) {
  const OpId op = e.value.value.valid() ? defining_op(m, e.value.value) : OpId();
  const TypeId type = type_of(m, e.value);
  Json out = detail::value_json(m, e.value);
  out["operation"] = op.valid() ? op_name(m, op) : std::string_view();
  out["location"] = source_place(m, e.value);
  out["type"] = detail::type_text(m, type);
  out["sharding"] = to_string(view);
  if (view) {
    out["local_shape"] = view->local_shape;
    out["local_bytes"] = view->local_bytes;
  }
  out["axes"] = Json::array();
  for (const AxisExplanation& axis : e.axes)
    out["axes"].push_back(detail::axis_json(m, axis, last_only));
  if (last_only) return out;
  out["missing"] = Json::array();
  for (const MissingAxis& missing : e.missing)
    out["missing"].push_back(detail::missing_json(m, missing));
  return out;
}

}  // namespace shardprop::cli
