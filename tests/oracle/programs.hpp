// The programs of the oracle: functions of one operation, which stands before the return.
// Dimensions are mostly of size 4, so that a wrong pairing is not refused for its size alone; operations that
// are computed element by element get a program from their rows.
#pragma once

#include <cstddef>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "shardprop/ops/common/pointwise_rule.hpp"
#include "tests/oracle/combining_programs.hpp"
#include "tests/oracle/moving_programs.hpp"
#include "tests/oracle/program.hpp"

namespace oracle {

// Custom calls that pass their operand on.
inline std::vector<Program> passing_call_programs(const OpTable& table) {
  std::string text;
  for (std::string_view target :
       {"InspectSharding", "LayoutConstraint", "MoveToDevice", "MoveToHost", "X64SplitHigh",
        "X64SplitLow", "annotate_device_placement", "mhlo.erf", "xla.megascale.provide_metadata"}) {
    text += with({{"$target", target}}, R"(
func.func @$target(%a: tensor<4x4xf32>) {
  %r = stablehlo.custom_call @$target(%a) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
})");
  }
  return programs_of(text, table);
}

// Programs from the rows of operations that compute each element alone, but for those that need
// more than operands of one type.
inline std::vector<Program> pointwise_programs(const OpTable& table,
                                               const std::set<std::string>& is_known) {
  std::string text;
  for (const shardprop::OpRow& row : table.rows()) {
    const shardprop::Signature& signature = row.def.signature;
    if (row.def.rule != shardprop::pointwise<> || is_known.contains(std::string(row.def.name)))
      continue;
    text += with({{"$op", row.def.name},
                  {"$values", signature.min_operands == 1 ? "%a" : "%a, %b"},
                  {"$types", signature.min_operands == 1 ? "$type" : "$type, $type"},
                  {"$type", signature.operand_classes[0] & shardprop::kFloat ? "tensor<4x4xf32>"
                                                                             : "tensor<4x4xui32>"}},
                 R"(
func.func @"$op"(%a: $type, %b: $type) {
  %r = "$op"($values) : ($types) -> $type
  return
})");
  }
  return programs_of(text, table);
}

inline std::vector<Program> all_programs(const OpTable& table) {
  std::vector<Program> all = passing_call_programs(table);
  const auto add = [&](std::vector<Program> programs) {
    all.insert(all.end(), std::make_move_iterator(programs.begin()),
               std::make_move_iterator(programs.end()));
  };
  for (std::string_view text :
       {kShapePrograms, kSlicingPrograms, kIndexingPrograms, kProductPrograms, kReductionPrograms,
        kLinearAlgebraPrograms, kCollectivePrograms, kCallPrograms})
    add(programs_of(text, table));
  std::set<std::string> names;
  for (const Program& program : all) names.insert(program.name());
  add(pointwise_programs(table, names));
  return all;
}

}  // namespace oracle
