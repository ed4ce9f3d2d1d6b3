// Definition of report.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/analysis/communication.hpp"
#include "shardprop/analysis/report/collective_cause.hpp"
#include "shardprop/analysis/report/finding.hpp"
#include "shardprop/analysis/report/report.hpp"
#include "shardprop/analysis/report/trial.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ops/common/type_text.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/passes/collectives/collective_builder.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

// Collects findings; those of one key are one.
class FindingFolder {
 public:
  Finding& add(const std::string& key, Finding finding) {
    const auto [at, is_new] = row_of_.try_emplace(key, rows_.size());
    if (is_new) {
      rows_.push_back(std::move(finding));
      return rows_.back();
    }
    Finding& row = rows_[at->second];
    row.bytes += finding.bytes;
    row.count += finding.count;
    std::ranges::move(finding.places, std::back_inserter(row.places));
    std::ranges::move(finding.collectives, std::back_inserter(row.collectives));
    const bool alike = row.candidates.size() == finding.candidates.size();
    for (std::size_t i = 0; alike && i < row.candidates.size(); ++i)
      std::ranges::move(finding.candidates[i], std::back_inserter(row.candidates[i]));
    return row;
  }

  std::vector<Finding> take() {
    std::ranges::stable_sort(rows_, std::ranges::greater(), &Finding::bytes);
    return std::move(rows_);
  }

 private:
  std::map<std::string, std::size_t> row_of_;
  std::vector<Finding> rows_;
};

class ReportMaker {
 public:
  ReportMaker(const Module& program, const OpTable& ops, const ReportOptions& options)
      : program_(program), ops_(ops), options_(options) {}

  Result<Report> make() {
    if (!options_.is_explicit) {
      Result<TrialRun> run = TrialRun::start(program_, ops_);
      if (!run) return std::move(run.errors());
      trial_.emplace(*std::move(run));
      Result<Module> finished = trial_->finish();
      if (!finished) return std::move(finished.errors());
      m_ = *std::move(finished);
    } else {
      m_ = program_;
    }
    Report out;
    out.communication = communication(m_);
    add_collectives();
    if (trial_) add_propagation(trial_->report());
    add_replicated(trial_ ? trial_->propagated() : m_);
    add_unused_axes();
    out.findings = folder_.take();
    measure_arguments(out);
    try_candidates(out);
    return out;
  }

 private:
  // The operation and the value of the program that those of the pipeline's module stand for.
  OpId program_op(OpId op) const {
    const OpId own = m_.lineage.of_op.is_on() ? m_.lineage.of_op.of(op) : op;
    return own.index < program_.ops.size() ? own : OpId();
  }
  static ValueRef program_value(const Module& m, ValueId value) {
    return {m.lineage.of_value.is_on() ? m.lineage.of_value.of(value) : value};
  }

  std::string type_of_value(ValueId value) const {
    return value.valid() ? to_string(m_, type_of(m_, value)) : std::string();
  }

  void add_collectives() {
    CauseFinder causes(m_, ops_);
    std::size_t number = 0;
    for_each_collective(m_, [&](const CollectiveCost& cost) {
      CollectiveCause cause = causes.find(cost.op);
      Finding f;
      f.collectives = {number++};
      f.measure = Measure::kCommunication;
      f.bytes_each = cost.sent;
      f.bytes = cost.sent * static_cast<double>(cost.runs);
      f.count = cost.runs;
      f.in_loop = cost.in_loop;
      f.reason = cause.reason;
      f.shape = type_of_value(operand(m_, cost.op, 0));
      const std::string along = cost.axes.empty() ? "" : " along " + cost.axes;
      f.summary = fmt::format("{}{} of {}", cost.kind, along, f.shape);
      if (cause.kind != CauseKind::kProgram)
        f.summary += fmt::format(" for {}", op_name(m_, cause.op));
      f.places.push_back({program_op(cause.op), place_value(cause)});
      if (trial_) add_candidates(cost, cause, f);
      const std::string key = fmt::format("{}|{}|{}|{}|{}|{}", f.summary, cost.mesh, f.reason,
                                          cause.won, f.in_loop, cost.sent);
      f.cost = cost;
      f.cause = std::move(cause);
      folder_.add(key, std::move(f));
    });
  }

  ValueRef place_value(const CollectiveCause& cause) const {
    if (cause.tensor >= cause.tensors.size()) return {};
    // What collectives make of a result stands for nothing in the program.
    const std::size_t operands = m_.ops[cause.op].operand_count;
    const bool is_result = cause.tensors.size() > 1 && cause.tensor >= operands;
    return program_value(m_, is_result ? result(m_, cause.op, cause.tensor - operands)
                                       : cause.tensors[cause.tensor].value);
  }

