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

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/sharding/op_sharding_rule.hpp"
#include "shardprop/support/diagnostic.hpp"
#include "shardprop/support/inline.hpp"
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
  [[nodiscard]] Diagnostics add(CustomOp op);

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

  Diagnostics put(CustomOp op, Diagnostics errors);

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

#ifndef SHARDPROP_COMPILED
#include "shardprop/ops/op_table_inl.hpp"
#endif
