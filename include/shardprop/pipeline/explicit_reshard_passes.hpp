// The pass that makes communication explicit as reshards, as a row.
#pragma once

#include <array>

#include "shardprop/passes/explicit_reshards.hpp"
#include "shardprop/pipeline/pass_table.hpp"

namespace shardprop {

namespace detail {

inline constexpr std::array kExplicitReshardsOptions = {
    PassOption{"enable-full-version", "reshard around every operation, not only where it pays"}};

inline Result<bool> run_insert_explicit_reshards(Module& m, const OptionValues& values,
                                                 const PassContext& context) {
  return insert_explicit_reshards(m, context.ops, {values.flag("enable-full-version")});
}

}  // namespace detail

inline constexpr std::array kExplicitReshardPasses = {
    PassDef{"insert-explicit-reshards",
            "reshards tensors wherever an operation's shardings are in conflict",
            detail::kExplicitReshardsOptions, detail::run_insert_explicit_reshards},
};

}  // namespace shardprop
