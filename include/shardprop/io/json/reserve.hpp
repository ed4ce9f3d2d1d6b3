// Room for the tables of a module, guessed from samples of its document, so that tables grow in
// place instead of doubling and copying while the document is read.
#pragma once

#include <cstddef>
#include <string_view>

#include "shardprop/ir/edit.hpp"

namespace shardprop::detail {

inline std::size_t count_in(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos;
       at = text.find(what, at + what.size())) {
    ++count;
  }
  return count;
}

// About how often `what` occurs in `text`: exact for short texts, else from evenly spaced samples.
inline std::size_t estimate_count(std::string_view text, std::string_view what) {
  constexpr std::size_t kSamples = 16;
  constexpr std::size_t kSampleSize = std::size_t{1} << 13;
  if (text.size() <= kSamples * kSampleSize) return count_in(text, what);
  std::size_t count = 0;
  for (std::size_t i = 0; i < kSamples; ++i) {
    count += count_in(text.substr(text.size() / kSamples * i, kSampleSize), what);
  }
  const double share =
      static_cast<double>(text.size()) / static_cast<double>(kSamples * kSampleSize);
  return static_cast<std::size_t>(static_cast<double>(count) * share * 1.1);
}

// Reserves rows for the operations and values that `text` seems to hold.
inline void reserve_tables(Module& m, std::string_view text) {
  const std::size_t ops = estimate_count(text, "\"op\"");
  const std::size_t values = estimate_count(text, "\"name\"");
  reserve_rows(m, ops, values);
}

}  // namespace shardprop::detail
