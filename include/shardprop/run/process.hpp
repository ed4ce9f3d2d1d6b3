// One process: it runs a function over tensors, operation after operation, with a stack of frames
// of its own. So recursion of functions costs no stack of the machine, and a process can stop at an
// operation that it must do together with others: whoever holds several processes does it for all
// of them and lets them go on. A single process cannot do such operations.
//
// A value is dropped after its last use, and an operation that uses it last gets it as its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ops/stablehlo/custom_call_rules.hpp"
#include "shardprop/run/kernel_call.hpp"
#include "shardprop/run/runnable.hpp"
#include "shardprop/run/tensor_text.hpp"

namespace shardprop {

// Whether `arguments` are what `func` takes: `run.arguments` says what is wrong.
inline Diagnostics check_arguments(const Module& m, FuncId func, const Tensors& arguments,
                                   const EvalOptions& options) {
  const auto parameters = m.blocks.get(m.funcs[func].body).arguments;
  const std::string name(m.strings[m.funcs[func].name]);
  if (parameters.size() != arguments.size()) {
    return {{"run.arguments", fmt::format("@{} takes {} arguments, found {}", name,
                                          parameters.size(), arguments.size())}};
  }
  Diagnostics errors;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const TypeId type = type_of(m, parameters[i]);
    const bool same_elements = element_of(m, type, options) == arguments[i].element();
    if (same_elements && compatible_shapes(m.types.shape(type), arguments[i].shape())) continue;
    errors.push_back(
        {"run.arguments",
         fmt::format("argument {} of @{} must be {}, found {} of {}", i, name, to_string(m, type),
                     to_string(arguments[i].shape()), row_of(arguments[i].element()).name)});
  }
  return errors;
}

enum class ProcessState : std::uint8_t {
  kRuns,
  kWaits,  // at an operation of several processes; `resume` lets it go on
  kDone,
  kFailed
};

class Process {
 public:
  // Runs `func` on `arguments`, which must be as many as it takes. `program` must outlive it.
  Process(const Runnable& program, FuncId func, Tensors arguments, const EvalOptions& options = {})
      : program_(&program), m_(&program.module()), options_(options) {
    call(func, OpId(), std::move(arguments));
  }
  // Runs a block that sees no values from around it.
  Process(const Runnable& program, BlockId block, Tensors arguments, const EvalOptions& options)
      : program_(&program), m_(&program.module()), options_(options) {
    push(block, OpId(), false, std::move(arguments));
  }

  ProcessState state() const { return state_; }
  const EvalOptions& options() const { return options_; }
  // Runs until it is done, fails, or waits.
  ProcessState run() {
    while (state_ == ProcessState::kRuns) step();
    return state_;
  }

  // While it waits: the operation, its operands, and both as what evaluates it takes them.
  OpId waits_at() const { return frames_.back().next; }
  std::span<Tensor> operands() { return operands_; }
  EvalInput input() { return input_of(waits_at()); }
  // Goes on after that operation, whose results are these, or fails where they are not of the types
  // that it declares.
  void resume(Tensors results) {
    operands_.clear();
    if (!are_as_declared(waits_at(), results)) return;
    state_ = ProcessState::kRuns;
    finish(waits_at(), std::move(results));
  }

  // When it is done: what the function returned.
  Tensors take_results() { return std::move(results_); }
  // When it failed.
  const Diagnostics& errors() const { return errors_; }

 private:
  // A block that is being run.
  struct Frame {
    BlockId block;
    OpId next;                // the operation to run, or the one that a frame above belongs to
    OpId owner;               // the operation whose function or region this is; none: the whole
    bool sees_below = false;  // a region sees the values of the frame below
    bool in_loop = false;
    Tensors values;   // by slot
    Tensors carried;  // of the condition of a loop: what the body then takes
  };
  static constexpr std::size_t kMaxFrames = 10000;

  void fail(Diagnostics errors) {
    errors_ = std::move(errors);
    state_ = ProcessState::kFailed;
  }

  void step() {
    const OpId op = frames_.back().next;
    if (!op.valid()) return fail({{"run.no_terminator", "a block does not end with a return"}});
    const EvalRow* row = program_->row(op);
    if (!row || (row->control == Control::kNone && !row->kernel && !row->evaluate))
      return fail_unsupported(op);
    if (options_.max_operations != 0 && ++operations_ > options_.max_operations) {
      return fail({eval_error(
          *m_, op, "too_long",
          fmt::format("the run takes more than {} operations", options_.max_operations))});
    }
    take_operands(op);
    switch (row->control) {
      case Control::kNone:
        return compute(op, *row);
      case Control::kReturn:
        return leave(std::move(operands_));
      case Control::kTogether:
        if (can_hold_results(op)) state_ = ProcessState::kWaits;
        return;
      default:
        return enter(op, row->control);
    }
  }

