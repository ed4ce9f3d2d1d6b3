// Propagation through a framework's own program: `propagate_through` builds a module of it,
// propagates as `propagate_program` does, and writes the shardings back to the framework's values.
// `AdaptedProgram` keeps the module, so that a framework can change shardings and ask again.
//
// Worked example: x has [{data}, {}], w has [{}, {model}] and y = x w nothing. After `propagate`
// the framework has y as [{data}, {model}]. It then sets w to [{}, {}] and calls `propagate` again:
// only w is taken as changed by the framework, what y has was written here, so that y becomes
// [{data}, {}], as in a run from the beginning with x and the new w.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shardprop/embed/framework_program.hpp"
#include "shardprop/embed/framework_reader.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/ops/sharding_view.hpp"
#include "shardprop/pipeline/propagate_program.hpp"
#include "shardprop/propagate/engine/sharding_store.hpp"
#include "shardprop/sharding/named_sharding.hpp"
#include "shardprop/sharding/verify_sharding.hpp"
#include "shardprop/support/diagnostic.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

template <FrameworkProgram F>
class AdaptedProgram {
 public:
  using Value = typename F::Value;

  // Reads the framework's program; its shardings are annotations. The framework and the table must
  // outlive this. Errors: those of OpBuilder and of sharding_from_names, and
  // `embed.undefined_value`, `embed.value_defined_twice`, `embed.region_argument`.
  static Result<AdaptedProgram> read(F& f, const OpTable& ops,
                                     const PropagateProgramOptions& options = {}) {
    AdaptedProgram program(f, ops, options);
    if (Diagnostics errors = program.reread(); !errors.empty()) return errors;
    return program;
  }
  static Result<AdaptedProgram> read(F& f, OpTable&& ops,
                                     const PropagateProgramOptions& options = {}) = delete;

  // Propagates from the annotations and writes the outcome to the framework. A sharding that the
  // framework changed since it was written is a new annotation; one that is gone is no annotation
  // any more. All others are as they were annotated. The outcome is that of a run from the
  // beginning. On failure the framework's shardings stay as they are.
  //
  // Cost: that of `propagate_program`, and O(values).
  Result<PropagationReport> propagate() {
    if (Diagnostics errors = take_annotations(); !errors.empty()) return errors;
    Module m = source_;
    PropagateProgramOptions options = options_;
    options.verify = options_.verify && !is_verified_;
    Result<PropagationReport> report = propagate_program(m, *ops_, options);
    if (!report) return report;
    is_verified_ = true;
    outcome_ = std::move(m);
    write_all();
    return report;
  }

  // Reads the program again, after the framework changed operations. Annotations stay, as in
  // `propagate`. On failure this is as it was.
  Diagnostics reread() {
    Module m;
    detail::FrameworkReader<F> reader(*f_, *ops_, m);
    Diagnostics errors = reader.run([&](const Value& value) { return annotation(value); });
    if (has_errors(errors)) return errors;
    std::vector<Row> rows;
    std::unordered_map<Value, std::size_t> row_of;
    for (const auto& made : reader.rows()) {
      row_of.emplace(made.value, rows.size());
      rows.push_back({made.value, made.id, made.is_inner_argument, f_->sharding(made.value)});
    }
    source_ = std::move(m);
    outcome_ = source_;
    rows_ = std::move(rows);
    row_of_ = std::move(row_of);
    is_verified_ = false;
    return {};
  }

  // The program as it was propagated last, for questions about it.
  const Module& module() const { return outcome_; }
  // The row of a value in it; none for a value that the program does not have.
  ValueId find(const Value& value) const {
    const auto at = row_of_.find(value);
    return at == row_of_.end() ? ValueId() : rows_[at->second].id;
  }

 private:
  struct Row {
    Value value;
    ValueId id;
    bool is_inner_argument;
    std::optional<NamedSharding> seen;  // what the framework had when it was read or written last
  };

