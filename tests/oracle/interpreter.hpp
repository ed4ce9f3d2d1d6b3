// The interpreter: an operation is run by its name.
#pragma once

#include <map>
#include <string>

#include "tests/oracle/evaluate_calls.hpp"
#include "tests/oracle/evaluate_indexed.hpp"
#include "tests/oracle/evaluate_reduction.hpp"
#include "tests/oracle/evaluate_shape.hpp"

namespace oracle {

inline Results evaluate_batch_norm_inference(const Operation& op) {
  return evaluate_batch_norm(op, false);
}
inline Results evaluate_batch_norm_with_statistics(const Operation& op) {
  return evaluate_batch_norm(op, true);
}

using Evaluate = Results (*)(const Operation&);

// The operations that are not element-wise.
inline const std::map<std::string, Evaluate>& evaluators() {
  static const std::map<std::string, Evaluate> table = {
      {"sdy.sharding_constraint", evaluate_identity},
      {"stablehlo.all_gather", evaluate_all_gather},
      {"stablehlo.all_reduce", evaluate_all_reduce},
      {"stablehlo.all_to_all", evaluate_all_to_all},
      {"stablehlo.batch_norm_grad", evaluate_batch_norm_with_statistics},
      {"stablehlo.batch_norm_inference", evaluate_batch_norm_inference},
      {"stablehlo.batch_norm_training", evaluate_batch_norm_with_statistics},
      {"stablehlo.bitcast_convert", evaluate_bitcast},
      {"stablehlo.broadcast", evaluate_broadcast},
      {"stablehlo.broadcast_in_dim", evaluate_broadcast_in_dim},
      {"stablehlo.cholesky", evaluate_cholesky},
      {"stablehlo.collective_broadcast", evaluate_from_other_process},
      {"stablehlo.collective_permute", evaluate_from_other_process},
      {"stablehlo.collective_reduce", evaluate_all_reduce},
      {"stablehlo.concatenate", evaluate_concatenate},
      {"stablehlo.convolution", evaluate_convolution},
      {"stablehlo.cross-replica-sum", evaluate_all_reduce},
      {"stablehlo.custom_call", evaluate_custom_call},
      {"stablehlo.dot", evaluate_dot},
      {"stablehlo.dot_general", evaluate_dot_general},
      {"stablehlo.dynamic_slice", evaluate_dynamic_slice},
      {"stablehlo.dynamic_update_slice", evaluate_dynamic_update_slice},
      {"stablehlo.einsum", evaluate_einsum},
      {"stablehlo.fft", evaluate_fft},
      {"stablehlo.gather", evaluate_gather},
      {"stablehlo.pad", evaluate_pad},
      {"stablehlo.reduce", evaluate_reduce},
      {"stablehlo.reduce_scatter", evaluate_reduce_scatter},
      {"stablehlo.reduce_window", evaluate_reduce_window},
      {"stablehlo.reshape", evaluate_reshape},
      {"stablehlo.reverse", evaluate_reverse},
      {"stablehlo.scatter", evaluate_scatter},
      {"stablehlo.select_and_scatter", evaluate_select_and_scatter},
      {"stablehlo.slice", evaluate_slice},
      {"stablehlo.sort", evaluate_sort},
      {"stablehlo.transpose", evaluate_transpose},
      {"stablehlo.triangular_solve", evaluate_triangular_solve},
      {"stablehlo.unary_einsum", evaluate_einsum},
  };
  return table;
}

inline Results evaluate(const Operation& op) {
  const auto found = evaluators().find(op.name);
  return found == evaluators().end() ? evaluate_pointwise(op) : found->second(op);
}

}  // namespace oracle
