// Tiny programs for tests: a module from JSON text, and questions about it in text.
#pragma once

#include <string>
#include <string_view>

#include "fmt/core.h"
#include "shardprop/io/json_reader.hpp"
#include "shardprop/io/json_writer.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ops/infer.hpp"
#include "shardprop/ops/standard_ops.hpp"
#include "shardprop/ops/verify.hpp"
#include "shardprop/propagate/propagate.hpp"
#include "shardprop/sharding/sharding_text.hpp"
#include "tests/catch.hpp"

namespace shardprop::test {

// Reads a module; types may be left out. Fails the test where the text is not well.
inline Module read(std::string_view text, const OpTable& ops = standard_ops()) {
  ReadOptions options;
  options.infer_types = [&](Module& m, OpId op, Diagnostics& out) {
    return infer_types(ops, m, op, out);
  };
  Result<Module> m = read_json(text, options);
  if (!m) FAIL(to_string(m.errors()));
  Diagnostics errors;
  verify_module(ops, *m, errors);
  if (has_errors(errors)) FAIL(to_string(errors));
  return *m;
}

// A module of one function `main` on meshes given as JSON text.
inline std::string program(std::string_view meshes, std::string_view arguments,
                           std::string_view results, std::string_view ops) {
  return fmt::format(
      R"({{"meshes": [{}], "functions": [{{"name": "main", "arguments": [{}], "results": [{}], "ops": [{}]}}]}})",
      meshes, arguments, results, ops);
}

inline ValueId value(const Module& m, std::string_view name) {
  for (ValueId v : m.values.ids()) {
    if (name_of(m, v) == name) return v;
  }
  FAIL("no value " << name);
  return ValueId();
}

inline std::string text_of(const Module& m, ShardingId sharding) {
  return sharding.valid() ? to_string(m.shardings[sharding], m.meshes) : "none";
}

// The sharding of a value as text, such as `<@mesh, [{"x"}, {?}]>`, or `none`.
inline std::string sharding(const Module& m, std::string_view name) {
  return text_of(m, m.value_shardings[value(m, name)]);
}

// The sharding of a result of the only function.
inline std::string result_sharding(const Module& m, std::size_t i) {
  return text_of(m, m.funcs[m.func_order[0]].results[i].sharding);
}

inline PropagationReport run(Module& m, const PropagateOptions& options = {},
                             const OpTable& ops = standard_ops()) {
  Result<PropagationReport> report = propagate(m, ops, options);
  if (!report) FAIL(to_string(report.errors()));
  return *report;
}

// One round of one strategy, all priorities at once.
inline PropagateOptions plain(Strategies strategies) {
  PropagateOptions options;
  options.strategies = strategies;
  options.schedule = kNoOpPrioritySchedule;
  options.user_priorities = false;
  return options;
}

inline constexpr std::string_view kMeshXY =
    R"({"name": "mesh", "axes": [{"name": "x", "size": 2}, {"name": "y", "size": 4}]})";

}  // namespace shardprop::test
