// Operations that order side effects by tokens, tuples, and asynchronous operations of StableHLO.
// Nothing is propagated through any of them.
#pragma once

#include "shardprop/ops/communication_infer.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

namespace detail {

// Values that come in when a token says so.
constexpr Signature kFromTokenSignature = {.min_operands = 1,
                                           .max_operands = 1,
                                           .min_results = 0,
                                           .max_results = kVariadic,
                                           .operand_classes = {kToken}};

}  // namespace detail

inline constexpr OpDef kCommunicationOps[] = {
    {.name = "stablehlo.create_token",
     .traits = kPure,
     .signature = {.max_operands = 0},
     .infer = infer_token,
     .silent_without_rule = true},
    {.name = "stablehlo.after_all",
     .traits = kPure,
     .signature = {.operand_classes = {kToken}},
     .infer = infer_token,
     .silent_without_rule = true},
    {.name = "stablehlo.infeed",
     .signature = detail::kFromTokenSignature,
     .verify = verify_infeed,
     .silent_without_rule = true,
     .inputs = "token, infeed_config"},
    {.name = "stablehlo.outfeed",
     .signature = {.min_operands = 1},
     .infer = infer_outfeed,
     .silent_without_rule = true,
     .inputs = "inputs, token, outfeed_config"},
    {.name = "stablehlo.send",
     .signature = {.min_operands = 1},
     .infer = infer_send,
     .silent_without_rule = true,
     .inputs = "inputs, token, channel_handle.handle, channel_handle.type, is_host_transfer, "
               "source_target_pairs"},
    {.name = "stablehlo.recv",
     .signature = detail::kFromTokenSignature,
     .verify = verify_recv,
     .silent_without_rule = true,
     .inputs = "token, channel_handle.handle, channel_handle.type, is_host_transfer, "
               "source_target_pairs"},
    {.name = "stablehlo.tuple", .traits = kPure, .infer = infer_tuple, .result_constraint = "c1"},
    {.name = "stablehlo.get_tuple_element",
     .traits = kPure,
     .signature = {.min_operands = 1, .max_operands = 1, .operand_classes = {kOther}},
     .infer = infer_get_tuple_element,
     .silent_without_rule = true,
     .result_constraint = "c2",
     .inputs = "operand, index"},
    {.name = "stablehlo.async_start",
     .traits = kIsolated,
     .signature = {.min_blocks = 1,
                   .max_blocks = 1,
                   .operand_classes = {kAnyTensorElement},
                   .result_classes = {kOther}},
     .infer = infer_async_start,
     .result_constraint = "c4"},
    {.name = "stablehlo.async_done",
     .signature = {.min_operands = 1,
                   .max_operands = 1,
                   .operand_classes = {kOther},
                   .result_classes = {kAnyTensorElement}},
     .infer = infer_async_done,
     .result_constraint = "c1"},
};

}  // namespace shardprop
