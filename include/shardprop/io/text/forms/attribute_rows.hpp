// What MLIR text has for the attributes that belong to an operation: the type of a number, the kind
// of a list, the name of an enumeration. JSON has the plain value; these tables say how it is
// written, and reading and writing both go by them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace shardprop::detail {

// In brackets: as a pretty form has it, where that differs.
enum class OpAttributeKind : std::uint8_t {
  kI64,         // 1 : i64 (1)
  kI32,         // 1 : i32 (1)
  kF32,         // 1.0 : f32
  kBool,        // true
  kUnit,        // nothing but the name; JSON has true
  kString,      // "text"
  kSymbol,      // @name
  kSymbols,     // [@name, @other]
  kI64Array,    // array<i64: 1, 2> ([1, 2])
  kI32Array,    // array<i32: 1, 2>
  kBoolArray,   // array<i1: true, false>
  kMatrix,      // dense<[[0, 1]]> : tensor<1x2xi64>
  kLayouts,     // [dense<[1, 0]> : tensor<2xindex>]
  kEnum,        // #stablehlo<precision HIGH> (HIGH)
  kEnums,       // a list of such
  kNumberEnum,  // 3 : i32 (BOTH)
  kStruct,      // #stablehlo.gather<offset_dims = [0]> (<offset_dims = [0]>)
  kStructs,     // a list of such
  kConvDims,    // #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>
  kAxes,        // #sdy<axis_ref_list{"x"}> ({"x"}), and manual axes
  kAxesLists,   // #sdy<list_of_axis_ref_lists[{"x"}]> ([{"x"}])
  kAxesMoves,   // #sdy<all_to_all_param_list[{"x"}: 0->1]> ([{"x"}: 0->1])
  kShardings,   // #sdy.sharding_per_value<[<@mesh, [{}]>]> ([<@mesh, [{}]>])
  kElements,    // dense<1.0> : tensor<2xf32>
  kAny          // whatever it is
};

struct OpAttributeRow {
  std::string_view key;
  OpAttributeKind kind;
  // Of an enumeration: its name, or its words in the order of their numbers. Of a struct or axes:
  // its name.
  std::string_view detail;
  std::string_view ops;  // those of StableHLO without the dialect
};

