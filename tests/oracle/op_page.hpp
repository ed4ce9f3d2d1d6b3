// Writes the generated part of docs/ops.md from the operation table, the operation tests and the
// oracle's findings.
#pragma once

#include <cctype>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/func.hpp"
#include "shardprop/ops/sdy/sdy_ops.hpp"
#include "shardprop/ops/stablehlo/batch_norm.hpp"
#include "shardprop/ops/stablehlo/collectives.hpp"
#include "shardprop/ops/stablehlo/constants.hpp"
#include "shardprop/ops/stablehlo/contraction.hpp"
#include "shardprop/ops/stablehlo/control_flow.hpp"
#include "shardprop/ops/stablehlo/convolution.hpp"
#include "shardprop/ops/stablehlo/custom_call.hpp"
#include "shardprop/ops/stablehlo/elementwise.hpp"
#include "shardprop/ops/stablehlo/gather_scatter.hpp"
#include "shardprop/ops/stablehlo/linear_algebra.hpp"
#include "shardprop/ops/stablehlo/random.hpp"
#include "shardprop/ops/stablehlo/reduction.hpp"
#include "shardprop/ops/stablehlo/shape.hpp"
#include "shardprop/ops/stablehlo/slicing.hpp"
#include "shardprop/ops/stablehlo/sort.hpp"
#include "shardprop/ops/stablehlo/tokens_and_tuples.hpp"
#include "shardprop/ops/stablehlo/windows.hpp"
#include "shardprop/ops/standard_ops.hpp"
#include "tests/ops/cases/all_cases.hpp"
#include "tests/ops/check_op_cases.hpp"
#include "tests/oracle/findings.hpp"

