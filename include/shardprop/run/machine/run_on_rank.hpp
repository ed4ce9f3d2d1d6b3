// Runs a local program as one process of a real machine, where each device is a process of its own
// and collectives exchange bytes. Each process gathers the operands of its group and does what the
// simulated machine does with them, so that results are equal to its results bit by bit.
//
// A communicator is a type with six functions:
//   std::size_t rank() const       the number of this process
//   std::size_t size() const       how many there are
//   std::size_t split(const std::vector<ProcessGroup>& groups)
//       a channel among the processes of each group, by number. The groups are disjoint. All
//       processes call it for the same groups, in the same order.
//   std::vector<std::byte> gather(std::size_t channel, std::span<const std::byte> bytes)
//       the bytes of all processes of this one's group, in its order; each gives equally many
//   bool reduce(std::size_t channel, FastReduction reduction, Tensor& tensor)
//       reduces in any order; false, on all processes, where it cannot
//   void wait_at(std::string what)  what the process waits for from now on, to be told if it waits
//       for too long
// Waiting without end, and processes that die, are the communicator's.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/walk.hpp"
#include "shardprop/run/machine/collectives.hpp"
#include "shardprop/run/machine/process_groups.hpp"
#include "shardprop/run/process.hpp"
#include "shardprop/support/hash.hpp"

namespace shardprop {

enum class FastReduction : std::uint8_t { kSum, kProduct, kMax, kMin };

struct RankOptions {
  EvalOptions eval;
  // Reductions are the communicator's where it can do them: in any order.
  bool fast_reduce = false;
};

namespace detail {

// The reduction that a region is: one operation on both arguments.
inline std::optional<FastReduction> fast_reduction(const Module& m, OpId op) {
  const BlockId block = block_of(m, op, 0);
  const OpId first = m.blocks[block].first_op;
  const OpId last = first.valid() ? m.layout[first].next : OpId();
  if (!last.valid() || m.ops[last].operand_count != 1 || m.ops[first].operand_count != 2)
    return std::nullopt;
  const auto arguments = m.blocks[block].arguments;
  if (operand(m, last, 0) != result(m, first, 0) || operand(m, first, 0) != arguments[0] ||
      operand(m, first, 1) != arguments[1])
    return std::nullopt;
  const std::string_view name = op_name(m, first);
  if (name == "stablehlo.add") return FastReduction::kSum;
  if (name == "stablehlo.multiply") return FastReduction::kProduct;
  if (name == "stablehlo.maximum") return FastReduction::kMax;
  if (name == "stablehlo.minimum") return FastReduction::kMin;
  return std::nullopt;
}

// What all processes of a group must agree on before they exchange bytes.
struct RankMessage {
  std::uint64_t op = 0;      // number of the operation; kDone at the end of the program
  std::uint64_t shapes = 0;  // hash of the operands' shapes
  static constexpr std::uint64_t kDone = ~std::uint64_t{0};

  friend bool operator==(const RankMessage&, const RankMessage&) = default;
};

}  // namespace detail

template <class Communicator>
class RankRun {
 public:
  // `program` and `communicator` must outlive it. The grid has as many processes as the communicator.
  RankRun(const Runnable& program, ProcessGrid grid, Communicator& communicator,
          const RankOptions& options = {})
      : program_(&program),
        m_(&program.module()),
        grid_(grid),
        comm_(&communicator),
        options_(options) {
    const auto rank = static_cast<std::int64_t>(comm_->rank());
    options_.eval.replica = rank / grid_.partitions;
    options_.eval.partition = rank % grid_.partitions;
  }

  // What `func` returns on each process, by number. Errors: those of `run_on_grid`; those that this
  // process finds alone end its run, and the communicator must end the others.
  Result<std::vector<Tensors>> run(FuncId func, Tensors arguments) {
    if (!func.valid()) return Diagnostic{"run.no_function", "there is no such function"};
    if (Diagnostics errors = check_arguments(*m_, func, arguments, options_.eval); !errors.empty())
      return errors;
    if (Diagnostics errors = make_channels(); !errors.empty()) return errors;
    Process process(*program_, func, std::move(arguments), options_.eval);
    while (process.run() == ProcessState::kWaits) {
      Result<Tensors> results = exchange(process);
      if (!results) return std::move(results.errors());
      process.resume(*std::move(results));
    }
    if (process.state() == ProcessState::kFailed) return process.errors();
    return gather_results(process.take_results());
  }

 private:
  struct Plan {
    ProcessGroup group;  // of this process; empty: none
    std::size_t channel = 0;
  };

  // Channels are made before the program runs, when all processes are at the same place.
  Diagnostics make_channels() {
    Diagnostics errors;
    everybody_ = comm_->split({detail::first_numbers<std::size_t>(comm_->size())});
    walk_ops(*m_, [&](OpId op) {
      const EvalRow* row = program_->row(op);
      if (!errors.empty() || !row || !row->together) return;
      if (row->together->grouping == Grouping::kAlone ||
          row->together->grouping == Grouping::kEverybody)
        return;
      auto groups = process_groups(*m_, op, grid_, row->together->grouping);
      if (!groups) {
        errors = std::move(groups.errors());
        return;
      }
      Plan& plan = plans_[op.index];
      plan.channel = comm_->split(*groups);
      for (const ProcessGroup& group : *groups) {
        if (std::find(group.begin(), group.end(), comm_->rank()) != group.end()) plan.group = group;
      }
    });
    return errors;
  }