  void add_candidates(const CollectiveCost& cost, const CollectiveCause& cause, Finding& f) {
    const ValueRef value = place_value(cause);
    if (!value.value.valid()) return;
    const CauseTensor& tensor = cause.tensors[cause.tensor];
    if (cause.kind == CauseKind::kSum) return add_scatters(cost, tensor, value, f);
    const bool moved = cause.kind == CauseKind::kOperand || cause.kind == CauseKind::kResult ||
                       cause.kind == CauseKind::kEdge || cause.kind == CauseKind::kReturn;
    if (moved && tensor.takes) f.candidates.push_back({{value, opened(*tensor.takes)}});
  }

  // Leaves the parts of a sum where they are: along each dimension that the axes divide.
  void add_scatters(const CollectiveCost& cost, const CauseTensor& tensor, const ValueRef& value,
                    Finding& f) {
    if (!tensor.has) return;
    const Mesh& mesh = m_.meshes[tensor.has->mesh];
    const AxisList axes = axes_in(m_, attribute(m_, cost.op, key::kReductionAxes), mesh);
    const auto shape = shape_of(m_, tensor.value);
    for (std::size_t d = 0; d < tensor.has->rank(); ++d) {
      bool free = !axes.empty();
      for (const DimSharding& dim : tensor.has->dims) free = free && !overlaps(dim.axes, axes);
      const std::int64_t parts = total_size(tensor.has->dims[d].axes) * total_size(axes);
      if (!free || shape[d] % parts != 0) continue;
      TensorSharding sharding = opened(*tensor.has);
      for (AxisRef axis : axes) append_or_merge(sharding.dims[d].axes, axis, mesh);
      f.candidates.push_back({{value, std::move(sharding)}});
    }
  }

  static TensorSharding opened(TensorSharding s) {
    for (DimSharding& dim : s.dims) dim.open = true;
    s.unreduced.clear();
    return s;
  }

  void add_propagation(const PropagationReport& report) {
    for (const OpWithoutRule& row : report.without_rule) {
      Finding f;
      f.kind = FindingKind::kNoRule;
      f.measure = Measure::kMemory;
      f.count = static_cast<std::int64_t>(row.count);
      f.summary = fmt::format("no sharding passes {}", row.name);
      f.reason =
          fmt::format("{} has no sharding rule; give it one, or constrain its results", row.name);
      walk_ops(m_, [&](OpId op) {
        if (op_name(m_, op) != row.name) return;
        f.places.push_back({program_op(op), {}});
        for (ValueId value : results(m_, op)) f.bytes += held_bytes(m_, value);
      });
      f.bytes_each = f.count == 0 ? 0 : f.bytes / static_cast<double>(f.count);
      folder_.add("no rule " + row.name, std::move(f));
    }
    for (const Unresolved& row : report.unresolved) {
      Finding f;
      f.kind = row.reason == UnresolvedReason::kNotDivisible ? FindingKind::kNotDivisible
                                                             : FindingKind::kConflict;
      f.count = static_cast<std::int64_t>(row.count);
      f.summary = fmt::format("{}: {}", row.first.operation, row.message);
      f.reason = row.message;
      f.places.push_back({{}, find_place(row.first)});
      const std::string key = "unresolved " + f.summary;
      folder_.add(key, std::move(f));
    }
  }

  ValueRef find_place(const Place& place) const {
    const FuncId func = find_func(program_, place.function);
    ValueRef found;
    if (!func.valid()) return found;
    walk_block(program_, program_.funcs[func].body, [&](OpId op) {
      for (ValueId value : results(program_, op)) {
        if (!found.value.valid() && name_of(program_, value) == place.value) found.value = value;
      }
    });
    return found;
  }

  static double held_bytes(const Module& m, ValueId value) {
    return detail::held_bytes(m, value, tensor_sharding_of(m, value));
  }

  // Values of the propagated program that every device holds whole.
  void add_replicated(const Module& m) {
    if (!default_mesh(m).valid()) return;
    for (FuncId func : m.func_order) {
      for (ValueId value : m.blocks[m.funcs[func].body].arguments) add_replicated(m, value);
      walk_block(m, m.funcs[func].body, [&](OpId op) {
        for (ValueId value : results(m, op)) add_replicated(m, value);
      });
    }
  }