inline constexpr std::array<OpAttributeRow, 100> kOpAttributes = {{
    {"algorithm", OpAttributeKind::kStruct, "dot_algorithm", "dot_general"},
    {"all_gather_dim", OpAttributeKind::kI64, "", "all_gather"},
    {"allowed_direction", OpAttributeKind::kNumberEnum, "NONE FORWARD BACKWARD BOTH",
     "sdy.propagation_barrier"},
    {"api_version", OpAttributeKind::kI32, "", "custom_call"},
    {"axes", OpAttributeKind::kAxesLists, "list_of_axis_ref_lists", "sdy.sharded_to_unreduced"},
    {"axes", OpAttributeKind::kAxes, "axis_ref_list", "sdy.replicated_to_unreduced"},
    {"backend_config", OpAttributeKind::kAny, "", "custom_call"},
    {"base_dilations", OpAttributeKind::kI64Array, "", "reduce_window"},
    {"batch_dims", OpAttributeKind::kI64, "", "torch_index_select"},
    {"batch_group_count", OpAttributeKind::kI64, "", "convolution dynamic_conv"},
    {"broadcast_dimensions", OpAttributeKind::kI64Array, "",
     "broadcast_in_dim dynamic_broadcast_in_dim chlo.broadcast_add chlo.broadcast_and "
     "chlo.broadcast_compare chlo.broadcast_divide chlo.broadcast_maximum "
     "chlo.broadcast_minimum chlo.broadcast_multiply chlo.broadcast_or "
     "chlo.broadcast_power chlo.broadcast_remainder chlo.broadcast_subtract "
     "chlo.broadcast_xor"},
    {"broadcast_sizes", OpAttributeKind::kI64Array, "", "broadcast"},
    {"call_target_name", OpAttributeKind::kString, "", "custom_call"},
    {"called_computations", OpAttributeKind::kSymbols, "", "custom_call"},
    {"callee", OpAttributeKind::kSymbol, "", "func.call"},
    {"channel_handle", OpAttributeKind::kStruct, "channel_handle",
     "all_gather all_reduce all_to_all collective_broadcast collective_permute "
     "collective_reduce recv reduce_scatter send"},
    {"compare_type", OpAttributeKind::kEnum, "comparison_type", "compare"},
    {"comparison_direction", OpAttributeKind::kEnum, "comparison_direction", "compare"},
    {"composite_attributes", OpAttributeKind::kAny, "", "composite"},
    {"concat_dimension", OpAttributeKind::kI64, "", "all_to_all"},
    {"decomposition", OpAttributeKind::kSymbol, "", "composite"},
    {"dim", OpAttributeKind::kI64, "", "torch_index_select"},
    {"dimension", OpAttributeKind::kI64, "",
     "concatenate get_dimension_size set_dimension_size sort chlo.scan"},
    {"dimension_numbers", OpAttributeKind::kStruct, "gather", "gather dynamic_gather"},
    {"dimension_numbers", OpAttributeKind::kConvDims, "conv", "convolution dynamic_conv"},
    {"dimensions", OpAttributeKind::kI64Array, "", "map reduce reverse"},
    {"dot_dimension_numbers", OpAttributeKind::kStruct, "dot", "dot_general"},
    {"edge_padding_high", OpAttributeKind::kI64Array, "", "pad"},
    {"edge_padding_low", OpAttributeKind::kI64Array, "", "pad"},
    {"einsum_config", OpAttributeKind::kString, "", "einsum unary_einsum"},
    {"epsilon", OpAttributeKind::kF32, "",
     "batch_norm_grad batch_norm_inference batch_norm_training"},
    {"exponent_bits", OpAttributeKind::kI32, "", "reduce_precision"},
    {"feature_group_count", OpAttributeKind::kI64, "", "convolution dynamic_conv"},
    {"feature_index", OpAttributeKind::kI64, "",
     "batch_norm_grad batch_norm_inference batch_norm_training"},
    {"fft_length", OpAttributeKind::kI64Array, "", "fft"},
    {"fft_type", OpAttributeKind::kEnum, "fft_type", "fft"},
    {"gathering_axes", OpAttributeKind::kAxesLists, "list_of_axis_ref_lists", "sdy.all_gather"},
    {"group_id", OpAttributeKind::kI64, "", "sdy.sharding_group"},
    {"has_dynamic_root", OpAttributeKind::kUnit, "", "collective_broadcast collective_reduce"},
    {"has_side_effect", OpAttributeKind::kBool, "", "custom_call"},
    {"in_shardings", OpAttributeKind::kShardings, "",
     "sdy.manual_computation sdy.named_computation"},
    {"index", OpAttributeKind::kI32, "", "get_tuple_element"},
    {"indices_are_sorted", OpAttributeKind::kBool, "", "dynamic_gather gather scatter"},
    {"infeed_config", OpAttributeKind::kString, "", "infeed"},
    {"interior_padding", OpAttributeKind::kI64Array, "", "pad"},
    {"iota_dimension", OpAttributeKind::kI64, "", "dynamic_iota iota"},
    {"is_associative", OpAttributeKind::kBool, "", "chlo.scan"},
    {"is_host_transfer", OpAttributeKind::kBool, "", "recv send"},
    {"is_reverse", OpAttributeKind::kBool, "", "chlo.scan"},
    {"is_stable", OpAttributeKind::kBool, "", "sort chlo.top_k"},
    {"k", OpAttributeKind::kI64, "", "chlo.top_k"},
    {"known_expanding_dimensions", OpAttributeKind::kI64Array, "", "dynamic_broadcast_in_dim"},
    {"known_nonexpanding_dimensions", OpAttributeKind::kI64Array, "", "dynamic_broadcast_in_dim"},
    {"layout", OpAttributeKind::kAny, "", "infeed"},
    {"left_side", OpAttributeKind::kBool, "", "triangular_solve"},
    {"lhs_dilation", OpAttributeKind::kI64Array, "", "convolution dynamic_conv"},
    {"limit_indices", OpAttributeKind::kI64Array, "", "slice"},
    {"lower", OpAttributeKind::kBool, "", "cholesky triangular_solve"},
    {"manual_axes", OpAttributeKind::kAxes, "manual_axes", "sdy.manual_computation"},
    {"mantissa_bits", OpAttributeKind::kI32, "", "reduce_precision"},
    {"name", OpAttributeKind::kString, "", "composite sdy.named_computation"},
    {"operandSegmentSizes", OpAttributeKind::kI32Array, "", "chlo.scan"},
    {"operand_layouts", OpAttributeKind::kLayouts, "", "custom_call"},
    {"out_shardings", OpAttributeKind::kShardings, "",
     "sdy.manual_computation sdy.named_computation"},
    {"outfeed_config", OpAttributeKind::kString, "", "outfeed"},
    {"output_operand_aliases", OpAttributeKind::kStructs, "output_operand_alias", "custom_call"},
    {"padding", OpAttributeKind::kMatrix, "", "convolution reduce_window select_and_scatter"},
    {"params", OpAttributeKind::kAxesMoves, "all_to_all_param_list", "sdy.all_to_all"},
    {"permutation", OpAttributeKind::kI64Array, "", "transpose"},
    {"precision_config", OpAttributeKind::kEnums, "precision",
     "convolution dot dot_general dynamic_conv"},
    {"reduce_scatter_axes", OpAttributeKind::kAxesLists, "list_of_axis_ref_lists",
     "sdy.reduce_scatter"},
    {"reduction_axes", OpAttributeKind::kAxes, "axis_ref_list", "sdy.all_reduce"},
    {"reduction_op", OpAttributeKind::kNumberEnum, "sum max min",
     "sdy.all_reduce sdy.reduce_scatter"},
    {"replica_groups", OpAttributeKind::kMatrix, "",
     "all_gather all_reduce all_to_all collective_broadcast collective_reduce "
     "reduce_scatter"},
    {"resultSegmentSizes", OpAttributeKind::kI32Array, "", "chlo.scan"},
    {"result_accuracy", OpAttributeKind::kStruct, "result_accuracy",
     "cbrt cosine exponential exponential_minus_one log log_plus_one logistic rsqrt sine "
     "sqrt tan tanh"},
    {"result_layouts", OpAttributeKind::kLayouts, "", "custom_call"},
    {"rhs_dilation", OpAttributeKind::kI64Array, "", "convolution dynamic_conv"},
    {"rng_algorithm", OpAttributeKind::kEnum, "rng_algorithm", "rng_bit_generator"},
    {"rng_distribution", OpAttributeKind::kEnum, "rng_distribution", "rng"},
    {"scan_dim_size", OpAttributeKind::kI64, "", "chlo.scan"},
    {"scatter_dimension", OpAttributeKind::kI64, "", "reduce_scatter"},
    {"scatter_dimension_numbers", OpAttributeKind::kStruct, "scatter", "scatter"},
    {"slice_sizes", OpAttributeKind::kI64Array, "", "dynamic_slice gather"},
    {"slicing_axes", OpAttributeKind::kAxesLists, "list_of_axis_ref_lists", "sdy.all_slice"},
    {"source_target_pairs", OpAttributeKind::kMatrix, "", "collective_permute recv send"},
    {"split_count", OpAttributeKind::kI64, "", "all_to_all"},
    {"split_dimension", OpAttributeKind::kI64, "", "all_to_all"},
    {"start_indices", OpAttributeKind::kI64Array, "", "slice"},
    {"strides", OpAttributeKind::kI64Array, "", "slice"},
    {"transpose_a", OpAttributeKind::kEnum, "transpose", "triangular_solve"},
    {"unique_indices", OpAttributeKind::kBool, "", "scatter"},
    {"unit_diagonal", OpAttributeKind::kBool, "", "triangular_solve"},
    {"use_global_device_ids", OpAttributeKind::kUnit, "",
     "all_gather all_reduce collective_reduce reduce_scatter"},
    {"value", OpAttributeKind::kElements, "", "constant sdy.constant arith.constant chlo.constant"},
    {"version", OpAttributeKind::kI32, "", "composite"},
    {"window_dilations", OpAttributeKind::kI64Array, "", "reduce_window"},
    {"window_dimensions", OpAttributeKind::kI64Array, "", "reduce_window select_and_scatter"},
    {"window_reversal", OpAttributeKind::kBoolArray, "", "convolution dynamic_conv"},
    {"window_strides", OpAttributeKind::kI64Array, "",
     "convolution dynamic_conv reduce_window select_and_scatter"},
}};

