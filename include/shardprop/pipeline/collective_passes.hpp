// The passes that make collectives of reshards, and clean up after them, as rows.
#pragma once

#include <array>

#include "shardprop/passes/canonicalize.hpp"
#include "shardprop/passes/collectives.hpp"
#include "shardprop/pipeline/pass_table.hpp"

namespace shardprop {

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
