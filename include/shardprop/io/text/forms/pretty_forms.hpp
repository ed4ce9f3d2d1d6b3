// Pretty forms of operations, one row per operation: its name and a notation, which form.hpp
// explains.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace shardprop::detail {

struct FormRow {
  std::string_view op;
  std::string_view notation;
};

inline constexpr std::array<FormRow, 89> kStablehloForms = {{
    {"stablehlo.abs", " {0}{dict} : {same}"},
    {"stablehlo.add", " {0}, {1}{dict} : {same}"},
    {"stablehlo.after_all", " {*}{dict} : {same}"},
    {"stablehlo.and", " {0}, {1}{dict} : {same}"},
    {"stablehlo.atan2", " {0}, {1}{dict} : {same}"},
    {"stablehlo.bitcast_convert", " {*}{dict} : {fn}"},
    {"stablehlo.broadcast", " {0}, sizes = {@broadcast_sizes}{dict} : {fn}"},
    {"stablehlo.broadcast_in_dim", " {0}, dims = {@broadcast_dimensions}{dict} : {fn}"},
    {"stablehlo.cbrt", " {0}{dict} : {same}"},
    {"stablehlo.ceil", " {0}{dict} : {same}"},
    {"stablehlo.cholesky", " {0}{?lower}, lower = {@lower}{/}{dict} : {same}"},
    {"stablehlo.clamp", " {0}, {1}, {2}{dict} : {same}"},
    {"stablehlo.compare",
     "  {@comparison_direction}, {0}, {1}{?compare_type},  {@compare_type}{/}{dict} : {fn}"},
    {"stablehlo.complex", " {*}{dict} : {complex}"},
    {"stablehlo.composite", " {@name} {*}{regions}{dict} : {fn}"},
    {"stablehlo.concatenate", " {*,} dim = {@dimension}{dict} : {fn}"},
    {"stablehlo.constant", "{constant}"},
    {"stablehlo.convert", " {0}{dict} : {same}"},
    {"stablehlo.convolution", "({*}) dim_numbers = {conv_dims}, window = {window}{dict} : {fn}"},
    {"stablehlo.cosine", " {0}{dict} : {same}"},
    {"stablehlo.count_leading_zeros", " {0}{dict} : {same}"},
    {"stablehlo.create_token", "{dict} : {out}"},
    {"stablehlo.custom_call", " {@@call_target_name}({*}){dict} : {fn}"},
    {"stablehlo.divide", " {0}, {1}{dict} : {same}"},
    {"stablehlo.dot",
     " {0}, {1}{?precision_config}, precision = {@precision_config}{/}{dict} : {fn}"},
    {"stablehlo.dot_general",
     " {0}, {1}, {dot_dims}{?precision_config}, precision = "
     "{@precision_config}{/}{?algorithm}, algorithm = {@algorithm}{/}{dict} : {fn}"},
    {"stablehlo.dynamic_broadcast_in_dim",
     " {0}, {1}, dims = {@broadcast_dimensions}{dict} : {fn}"},
    {"stablehlo.dynamic_iota", " {0}, dim = {@iota_dimension}{dict} : {fn}"},
    {"stablehlo.dynamic_pad", " {*}{dict} : {fn}"},
    {"stablehlo.dynamic_reshape", " {*}{dict} : {fn}"},
    {"stablehlo.dynamic_slice", " {0}, {*,} sizes = {@slice_sizes}{dict} : {fn}"},
    {"stablehlo.dynamic_update_slice", " {*}{dict} : {fn}"},
    {"stablehlo.einsum", " {0}, {1}, config = {@einsum_config}{dict} : {fn}"},
    {"stablehlo.exponential", " {0}{dict} : {same}"},
    {"stablehlo.exponential_minus_one", " {0}{dict} : {same}"},
    {"stablehlo.fft", " {0}, type =  {@fft_type}, length = {@fft_length}{dict} : {fn}"},
    {"stablehlo.floor", " {0}{dict} : {same}"},
    {"stablehlo.get_dimension_size", " {0}, dim = {@dimension}{dict} : {fn}"},
    {"stablehlo.get_tuple_element", " {0}[{@index}]{dict} : {fn}"},
    {"stablehlo.imag", " {0}{dict} : {same}"},
    {"stablehlo.iota", " dim = {@iota_dimension}{dict} : {out}"},
    {"stablehlo.is_finite", " {*}{dict} : {fn}"},
    {"stablehlo.log", " {0}{dict} : {same}"},
    {"stablehlo.log_plus_one", " {0}{dict} : {same}"},
    {"stablehlo.logistic", " {0}{dict} : {same}"},
    {"stablehlo.maximum", " {0}, {1}{dict} : {same}"},
    {"stablehlo.minimum", " {0}, {1}{dict} : {same}"},
    {"stablehlo.multiply", " {0}, {1}{dict} : {same}"},
    {"stablehlo.negate", " {0}{dict} : {same}"},
    {"stablehlo.not", " {0}{dict} : {same}"},
    {"stablehlo.optimization_barrier", "{dict}{?*} {*} : {pairs}{/}{?none}(){/}"},
    {"stablehlo.or", " {0}, {1}{dict} : {same}"},
    {"stablehlo.pad",
     " {0}, {1}, low = {@edge_padding_low}, high = {@edge_padding_high}, interior = "
     "{@interior_padding}{dict} : {fn}"},
    {"stablehlo.partition_id", "{dict} : {out}"},
    {"stablehlo.popcnt", " {0}{dict} : {same}"},
    {"stablehlo.power", " {0}, {1}{dict} : {same}"},
    {"stablehlo.real", " {0}{dict} : {same}"},
    {"stablehlo.real_dynamic_slice", " {*}{dict} : {fn}"},
    {"stablehlo.reduce", "{reduce}"},
    {"stablehlo.reduce_precision", " {0}, format = {float_bits}{dict} : {same}"},
    {"stablehlo.remainder", " {0}, {1}{dict} : {same}"},
    {"stablehlo.replica_id", "{dict} : {out}"},
    {"stablehlo.reshape", " {*}{dict} : {fn}"},
    {"stablehlo.return", " {*}{dict}{?*} : {in}{/}"},
    {"stablehlo.reverse", " {0}, dims = {@dimensions}{dict} : {same}"},
    {"stablehlo.rng", " {0}, {1}, {2}, distribution =  {@rng_distribution}{dict} : {fn}"},
    {"stablehlo.rng_bit_generator", " {0}, algorithm =  {@rng_algorithm}{dict} : {fn}"},
    {"stablehlo.round_nearest_afz", " {0}{dict} : {same}"},
    {"stablehlo.round_nearest_even", " {0}{dict} : {same}"},
    {"stablehlo.rsqrt", " {0}{dict} : {same}"},
    {"stablehlo.select", " {0}, {1}, {2}{dict} : {select}"},
    {"stablehlo.set_dimension_size", " {0}, {1}, dim = {@dimension}{dict} : {fn}"},
    {"stablehlo.shift_left", " {0}, {1}{dict} : {same}"},
    {"stablehlo.shift_right_arithmetic", " {0}, {1}{dict} : {same}"},
    {"stablehlo.shift_right_logical", " {0}, {1}{dict} : {same}"},
    {"stablehlo.sign", " {0}{dict} : {same}"},
    {"stablehlo.sine", " {0}{dict} : {same}"},
    {"stablehlo.slice", " {0} {slice}{dict} : {fn}"},
    {"stablehlo.sqrt", " {0}{dict} : {same}"},
    {"stablehlo.subtract", " {0}, {1}{dict} : {same}"},
    {"stablehlo.tan", " {0}{dict} : {same}"},
    {"stablehlo.tanh", " {0}{dict} : {same}"},
    {"stablehlo.transpose", " {0}, dims = {@permutation}{dict} : {fn}"},
    {"stablehlo.tuple", " {*}{dict} : {tuple}"},
    {"stablehlo.unary_einsum", " {0}, config = {@einsum_config}{dict} : {fn}"},
    {"stablehlo.uniform_dequantize", " {0}{dict} : {same}"},
    {"stablehlo.uniform_quantize", " {0}{dict} : {same}"},
    {"stablehlo.while", "{while}"},
    {"stablehlo.xor", " {0}, {1}{dict} : {same}"},
}};

