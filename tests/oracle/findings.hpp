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
  const char* program;  // shows it
  const char* what;
  const char* reason;
};

inline constexpr InexactRule kInexactRules[] = {
    {R"(
func.func @pad(%a: tensor<4x4xf32>, %b: tensor<f32>) {
  %r = stablehlo.pad %a, %b, low = [0, 1], high = [0, -1], interior = [0, 0]
      : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  return
})",
     "`pad` that shifts a dimension and keeps its size: pass-through",
     "the size alone decides the kind, though the data moves to the neighbour"},
    {R"(
func.func @reduce_window(%a: tensor<4x4xf32>, %b: tensor<f32>) {
  %r = "stablehlo.reduce_window"(%a, %b) <{base_dilations = array<i64: 1, 2>,
      window_dimensions = array<i64: 1, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %z : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x7xf32>
  return
})",
     "`reduce_window` of single elements of a dilated base: pass-through",
     "dilation is not looked at, so that the dimension counts as taken one by one"},
    {R"(
func.func @Cholesky(%a: tensor<4x4x4xf32>) {
  %r = stablehlo.custom_call @Cholesky(%a) : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  return
})",
     "custom call `Cholesky`: rows and columns pass-through",
     "taken as element-wise; what it computes of a matrix needs communication"},
    {R"(
func.func @Eigh(%a: tensor<4x4x4xf32>) {
  %r:2 = stablehlo.custom_call @Eigh(%a) : (tensor<4x4x4xf32>)
      -> (tensor<4x4x4xf32>, tensor<4x4xf32>)
  return
})",
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
