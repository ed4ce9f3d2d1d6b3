// A region over scalars, such as the body of a reduction or the comparator of a sort, on any number
// of elements at once: each value of the region is a list of elements, and each operation is its
// kernel on those lists. It is compiled once; running it allocates nothing after the first time.
//
// What the region takes from around it is a list of equal elements. Functions that it calls are
// compiled in.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shardprop/run/kernel_call.hpp"

namespace shardprop {

// So many elements at once stay in the fastest memory.
inline constexpr std::size_t kRegionChunk = 1024;

class ScalarRegion {
 public:
  // Errors: `run.unsupported` names an operation that is not one of scalars.
  static Result<ScalarRegion> compile(const EvalInput& in, BlockId block) {
    ScalarRegion region;
    Compiler compiler{in, region, {}, {}, 0};
    for (ValueId argument : in.m.blocks[block].arguments) {
      const Element element = element_of(in.m, type_of(in.m, argument), in.options);
      compiler.lists[argument.index] = region.new_list({element, region.arguments_++, {}, {}});
    }
    auto returned = compiler.compile(block);
    if (!returned) return std::move(compiler.errors);
    region.results_ = *std::move(returned);
    return region;
  }

  std::size_t argument_count() const { return arguments_; }
  std::size_t result_count() const { return results_.size(); }
  Element argument_element(std::size_t i) const { return lists_[i].element; }
  Element result_element(std::size_t i) const { return lists_[results_[i]].element; }

  // Runs on `count` elements of each argument, at most `kRegionChunk`.
  void run(std::span<const std::byte* const> arguments, std::size_t count) {
    if (count > capacity_) grow(count);
    given_ = arguments;
    for (const Step& step : steps_) {
      std::array<const std::byte*, kMaxKernelOperands> in{};
      for (std::size_t i = 0; i < step.operand_count; ++i) in[i] = data_of(step.operands[i]);
      step.kernel.run(step.kernel, in.data(), lists_[step.result].data.data(), count);
    }
  }
  // What the last run returned; valid until the next run.
  const std::byte* result(std::size_t i) const { return data_of(results_[i]); }

 private:
  static constexpr std::size_t kNoArgument = static_cast<std::size_t>(-1);
  struct List {
    Element element = Element::kNone;
    std::size_t argument = kNoArgument;
    std::optional<Tensor> value;  // of all elements, where it is known
    std::vector<std::byte> data;
  };
  struct Step {
    Kernel kernel;
    std::array<std::size_t, kMaxKernelOperands> operands = {};
    std::size_t operand_count = 0;
    std::size_t result = 0;
  };

  struct Compiler {
    const EvalInput& in;
    ScalarRegion& region;
    std::unordered_map<std::uint32_t, std::size_t> lists;  // by ValueId
    Diagnostics errors;
    std::size_t depth;

    std::optional<std::vector<std::size_t>> compile(BlockId block) {
      for (OpId op = in.m.blocks[block].first_op; op.valid(); op = in.m.layout[op].next) {
        const EvalRow* row = in.table.find(in.m, op);
        std::vector<std::size_t> operands;
        for (ValueId value : operands_of(in.m, op)) operands.push_back(list_of(value));
        if (row && row->control == Control::kReturn) return operands;
        if (!row || !add(op, *row, operands)) {
          if (errors.empty()) {
            errors.push_back(
                eval_error(in, "unsupported",
                           fmt::format("a region with {} cannot be run", op_name(in.m, op))));
          }
          return std::nullopt;
        }
      }
      return std::nullopt;
    }

    // The list of a value; one from around the region is known.
    std::size_t list_of(ValueId value) {
      const auto [at, is_new] = lists.try_emplace(value.index, 0);
      if (is_new) {
        const Tensor* const around = in.around ? in.around(value) : nullptr;
        at->second = around ? known(*around) : region.new_list({});
      }
      return at->second;
    }
    std::size_t known(const Tensor& value) {
      return region.new_list({value.element(), kNoArgument, value, {}});
    }