  void add_replicated(const Module& m, ValueId value) {
    const auto s = tensor_sharding_of(m, value);
    const double bytes = held_bytes(m, value);
    if (bytes < options_.large_bytes || (s && !is_replicated(*s))) return;
    const OpId op = defining_op(m, value);
    if (op.valid() && (is_sdy_collective(m, op) || m.ops[op].name == known::kSdyDataFlowEdge))
      return;
    const ValueRef own = program_value(m, value);
    if (!own.value.valid() || !told_.insert(own.value).second) return;
    Finding f;
    f.kind = FindingKind::kReplicated;
    f.measure = Measure::kMemory;
    f.bytes = f.bytes_each = bytes;
    f.count = 1;
    f.shape = to_string(m, type_of(m, value));
    f.summary = fmt::format("{} {} is on every device whole",
                            op.valid() ? op_name(m, op) : std::string_view("argument"), f.shape);
    f.reason = s ? "no axis came to it" : "no sharding came to it";
    f.places.push_back({op.valid() ? program_op(op) : OpId(), own});
    if (trial_ && !op.valid()) add_splits(m, value, own, f);
    const std::string key = "replicated " + f.summary + f.reason;
    folder_.add(key, std::move(f));
  }

  // Splits an argument along the first dimension that an axis divides, for each axis.
  void add_splits(const Module& m, ValueId value, const ValueRef& own, Finding& f) const {
    const MeshId id = default_mesh(m);
    const Mesh& mesh = m.meshes[id];
    const auto shape = shape_of(m, value);
    for (std::size_t a = 0; a < mesh.axes.size(); ++a) {
      for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] % mesh.axes[a].size != 0 || mesh.axes[a].size == 1) continue;
        TensorSharding s = open_sharding(id, shape.size());
        s.dims[d].axes.push_back(full_axis(mesh, a));
        f.candidates.push_back({{own, std::move(s)}});
        break;
      }
    }
  }

  void add_unused_axes() {
    for (MeshId id : m_.meshes.ids()) {
      const Mesh& mesh = m_.meshes[id];
      if (mesh.name.empty() || id.index >= program_.meshes.size()) continue;
      for (std::size_t a = 0; a < mesh.axes.size(); ++a) {
        bool used = mesh.axes[a].size == 1;
        for (ShardingId s : m_.shardings.ids()) {
          for (const DimSharding& dim : m_.shardings[s].dims) {
            for (AxisRef axis : dim.axes)
              used = used || (m_.shardings[s].mesh == id && axis.axis == a);
          }
        }
        if (used) continue;
        Finding f;
        f.kind = FindingKind::kUnusedAxis;
        f.count = 1;
        f.summary =
            fmt::format("axis {} of size {} splits nothing", mesh.axes[a].name, mesh.axes[a].size);
        f.reason =
            fmt::format("each group of {} devices along it does the same", mesh.axes[a].size);
        const std::string key = f.summary + mesh.name;
        folder_.add(key, std::move(f));
      }
    }
  }

  void measure_arguments(Report& out) const {
    const FuncId f = entry_func(m_);
    if (!f.valid()) return;
    for (ValueId value : m_.blocks[m_.funcs[f].body].arguments) {
      out.argument_bytes += detail::held_bytes(m_, value, std::nullopt);
      out.argument_bytes_on_device += held_bytes(m_, value);
    }
  }

  void try_candidates(Report& out) {
    if (!trial_) return;
    const TrialCost base = cost_of(m_);
    for (Finding& f : out.findings) {
      for (std::vector<SuggestedEdit>& edits : f.candidates) {
        if (out.tried == options_.max_trials) return;
        ++out.tried;
        const std::optional<TrialCost> cost = trial_->cost(edits);
        if (!cost) continue;
        Suggestion s{edits, cost->communication - base.communication, cost->memory - base.memory};
        const bool of_memory = f.measure == Measure::kMemory;
        const auto gain = [&](const Suggestion& x) {
          return of_memory ? x.memory + x.communication : x.communication;
        };
        if (gain(s) < 0 && (!f.suggestion || gain(s) < gain(*f.suggestion)))
          f.suggestion = std::move(s);
      }
    }
  }

  const Module& program_;
  const OpTable& ops_;
  ReportOptions options_;
  std::optional<TrialRun> trial_;
  Module m_;  // with collectives
  FindingFolder folder_;
  std::unordered_set<ValueId> told_;  // values of the program that are replicated
};

}  // namespace detail

SHARDPROP_INLINE Result<Report> make_report(const Module& program, const OpTable& ops,
                                            const ReportOptions& options) {
  return detail::ReportMaker(program, ops, options).make();
}

}  // namespace shardprop
