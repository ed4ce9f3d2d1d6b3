// The known name that is nearest to one that is not known, for hints.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace shardprop::detail {

// How many characters must be put in, taken out or replaced to make `b` of `a`. O(size of a * size
// of b).
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

// Keeps the nearest of the names that are offered, of equally near ones the first. Names that
// differ in more than a third of their characters do not match.
class Nearest {
 public:
  explicit Nearest(std::string_view wanted)
      : wanted_(wanted), best_(std::max<std::size_t>(1, wanted.size() / 3) + 1) {}

  void offer(std::string_view name) {
    const std::size_t longer = std::max(name.size(), wanted_.size());
    const std::size_t shorter = std::min(name.size(), wanted_.size());
    if (longer - shorter >= best_ || longer > kLongest) return;
    const std::size_t distance = edit_distance(wanted_, name);
    if (distance >= best_) return;
    best_ = distance;
    text_ = name;
  }

  bool found() const { return !text_.empty(); }
  const std::string& text() const { return text_; }

 private:
  static constexpr std::size_t kLongest = 64;

  std::string_view wanted_;
  std::size_t best_;
  std::string text_;
};

}  // namespace shardprop::detail