  Result<Tensors> exchange(Process& process) {
    EvalInput in = process.input();
    const auto at = plans_.find(in.op.index);
    if (at == plans_.end()) {
      return eval_error(in, "unsupported",
                        fmt::format("{} cannot be run on a real machine", op_name(*m_, in.op)),
                        "run it on the simulated one: `shardprop eval --devices`");
    }
    const Plan& plan = at->second;
    const Together& together = *program_->row(in.op)->together;
    if (plan.group.empty()) return zero_results(in);
    comm_->wait_at(to_string(place_of(*m_, in.op)));
    if (auto error = disagreement(plan.channel, message_at(in.op.index, in.operands)))
      return *std::move(error);
    const auto me = static_cast<std::size_t>(
        std::find(plan.group.begin(), plan.group.end(), comm_->rank()) - plan.group.begin());
    std::vector<Tensors> operands(plan.group.size());
    GroupInput group{in, operands};
    if (options_.fast_reduce &&
        (&together == &detail::kAllReduce || &together == &detail::kReduceScatter)) {
      if (auto reduced = reduce_fast(in, plan.channel))
        return results_of(together, group, *reduced, me);
    }
    gather_operands(plan, in.operands, operands);
    const Result<Tensors> shared = together.share ? together.share(group) : Tensors();
    if (!shared) return shared.errors();
    return results_of(together, group, *shared, me);
  }

  static detail::RankMessage message_at(std::uint64_t op, std::span<const Tensor> tensors) {
    detail::RankMessage message{op, 0};
    for (const Tensor& tensor : tensors) {
      for (std::int64_t size : tensor.shape())
        message.shapes = hash_mix(message.shapes, static_cast<std::uint64_t>(size));
    }
    return message;
  }

  template <class T>
  std::vector<T> gather_values(std::size_t channel, const T& value) {
    const auto bytes = comm_->gather(channel, std::as_bytes(std::span(&value, 1)));
    std::vector<T> out(bytes.size() / sizeof(T));
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
  }

  // An error where the processes of the group are not at the same operation.
  std::optional<Diagnostic> disagreement(std::size_t channel, const detail::RankMessage& mine) {
    for (const detail::RankMessage& other : gather_values(channel, mine)) {
      if (other == mine) continue;
      const auto place = [&](const detail::RankMessage& message) {
        return message.op == detail::RankMessage::kDone
                   ? std::string("done")
                   : "at " + to_string(place_of(*m_, OpId(message.op)));
      };
      if (other.op != mine.op) {
        return Diagnostic{"run.diverged",
                          fmt::format("this process is {}, and another of its group is {}",
                                      place(mine), place(other))};
      }
      return Diagnostic{"run.mismatch",
                        fmt::format("{}: tensors have other shapes in another process of the group",
                                    place(mine))};
    }
    return std::nullopt;
  }

  // The operands of each process of the group.
  void gather_operands(const Plan& plan, std::span<const Tensor> own,
                       std::vector<Tensors>& operands) {
    std::vector<std::byte> bytes;
    for (const Tensor& tensor : own)
      bytes.insert(bytes.end(), tensor.read(), tensor.read() + tensor.bytes());
    const std::vector<std::byte> all = comm_->gather(plan.channel, bytes);
    const std::byte* from = all.data();
    for (Tensors& of_process : operands) {
      for (const Tensor& like : own) {
        Tensor tensor(like.element(), like.shape());
        std::copy_n(from, tensor.bytes(), tensor.write());
        from += tensor.bytes();
        of_process.push_back(std::move(tensor));
      }
    }
  }

  // The operands, reduced by the communicator; none where it cannot do that.
  std::optional<Tensors> reduce_fast(EvalInput& in, std::size_t channel) {
    const auto reduction = detail::fast_reduction(*m_, in.op);
    const auto arguments = m_->blocks[block_of(*m_, in.op, 0)].arguments;
    if (!reduction) return std::nullopt;
    Tensors out;
    for (const Tensor& operand : in.operands) {
      const Element element = element_of(*m_, type_of(*m_, arguments[0]), options_.eval);
      Tensor tensor = converted(operand, element);
      if (!comm_->reduce(channel, *reduction, tensor)) return std::nullopt;
      out.push_back(std::move(tensor));
    }
    return out;
  }

  Result<std::vector<Tensors>> gather_results(const Tensors& own) {
    comm_->wait_at("the end of the program");
    if (auto error = disagreement(everybody_, message_at(detail::RankMessage::kDone, own)))
      return *std::move(error);
    std::vector<Tensors> all(comm_->size());
    Plan plan;
    plan.channel = everybody_;
    gather_operands(plan, own, all);
    return all;
  }

  const Runnable* program_;
  const Module* m_;
  ProcessGrid grid_;
  Communicator* comm_;
  RankOptions options_;
  std::size_t everybody_ = 0;
  std::unordered_map<std::uint32_t, Plan> plans_;
};

}  // namespace shardprop
