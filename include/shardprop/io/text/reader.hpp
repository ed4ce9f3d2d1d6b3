// Reads a module from MLIR text: StableHLO with sdy, as JAX, PyTorch/XLA and Reactant print it, in
// pretty form or, whatever the dialect, in generic form. docs/text.md says what is understood.
//
// One pass over the text, O(its size). What repeats (types, shardings, dictionaries) is read once;
// large constants are left in the text. A module is given only if nothing is wrong.
#pragma once

#include "shardprop/io/text/options.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/support/inline.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

// Every error has a code `text.*`, or that of a room below for a sharding, a mesh or a rule, with
// its line and column; `excerpt` of io/text/excerpt.hpp shows the line.
SHARDPROP_INLINE Result<Module> read_stablehlo_text(TextSource source,
                                                    const TextReadOptions& options = {});

}  // namespace shardprop

#ifndef SHARDPROP_COMPILED
#include "shardprop/io/text/reader_inl.hpp"
#endif
