// A simulated machine: processes that run in lock-step. Each runs until it waits at an operation
// that it does together with others; when all of a group wait there, the operation is done for all
// of them and they go on. There are no threads, so that a run is deterministic, and it cannot hang:
// when nobody can go on, that is an error which says who waits for whom.
//
// Processes may run the same function or different ones. In different functions two operations are
// the same one when name, attributes and types of the operands are equal.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/run/machine/process_groups.hpp"
#include "shardprop/run/machine/together.hpp"
#include "shardprop/run/process.hpp"

namespace shardprop {

// What processes leave for each other or for the program that started them.
struct Mailbox {
  // What was sent and not received: by channel and receiver, -1 for anyone.
  std::map<std::pair<std::int64_t, std::int64_t>, std::deque<Tensors>> sent;
  // The functions whose results infeeds get, one after the other.
  std::deque<FuncId> infeed;
};
// The values that each probe saw, by its name.
using Probes = std::map<std::string, Tensors, std::less<>>;

class Machine {
 public:
  // `program` must outlive it. Process (r, p) of the grid is added as number r * partitions + p.
  Machine(const Runnable& program, ProcessGrid grid, const EvalOptions& options = {})
      : program_(&program), grid_(grid), options_(options) {}
  // A machine that a process of `parent` starts.
  Machine(Machine& parent, ProcessGrid grid)
      : program_(parent.program_),
        grid_(grid),
        options_(parent.options_),
        depth_(parent.depth_ + 1),
        probes_(parent.probes_) {}
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const Runnable& program() const { return *program_; }
  const ProcessGrid& grid() const { return grid_; }
  const EvalOptions& options() const { return options_; }
  Mailbox& mailbox() { return mailbox_; }
  Probes& probes() { return *probes_; }

  // Adds the next process, which runs a function or a block that sees no values from around it.
  void add(FuncId func, Tensors arguments) {
    processes_.emplace_back(*program_, func, std::move(arguments), next_options());
    starts_.push_back(func.valid() ? program_->module().funcs[func].body : BlockId());
  }
  void add(BlockId block, Tensors arguments) {
    processes_.emplace_back(*program_, block, std::move(arguments), next_options());
    starts_.push_back(block);
  }

  // Runs all processes to their ends. Empty, or the first error.
  Diagnostics run() {
    if (depth_ > kMaxDepth)
      return {{"run.too_deep", "processes that start others are nested too deeply"}};
    while (true) {
      bool all_done = true;
      for (std::size_t i = 0; i < processes_.size(); ++i) {
        const ProcessState state = processes_[i].run();
        if (state == ProcessState::kFailed) return errors_of(i);
        all_done = all_done && state == ProcessState::kDone;
      }
      if (all_done) return {};
      Result<bool> moved = serve_all();
      if (!moved) return std::move(moved.errors());
      if (!*moved) return stuck();
    }
  }
  // What process `i` returned.
  Tensors take_results(std::size_t i) { return processes_[i].take_results(); }

 private:
  static constexpr int kMaxDepth = 16;

  // How an operation is done; made when it is first met.
  struct Plan {
    const Together* together = nullptr;
    std::vector<ProcessGroup> groups;
    std::vector<std::size_t> group_of;  // by process; the number of groups: none
  };

  EvalOptions next_options() const {
    EvalOptions options = options_;
    const auto number = static_cast<std::int64_t>(processes_.size());
    options.replica = number / grid_.partitions;
    options.partition = number % grid_.partitions;
    return options;
  }

  Diagnostics errors_of(std::size_t i) const {
    Diagnostics errors = processes_[i].errors();
    if (processes_.size() == 1) return errors;
    for (Diagnostic& error : errors)
      error.message = fmt::format("process {}: {}", i, error.message);
    return errors;
  }

  bool waits(std::size_t i) const { return processes_[i].state() == ProcessState::kWaits; }

  Result<const Plan*> plan_of(OpId op) {
    const auto [at, is_new] = plans_.try_emplace(op.index);
    Plan& plan = at->second;
    if (!is_new) return &plan;
    plan.together = program_->row(op)->together;
    if (!plan.together) {
      return eval_error(program_->module(), op, "unsupported",
                        fmt::format("the row of {} does not say what processes do together",
                                    op_name(program_->module(), op)));
    }
    if (plan.together->grouping == Grouping::kAlone) return &plan;
    auto groups = process_groups(program_->module(), op, grid_, plan.together->grouping);
    if (!groups) return std::move(groups.errors());
    plan.groups = *std::move(groups);
    plan.group_of.assign(processes_.size(), plan.groups.size());
    for (std::size_t g = 0; g < plan.groups.size(); ++g) {
      for (std::size_t member : plan.groups[g]) plan.group_of[member] = g;
    }
    return &plan;
  }

