// The table of all built-in operations, family by family.
#pragma once

#include "shardprop/ops/batch_norm.hpp"
#include "shardprop/ops/collectives.hpp"
#include "shardprop/ops/communication.hpp"
#include "shardprop/ops/constants.hpp"
#include "shardprop/ops/contraction.hpp"
#include "shardprop/ops/control_flow.hpp"
#include "shardprop/ops/convolution.hpp"
#include "shardprop/ops/custom_call.hpp"
#include "shardprop/ops/einsum.hpp"
#include "shardprop/ops/elementwise.hpp"
#include "shardprop/ops/func.hpp"
#include "shardprop/ops/gather_scatter.hpp"
#include "shardprop/ops/linear_algebra.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/ops/random.hpp"
#include "shardprop/ops/reduction.hpp"
#include "shardprop/ops/sdy.hpp"
#include "shardprop/ops/shape.hpp"
#include "shardprop/ops/slicing.hpp"
#include "shardprop/ops/sort.hpp"
#include "shardprop/ops/windows.hpp"

namespace shardprop {

// A new table with every built-in row; add your own operations to it.
inline OpTable standard_ops() {
  OpTable table;
  table.add(kElementwiseOps);
  table.add(kConstantOps);
  table.add(kShapeOps);
  table.add(kSlicingOps);
  table.add(kGatherScatterOps);
  table.add(kContractionOps);
  table.add(kEinsumOps);
  table.add(kConvolutionOps);
  table.add(kReductionOps);
  table.add(kWindowOps);
  table.add(kSortOps);
  table.add(kBatchNormOps);
  table.add(kLinearAlgebraOps);
  table.add(kRandomOps);
  table.add(kCustomCallOps);
  table.add(kControlFlowOps);
  table.add(kCollectiveOps);
  table.add(kCommunicationOps);
  table.add(kFuncOps);
  table.add(kSdyOps);
  return table;
}

}  // namespace shardprop
