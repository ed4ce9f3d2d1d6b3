// Definition of reader.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "fmt/core.h"
#include "shardprop/io/common/recognise.hpp"
#include "shardprop/io/common/rounding.hpp"
#include "shardprop/io/text/options.hpp"
#include "shardprop/io/text/read/context.hpp"
#include "shardprop/io/text/read/module.hpp"
#include "shardprop/io/text/reader.hpp"
#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

// Reserves rows for one operation and one value a line. O(size of the text), at the speed of
// memory.
inline void reserve_for_text(Module& m, std::string_view text) {
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  // A line of an operation has this many bytes at least; shorter lines are something else.
  constexpr std::size_t kShortLine = 24;
  const std::size_t ops = std::min(lines, text.size() / kShortLine);
  reserve_rows(m, ops, ops);
}

// A location that is named must be defined somewhere.
inline bool check_location_aliases(TextReadContext& c) {
  const LocationTable& table = c.m.locations.table;
  for (LocId id : table.ids()) {
    if (!table.is_alias(id) || table.is_defined(id)) continue;
    const std::string name = fmt::format("#{}", table.text(id));
    const std::string_view text = c.in.text();
    const std::size_t at = text.find(fmt::format("({}", name));
    return fail(c, text.data() + (at == std::string_view::npos ? 0 : at + 1), "text.alias",
                fmt::format("there is no definition of {}", name),
                fmt::format("define it outside of the module: {} = loc(...)", name));
  }
  return true;
}

}  // namespace detail

SHARDPROP_INLINE Result<Module> read_stablehlo_text(TextSource source,
                                                    const TextReadOptions& options) {
  const std::size_t limit = std::min(options.max_bytes, kMaxTextBytes);
  if (source.text.size() > limit) {
    return Diagnostic{"text.too_large",
                      fmt::format("the text has {} bytes, more than {}", source.text.size(), limit),
                      "keep large constants out of the text: at most 4 GiB can be read"};
  }
  if (const auto known = unreadable_form(source.text)) return *known;
  const detail::RoundToNearest rounding;
  detail::TextReadContext c(std::move(source), options);
  if (c.in.text().starts_with("\xEF\xBB\xBF")) c.in.go_to(c.in.text().data() + 3);
  detail::reserve_for_text(c.m, c.in.text());
  const bool read = detail::read_text(c) && detail::check_location_aliases(c);
  if (!read || c.error_count > 0) return std::move(c.out);
  release_rows(c.m);
  return std::move(c.m);
}

}  // namespace shardprop
