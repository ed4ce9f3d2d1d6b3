// Definitions of propagate.hpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>
#include <utility>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/ops/rules.hpp"
#include "shardprop/propagate/engine/propagation.hpp"
#include "shardprop/propagate/options.hpp"
#include "shardprop/propagate/propagate.hpp"
#include "shardprop/propagate/propagation_report.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

SHARDPROP_INLINE Diagnostics check_shapes(const Module& m) {
  Diagnostics errors;
  walk_ops(m, [&](OpId op) {
    for (ValueId value : results(m, op)) {
      const TypeId type = type_of(m, value);
      if (m.types.is_tensor(type) && !m.types.is_static_tensor(type)) {
        errors.push_back({"propagate.dynamic_shape", "propagation needs tensors of static shape",
                          "refine the program's shapes first", place_of_value(m, value)});
      } else if (!m.types.is_tensor(type) && m.strings[m.types.dtype(type)].starts_with("tuple")) {
        errors.push_back({"propagate.tuple", "propagation does not pass through tuples",
                          "return the elements as separate results", place_of_value(m, value)});
      }
    }
  });
  return errors;
}

// A warning where there is nothing to propagate. O(distinct shardings).
inline void warn_of_nothing_given(const Module& m, Diagnostics& out) {
  bool has_mesh = false;
  for (MeshId id : m.meshes.ids()) has_mesh = has_mesh || !m.meshes[id].is_empty();
  for (ShardingId id : m.shardings.ids()) {
    if (!has_no_axes(m.shardings[id]) || m.meshes[m.shardings[id].mesh].is_maximal()) return;
  }
  const std::string_view what = !has_mesh ? "the program has no mesh"
                                : m.shardings.size() == 0
                                    ? "no value of the program has a sharding"
                                    : "no sharding of the program has an axis";
  out.push_back({"propagate.nothing_given",
                 fmt::format("{}: there is nothing to propagate", what),
                 "give a sharding in the program or, on the command line, such as --mesh "
                 "data=4,model=2 --shard '%arg0=data,-'",
                 {},
                 Severity::kWarning});
}

}  // namespace detail

SHARDPROP_INLINE Result<PropagationReport> propagate(Module& m, const OpTable& table,
                                                     const PropagateOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  if (Diagnostics errors = detail::check_shapes(m); !errors.empty()) return errors;
  detail::Propagation propagation(m, table, options);
  detail::warn_of_nothing_given(m, propagation.report.diagnostics);
  propagation.run(false);
  PropagationReport& report = propagation.report;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return std::move(report);
}

SHARDPROP_INLINE std::size_t populate_sharding_rules(Module& m, const OpTable& table,
                                                     bool conservative) {
  OpRows rows(table, m);
  RuleCache rules(conservative);
  std::size_t added = 0;
  walk_ops(m, [&](OpId op) {
    RuleId& rule = m.ops[op].rule;
    if (rule.valid()) return;
    rule = rules.get(m, rows, op);
    if (rule.valid()) ++added;
  });
  return added;
}

}  // namespace shardprop
