// Definitions of writer.hpp.
#pragma once

#include <string>
#include <utility>

#include "shardprop/io/common/rounding.hpp"
#include "shardprop/io/text/options.hpp"
#include "shardprop/io/text/write/context.hpp"
#include "shardprop/io/text/write/module.hpp"
#include "shardprop/io/text/writer.hpp"
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

SHARDPROP_INLINE Result<std::string> write_stablehlo_text(const Module& m,
                                                          const TextWriteOptions& options) {
  detail::TextWriteContext c(m, options, {});
  Diagnostics errors = detail::write_text_to(c);
  if (!errors.empty()) return errors;
  return std::move(c.out);
}

SHARDPROP_INLINE Diagnostics write_stablehlo_text(const Module& m, const TextSink& sink,
                                                  const TextWriteOptions& options) {
  detail::TextWriteContext c(m, options, sink);
  return detail::write_text_to(c);
}

}  // namespace shardprop
