// What the oracle found out about the rules and what is known of it: the tests fail where it finds
// anything else, and docs/ops.md states it.
#pragma once

namespace oracle {

// A pairing that shards compute exactly and that the operation's rule lacks.
struct MissingPairing {
  const char* op;
  const char* pairing;
  const char* reason;
};

#define SHARDPROP_NO_RULE "the reference has no rule for the operation"
#define SHARDPROP_MASKED                                                                   \
  "each device would look at its own part, give 0 for the rest and sum up; the reference " \
  "replicates the dimension"

inline constexpr MissingPairing kMissingPairings[] = {
    {"stablehlo.batch_norm_grad", "([., i], [i], [i], [i], [., i])->([., i], [i], [i])",
     SHARDPROP_NO_RULE},
    {"stablehlo.batch_norm_training", "([., i], [i], [i])->([., i], [i], [i])", SHARDPROP_NO_RULE},
    {"stablehlo.broadcast", "([., i])->([., ., i])", SHARDPROP_NO_RULE},
    {"stablehlo.broadcast", "([i, .])->([., i, .])", SHARDPROP_NO_RULE},
    {"stablehlo.collective_reduce", "([., i])->([., i])", SHARDPROP_NO_RULE},
    {"stablehlo.collective_reduce", "([i, .])->([i, .])", SHARDPROP_NO_RULE},
    {"stablehlo.dynamic_slice", "([., ., i], [], [], [])->([., ., .]) reduction={i}",
     SHARDPROP_MASKED},
    {"stablehlo.dynamic_slice", "([., i, .], [], [], [])->([., ., .]) reduction={i}",
     SHARDPROP_MASKED},
    {"stablehlo.einsum", "([., .], [., i])->([., i])", SHARDPROP_NO_RULE},
    {"stablehlo.einsum", "([., i], [i, .])->([., .]) reduction={i}", SHARDPROP_NO_RULE},
    {"stablehlo.einsum", "([i, .], [., .])->([i, .])", SHARDPROP_NO_RULE},
    {"stablehlo.gather", "([., ., i, .], [.])->([., ., ., .]) reduction={i}", SHARDPROP_MASKED},
    {"stablehlo.map", "([., i], [., i])->([., i])", SHARDPROP_NO_RULE},
    {"stablehlo.map", "([i, .], [i, .])->([i, .])", SHARDPROP_NO_RULE},
    {"stablehlo.scatter", "([., ., i], [.], [., ., .])->([., ., i])",
     "each device would write what falls into its own part; the reference replicates the "
     "dimension"},
    {"stablehlo.triangular_solve", "([., ., .], [., ., i])->([., ., i])",
     "right-hand sides are solved one by one; the reference replicates all of a and b but the "
     "batch dimensions"},
    {"stablehlo.triangular_solve", "([., ., .], [., i, .])->([., i, .])",
     "the same with left_side = false"},
    {"stablehlo.unary_einsum", "([., i])->([.]) reduction={i}", SHARDPROP_NO_RULE},
    {"stablehlo.unary_einsum", "([i, .])->([i])", SHARDPROP_NO_RULE},
    {"stablehlo.uniform_dequantize", "([., i])->([., i])", SHARDPROP_NO_RULE},
    {"stablehlo.uniform_dequantize", "([i, .])->([i, .])", SHARDPROP_NO_RULE},
    {"stablehlo.uniform_quantize", "([., i])->([., i])", SHARDPROP_NO_RULE},
    {"stablehlo.uniform_quantize", "([i, .])->([i, .])", SHARDPROP_NO_RULE},
};

#undef SHARDPROP_NO_RULE
#undef SHARDPROP_MASKED

// A rule that shards cannot compute, kept as the reference has it.
struct InexactRule {
  const char* op;
  const char* json;  // a program that shows it
  const char* what;
  const char* reason;
};

inline constexpr InexactRule kInexactRules[] = {
    {"stablehlo.pad", R"({"operands": ["4x4xf32", "f32"], "results": ["4x4xf32"],
       "attributes": {"edge_padding_low": [0, 1], "edge_padding_high": [0, -1],
                      "interior_padding": [0, 0]}})",
     "`pad` that shifts a dimension and keeps its size: pass-through",
     "the size alone decides the kind, though the data moves to the neighbour"},
    {"stablehlo.reduce_window", R"({"operands": ["4x4xf32", "f32"], "results": ["4x7xf32"],
       "attributes": {"window_dimensions": [1, 1], "base_dilations": [1, 2]},
       "blocks": ["body"]})",
     "`reduce_window` of single elements of a dilated base: pass-through",
     "dilation is not looked at, so that the dimension counts as taken one by one"},
    {"stablehlo.custom_call", R"({"operands": ["4x4x4xf32"], "results": ["4x4x4xf32"],
       "attributes": {"call_target_name": "Cholesky"}})",
     "custom call `Cholesky`: rows and columns pass-through",
     "taken as element-wise; what it computes of a matrix needs communication"},
    {"stablehlo.custom_call", R"({"operands": ["4x4x4xf32"],
       "results": ["4x4x4xf32", "4x4xf32"], "attributes": {"call_target_name": "Eigh"}})",
     "custom call `Eigh`: rows and columns pass-through",
     "carried along since they correspond; what it computes of a matrix needs communication"},
};

// What has a rule and is not computed, an operation or the target of a custom call.
struct NotComputed {
  const char* what;
  const char* reason;
};

inline constexpr NotComputed kNotComputed[] = {
    {"stablehlo.rng_bit_generator",
     "any numbers will do: each shard may draw its own, there is no whole to compare with"},
    {"CompactWyHelper", "what it computes is not specified"},
    {"InvertDiagBlocksLowerTriangular", "what it computes is not specified"},
    {"InvertDiagBlocksUpperTriangular", "what it computes is not specified"},
    {"PartialReduce", "what it computes is not specified; its rule is that of ApproxTopK"},
    {"_SPMDInternalOp_MultiPad", "what it computes is not specified"},
    {"_SPMDInternalOp_MultiRotate", "what it computes is not specified"},
    {"_SPMDInternalOp_MultiSlice", "what it computes is not specified"},
    {"_SPMDInternalOp_RotateRight", "what it computes is not specified"},
    {"_SPMDInternalOp_Wrap", "what it computes is not specified"},
};

}  // namespace oracle
