// Batch normalisation. Sums over a feature are taken in double and rounded at the end.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/run/eval_table.hpp"

namespace shardprop {

namespace detail {

// Calls `visit(element, feature)` for each element of the operand.
struct Features {
  std::size_t count = 0;  // of features
  std::size_t inner = 0;  // elements between neighbouring features
  std::size_t total = 0;
  double epsilon = 0;

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < total; ++i) visit(i, i / inner % count);
  }
  double per_feature() const { return static_cast<double>(total) / static_cast<double>(count); }
};
inline Features read_features(const EvalInput& in) {
  AttributeReader reader(in.m, in.op, nullptr);
  const auto dim = static_cast<std::size_t>(reader.integer("feature_index"));
  const Shape& shape = in.operands[0].shape();
  return {static_cast<std::size_t>(shape[dim]), static_cast<std::size_t>(strides_of(shape)[dim]),
          in.operands[0].count(), reader.number("epsilon")};
}

using Numbers = std::vector<double>;

inline Numbers normalized(const Features& f, const Numbers& operand, const Numbers& scale,
                          const Numbers& offset, const Numbers& mean, const Numbers& variance) {
  Numbers out(operand.size());
  f.for_each([&](std::size_t i, std::size_t c) {
    out[i] = scale[c] * (operand[i] - mean[c]) / std::sqrt(variance[c] + f.epsilon) + offset[c];
  });
  return out;
}

inline Result<Tensors> evaluate_batch_norm_inference(EvalInput& in) {
  if (in.options.exact) return not_exact(in);
  const Features f = read_features(in);
  Numbers of[5];
  for (std::size_t i = 0; i < 5; ++i) of[i] = numbers_of<double>(in.operands[i]);
  return one_result(tensor_of(in.operands[0].element(), in.operands[0].shape(),
                              normalized(f, of[0], of[1], of[2], of[3], of[4])));
}

inline Result<Tensors> evaluate_batch_norm_training(EvalInput& in) {
  if (in.options.exact) return not_exact(in);
  const Features f = read_features(in);
  Numbers of[3];
  for (std::size_t i = 0; i < 3; ++i) of[i] = numbers_of<double>(in.operands[i]);
  Numbers mean(f.count);
  Numbers variance(f.count);
  f.for_each([&](std::size_t i, std::size_t c) { mean[c] += of[0][i] / f.per_feature(); });
  f.for_each([&](std::size_t i, std::size_t c) {
    variance[c] += (of[0][i] - mean[c]) * (of[0][i] - mean[c]) / f.per_feature();
  });
  const Element element = in.operands[0].element();
  const Shape vector = {static_cast<std::int64_t>(f.count)};
  return Tensors{tensor_of(element, in.operands[0].shape(),
                           normalized(f, of[0], of[1], of[2], mean, variance)),
                 tensor_of(element, vector, mean), tensor_of(element, vector, variance)};
}

// Operands: operand, scale, mean, variance and the gradient of the output.
inline Result<Tensors> evaluate_batch_norm_grad(EvalInput& in) {
  if (in.options.exact) return not_exact(in);
  const Features f = read_features(in);
  Numbers of[5];
  for (std::size_t i = 0; i < 5; ++i) of[i] = numbers_of<double>(in.operands[i]);
  const Numbers& operand = of[0];
  const Numbers& scale = of[1];
  const Numbers& mean = of[2];
  const Numbers& variance = of[3];
  const Numbers& gradient = of[4];
  Numbers of_scale(f.count);
  Numbers of_offset(f.count);
  f.for_each([&](std::size_t i, std::size_t c) {
    const double centered = (operand[i] - mean[c]) / std::sqrt(variance[c] + f.epsilon);
    of_scale[c] += gradient[i] * centered;
    of_offset[c] += gradient[i];
  });
  Numbers of_operand(operand.size());
  f.for_each([&](std::size_t i, std::size_t c) {
    const double deviation = std::sqrt(variance[c] + f.epsilon);
    const double centered = (operand[i] - mean[c]) / deviation;
    of_operand[i] = scale[c] / deviation *
                    (gradient[i] - (of_offset[c] + centered * of_scale[c]) / f.per_feature());
  });
  const Element element = in.operands[0].element();
  const Shape vector = {static_cast<std::int64_t>(f.count)};
  return Tensors{tensor_of(element, in.operands[0].shape(), of_operand),
                 tensor_of(element, vector, of_scale), tensor_of(element, vector, of_offset)};
}

}  // namespace detail

inline constexpr EvalDef kBatchNormEvaluators[] = {
    {"stablehlo.batch_norm_inference", nullptr, detail::evaluate_batch_norm_inference},
    {"stablehlo.batch_norm_training", nullptr, detail::evaluate_batch_norm_training},
    {"stablehlo.batch_norm_grad", nullptr, detail::evaluate_batch_norm_grad},
};

}  // namespace shardprop