// Forms of CHLO. All others have the generic form only.
inline constexpr std::array<FormRow, 49> kChloForms = {{
    {"chlo._asin_acos_kernel", " {0}{dict} : {arrow}"},
    {"chlo.acos", " {0}{dict} : {arrow}"},
    {"chlo.acosh", " {0}{dict} : {arrow}"},
    {"chlo.asin", " {0}{dict} : {arrow}"},
    {"chlo.asinh", " {0}{dict} : {arrow}"},
    {"chlo.atan", " {0}{dict} : {arrow}"},
    {"chlo.atanh", " {0}{dict} : {arrow}"},
    {"chlo.bessel_i1e", " {0}{dict} : {arrow}"},
    {"chlo.conj", " {0}{dict} : {arrow}"},
    {"chlo.cosh", " {0}{dict} : {arrow}"},
    {"chlo.digamma", " {0}{dict} : {arrow}"},
    {"chlo.erf", " {0}{dict} : {arrow}"},
    {"chlo.erf_inv", " {0}{dict} : {arrow}"},
    {"chlo.erfc", " {0}{dict} : {arrow}"},
    {"chlo.is_inf", " {0}{dict} : {arrow}"},
    {"chlo.is_neg_inf", " {0}{dict} : {arrow}"},
    {"chlo.is_pos_inf", " {0}{dict} : {arrow}"},
    {"chlo.lgamma", " {0}{dict} : {arrow}"},
    {"chlo.sinh", " {0}{dict} : {arrow}"},
    {"chlo.square", " {0}{dict} : {arrow}"},
    {"chlo.tan", " {0}{dict} : {arrow}"},
    {"chlo.next_after", " {0}, {1}{dict} : {arrow}"},
    {"chlo.polygamma", " {0}, {1}{dict} : {arrow}"},
    {"chlo.zeta", " {0}, {1}{dict} : {arrow}"},
    {"chlo.mulhi", " {0}, {1}{dict} : {arrow}"},
    {"chlo.broadcast_add", " {0}, {1}{dict} : {(in)} -> {out}"},
    {"chlo.broadcast_and", " {0}, {1}{dict} : {(in)} -> {out}"},
    {"chlo.broadcast_atan2", " {0}, {1}{dict} : {(in)} -> {out}"},
    {"chlo.broadcast_compare", " {0}, {1}{dict} : {(in)} -> {out}"},
    {"chlo.broadcast_complex", " {0}, {1}{dict} : {(in)} -> {out}"},
    {"chlo.broadcast_divide", " {0}, {1}{dict} : {(in)} -> {out}"},
    {"chlo.broadcast_maximum", " {0}, {1}{dict} : {(in)} -> {out}"},
    {"chlo.broadcast_minimum", " {0}, {1}{dict} : {(in)} -> {out}"},
    {"chlo.broadcast_multiply", " {0}, {1}{dict} : {(in)} -> {out}"},
    {"chlo.broadcast_next_after", " {0}, {1}{dict} : {(in)} -> {out}"},
    {"chlo.broadcast_or", " {0}, {1}{dict} : {(in)} -> {out}"},
    {"chlo.broadcast_polygamma", " {0}, {1}{dict} : {(in)} -> {out}"},
    {"chlo.broadcast_power", " {0}, {1}{dict} : {(in)} -> {out}"},
    {"chlo.broadcast_remainder", " {0}, {1}{dict} : {(in)} -> {out}"},
    {"chlo.broadcast_shift_left", " {0}, {1}{dict} : {(in)} -> {out}"},
    {"chlo.broadcast_shift_right_arithmetic", " {0}, {1}{dict} : {(in)} -> {out}"},
    {"chlo.broadcast_shift_right_logical", " {0}, {1}{dict} : {(in)} -> {out}"},
    {"chlo.broadcast_subtract", " {0}, {1}{dict} : {(in)} -> {out}"},
    {"chlo.broadcast_xor", " {0}, {1}{dict} : {(in)} -> {out}"},
    {"chlo.broadcast_zeta", " {0}, {1}{dict} : {(in)} -> {out}"},
    {"chlo.broadcast_select", " {0}, {1}, {2}{dict} : {(in)} -> {out}"},
    {"chlo.constant", "{constant}"},
    {"chlo.scan", "{scan}"},
    {"chlo.top_k",
     "({0}, k = {@k}{?is_stable}, is_stable = {@is_stable}{/}){dict} : {in} -> ({out})"},
}};

