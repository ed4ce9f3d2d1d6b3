// Names that differ by numbers only, as one: `%layers.{0-31}.w{0,2-3}`. The label is a pattern that
// --shard takes, where it says all of its names.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"

namespace shardprop::cli::detail {

// A name cut at its numbers: a text before each, and one at the end.
struct NumberedName {
  std::vector<std::string> texts;
  std::vector<std::uint64_t> numbers;
};

inline NumberedName split_name(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::size_t kMaxDigits = 9;  // longer ones count nothing: they are part of the text
  NumberedName out;
  std::string text;
  while (!name.empty()) {
    const std::size_t digit = std::min(name.find_first_of(kDigits), name.size());
    text += name.substr(0, digit);
    name.remove_prefix(digit);
    const std::size_t size = std::min(name.find_first_not_of(kDigits), name.size());
    const bool leading_zero = size > 1 && name[0] == '0';
    if (size == 0 || size > kMaxDigits || leading_zero) {
      text += name.substr(0, size);
    } else {
      out.texts.push_back(std::exchange(text, {}));
      out.numbers.push_back(std::stoull(std::string(name.substr(0, size))));
    }
    name.remove_prefix(size);
  }
  out.texts.push_back(std::move(text));
  return out;
}

// `{0-2,5}`, or the one number; empty where that takes too many parts.
inline std::string number_set(const std::set<std::uint64_t>& numbers) {
  constexpr std::size_t kMaxParts = 6;
  std::string out;
  std::size_t parts = 0;
  for (auto at = numbers.begin(); at != numbers.end();) {
    const std::uint64_t first = *at;
    std::uint64_t last = first;
    while (++at != numbers.end() && *at == last + 1) ++last;
    out += (out.empty() ? "" : ",") + std::to_string(first);
    if (last != first) out += "-" + std::to_string(last);
    if (++parts > kMaxParts) return {};
  }
  return numbers.size() == 1 ? out : "{" + out + "}";
}

// Names of equal texts. `add` is O(numbers of the name).
class FoldedNames {
 public:
  void add(NumberedName name) {
    if (texts_.empty()) {
      texts_ = std::move(name.texts);
      first_ = name.numbers;
      values_.resize(first_.size());
    }
    for (std::size_t i = 0; i < name.numbers.size(); ++i) values_[i].insert(name.numbers[i]);
    ++count_;
  }

  std::size_t count() const { return count_; }
  const std::vector<std::string>& texts() const { return texts_; }

  // `%w{0-3}` where the names are all combinations of their numbers, else `%w0 and 7 more`.
  std::string label() const {
    std::size_t combinations = 1;
    std::string out;
    bool listed = true;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      combinations *= values_[i].size();
      const std::string set = number_set(values_[i]);
      listed = listed && !set.empty();
      out += texts_[i] + set;
    }
    if (listed && combinations == count_) return out + texts_.back();
    out.clear();
    for (std::size_t i = 0; i < first_.size(); ++i) out += texts_[i] + std::to_string(first_[i]);
    return fmt::format("{}{} and {} more", out, texts_.back(), count_ - 1);
  }

 private:
  std::vector<std::string> texts_;
  std::vector<std::uint64_t> first_;
  std::vector<std::set<std::uint64_t>> values_;
  std::size_t count_ = 0;
};

}  // namespace shardprop::cli::detail
