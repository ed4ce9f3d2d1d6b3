// Writes a module as MLIR text: the notation that StableHLO and Shardy print for an operation where
// it has one, else the generic form. The same module gives the same text. O(size of the text).
//
// Values without a name, and those whose name MLIR could not read, are given one; the module does
// not change. docs/text.md says what is kept.
#pragma once

#include <string>
#include <utility>

#include "shardprop/io/common/rounding.hpp"
#include "shardprop/io/text/options.hpp"
#include "shardprop/io/text/write/context.hpp"
#include "shardprop/io/text/write/module.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

// Never gives the text: with a sink it has gone there.
inline Diagnostics write_text_to(TextWriteContext& c) {
  const RoundToNearest rounding;
  write_module(c);
  if (c.sink_failed && c.errors.empty()) {
    c.errors.push_back({"text.sink", "the text could not be written", ""});
  }
  return std::move(c.errors);
}

}  // namespace detail

// The whole text, ending with a line break. Errors: `text.no_type`, `text.too_deep`.
inline Result<std::string> write_stablehlo_text(const Module& m,
                                                const TextWriteOptions& options = {}) {
  detail::TextWriteContext c(m, options, {});
  Diagnostics errors = detail::write_text_to(c);
  if (!errors.empty()) return errors;
  return std::move(c.out);
}

// The same, piece by piece, so that the text need not fit the memory: pieces of some 64 KiB, and
// large constants as they stand in their source, without a copy. After an error the sink has part
// of the text. Errors: `text.no_type`, `text.too_deep`, `text.sink`.
inline Diagnostics write_stablehlo_text(const Module& m, const TextSink& sink,
                                        const TextWriteOptions& options = {}) {
  detail::TextWriteContext c(m, options, sink);
  return detail::write_text_to(c);
}

}  // namespace shardprop
