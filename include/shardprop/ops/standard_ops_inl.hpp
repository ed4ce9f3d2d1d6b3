// Definition of standard_ops.hpp: the families of rows.
#pragma once

#include "shardprop/ops/func.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/ops/sdy/sdy_ops.hpp"
#include "shardprop/ops/stablehlo/batch_norm.hpp"
#include "shardprop/ops/stablehlo/collectives.hpp"
#include "shardprop/ops/stablehlo/constants.hpp"
#include "shardprop/ops/stablehlo/contraction.hpp"
#include "shardprop/ops/stablehlo/control_flow.hpp"
#include "shardprop/ops/stablehlo/convolution.hpp"
#include "shardprop/ops/stablehlo/custom_call.hpp"
#include "shardprop/ops/stablehlo/elementwise.hpp"
#include "shardprop/ops/stablehlo/gather_scatter.hpp"
#include "shardprop/ops/stablehlo/linear_algebra.hpp"
#include "shardprop/ops/stablehlo/random.hpp"
#include "shardprop/ops/stablehlo/reduction.hpp"
#include "shardprop/ops/stablehlo/shape.hpp"
#include "shardprop/ops/stablehlo/slicing.hpp"
#include "shardprop/ops/stablehlo/sort.hpp"
#include "shardprop/ops/stablehlo/tokens_and_tuples.hpp"
#include "shardprop/ops/stablehlo/windows.hpp"
#include "shardprop/ops/standard_ops.hpp"

namespace shardprop {

SHARDPROP_INLINE OpTable standard_ops() {
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
