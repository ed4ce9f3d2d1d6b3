// All tables of operation tests.
#pragma once

#include <span>
#include <vector>

#include "tests/ops/cases/batch_norm.hpp"
#include "tests/ops/cases/collectives.hpp"
#include "tests/ops/cases/communication.hpp"
#include "tests/ops/cases/constants.hpp"
#include "tests/ops/cases/contraction.hpp"
#include "tests/ops/cases/control_flow.hpp"
#include "tests/ops/cases/convolution.hpp"
#include "tests/ops/cases/custom_call.hpp"
#include "tests/ops/cases/elementwise.hpp"
#include "tests/ops/cases/gather_scatter.hpp"
#include "tests/ops/cases/linear_algebra.hpp"
#include "tests/ops/cases/op_case.hpp"
#include "tests/ops/cases/random.hpp"
#include "tests/ops/cases/reduction.hpp"
#include "tests/ops/cases/sdy.hpp"
#include "tests/ops/cases/shape.hpp"
#include "tests/ops/cases/slicing.hpp"
#include "tests/ops/cases/sort.hpp"
#include "tests/ops/cases/windows.hpp"

inline std::vector<OpCase> all_cases() {
  std::vector<OpCase> all;
  const auto add = [&](std::span<const OpCase> cases) {
    all.insert(all.end(), cases.begin(), cases.end());
  };
  add(kBatchNormCases);
  add(kCollectiveCases);
  add(kCommunicationCases);
  add(kConstantCases);
  add(kContractionCases);
  add(kControlFlowCases);
  add(kConvolutionCases);
  add(kCustomCallCases);
  add(kEinsumCases);
  add(kElementwiseCases);
  add(kGatherScatterCases);
  add(kLinearAlgebraCases);
  add(kRandomCases);
  add(kReductionCases);
  add(kSdyCases);
  add(kShapeCases);
  add(kSlicingCases);
  add(kSortCases);
  add(kWindowCases);
  return all;
}
