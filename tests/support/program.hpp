// Tiny programs for tests: a module from StableHLO text, and questions about it in text.
//
// Hand-written programs of all tests go through `program`. Shardings have the notation of sdy:
// `#sdy.sharding<@mesh, [{"x"}, {?}]>` on arguments and results of functions,
// `#sdy.sharding_per_value<[<@mesh, [{"x"}, {?}]>]>` on operations.
#pragma once

#include <string>
#include <string_view>

#include "shardprop/io/json_reader.hpp"
#include "shardprop/io/json_writer.hpp"
#include "shardprop/io/stablehlo_text.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ops/standard_ops.hpp"
#include "shardprop/ops/verify.hpp"
#include "shardprop/propagate/propagate.hpp"
#include "shardprop/sharding/sharding_text.hpp"
#include "tests/catch.hpp"
#include "tests/support/text.hpp"

namespace shardprop::test {

// A program that is read but not verified, for passes that must refuse it. Fails the test where the
// text cannot be read.
inline Module unverified(std::string_view text) {
  Result<Module> m = read_stablehlo_text(owned_text(std::string(text)));
  if (!m) FAIL(to_string(m.errors()) << "\n" << text);
  return *std::move(m);
}

// A program of one or more functions. Fails the test where it cannot be read or does not verify.
inline Module program(std::string_view text, const OpTable& ops = standard_ops()) {
  Module m = unverified(text);
  Diagnostics errors;
  verify_module(ops, m, errors);
  if (has_errors(errors)) FAIL(to_string(errors) << "\n" << text);
  return m;
}

// `text` on a mesh of two axes.
inline std::string on_mesh(std::string_view text) {
  return std::string("sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\n").append(text);
}

// A function of a vector %a with the operations of `body`, on that mesh.
inline std::string main_of(std::string_view body) {
  return on_mesh("func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {")
      .append(body)
      .append("\n}\n");
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

}  // namespace shardprop::test
