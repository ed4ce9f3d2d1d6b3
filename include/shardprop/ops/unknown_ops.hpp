// Operations of dialects that are known whole, whose names are not: mistakes in spelling, or of a
// newer StableHLO. Shardings do not pass them.
#pragma once

#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/support/diagnostic.hpp"
#include "shardprop/support/nearest_name.hpp"

namespace shardprop {

// An error `op.unknown` for each operation of `stablehlo.` or `sdy.` that `table` has no row for,
// with the nearest name. O(operations).
inline Diagnostics unknown_operations(const OpTable& table, const Module& m) {
  Diagnostics out;
  OpRows rows(table, m);
  std::vector<std::string_view> names;
  walk_ops(m, [&](OpId op) {
    const std::string_view name = op_name(m, op);
    if (rows[op] || (!name.starts_with("stablehlo.") && !name.starts_with("sdy."))) return;
    if (names.empty()) {
      for (const OpRow& row : table.rows()) names.push_back(row.def.name);
    }
    out.push_back({"op.unknown", fmt::format("there is no operation {}", name),
                   did_you_mean(nearest(name, names)), place_of(m, op)});
  });
  return out;
}

}  // namespace shardprop
