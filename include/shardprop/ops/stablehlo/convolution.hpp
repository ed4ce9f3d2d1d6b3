// convolution and dynamic_conv, whose padding is an operand (StableHLO specification). The
// reference has no rule for dynamic_conv, so neither has its row.
#pragma once

#include "shardprop/ops/common/text_rule.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/stablehlo/convolution_infer.hpp"
#include "shardprop/ops/stablehlo/convolution_rules.hpp"

namespace shardprop {

namespace detail {

// The inputs after strides and padding, which dynamic_conv has in the other order.
inline constexpr FixedText kConvolutionInputs =
    "lhs_dilation, rhs_dilation, window_reversal, dimension_numbers.input_batch_dimension, "
    "dimension_numbers.input_feature_dimension, dimension_numbers.input_spatial_dimensions, "
    "dimension_numbers.kernel_input_feature_dimension, "
    "dimension_numbers.kernel_output_feature_dimension, "
    "dimension_numbers.kernel_spatial_dimensions, dimension_numbers.output_batch_dimension, "
    "dimension_numbers.output_feature_dimension, dimension_numbers.output_spatial_dimensions, "
    "feature_group_count, batch_group_count, precision_config";
inline constexpr FixedText kStaticConvInputs =
    FixedText("lhs, rhs, window_strides, padding, ") + kConvolutionInputs;
inline constexpr FixedText kDynamicConvInputs =
    FixedText("lhs, rhs, padding, window_strides, ") + kConvolutionInputs;

}  // namespace detail

inline constexpr OpDef kConvolutionOps[] = {
    {.name = "stablehlo.convolution",
     .traits = kPure,
     .signature = kBinarySignature,
     .rule = convolution_rule,
     .infer = infer_convolution,
     .verify = verify_convolution,
     .result_constraint = "c25",
     .element_constraint = kFreeElementType,
     .inputs = detail::kStaticConvInputs.view()},
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
     .inputs = detail::kDynamicConvInputs.view()},
};

}  // namespace shardprop