// Forms of the operations of sdy, func, arith and check.
inline constexpr std::array<FormRow, 22> kSdyForms = {{
    {"arith.constant", "{number}"},
    {"check.expect_eq", " {0}, {1}{dict} : {in each}"},
    {"func.call", " {@@callee}({*}){dict} : {fn}"},
    {"func.return", "{dict}{?*} {*} : {in}{/}"},
    {"sdy.all_gather", " {@gathering_axes} {0} out_sharding={<out_sharding}{dict} : {same}"},
    {"sdy.all_reduce",
     " {reduction}{@reduction_axes} {0} out_sharding={<out_sharding}{dict} : {same}"},
    {"sdy.all_slice", " {@slicing_axes} {0} out_sharding={<out_sharding}{dict} : {same}"},
    {"sdy.all_to_all", " {@params} {0} out_sharding={<out_sharding}{dict} : {same}"},
    {"sdy.collective_permute", " {0} out_sharding={<out_sharding}{dict} : {same}"},
    {"sdy.constant", "{constant}"},
    {"sdy.data_flow_edge", " {0}{?<} sharding={<sharding}{/}{dict} : {same}"},
    {"sdy.func_data_flow_edge", " {0}{dict} : {same}"},
    {"sdy.manual_computation",
     "({*}) in_shardings={@in_shardings} out_shardings={@out_shardings} manual_axes={@manual_axes} "
     "{body}{dict} : {fn}"},
    {"sdy.named_computation",
     "<{@name}>({*}){?in_shardings} in_shardings={@in_shardings}{/}{?out_shardings} "
     "out_shardings={@out_shardings}{/} {body}{dict} : {fn}"},
    {"sdy.propagation_barrier", " {0} allowed_direction={@allowed_direction}{dict} : {same}"},
    {"sdy.reduce_scatter",
     " {reduction}{@reduce_scatter_axes} {0} out_sharding={<out_sharding}{dict} : {same}"},
    {"sdy.replicated_to_unreduced", " {@axes} {0} out_sharding={<out_sharding}{dict} : {same}"},
    {"sdy.reshard", " {0} {<sharding}{dict} : {same}"},
    {"sdy.return", "{dict}{?*} {*} : {in}{/}"},
    {"sdy.sharded_to_unreduced", " {@axes} {0} out_sharding={<out_sharding}{dict} : {same}"},
    {"sdy.sharding_constraint", " {0} {<sharding}{dict} : {same}"},
    {"sdy.sharding_group", " {0} group_id={@group_id}{dict} : {in}"},
}};

// The row of an operation, or none.
inline const FormRow* find_form_row(std::string_view op) {
  const auto find = [op](std::span<const FormRow> rows) -> const FormRow* {
    for (const FormRow& row : rows) {
      if (row.op == op) return &row;
    }
    return nullptr;
  };
  if (op.starts_with("stablehlo.")) return find(kStablehloForms);
  return op.starts_with("chlo.") ? find(kChloForms) : find(kSdyForms);
}

// All operations that have a notation.
template <class Fn>
void for_each_form_row(Fn&& fn) {
  for (const FormRow& row : kStablehloForms) fn(row);
  for (const FormRow& row : kChloForms) fn(row);
  for (const FormRow& row : kSdyForms) fn(row);
}

}  // namespace shardprop::detail
