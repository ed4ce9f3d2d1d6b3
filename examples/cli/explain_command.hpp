// `shardprop explain IN VALUE...`: how each axis came to a value.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "examples/cli/arguments.hpp"
#include "examples/cli/output.hpp"
#include "examples/cli/propagation.hpp"
#include "examples/cli/shardings.hpp"
#include "fmt/core.h"
#include "shardprop/ir/place.hpp"
#include "shardprop/ops/sharding_view.hpp"
#include "shardprop/pipeline/propagate_program.hpp"
#include "shardprop/propagate/trace/explain.hpp"

namespace shardprop::cli {

namespace detail {

inline ValueId find_value(const Module& m, std::string_view name) {
  for (ValueId value : m.values.ids()) {
    if (name_of(m, value) == name) return value;
  }
  return ValueId();
}

inline void print_no_value(const Module& m, const std::string& name) {
  std::vector<std::string> names;
  for (ValueId value : m.values.ids()) names.push_back(name_of(m, value));
  print_error(fmt::format("the program has no value '{}'{}", name, or_did_you_mean(name, names)));
}

// The sharding of a value that owns a data-flow edge is that of the edge.
inline ValueId carrier(const Module& m, ValueId value) {
  const OpId edge = shardprop::detail::edge_on(m, value);
  return edge.valid() ? result(m, edge, 0) : value;
}

// The values of the copy that stand for `value` of the program: more than one for constants and in
// functions that are called more than once.
inline std::vector<ValueId> standing_for(const Module& copy, ValueId value) {
  std::vector<ValueId> all;
  for (ValueId made : copy.values.ids()) {
    if (copy.lineage.of_value.of(made) != value) continue;
    const OpId op = defining_op(copy, made);
    if (!op.valid() || !is_erased(copy, op)) all.push_back(made);
  }
  return all;
}

// How its axes came to `value` of the copy; each way once.
inline std::string explanation(const PropagatedCopy& copy, ValueId value,
                               std::vector<std::string>& told) {
  const ValueId at = carrier(copy.module, value);
  const ShardingId sharding = copy.module.value_shardings[at];
  std::string out;
  if (sharding.valid()) {
    for (const AxisExplanation& e : explain(copy.module, *copy.report.trace, at))
      out += to_string(copy.module, e);
  }
  if (out.empty() || std::ranges::find(told, out) != told.end()) return "";
  told.push_back(out);
  const std::string_view other = told.size() > 1 ? "  in another use or call:\n" : "";
  return std::string(other) + out;
}

}  // namespace detail

inline int explain_command(const Arguments& arguments) {
  const OpTable ops = standard_ops();
  std::optional<Input> input;
  if (const int code = load_to_propagate(arguments, ops, input); code != kOk) return code;
  Module& m = input->m;
  const std::span names = std::span(arguments.positional).subspan(1);
  std::vector<ValueId> named;
  for (const std::string& name : names) {
    named.push_back(detail::find_value(m, name));
    if (named.back().valid()) continue;
    detail::print_no_value(m, name);
    return kBadInput;
  }
  PropagateProgramOptions traced = detail::program_options({});
  traced.propagation.trace_origins = traced.propagation.trace_edges = true;
  const Result<PropagatedCopy> copy = propagate_copy(m, ops, traced);
  if (!copy) {
    print_diagnostics(copy.errors(), input->texts());
    return kBadInput;
  }
  const Result<PipelineReport> report = run_propagation(m, ops, {});
  if (!report) {
    print_diagnostics(report.errors(), input->texts());
    return kBadInput;
  }
  print_warnings(*report, input->texts());
  std::string out;
  for (std::size_t i = 0; i < named.size(); ++i) {
    const auto view = sharding_of(m, named[i]);
    out += fmt::format("{} {}\n", names[i], view ? to_string(view) : "no sharding");
    std::vector<std::string> told;
    for (ValueId value : detail::standing_for(copy->module, named[i]))
      out += detail::explanation(*copy, value, told);
  }
  return print_text(out);
}

}  // namespace shardprop::cli
