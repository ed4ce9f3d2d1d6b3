// The known name that is nearest to one that is not known, for hints.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardprop::detail {

// How many characters must be put in, taken out, replaced or swapped with the next one to make `b`
// of `a`. O(size of a * size of b).
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // for `a` up to here, and for one and two less
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> above_that(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(above_that, above);
    std::swap(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, above[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], above_that[j - 2] + 1);
    }
  }
  return row[b.size()];
}

// Keeps the nearest of the names that are offered, of equally near ones the first. Names that
// differ in more than a third of their characters are no match.
class Nearest {
 public:
  explicit Nearest(std::string_view wanted)
      : wanted_(wanted), best_(std::max<std::size_t>(1, wanted.size() / 3) + 1) {}

  void offer(std::string_view name) {
    const std::size_t longer = std::max(name.size(), wanted_.size());
    const std::size_t shorter = std::min(name.size(), wanted_.size());
    if (longer - shorter >= best_ || longer > kLongest) return;
    const std::size_t distance = edit_distance(wanted_, name);
    // Names that have nothing in common are not near, however short they are.
    if (distance >= best_ || distance == longer) return;
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

namespace shardprop {

// The nearest of `names`, which are texts; empty where none is near.
template <class Names>
std::string nearest(std::string_view wanted, const Names& names) {
  detail::Nearest best(wanted);
  for (const auto& name : names) best.offer(std::string_view(name));
  return best.text();
}

// `did you mean 'data'?`, or `otherwise` where nothing is near.
inline std::string did_you_mean(const std::string& nearest_name, std::string otherwise = {}) {
  return nearest_name.empty() ? std::move(otherwise) : "did you mean '" + nearest_name + "'?";
}

}  // namespace shardprop
