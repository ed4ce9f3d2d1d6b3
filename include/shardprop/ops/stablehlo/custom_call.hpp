// Calls whose meaning is given elsewhere: custom_call by its target, composite by the function that
// it stands for (StableHLO specification). Neither has type inference: the results are what the
// call says.
#pragma once

#include <string_view>

#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/stablehlo/custom_call_rules.hpp"
#include "shardprop/ops/stablehlo/custom_call_verify.hpp"

namespace shardprop {

// A move between host and device only says where a tensor lives, so it propagates as early as a
// reshape.
inline Traits custom_call_traits(const Module& m, OpId op) {
  const std::string_view target = custom_call_target(m, op);
  return target == "MoveToDevice" || target == "MoveToHost" ? kRearranges : Traits{0};
}

inline constexpr OpDef kCustomCallOps[] = {
    {.name = "stablehlo.custom_call",
     .signature = {.min_results = 0, .max_results = kVariadic},
     .rule = custom_call_rule,
     .verify = verify_custom_call,
     .extra_traits = custom_call_traits,
     .context = custom_call_context,
     .inputs = "inputs, call_target_name, has_side_effect, backend_config, api_version, "
               "called_computations, output_operand_aliases"},
    {.name = "stablehlo.composite",
     .signature = {.min_results = 0, .max_results = kVariadic, .max_blocks = kVariadic},
     .verify = verify_composite,
     .inputs = "inputs, name, composite_attributes, decomposition, version, regions"},
};

}  // namespace shardprop
