// The table of what all built-in operations compute, family by family.
#pragma once

#include "shardprop/run/eval_table.hpp"
#include "shardprop/run/machine/collectives.hpp"
#include "shardprop/run/machine/host_ops.hpp"
#include "shardprop/run/machine/sdy_collectives.hpp"
#include "shardprop/run/ops/arithmetic.hpp"
#include "shardprop/run/ops/batch_norm.hpp"
#include "shardprop/run/ops/checks.hpp"
#include "shardprop/run/ops/chlo.hpp"
#include "shardprop/run/ops/comparison.hpp"
#include "shardprop/run/ops/contraction.hpp"
#include "shardprop/run/ops/convolution.hpp"
#include "shardprop/run/ops/gather_scatter.hpp"
#include "shardprop/run/ops/linear_algebra.hpp"
#include "shardprop/run/ops/movement.hpp"
#include "shardprop/run/ops/random.hpp"
#include "shardprop/run/ops/reduction.hpp"
#include "shardprop/run/ops/slicing.hpp"
#include "shardprop/run/ops/sort.hpp"
#include "shardprop/run/ops/transcendental.hpp"

namespace shardprop {

// Control flow and calls: rows only, since `Process` passes control.
inline constexpr EvalDef kControlFlowEvaluators[] = {
    {"func.return", nullptr, nullptr, Control::kReturn},
    {"stablehlo.return", nullptr, nullptr, Control::kReturn},
    {"sdy.return", nullptr, nullptr, Control::kReturn},
    {"func.call", nullptr, nullptr, Control::kCall},
    {"stablehlo.composite", nullptr, nullptr, Control::kCall},
    {"sdy.named_computation", nullptr, nullptr, Control::kRegion},
    // What is done later may as well be done at once.
    {"stablehlo.async_start", nullptr, nullptr, Control::kRegion},
    {"stablehlo.if", nullptr, nullptr, Control::kBranch},
    {"stablehlo.case", nullptr, nullptr, Control::kCase},
    {"stablehlo.while", nullptr, nullptr, Control::kWhile},
};

inline EvalTable standard_evaluators() {
  EvalTable table;
  table.add(kArithmeticEvaluators);
  table.add(kBatchNormEvaluators);
  table.add(kCheckEvaluators);
  table.add(kChloEvaluators);
  table.add(kCollectiveEvaluators);
  table.add(kComparisonEvaluators);
  table.add(kContractionEvaluators);
  table.add(kControlFlowEvaluators);
  table.add(kConvolutionEvaluators);
  table.add(kGatherScatterEvaluators);
  table.add(kHostEvaluators);
  table.add(kLinearAlgebraEvaluators);
  table.add(kMovementEvaluators);
  table.add(kRandomEvaluators);
  table.add(kReductionEvaluators);
  table.add(kSdyEvaluators);
  table.add(kSlicingEvaluators);
  table.add(kSortEvaluators);
  table.add(kTranscendentalEvaluators);
  return table;
}

}  // namespace shardprop
