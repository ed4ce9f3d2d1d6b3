// Kernels on whole tensors.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "shardprop/run/eval_table.hpp"

namespace shardprop {

// The most operands that a kernel takes.
inline constexpr std::size_t kMaxKernelOperands = 3;

// The kernel of an operation for tensors of these elements; an error `run.unsupported` names them
// where there is none.
inline Result<Kernel> kernel_for(const Module& m, OpId op, KernelFn fn,
                                 std::span<const Element> operands, Element result) {
  const Kernel kernel = fn({m, op, operands, result});
  if (kernel.run) return kernel;
  std::string types;
  for (Element element : operands) types += fmt::format(" {}", row_of(element).name);
  return eval_error(m, op, "unsupported",
                    fmt::format("cannot be run on elements of the types{}", types));
}

// A scalar operand stands for a tensor of equal elements, as in `select` and `clamp`.
inline Result<Tensors> evaluate_kernel(EvalInput& in, KernelFn fn) {
  std::array<Element, kMaxKernelOperands> elements{};
  std::array<const std::byte*, kMaxKernelOperands> data{};
  std::size_t widest = 0;
  for (std::size_t i = 0; i < in.operands.size() && i < elements.size(); ++i) {
    elements[i] = in.operands[i].element();
    if (in.operands[i].rank() > in.operands[widest].rank()) widest = i;
  }
  const Shape shape = in.operands[widest].shape();
  const Element out_element = result_element(in);
  const auto kernel =
      kernel_for(in.m, in.op, fn, {elements.data(), in.operands.size()}, out_element);
  if (!kernel) return kernel.errors();
  for (std::size_t i = 0; i < in.operands.size(); ++i) {
    Tensor& operand = in.operands[i];
    if (operand.rank() == 0 && !shape.empty()) operand = splat(operand, shape);
    if (operand.shape() != shape) {
      return eval_error(in, "shape",
                        fmt::format("operands have the shapes {} and {}", to_string(shape),
                                    to_string(operand.shape())));
    }
    data[i] = operand.read();
  }
  Tensor out(out_element, shape);
  kernel->run(*kernel, data.data(), out.write(), out.count());
  return one_result(std::move(out));
}

}  // namespace shardprop