  AdaptedProgram(F& f, const OpTable& ops, const PropagateProgramOptions& options)
      : f_(&f), ops_(&ops), options_(options) {}

  // What the framework annotated `value` with, whatever was written to it since.
  std::optional<NamedSharding> annotation(const Value& value) const {
    std::optional<NamedSharding> now = f_->sharding(value);
    const auto at = row_of_.find(value);
    if (at == row_of_.end() || rows_[at->second].seen != now) return now;
    const ShardingId id = source_.value_shardings[rows_[at->second].id];
    if (!id.valid()) return std::nullopt;
    return named(source_.shardings[id], source_.meshes);
  }

  // Takes over what the framework changed: all of it, or nothing where there is an error.
  Diagnostics take_annotations() {
    Diagnostics errors;
    std::vector<std::pair<Row*, ShardingId>> changes;
    for (Row& row : rows_) {
      const std::optional<NamedSharding> now = f_->sharding(row.value);
      if (now != row.seen) changes.emplace_back(&row, checked(row, now, errors));
    }
    if (has_errors(errors)) return errors;
    for (const auto& [row, id] : changes) {
      source_.value_shardings[row->id] = id;
      row->seen = f_->sharding(row->value);
      // A constraint without its sharding, for one, is not well-formed.
      is_verified_ = false;
    }
    return {};
  }

  ShardingId checked(const Row& row, const std::optional<NamedSharding>& names,
                     Diagnostics& errors) {
    if (!names) return ShardingId();
    const Place place = place_of_value(source_, row.id);
    if (row.is_inner_argument) {
      errors.push_back({"embed.region_argument", "the argument of a region has a new sharding",
                        "annotate the operand or the result that it stands for", place});
      return ShardingId();
    }
    const Result<TensorSharding> sharding = sharding_from_names(*names, source_.meshes);
    if (!sharding) {
      for (Diagnostic error : sharding.errors()) {
        error.place = place;
        errors.push_back(std::move(error));
      }
      return ShardingId();
    }
    const TypeId type = type_of(source_, row.id);
    const ShardedShape shape{.is_tensor = source_.types.is_tensor(type),
                             .shape = source_.types.shape(type)};
    verify_sharding(*sharding, source_.meshes, shape, place, errors);
    return source_.shardings.intern(*sharding);
  }

  // The argument of a region of a caller's operation has the sharding of the value that carries
  // that of its data-flow edge.
  void write_all() {
    OpRows table_rows(*ops_, outcome_);
    ShardingStore store(outcome_, table_rows);
    std::vector<std::optional<ShardingView>> views;
    for (const Row& row : rows_) {
      std::optional<ShardingView> view = sharding_of(outcome_, row.id);
      if (!view && row.is_inner_argument) view = sharding_of(outcome_, store.holder(row.id));
      views.push_back(std::move(view));
    }
    store.finish();
    for (std::size_t i = 0; i < rows_.size(); ++i) write(rows_[i], views[i]);
  }

  void write(Row& row, const std::optional<ShardingView>& view) {
    const bool same = view ? row.seen == static_cast<const NamedSharding&>(*view) : !row.seen;
    if (same) return;
    f_->set_sharding(row.value, view);
    row.seen = f_->sharding(row.value);
  }

  F* f_;
  const OpTable* ops_;
  PropagateProgramOptions options_;
  Module source_;   // with the annotations
  Module outcome_;  // as propagated
  std::vector<Row> rows_;
  std::unordered_map<Value, std::size_t> row_of_;
  bool is_verified_ = false;
};

// Propagates once through a framework's program and writes the shardings back. Errors: those of
// `AdaptedProgram::read` and of `propagate_program`.
template <FrameworkProgram F>
Result<PropagationReport> propagate_through(F& f, const OpTable& ops,
                                            const PropagateProgramOptions& options = {}) {
  Result<AdaptedProgram<F>> program = AdaptedProgram<F>::read(f, ops, options);
  if (!program) return program.errors();
  return program->propagate();
}

}  // namespace shardprop