  // Does what can be done at the operations that processes wait at. Whether there was any.
  Result<bool> serve_all() {
    bool moved = false;
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      if (!waits(i)) continue;
      const Result<const Plan*> plan = plan_of(processes_[i].waits_at());
      if (!plan) return plan.errors();
      Result<bool> served = serve(i, **plan);
      if (!served) return served;
      moved = moved || *served;
    }
    return moved;
  }

  Result<bool> serve(std::size_t i, const Plan& plan) {
    EvalInput in = processes_[i].input();
    if (plan.together->grouping == Grouping::kAlone) {
      Result<std::optional<Tensors>> results = plan.together->alone(*this, i, in);
      if (!results) return std::move(results.errors());
      if (!*results) return false;
      processes_[i].resume(**std::move(results));
      return true;
    }
    if (plan.group_of[i] == plan.groups.size()) {
      processes_[i].resume(zero_results(in));
      return true;
    }
    const ProcessGroup& group = plan.groups[plan.group_of[i]];
    if (group.front() != i) return false;  // the first one does it for all
    const bool all_wait =
        std::all_of(group.begin(), group.end(), [&](std::size_t j) { return is_same(i, j); });
    return all_wait ? serve_group(*plan.together, group, in) : Result<bool>(false);
  }

  Result<bool> serve_group(const Together& together, const ProcessGroup& group, EvalInput& in) {
    std::vector<Tensors> operands;
    for (std::size_t member : group) {
      const auto given = processes_[member].operands();
      operands.emplace_back(given.begin(), given.end());
      for (std::size_t k = 0; k < given.size(); ++k) {
        if (given[k].shape() == operands[0][k].shape()) continue;
        return eval_error(in, "mismatch",
                          fmt::format("operand {} has the shape {} in process {} and {} in process "
                                      "{} of a group",
                                      k, to_string(operands[0][k].shape()), group[0],
                                      to_string(given[k].shape()), member));
      }
    }
    GroupInput input{in, operands};
    if (together.everybody) {
      Result<std::vector<Tensors>> all = together.everybody(*this, input);
      if (!all) return std::move(all.errors());
      for (std::size_t k = 0; k < group.size(); ++k)
        processes_[group[k]].resume(std::move((*all)[k]));
      return true;
    }
    const Result<Tensors> shared = together.share ? together.share(input) : Tensors();
    if (!shared) return shared.errors();
    std::vector<Tensors> all;
    for (std::size_t k = 0; k < group.size(); ++k) {
      Result<Tensors> results = results_of(together, input, *shared, k);
      if (!results) return std::move(results.errors());
      all.push_back(*std::move(results));
    }
    for (std::size_t k = 0; k < group.size(); ++k) processes_[group[k]].resume(std::move(all[k]));
    return true;
  }

  // Whether process `j` waits at the operation that process `i` waits at.
  bool is_same(std::size_t i, std::size_t j) const {
    if (!waits(j)) return false;
    const OpId a = processes_[i].waits_at();
    const OpId b = processes_[j].waits_at();
    if (a == b || starts_[i] == starts_[j]) return a == b;
    const Module& m = program_->module();
    if (m.ops[a].name != m.ops[b].name || m.ops[a].attributes != m.ops[b].attributes) return false;
    const auto type = [&](ValueId value) { return type_of(m, value).index; };
    return std::ranges::equal(operands_of(m, a), operands_of(m, b), {}, type, type);
  }

  // Nobody can go on: the first process that waits, and for whom.
  Diagnostics stuck() {
    const Module& m = program_->module();
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      if (!waits(i)) continue;
      const OpId op = processes_[i].waits_at();
      const Plan& plan = plans_.at(op.index);
      if (plan.together->grouping == Grouping::kAlone) continue;
      for (std::size_t j : plan.groups[plan.group_of[i]]) {
        if (!is_same(i, j)) return {diverged(i, j)};
      }
    }
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      if (!waits(i)) continue;
      const OpId op = processes_[i].waits_at();
      return {eval_error(m, op, "deadlock",
                         fmt::format("process {} waits for data that nobody sends", i))};
    }
    return {};
  }

  Diagnostic diverged(std::size_t i, std::size_t j) const {
    const Module& m = program_->module();
    const OpId op = processes_[i].waits_at();
    std::string other = "is done";
    if (waits(j)) {
      const OpId at = processes_[j].waits_at();
      other = fmt::format("is at {}", to_string(place_of(m, at)));
    }
    return eval_error(
        m, op, "diverged",
        fmt::format("processes {} and {} must do this together, but process {} {}", i, j, j, other),
        "a branch or the condition of a loop differs between processes, or their "
        "functions do not have the same collectives");
  }

  const Runnable* program_;
  ProcessGrid grid_;
  EvalOptions options_;
  int depth_ = 0;
  std::vector<Process> processes_;
  std::vector<BlockId> starts_;
  std::unordered_map<std::uint32_t, Plan> plans_;
  Mailbox mailbox_;
  Probes own_probes_;
  Probes* probes_ = &own_probes_;
};

}  // namespace shardprop
