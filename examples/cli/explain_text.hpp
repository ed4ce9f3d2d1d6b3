// Explanations as a person reads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "examples/cli/show_rows.hpp"
#include "fmt/core.h"
#include "shardprop/analysis/explain/explainer.hpp"
#include "shardprop/analysis/explain/folded_steps.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ops/sharding_view.hpp"

namespace shardprop::cli {

namespace detail {

// `%12`, or `@layer %12` in another function than the one that is entered.
inline std::string label(const Module& m, const ValueRef& ref) {
  const FuncId func = func_of(m, ref);
  const std::string name = name_of(m, ref);
  if (!func.valid() || func == entry_func(m)) return name;
  return fmt::format("@{} {}", m.strings[m.funcs[func].name], name);
}

inline std::string place_text(std::string_view place) {
  return place.empty() ? "" : fmt::format(" ({})", place);
}
inline std::string op_place(const Module& m, OpId op) {
  return op.valid() ? source_place(m, m.locations.of_op[op]) : std::string();
}

inline ValueRef ref_of(const AnnotationPlace& place) {
  return {place.value, place.func, static_cast<std::uint32_t>(place.number)};
}

inline std::string origin_text(const Module& m, const AnnotationPlace& place) {
  const ValueRef ref = ref_of(place);
  const std::string name = label(m, ref) + place_text(source_place(m, ref));
  switch (place.kind) {
    case AnnotationKind::kConstraint:
      return fmt::format("you gave it on the constraint {}", name);
    case AnnotationKind::kManualInput:
      return fmt::format("you gave it for {} as an input of a computation", name);
    case AnnotationKind::kManualOutput:
      return fmt::format("you gave it for {} as an output of a computation", name);
    default:
      return fmt::format("you gave it on {}", name);
  }
}

constexpr std::string_view direction_text(StepDirection direction) {
  return direction == StepDirection::kForward    ? "forward"
         : direction == StepDirection::kBackward ? "backward"
                                                 : "across";
}

inline std::string step_text(const Module& m, const ExplainedStep& step) {
  const std::string ends =
      fmt::format("{} -> {}", label(m, step.from.value), label(m, step.to.value));
  const std::string place = place_text(op_place(m, step.op));
  switch (step.kind) {
    case HopKind::kGroup:
      return fmt::format("{}: both are in one sharding group", ends);
    case HopKind::kResult:
      return fmt::format("{}: the value that the function returns and its result", ends);
    case HopKind::kConstraint:
      return fmt::format("{}: the constraint{} gives its operand its sharding", ends, place);
    case HopKind::kEdge:
      return fmt::format("{}: {} {}{}", ends,
                         step.direction == StepDirection::kForward ? "along" : "back along",
                         step.operation, place);
    case HopKind::kRule:
      break;
  }
  return fmt::format("{}: {} through {}{}, {} to {}", ends, direction_text(step.direction),
                     step.operation, place, step.from.words, step.to.words);
}

inline std::string axis_text(const Module& m, const AxisExplanation& e) {
  std::string out = fmt::format("  {} on dimension {}{}: {}\n", e.axis, e.dim,
                                e.use == 0 ? "" : " in another use or call",
                                e.origin ? origin_text(m, *e.origin) : "from an unknown place");
  const std::vector<StepFold> folds = fold_steps(e.steps);
  std::size_t next = 0;
  for (std::size_t i = 0; i < e.steps.size(); ++i) {
    out += fmt::format("    {}\n", step_text(m, e.steps[i]));
    if (next == folds.size() || i + 1 != folds[next].begin + folds[next].length) continue;
    const StepFold& fold = folds[next++];
    i = fold.begin + fold.length * fold.times - 1;
    out += fmt::format("    (the same {} {} more, to {})\n",
                       fold.length == 1 ? "step" : fmt::format("{} steps", fold.length),
                       fold.times == 2 ? "once" : fmt::format("{} times", fold.times - 1),
                       label(m, e.steps[i].to.value));
  }
  return out;
}

inline std::string missing_text(const Module& m, const MissingAxis& missing) {
  std::string reasons;
  for (const MissingReason& reason : missing.reasons)
    reasons += (reasons.empty() ? "" : "; then ") + reason_text(m, reason);
  if (missing.others > 0) reasons += fmt::format(" (and {} more like this)", missing.others);
  if (!missing.neighbour) return fmt::format("  {} is not there: {}\n", missing.axis, reasons);
  std::string at = missing.at ? label(m, missing.at->value) : "the value";
  if (missing.at && !missing.at->words.empty())
    at = fmt::format("dimension {} of {}", missing.at->dim, at);
  if (missing.distance > 0)
    at += fmt::format(", {} step{} away", missing.distance, missing.distance == 1 ? "" : "s");
  return fmt::format("  {} is not on {}, though {} has it on dimension {} ({}{}): {}\n",
                     missing.axis, at, label(m, missing.neighbour->value), missing.neighbour->dim,
                     missing.operation, place_text(op_place(m, missing.op)), reasons);
}

}  // namespace detail

// A paragraph for one value. `m` is the program, `view` the value's sharding after propagation.
inline std::string explanation_text(const Module& m, const ValueExplanation& e,
                                    const std::optional<ShardingView>& view) {
  const OpId op = e.value.value.valid() ? defining_op(m, e.value.value) : OpId();
  std::string out =
      fmt::format("{} {}", detail::label(m, e.value), view ? to_string(*view) : "no sharding");
  if (op.valid()) {
    const std::string place = detail::op_place(m, op);
    out += fmt::format("  ({}{}{})", op_name(m, op), place.empty() ? "" : ", ", place);
  }
  out += '\n';
  for (const AxisExplanation& axis : e.axes) out += detail::axis_text(m, axis);
  for (const MissingAxis& missing : e.missing) out += detail::missing_text(m, missing);
  return out;
}

}  // namespace shardprop::cli