// Whether the blank-separated list `words` has `word`.
constexpr bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t end = words.find(' ');
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(end == std::string_view::npos ? words.size() : end + 1);
  }
  return false;
}

// The row of attribute `key` of operation `op`, or none: the attribute is the user's own. O(rows).
inline const OpAttributeRow* find_op_attribute(std::string_view op, std::string_view key) {
  constexpr std::string_view kDialect = "stablehlo.";
  const std::string_view name = op.starts_with(kDialect) ? op.substr(kDialect.size()) : op;
  for (const OpAttributeRow& row : kOpAttributes) {
    if (row.key == key && has_word(row.ops, name)) return &row;
  }
  return nullptr;
}

// The fields of attributes of the form `name<field = value, ...>`.
enum class AttributeFieldKind : std::uint8_t { kInt, kInts, kFloat, kType, kBool, kMode };

struct AttributeField {
  std::string_view name;
  AttributeFieldKind kind;
};

struct AttributeStruct {
  std::string_view name;
  bool skips_zero;  // absent numbers are 0 and absent lists empty, and are not written
  std::span<const AttributeField> fields;
};

inline constexpr std::array<AttributeField, 6> kGatherFields = {{
    {"offset_dims", AttributeFieldKind::kInts},
    {"collapsed_slice_dims", AttributeFieldKind::kInts},
    {"operand_batching_dims", AttributeFieldKind::kInts},
    {"start_indices_batching_dims", AttributeFieldKind::kInts},
    {"start_index_map", AttributeFieldKind::kInts},
    {"index_vector_dim", AttributeFieldKind::kInt},
}};
inline constexpr std::array<AttributeField, 6> kScatterFields = {{
    {"update_window_dims", AttributeFieldKind::kInts},
    {"inserted_window_dims", AttributeFieldKind::kInts},
    {"input_batching_dims", AttributeFieldKind::kInts},
    {"scatter_indices_batching_dims", AttributeFieldKind::kInts},
    {"scatter_dims_to_operand_dims", AttributeFieldKind::kInts},
    {"index_vector_dim", AttributeFieldKind::kInt},
}};
inline constexpr std::array<AttributeField, 4> kDotFields = {{
    {"lhs_batching_dimensions", AttributeFieldKind::kInts},
    {"rhs_batching_dimensions", AttributeFieldKind::kInts},
    {"lhs_contracting_dimensions", AttributeFieldKind::kInts},
    {"rhs_contracting_dimensions", AttributeFieldKind::kInts},
}};
inline constexpr std::array<AttributeField, 7> kDotAlgorithmFields = {{
    {"lhs_precision_type", AttributeFieldKind::kType},
    {"rhs_precision_type", AttributeFieldKind::kType},
    {"accumulation_type", AttributeFieldKind::kType},
    {"lhs_component_count", AttributeFieldKind::kInt},
    {"rhs_component_count", AttributeFieldKind::kInt},
    {"num_primitive_operations", AttributeFieldKind::kInt},
    {"allow_imprecise_accumulation", AttributeFieldKind::kBool},
}};
inline constexpr std::array<AttributeField, 2> kChannelFields = {{
    {"handle", AttributeFieldKind::kInt},
    {"type", AttributeFieldKind::kInt},
}};
inline constexpr std::array<AttributeField, 3> kAliasFields = {{
    {"output_tuple_indices", AttributeFieldKind::kInts},
    {"operand_index", AttributeFieldKind::kInt},
    {"operand_tuple_indices", AttributeFieldKind::kInts},
}};
inline constexpr std::array<AttributeField, 4> kAccuracyFields = {{
    {"atol", AttributeFieldKind::kFloat},
    {"rtol", AttributeFieldKind::kFloat},
    {"ulps", AttributeFieldKind::kInt},
    {"mode", AttributeFieldKind::kMode},
}};
// Convolution's dimensions written in full, after the word `raw`; JSON has this order.
inline constexpr std::array<AttributeField, 9> kConvFields = {{
    {"input_batch_dimension", AttributeFieldKind::kInt},
    {"input_feature_dimension", AttributeFieldKind::kInt},
    {"input_spatial_dimensions", AttributeFieldKind::kInts},
    {"kernel_output_feature_dimension", AttributeFieldKind::kInt},
    {"kernel_input_feature_dimension", AttributeFieldKind::kInt},
    {"kernel_spatial_dimensions", AttributeFieldKind::kInts},
    {"output_batch_dimension", AttributeFieldKind::kInt},
    {"output_feature_dimension", AttributeFieldKind::kInt},
    {"output_spatial_dimensions", AttributeFieldKind::kInts},
}};

inline constexpr std::array<AttributeStruct, 7> kAttributeStructs = {{
    {"channel_handle", false, kChannelFields},
    {"dot", true, kDotFields},
    {"dot_algorithm", false, kDotAlgorithmFields},
    {"gather", true, kGatherFields},
    {"output_operand_alias", false, kAliasFields},
    {"result_accuracy", true, kAccuracyFields},
    {"scatter", true, kScatterFields},
}};
inline constexpr AttributeStruct kConvStruct = {"conv", false, kConvFields};

inline const AttributeStruct* find_attribute_struct(std::string_view name) {
  for (const AttributeStruct& row : kAttributeStructs) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace shardprop::detail
