// The table of what all built-in operations compute, family by family.
#pragma once

#include "shardprop/run/eval_table.hpp"
#include "shardprop/run/ops/arithmetic.hpp"
#include "shardprop/run/ops/checks.hpp"
#include "shardprop/run/ops/comparison.hpp"
#include "shardprop/run/ops/control_flow.hpp"
#include "shardprop/run/ops/movement.hpp"
#include "shardprop/run/ops/slicing.hpp"
#include "shardprop/run/ops/transcendental.hpp"

namespace shardprop {

inline EvalTable standard_evaluators() {
  EvalTable table;
  table.add(kArithmeticEvaluators);
  table.add(kCheckEvaluators);
  table.add(kComparisonEvaluators);
  table.add(kControlFlowEvaluators);
  table.add(kMovementEvaluators);
  table.add(kSlicingEvaluators);
  table.add(kTranscendentalEvaluators);
  return table;
}

}  // namespace shardprop
