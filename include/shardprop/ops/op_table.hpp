// The operations that are known: the built-in rows and those that the caller adds. A table is a
// value; nothing is global.
#pragma once

#include <cstddef>
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
#include "shardprop/support/string_table.hpp"

namespace shardprop {

// A framework's own operation. Functions may capture state; they must be pure, since their answers
// are memoised.
struct CustomOp {
  std::string name;
  Traits traits = 0;
  Signature signature = kAnySignature;
  std::string rule_text = {};  // such as "([i, k], [k, j])->([i, j])"; factor sizes may be left out
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

  // Adds or replaces a caller's operation.
  void add(CustomOp op) {
    auto custom = std::make_shared<const CustomOp>(std::move(op));
    OpRow row;
    row.def.name = custom->name;
    row.def.traits = custom->traits;
    row.def.signature = custom->signature;
    if (custom->data_flow.edges) row.def.data_flow = &custom->data_flow;
    row.custom = custom;
    put(custom->name, std::move(row));
  }

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

  StringTable names_;
  std::vector<OpRow> rows_;
};

// The rows of a module's operation names, looked up once: `rows[op]` is an array access. Operations
// of names that enter the module later are looked up as they come.
class OpRows {
 public:
  OpRows(const OpTable& table, const Module& m) : table_(&table), m_(&m) {}

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
