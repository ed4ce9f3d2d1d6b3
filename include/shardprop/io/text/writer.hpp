// Writes a module as MLIR text: the notation that StableHLO and Shardy print for an operation where
// it has one, else the generic form. The same module gives the same text. O(size of the text).
//
// Values without a name, and those whose name MLIR could not read, are given one; the module does
// not change. docs/text.md says what is kept.
#pragma once

#include <string>

#include "shardprop/io/text/options.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/support/diagnostic.hpp"
#include "shardprop/support/inline.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

// The whole text, ending with a line break. Errors: `text.no_type`, `text.too_deep`.
SHARDPROP_INLINE Result<std::string> write_stablehlo_text(const Module& m,
                                                          const TextWriteOptions& options = {});

// The same, piece by piece, so that the text need not fit the memory: pieces of some 64 KiB, and
// large constants as they stand in their source, without a copy. After an error the sink has part
// of the text. Errors: `text.no_type`, `text.too_deep`, `text.sink`.
SHARDPROP_INLINE Diagnostics write_stablehlo_text(const Module& m, const TextSink& sink,
                                                  const TextWriteOptions& options = {});

}  // namespace shardprop

#ifndef SHARDPROP_COMPILED
#include "shardprop/io/text/writer_inl.hpp"
#endif
