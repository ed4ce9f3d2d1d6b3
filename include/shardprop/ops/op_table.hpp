// The operations that are known: the built-in rows and those that the caller adds. A table is a
// value; nothing is global.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/common/text_rule.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/sharding/scanner.hpp"
#include "shardprop/support/string_table.hpp"

namespace shardprop {

// A framework's own operation. Functions may capture state; they must be pure, since their answers
// are memoised.
struct CustomOp {
  std::string name;
  Traits traits = 0;
  Signature signature = kAnySignature;
  // A pattern such as "([i, k], [k, j])->([i, j]) reduction={k}", which `OpTable::add` reads. One
  // that is known when the program is compiled is better a `rule<"...">`, see text_rule.hpp.
  std::string rule_text = {};
  std::function<std::optional<OpShardingRule>(const RuleInput&)> rule = {};
  std::function<std::optional<std::vector<TypeId>>(const InferInput&)> infer = {};
  std::function<void(const VerifyInput&)> verify = {};
  DataFlow data_flow = {};  // with `edges` set: the operation has data-flow edges
};

// A row as the table hands it out: a built-in, or a caller's own operation in the same form.
struct OpRow {
  OpDef def;
  std::shared_ptr<const CustomOp> custom;  // none for a built-in
};

namespace detail {

// What is wrong with `op` whatever the table holds; its rule is checked when it is read.
inline void check_custom_op(const CustomOp& op, Diagnostics& out) {
  const auto report = [&](bool wrong, std::string_view code, std::string message,
                          std::string hint) {
    if (!wrong) return;
    out.push_back({std::string(code), std::move(message), std::move(hint)});
    out.back().place.operation = op.name;
  };
  report(op.name.empty(), "op.no_name", "the operation has no name", "name it `dialect.operation`");
  report((op.traits & ~kAllTraits) != 0, "op.unknown_traits",
         fmt::format("the traits {:#x} are not known", op.traits & ~kAllTraits),
         "combine the constants of ops/op_def.hpp");
  const int schedules = ((op.traits & (kElementwise | kRearranges)) != 0) +
                        ((op.traits & kSlicesDynamically) != 0) + ((op.traits & kBroadcasts) != 0);
  report(schedules > 1, "op.duplicate_traits", "two traits say when the operation propagates",
         "give one of kElementwise or kRearranges, kSlicesDynamically, kBroadcasts");
  const auto is_range = [](std::int8_t min, std::int8_t max) {
    return min >= 0 && (max == kVariadic || max >= min);
  };
  report(!is_range(op.signature.min_operands, op.signature.max_operands) ||
             !is_range(op.signature.min_results, op.signature.max_results) ||
             !is_range(op.signature.min_blocks, op.signature.max_blocks),
         "op.signature", "a signature must allow at least one count of operands, results, blocks",
         "let each maximum be at least its minimum, or kVariadic");
  report(op.rule && !op.rule_text.empty(), "op.two_rules",
         "the operation has a rule as text and one as a function", "leave one out");
  const DataFlow& flow = op.data_flow;
  report(!flow.edges && (flow.get_sharding || flow.set_sharding || flow.get_shardings ||
                         flow.set_shardings || flow.sharding_once_set || flow.transform),
         "op.data_flow", "the data flow has no edges", "set `data_flow.edges`");
}

}  // namespace detail

class OpTable {
 public:
  // An empty table; `standard_ops()` makes one with all built-in rows.
  OpTable() = default;

  // Adds built-in rows; a later row of the same name replaces an earlier one.
  void add(std::span<const OpDef> defs) {
    for (const OpDef& def : defs) put(def.name, {def, nullptr});
  }

  // Adds a caller's operation. Errors, which leave the table as it was: those of
  // `parse_rule_pattern`, and `op.no_name`, `op.duplicate_name`, `op.unknown_traits`,
  // `op.duplicate_traits` (the traits state two schedules), `op.signature`, `op.two_rules`,
  // `op.data_flow`.
  [[nodiscard]] Diagnostics add(CustomOp op) {
    Diagnostics errors;
    if (find(op.name)) {
      errors.push_back({"op.duplicate_name",
                        fmt::format("the table has an operation {}", detail::quoted(op.name)),
                        "use another name, or `replace`"});
    }
    return put(std::move(op), std::move(errors));
  }

  // The same in the place of the row of that name, if there is one.
  [[nodiscard]] Diagnostics replace(CustomOp op) { return put(std::move(op), {}); }

  // The row of `name`, or null.
  const OpRow* find(std::string_view name) const {
    const StringId id = names_.find(name);
    return id.valid() ? &rows_[id.index] : nullptr;
  }

  // All rows, in the order in which their names were first added.
  std::span<const OpRow> rows() const { return rows_; }

 private:
  void put(std::string_view name, OpRow row) {
    const StringId id = names_.intern(name);
    if (id.index == rows_.size()) {
      rows_.push_back(std::move(row));
    } else {
      rows_[id.index] = std::move(row);
    }
  }

  Diagnostics put(CustomOp op, Diagnostics errors) {
    detail::check_custom_op(op, errors);
    if (!op.rule_text.empty()) {
      if (Result<RulePattern> pattern = parse_rule_pattern(op.rule_text)) {
        op.rule = [p = std::move(*pattern)](const RuleInput& in) {
          return rule_from_pattern(p, in);
        };
      } else {
        for (Diagnostic& error : pattern.errors()) {
          error.place.operation = op.name;
          errors.push_back(std::move(error));
        }
      }
    }
    if (!errors.empty()) return errors;
    auto custom = std::make_shared<const CustomOp>(std::move(op));
    OpRow row;
    row.def.name = custom->name;
    row.def.traits = custom->traits;
    row.def.signature = custom->signature;
    if (custom->data_flow.edges) row.def.data_flow = &custom->data_flow;
    row.custom = custom;
    put(custom->name, std::move(row));
    return errors;
  }

  StringTable names_;
  std::vector<OpRow> rows_;
};

// The rows of a module's operation names, looked up once: `rows[op]` is an array access. Operations
// of names that enter the module later are looked up as they come. Both must outlive the rows.
class OpRows {
 public:
  OpRows(const OpTable& table, const Module& m) : table_(&table), m_(&m) {}
  OpRows(OpTable&& table, const Module& m) = delete;
  OpRows(const OpTable& table, Module&& m) = delete;

  // The row of `op`, or null for an unknown operation.
  const OpRow* operator[](OpId op) {
    const StringId name = m_->ops[op].name;
    if (name.index >= rows_.size()) rows_.resize(m_->strings.size(), Slot{nullptr, false});
    Slot& slot = rows_[name.index];
    if (!slot.known) slot = {table_->find(m_->strings[name]), true};
    return slot.row;
  }

 private:
  struct Slot {
    const OpRow* row;
    bool known;
  };
  const OpTable* table_;
  const Module* m_;
  std::vector<Slot> rows_;
};

inline Traits traits_of(const OpRow* row, const Module& m, OpId op) {
  if (!row) return 0;
  return row->def.traits | (row->def.extra_traits ? row->def.extra_traits(m, op) : 0);
}

}  // namespace shardprop
