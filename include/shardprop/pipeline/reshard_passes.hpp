// The passes that make collectives of reshards, and clean up after them, as rows.
#pragma once

#include <array>

#include "shardprop/passes/canonicalize/canonicalize.hpp"
#include "shardprop/passes/collectives/reshard_to_collectives.hpp"
#include "shardprop/passes/reshards/insert_explicit_reshards.hpp"
#include "shardprop/pipeline/pass_table.hpp"

// The pass that makes communication explicit as reshards, as a row.

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

namespace detail {

inline constexpr std::array kReshardToCollectivesOptions = {
    PassOption{"keep-redundant-reshards", "keep reshards to the sharding that a tensor has"}};
inline constexpr std::array kCanonicalizeOptions = {
    PassOption{"enabled-patterns", "only the rewrites under this label", "", OptionKind::kText,
               "sdy-reshard|sdy-collective"}};

inline Result<bool> run_reshard_to_collectives(Module& m, const OptionValues& values,
                                               const PassContext&) {
  return reshard_to_collectives(m, {values.flag("keep-redundant-reshards")});
}

inline Result<bool> run_canonicalize(Module& m, const OptionValues& values,
                                     const PassContext& context) {
  return canonicalize(m, context.ops, {values.text("enabled-patterns")});
}

}  // namespace detail

inline constexpr std::array kCollectivePasses = {
    PassDef{"reshard-to-collectives", "replaces reshards by the collectives that they come to",
            detail::kReshardToCollectivesOptions, detail::run_reshard_to_collectives},
    PassDef{"canonicalize", "simplifies reshards, collectives and manual computations",
            detail::kCanonicalizeOptions, detail::run_canonicalize},
};

}  // namespace shardprop