  void fail_unsupported(OpId op) {
    std::string name(op_name(*m_, op));
    if (m_->ops[op].name == known::kCustomCall)
      name += fmt::format(" @{}", custom_call_target(*m_, op));
    fail({eval_error(*m_, op, "unsupported", fmt::format("{} cannot be run", name),
                     "add a row for it to the EvalTable")});
  }

  // --- Values ---

  Tensor* slot_of(ValueId value) {
    const BlockId home = program_->home(value);
    for (std::size_t i = frames_.size(); i-- > 0;) {
      if (frames_[i].block == home) return &frames_[i].values[program_->slot(value)];
      if (!frames_[i].sees_below) return nullptr;
    }
    return nullptr;
  }

  // Moves out of its slot what this operation alone still needs.
  void take_operands(OpId op) {
    operands_.clear();
    const auto uses = operand_uses(*m_, op);
    const auto& seen = program_->last_seen_in(op);
    for (std::size_t i = 0; i < uses.size(); ++i) {
      const ValueId value = m_->uses[uses[i]].value;
      Tensor* slot = slot_of(value);
      bool is_last = program_->last_user(value) == op &&
                     std::find(seen.begin(), seen.end(), value) == seen.end();
      for (std::size_t j = i + 1; is_last && j < uses.size(); ++j)
        is_last = m_->uses[uses[j]].value != value;
      if (!slot) {
        operands_.emplace_back();
      } else if (is_last) {
        operands_.push_back(std::move(*slot));
      } else {
        operands_.push_back(*slot);
      }
    }
  }

  void finish(OpId op, Tensors values) {
    Frame& frame = frames_.back();
    for (ValueId value : program_->last_seen_in(op)) frame.values[program_->slot(value)] = Tensor();
    const auto defined = results(*m_, op);
    for (std::size_t i = 0; i < defined.size() && i < values.size(); ++i) {
      if (has_uses(*m_, defined[i]))
        frame.values[program_->slot(defined[i])] = std::move(values[i]);
    }
    frame.next = m_->layout[op].next;
  }

  // --- Operations ---

  EvalInput input_of(OpId op) {
    return {*m_,       op,
            operands_, program_->table(),
            options_,  [this](ValueId value) -> const Tensor* { return slot_of(value); }};
  }

  // Constants are made once in a loop.
  void compute(OpId op, const EvalRow& row) {
    const bool is_repeated =
        frames_.back().in_loop && is_one_of(m_->ops[op].name, {known::kConstant, known::kIota});
    if (!can_hold_results(op)) return;
    if (is_repeated) {
      if (const auto at = constants_.find(op.index); at != constants_.end())
        return finish(op, {at->second});
    }
    EvalInput in = input_of(op);
    Result<Tensors> out = row.kernel ? evaluate_kernel(in, row.kernel) : row.evaluate(in);
    operands_.clear();
    if (!out) return fail(std::move(out.errors()));
    if (!are_as_declared(op, *out)) return;
    if (is_repeated) constants_[op.index] = (*out)[0];
    finish(op, *std::move(out));
  }

  bool can_hold(OpId op, TypeId type) {
    const bool is_too_large = program_->bytes(type) > options_.max_bytes;
    if (program_->has_elements(type) && !is_too_large) return true;
    fail({eval_error(*m_, op, is_too_large ? "too_large" : "unsupported",
                     fmt::format("values of type {} {}", to_string(*m_, type),
                                 is_too_large ? "are too large" : "cannot be held"))});
    return false;
  }

  bool can_hold_results(OpId op) {
    for (ValueId value : results(*m_, op)) {
      if (!can_hold(op, type_of(*m_, value))) return false;
    }
    return true;
  }

