// `shardprop explain IN VALUE...`: how each axis came to a value.
#pragma once

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
  PropagationSetup setup;
  setup.trace = true;
  const Result<PipelineReport> report = run_propagation(m, ops, setup);
  if (!report) {
    print_diagnostics(report.errors(), input->texts());
    return kBadInput;
  }
  print_warnings(*report, input->texts());
  std::string out;
  for (std::size_t i = 0; i < named.size(); ++i) {
    const ValueId value = detail::carrier(m, named[i]);
    const ShardingId sharding = m.value_shardings[value];
    out +=
        fmt::format("{} {}\n", names[i],
                    sharding.valid() ? to_string(m.shardings[sharding], m.meshes) : "no sharding");
    for (const AxisExplanation& e : explain(m, *report->propagations[0].trace, value))
      out += to_string(m, e);
  }
  return print_text(out);
}

}  // namespace shardprop::cli
