// Einsum as an operation. It is not in the specification any more and has no rule: the types are
// taken as they are.
#pragma once

#include "shardprop/ops/attribute_reader.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

// Only the attribute `einsum_config` is asked for.
inline void verify_einsum(const VerifyInput& in) { AttributeReader(in).text("einsum_config"); }

inline constexpr OpDef kEinsumOps[] = {
    {.name = "stablehlo.einsum",
     .traits = kPure,
     .signature = kBinarySignature,
     .verify = verify_einsum},
    {.name = "stablehlo.unary_einsum",
     .traits = kPure,
     .signature = kUnarySignature,
     .verify = verify_einsum},
};

}  // namespace shardprop