    bool add(OpId op, const EvalRow& row, const std::vector<std::size_t>& operands) {
      const auto defined = results(in.m, op);
      if (row.control == Control::kCall) return call(op, operands);
      if (row.kernel) return add_kernel(op, row.kernel, operands);
      if (row.control != Control::kNone || in.m.ops[op].first_block.valid()) return false;
      if (operands.empty()) {
        EvalInput inner{in.m, op, {}, in.table, in.options, in.around};
        Result<Tensors> out = row.evaluate(inner);
        if (!out) return errors = std::move(out.errors()), false;
        for (std::size_t i = 0; i < defined.size(); ++i) lists[defined[i].index] = known((*out)[i]);
        return true;
      }
      // A scalar in another shape of one element, or passed on.
      if (operands.size() != defined.size()) return false;
      for (std::size_t i = 0; i < defined.size(); ++i) {
        const auto shape = shape_of(in.m, defined[i]);
        const Element element = element_of(in.m, type_of(in.m, defined[i]), in.options);
        if (count_of(shape) != 1 || region.lists_[operands[i]].element != element) return false;
        lists[defined[i].index] = operands[i];
      }
      return true;
    }

    bool add_kernel(OpId op, KernelFn fn, const std::vector<std::size_t>& operands) {
      if (operands.size() > kMaxKernelOperands) return false;
      std::array<Element, kMaxKernelOperands> elements{};
      Step step;
      for (std::size_t i = 0; i < operands.size(); ++i) {
        step.operands[i] = operands[i];
        elements[i] = region.lists_[operands[i]].element;
      }
      step.operand_count = operands.size();
      const ValueId value = shardprop::result(in.m, op, 0);
      const Element out = element_of(in.m, type_of(in.m, value), in.options);
      const auto kernel = kernel_for(in.m, op, fn, {elements.data(), operands.size()}, out);
      if (!kernel) return errors = kernel.errors(), false;
      step.kernel = *kernel;
      step.result = region.new_list({out, kNoArgument, {}, {}});
      lists[value.index] = step.result;
      region.steps_.push_back(step);
      return true;
    }

    bool call(OpId op, const std::vector<std::size_t>& operands) {
      constexpr std::size_t kMaxDepth = 100;
      const StringId name = in.m.attrs.string_or_none(attribute(in.m, op, key::kCallee));
      const FuncId func = name.valid() ? find_func(in.m, in.m.strings[name]) : FuncId();
      if (!func.valid() || depth >= kMaxDepth) return false;
      const BlockId body = in.m.funcs[func].body;
      const auto arguments = in.m.blocks[body].arguments;
      for (std::size_t i = 0; i < operands.size(); ++i) lists[arguments[i].index] = operands[i];
      ++depth;
      const auto returned = compile(body);
      --depth;
      if (!returned) return false;
      const auto defined = results(in.m, op);
      for (std::size_t i = 0; i < defined.size(); ++i) lists[defined[i].index] = (*returned)[i];
      return true;
    }
  };

  std::size_t new_list(List list) {
    lists_.push_back(std::move(list));
    return lists_.size() - 1;
  }

  const std::byte* data_of(std::size_t list) const {
    const List& l = lists_[list];
    return l.argument == kNoArgument ? l.data.data() : given_[l.argument];
  }

  void grow(std::size_t count) {
    capacity_ = count == 1 ? 1 : kRegionChunk;
    for (List& list : lists_) {
      if (list.argument != kNoArgument) continue;
      const std::size_t width = bytes_of(list.element);
      list.data.resize(capacity_ * width);
      for (std::size_t i = 0; list.value && i < capacity_; ++i)
        std::memcpy(list.data.data() + i * width, list.value->read(), width);
    }
  }

  std::vector<List> lists_;  // the arguments come first
  std::vector<Step> steps_;
  std::vector<std::size_t> results_;
  std::size_t arguments_ = 0;
  std::size_t capacity_ = 0;
  std::span<const std::byte* const> given_;
};

// Folds lists of elements into accumulators: the region takes the accumulators, then the elements,
// and returns the new accumulators. `elements` has a pointer per accumulator.
inline void fold(ScalarRegion& region, std::span<Tensor> accumulators,
                 std::span<const std::byte* const> elements) {
  const std::size_t count = accumulators[0].count();
  std::vector<const std::byte*> given(2 * accumulators.size());
  for (std::size_t at = 0; at < count; at += kRegionChunk) {
    const std::size_t n = std::min(kRegionChunk, count - at);
    for (std::size_t i = 0; i < accumulators.size(); ++i) {
      const std::size_t width = bytes_of(accumulators[i].element());
      given[i] = accumulators[i].read() + at * width;
      given[accumulators.size() + i] = elements[i] + at * width;
    }
    region.run(given, n);
    for (std::size_t i = 0; i < accumulators.size(); ++i) {
      const std::size_t width = bytes_of(accumulators[i].element());
      std::memcpy(accumulators[i].write() + at * width, region.result(i), n * width);
    }
  }
}

}  // namespace shardprop
