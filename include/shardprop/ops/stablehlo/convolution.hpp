// convolution and dynamic_conv, whose padding is an operand (StableHLO specification). The
// reference has no rule for dynamic_conv, so neither has its row.
#pragma once

#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/stablehlo/convolution_infer.hpp"
#include "shardprop/ops/stablehlo/convolution_rules.hpp"

namespace shardprop {

inline constexpr OpDef kConvolutionOps[] = {
    {.name = "stablehlo.convolution",
     .traits = kPure,
     .signature = kBinarySignature,
     .rule = convolution_rule,
     .infer = infer_convolution,
     .verify = verify_convolution,
     .result_constraint = "c25",
     .element_constraint = kFreeElementType,
     .inputs = "lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, "
               "window_reversal, dimension_numbers.input_batch_dimension, "
               "dimension_numbers.input_feature_dimension, "
               "dimension_numbers.input_spatial_dimensions, "
               "dimension_numbers.kernel_input_feature_dimension, "
               "dimension_numbers.kernel_output_feature_dimension, "
               "dimension_numbers.kernel_spatial_dimensions, "
               "dimension_numbers.output_batch_dimension, "
               "dimension_numbers.output_feature_dimension, "
               "dimension_numbers.output_spatial_dimensions, feature_group_count, "
               "batch_group_count, precision_config"},
    {.name = "stablehlo.dynamic_conv",
     .traits = kPure,
     .signature = {.min_operands = 3,
                   .max_operands = 3,
                   .operand_classes = {kAnyTensorElement, kAnyTensorElement, kInt},
                   .result_classes = {kAnyTensorElement}},
     .infer = infer_dynamic_conv,
     .verify = verify_convolution,
     .result_constraint = "c25",
     .element_constraint = kFreeElementType,
     .inputs = "lhs, rhs, padding, window_strides, lhs_dilation, rhs_dilation, "
               "window_reversal, dimension_numbers.input_batch_dimension, "
               "dimension_numbers.input_feature_dimension, "
               "dimension_numbers.input_spatial_dimensions, "
               "dimension_numbers.kernel_input_feature_dimension, "
               "dimension_numbers.kernel_output_feature_dimension, "
               "dimension_numbers.kernel_spatial_dimensions, "
               "dimension_numbers.output_batch_dimension, "
               "dimension_numbers.output_feature_dimension, "
               "dimension_numbers.output_spatial_dimensions, feature_group_count, "
               "batch_group_count, precision_config"},
};

}  // namespace shardprop