namespace oracle {

struct Family {
  const char* title;
  std::span<const shardprop::OpDef> rows;
};

inline const Family kFamilies[] = {
    {"Element-wise", shardprop::kElementwiseOps},
    {"Constants", shardprop::kConstantOps},
    {"Shape", shardprop::kShapeOps},
    {"Slicing", shardprop::kSlicingOps},
    {"Gather and scatter", shardprop::kGatherScatterOps},
    {"Matrix products", shardprop::kContractionOps},
    {"Einsum", shardprop::kEinsumOps},
    {"Convolution", shardprop::kConvolutionOps},
    {"Reduction", shardprop::kReductionOps},
    {"Windows", shardprop::kWindowOps},
    {"Sorting", shardprop::kSortOps},
    {"Batch normalisation", shardprop::kBatchNormOps},
    {"Linear algebra", shardprop::kLinearAlgebraOps},
    {"Random numbers", shardprop::kRandomOps},
    {"Custom calls", shardprop::kCustomCallOps},
    {"Control flow", shardprop::kControlFlowOps},
    {"Collectives", shardprop::kCollectiveOps},
    {"Communication and tuples", shardprop::kCommunicationOps},
    {"Functions", shardprop::kFuncOps},
    {"sdy", shardprop::kSdyOps},
};

inline std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

inline std::string traits_text(const shardprop::OpDef& def) {
  using namespace shardprop;
  constexpr std::pair<Traits, const char*> kNames[] = {
      {kElementwise, "element-wise"},  {kConstantLike, "constant"},
      {kConstantFoldable, "foldable"}, {kPure, "pure"},
      {kCommutative, "commutative"},   {kTerminator, "terminator"},
      {kRearranges, "rearranges"},     {kSlicesDynamically, "slices dynamically"},
      {kBroadcasts, "broadcasts"},     {kIsolated, "isolated"}};
  std::vector<std::string> names;
  for (const auto& [trait, name] : kNames) {
    if (def.traits & trait) names.emplace_back(name);
  }
  if (def.extra_traits) names.emplace_back("more by attributes or types");
  return joined(names);
}

// `2`, `1-3`, or `1+` for one or more.
inline std::string count_text(int min, int max) {
  if (max == shardprop::kVariadic) return std::to_string(min) + "+";
  return min == max ? std::to_string(min) : std::to_string(min) + "-" + std::to_string(max);
}

inline std::string signature_text(const shardprop::Signature& s) {
  std::string out = count_text(s.min_operands, s.max_operands) + " to " +
                    count_text(s.min_results, s.max_results);
  if (s.max_blocks != 0) out += ", regions " + count_text(s.min_blocks, s.max_blocks);
  return out;
}

// `c2` before `c10`, letters before others.
inline std::pair<std::string, int> constraint_order(const std::string& constraint) {
  std::size_t digits = constraint.size();
  while (digits > 0 && std::isdigit(static_cast<unsigned char>(constraint[digits - 1]))) --digits;
  const bool numbered = digits < constraint.size() && constraint.size() - digits < 4;
  const std::string prefix = numbered ? constraint.substr(0, digits) : constraint;
  return {(prefix == "c"   ? "0"
           : prefix == "i" ? "1"
                           : "2") +
              prefix,
          numbered ? std::stoi(constraint.substr(digits)) : 0};
}

// The operation's own constraints that its test cases break.
inline std::string constraints_text(std::string_view op) {
  std::map<std::pair<std::string, int>, std::string> constraints;
  for (const OpCase& test : all_cases()) {
    const std::string what = test.what;
    if (op != test.op || what == "ok" || what == "infer" || what.find('.') != std::string::npos)
      continue;
    constraints[constraint_order(what)] = what;
  }
  std::vector<std::string> names;
  for (const auto& [order, name] : constraints) names.push_back(name);
  return joined(names);
}

// The rule of the first case that verifies and has one.
inline std::string rule_text(const shardprop::OpTable& table, std::string_view op) {
  const OpCase* first = nullptr;
  const shardprop::OpRow& row = *table.find(op);
  const auto cases = all_cases();
  for (const OpCase& test : cases) {
    if (op != test.op) continue;
    if (!first) first = &test;
    if (std::string_view(test.what) != "ok" || !row.def.rule) continue;
    shardprop::Result<shardprop::Module> m = shardprop::read_json(op_test::module_of(test, *first));
    if (!m) continue;
    for (shardprop::OpId id : preorder(*m)) {
      if (op_name(*m, id) != op) continue;
      const auto rule = create_rule(row, {*m, id, false});
      if (rule) return "`" + to_string(*rule) + "`";
    }
  }
  return row.def.rule ? "by target, see below" : "";
}

inline std::string row_text(const shardprop::OpTable& table, const shardprop::OpDef& def) {
  const std::string name(def.name);
  std::string rule = rule_text(table, name);
  if (rule.empty()) rule = def.silent_without_rule ? "none needed" : "none, reported";
  return "| `" + name + "` | " + traits_text(def) + " | " + signature_text(def.signature) + " | " +
         (def.infer ? "inferred" : "given") + " | " + constraints_text(name) + " | " + rule +
         " | " + (def.data_flow ? "yes" : "") + " |\n";
}

inline std::string findings_text() {
  std::string out =
      "\n## What the oracle found\n\n### Missing pairings\n\n"
      "Dimensions marked `i` could be sharded together, as shards compute the whole exactly, but "
      "the "
      "rule has\nno such factor.\n\n| Operation | Pairing | Reason |\n|---|---|---|\n";
  for (const MissingPairing& row : kMissingPairings)
    out += std::string("| `") + row.op + "` | `" + row.pairing + "` | " + row.reason + " |\n";
  out +=
      "\n### Rules that shards cannot compute\n\nKept as the reference has them.\n\n"
      "| Rule | Reason |\n|---|---|\n";
  for (const InexactRule& row : kInexactRules)
    out += std::string("| ") + row.what + " | " + row.reason + " |\n";
  out += "\n### Not computed\n\n| Operation or target | Reason |\n|---|---|\n";
  for (const NotComputed& row : kNotComputed)
    out += std::string("| `") + row.what + "` | " + row.reason + " |\n";
  return out;
}

// All that follows the hand-written part of the page.
inline std::string generated_page() {
  const shardprop::OpTable table = shardprop::standard_ops();
  std::size_t rules = 0, inferred = 0;
  for (const shardprop::OpRow& row : table.rows()) {
    rules += row.def.rule ? 1 : 0;
    inferred += row.def.infer ? 1 : 0;
  }
  std::string out = "\n## The table\n\n" + std::to_string(table.rows().size()) + " operations; " +
                    std::to_string(rules) + " have a sharding rule, " + std::to_string(inferred) +
                    " infer their types.\n";
  for (const Family& family : kFamilies) {
    out +=
        std::string("\n### ") + family.title +
        "\n\n| Operation | Traits | Operands to results | Types | Constraints | Rule of its first "
        "case | Data flow |\n|---|---|---|---|---|---|---|\n";
    for (const shardprop::OpDef& def : family.rows) out += row_text(table, def);
  }
  out += "\n## Custom calls with a rule\n\n";
  std::vector<std::string> targets;
  for (const auto& target : shardprop::detail::kCustomCallTargets)
    targets.push_back("`" + std::string(target.name) + "`");
  return out + joined(targets) + ".\n" + findings_text();
}

}  // namespace oracle
