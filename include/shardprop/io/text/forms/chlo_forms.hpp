// Pretty forms of the operations of CHLO that frameworks print. text_form.hpp says what a notation
// is.
#pragma once

#include <array>

#include "shardprop/io/text/forms/form_row.hpp"

namespace shardprop::detail {

// All others have the generic form only.
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

}  // namespace shardprop::detail
