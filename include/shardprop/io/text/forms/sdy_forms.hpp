// Pretty forms of the operations of sdy, func and arith. text_form.hpp says what a notation is.
#pragma once

#include <array>

#include "shardprop/io/text/forms/form_row.hpp"

namespace shardprop::detail {

inline constexpr std::array<FormRow, 21> kSdyForms = {{
    {"arith.constant", "{number}"},
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

}  // namespace shardprop::detail
