// Numbers as a person reads them.
#pragma once

#include <cstddef>
#include <string>

#include "fmt/core.h"

namespace shardprop::cli {

// 12,345
inline std::string with_commas(std::size_t number) {
  if (number < 1000) return std::to_string(number);
  return with_commas(number / 1000) + fmt::format(",{:03}", number % 1000);
}

inline std::string bytes_text(double bytes) {
  if (bytes >= 1 << 30) return fmt::format("{:.2f} GiB", bytes / (1 << 30));
  if (bytes >= 1 << 20) return fmt::format("{:.1f} MiB", bytes / (1 << 20));
  if (bytes >= 1 << 10) return fmt::format("{:.1f} KiB", bytes / (1 << 10));
  return fmt::format("{:.0f} B", bytes);
}

}  // namespace shardprop::cli
