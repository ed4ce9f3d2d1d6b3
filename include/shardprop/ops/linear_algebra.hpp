// Decompositions, solvers and transforms: cholesky, triangular_solve, fft (StableHLO
// specification).
#pragma once

#include "shardprop/ops/linear_algebra_infer.hpp"
#include "shardprop/ops/linear_algebra_rules.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

namespace detail {

constexpr ElementClasses kFloatOrComplex = kFloat | kComplex;

}  // namespace detail

inline constexpr OpDef kLinearAlgebraOps[] = {
    {.name = "stablehlo.cholesky",
     .traits = kPure,
     .signature = {.min_operands = 1,
                   .max_operands = 1,
                   .operand_classes = {detail::kFloatOrComplex | kQuantized},
                   .result_classes = {detail::kFloatOrComplex | kQuantized}},
     .rule = cholesky_rule,
     .infer = infer_cholesky,
     .result_constraint = "c1",
     .inputs = "a, lower"},
    {.name = "stablehlo.triangular_solve",
     .traits = kPure,
     .signature = {.min_operands = 2,
                   .max_operands = 2,
                   .operand_classes = {detail::kFloatOrComplex},
                   .result_classes = {detail::kFloatOrComplex}},
     .rule = triangular_solve_rule,
     .infer = infer_triangular_solve,
     .result_constraint = "c4",
     .inputs = "a, b, left_side, lower, unit_diagonal, transpose_a"},
    {.name = "stablehlo.fft",
     .traits = kPure,
     .signature = {.min_operands = 1,
                   .max_operands = 1,
                   .operand_classes = {detail::kFloatOrComplex},
                   .result_classes = {detail::kFloatOrComplex}},
     .rule = fft_rule,
     .infer = infer_fft,
     .result_constraint = "c5",
     .element_constraint = "c2",
     .inputs = "operand, fft_type, fft_length"},
};

}  // namespace shardprop