  // Operations rely on the shapes of their operands, which are computed where a program leaves them
  // open, and are the caller's where an operation is.
  bool are_as_declared(OpId op, const Tensors& values) {
    const auto defined = results(*m_, op);
    bool same = values.size() == defined.size();
    for (std::size_t i = 0; same && i < values.size(); ++i) {
      const TypeId type = type_of(*m_, defined[i]);
      if (!m_->types.is_tensor(type)) continue;
      same = values[i].element() == element_of(*m_, type, options_) &&
             compatible_shapes(m_->types.shape(type), values[i].shape());
      if (same) continue;
      fail({eval_error(*m_, op, "shape",
                       fmt::format("result {} is {}, declared {}", i, type_text(values[i]),
                                   to_string(*m_, type)))});
      return false;
    }
    if (!same) {
      fail({eval_error(
          *m_, op, "shape",
          fmt::format("there are {} results, declared {}", values.size(), defined.size()))});
    }
    return same;
  }

  // --- Control ---

  void push(BlockId block, OpId owner, bool sees_below, Tensors arguments) {
    Frame frame;
    frame.block = block;
    frame.next = m_->blocks[block].first_op;
    frame.owner = owner;
    frame.sees_below = sees_below;
    const bool is_loop = owner.valid() && program_->row(owner)->control == Control::kWhile;
    frame.in_loop = is_loop || (!frames_.empty() && frames_.back().in_loop);
    frame.values.resize(program_->slots_of(block));
    const auto names = m_->blocks[block].arguments;
    for (std::size_t i = 0; i < names.size() && i < arguments.size(); ++i) {
      if (has_uses(*m_, names[i])) frame.values[program_->slot(names[i])] = std::move(arguments[i]);
    }
    frames_.push_back(std::move(frame));
  }

  void call(FuncId func, OpId owner, Tensors arguments) {
    const BlockId body = func.valid() ? m_->funcs[func].body : BlockId();
    if (!body.valid()) return fail({{"run.no_function", "there is no such function"}});
    if (frames_.size() >= kMaxFrames)
      return fail({eval_error(*m_, owner, "too_deep", "calls are nested too deeply")});
    push(body, owner, false, std::move(arguments));
  }

  void enter(OpId op, Control control) {
    Tensors operands = std::move(operands_);
    switch (control) {
      case Control::kCall: {
        AttrId callee = attribute(*m_, op, key::kCallee);
        if (!callee.valid()) callee = attribute(*m_, op, "decomposition");
        const StringId name = m_->attrs.string_or_none(callee);
        return call(name.valid() ? find_func(*m_, m_->strings[name]) : FuncId(), op,
                    std::move(operands));
      }
      case Control::kRegion:
        return push(block_of(*m_, op, 0), op, true, std::move(operands));
      case Control::kWhile:
        return test_loop(op, std::move(operands));
      default: {
        const std::int64_t number = branch_number(control, operands[0]);
        const auto count = static_cast<std::int64_t>(block_count(*m_, op));
        const std::int64_t last = count - 1;
        const std::int64_t taken = number < 0 || number > last ? last : number;
        return push(block_of(*m_, op, static_cast<std::size_t>(taken)), op, true, {});
      }
    }
  }

  static std::int64_t branch_number(Control control, const Tensor& operand) {
    const std::int64_t value = numbers_of<std::int64_t>(operand)[0];
    return control == Control::kCase ? value : value != 0 ? 0 : 1;
  }

  void test_loop(OpId op, Tensors carried) {
    push(block_of(*m_, op, 0), op, true, carried);
    frames_.back().carried = std::move(carried);
  }

  // The block on top ends with `values`.
  void leave(Tensors values) {
    const BlockId block = frames_.back().block;
    const OpId owner = frames_.back().owner;
    Tensors carried = std::move(frames_.back().carried);
    frames_.pop_back();
    if (!owner.valid()) {
      results_ = std::move(values);
      state_ = ProcessState::kDone;
      return;
    }
    if (program_->row(owner)->control != Control::kWhile) return finish(owner, std::move(values));
    if (block == block_of(*m_, owner, 1)) return test_loop(owner, std::move(values));
    if (numbers_of<std::int64_t>(values[0])[0] == 0) return finish(owner, std::move(carried));
    push(block_of(*m_, owner, 1), owner, true, std::move(carried));
  }

  const Runnable* program_;
  const Module* m_;
  EvalOptions options_;
  ProcessState state_ = ProcessState::kRuns;
  std::vector<Frame> frames_;
  Tensors operands_;
  Tensors results_;
  Diagnostics errors_;
  std::uint64_t operations_ = 0;
  std::unordered_map<std::uint32_t, Tensor> constants_;
};

}  // namespace shardprop
