// Reads the text of a sharding rule, see rule_text.hpp for the notation: names of factors, and one
// parser for rules and patterns, at run time and in the compiler. O(length of the text * factors).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/sharding/op_sharding_rule.hpp"
#include "shardprop/sharding/scanner.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop {

// The size of a pattern's factor, which the types of an operation determine.
inline constexpr std::int64_t kUnknownSize = -1;

// What a rule says of all operations of one name.
struct RulePattern {
  OpShardingRule rule;        // without the factors of leading dimensions
  std::vector<bool> batched;  // a tensor, operands first: it has leading dimensions, `...`
};

// The name of factor number `factor`: i, j, ..., z, z_1, z_2, ...
inline std::string factor_symbol(std::uint32_t factor) {
  constexpr std::uint32_t kLetters = 'z' - 'i';
  if (factor <= kLetters) return std::string(1, static_cast<char>('i' + factor));
  return fmt::format("z_{}", factor - kLetters);
}

// The keyword of the set of factors of `kind`; pass-through factors are in no set.
constexpr std::string_view to_string(FactorKind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"pass_through", "reduction",
                                                      "need_replication", "permutation"};
  return kNames[static_cast<std::size_t>(kind)];
}

namespace detail {

inline constexpr std::string_view kBlocked = "blocked_propagation";

// A factor's name as a number: a to z are 0 to 25, z_1, z_2, ... come after.
using FactorName = std::uint32_t;
inline constexpr FactorName kFirstName = 'i' - 'a';  // of the names of the sdy notation

inline std::string name_text(FactorName name) {
  return name < kFirstName ? std::string(1, static_cast<char>('a' + name))
                           : factor_symbol(name - kFirstName);
}

// Takes the first factor name, at least `first`, off `word`; none if `word` does not begin with
// one.
constexpr std::optional<FactorName> take_factor_name(std::string_view& word, FactorName first) {
  constexpr FactorName kLetters = 'z' - 'a';
  if (word.empty() || word[0] < 'a' || word[0] > 'z') return std::nullopt;
  FactorName name = static_cast<FactorName>(word[0] - 'a');
  std::size_t end = 1;
  if (word.starts_with("z_")) {
    FactorName number = 0;
    // Six digits are far more factors than a rule can have, and cannot overflow.
    for (end = 2; end < word.size() && end < 9 && is_digit(word[end]); ++end)
      number = number * 10 + static_cast<FactorName>(word[end] - '0');
    if (end == 2 || end == 9 || word[2] == '0') return std::nullopt;
    name = kLetters + number;
  }
  if (name < first) return std::nullopt;
  word.remove_prefix(end);
  return name;
}

// Reads both notations. Everything but making the rule and recording errors is `constexpr`.
class RuleParser {
 public:
  enum class Notation : std::uint8_t { kSdy, kPattern };

  constexpr RuleParser(std::string_view text, Notation notation)
      : is_pattern_(notation == Notation::kPattern),
        in_(text, "rule.syntax",
            is_pattern_ ? "write a rule as ([..., i, k], [k, j])->([..., i, j]) reduction={k}; the "
                          "sets that follow are need_replication, permutation, blocked_propagation"
                        : "write a rule as ([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} "
                          "reduction={k}; the sets that follow are need_replication, permutation, "
                          "blocked_propagation, then ', custom'") {}

  // Whether the text is a rule. Once only.
  constexpr bool read() {
    const bool wrapped = in_.accept("#sdy.op_sharding_rule") || in_.next_is("<");
    const bool read = (!wrapped || in_.expect("<")) && tensors() && in_.expect("->") &&
                      end_operands() && tensors() && name_factors() && sizes() && sets() &&
                      custom() && (!wrapped || in_.expect(">")) && in_.expect_end();
    if (read) check_mentions();
    return in_.errors().empty();
  }

  Diagnostics& errors() { return in_.errors(); }

  // What was read, without errors.
  RulePattern take() {
    RulePattern out;
    out.rule.factors = std::move(factors_);
    out.rule.custom = custom_;
    for (std::size_t t = 0; t < tensors_.size(); ++t) {
      (t < operand_count_ ? out.rule.operands : out.rule.results).emplace_back(tensors_[t].rank);
      out.batched.push_back(tensors_[t].batched);
    }
    for (const Mention& mention : mentions_) {
      TensorMapping& tensor = mention.tensor < operand_count_
                                  ? out.rule.operands[mention.tensor]
                                  : out.rule.results[mention.tensor - operand_count_];
      tensor[mention.dim].push_back(static_cast<std::uint32_t>(find(mention.name)));
    }
    return out;
  }

 private:
  struct Tensor {
    std::size_t rank = 0;
    bool batched = false;
  };
  // A factor's name in a tensor, or in a set where `tensor` is `kInSet`.
  struct Mention {
    std::size_t tensor;
    std::size_t dim;
    FactorName name;
    std::size_t offset;
  };
  static constexpr std::size_t kInSet = static_cast<std::size_t>(-1);

  constexpr bool end_operands() {
    operand_count_ = tensors_.size();
    return true;
  }

  constexpr bool tensors() {
    if (!in_.expect("(")) return false;
    if (in_.accept(")")) return true;
    do {
      if (!tensor()) return false;
    } while (in_.accept(","));
    return in_.expect(")");
  }

  constexpr bool tensor() {
    tensors_.emplace_back();
    if (!in_.expect("[")) return false;
    if (in_.accept("]")) return true;
    if (is_pattern_ && in_.accept("...")) {
      tensors_.back().batched = true;
      if (in_.accept("]")) return true;
      if (!in_.expect(",")) return false;
    }
    do {
      if (!dim()) return false;
      ++tensors_.back().rank;
    } while (in_.accept(","));
    return in_.expect("]");
  }

  constexpr bool dim() {
    const std::size_t start = in_.offset();
    const std::string_view word = in_.word();
    if (word.empty() && (in_.next_is(",") || in_.next_is("]"))) return report_empty(start);
    if (word.empty()) return in_.fail("the factors of a dimension");
    std::string_view rest = word;
    while (!rest.empty()) {
      const std::size_t at = start + (word.size() - rest.size());
      const auto name = take_factor_name(rest, is_pattern_ ? 0 : kFirstName);
      if (!name) return report_symbol(rest, at);
      if (is_pattern_) check_unused(*name, at);
      mentions_.push_back({tensors_.size() - 1, tensors_.back().rank, *name, at});
    }
    return true;
  }

  // One factor symbol, on its own.
  constexpr bool symbol(FactorName& name) {
    const std::size_t start = in_.offset();
    const std::string_view word = in_.word();
    if (word.empty()) return in_.fail("a factor");
    std::string_view rest = word;
    const auto found = take_factor_name(rest, is_pattern_ ? 0 : kFirstName);
    if (!found || !rest.empty()) return report_symbol(word, start);
    name = *found;
    return true;
  }

  // A pattern's factors are the names in its tensors, in the order of the alphabet.
  constexpr bool name_factors() {
    if (!is_pattern_) return true;
    for (const Mention& mention : mentions_) names_.push_back(mention.name);
    std::sort(names_.begin(), names_.end());
    names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
    factors_.resize(names_.size(), {kUnknownSize});
    return true;
  }

  // The number of the factor `name`; the number of factors if there is none.
  constexpr std::size_t find(FactorName name) const {
    const auto at = std::lower_bound(names_.begin(), names_.end(), name);
    return at == names_.end() || *at != name ? names_.size()
                                             : static_cast<std::size_t>(at - names_.begin());
  }

  constexpr bool sizes() {
    if (!in_.accept("{")) return true;
    std::size_t next = 0;  // the first factor that may come
    do {
      const std::size_t start = in_.offset();
      FactorName name = 0;
      std::int64_t size = 0;
      if (!symbol(name) || !in_.expect("=") || !in_.integer(size)) return false;
      if (!is_pattern_) {
        if (name != kFirstName + next) return report_size_order(name, next, start);
        names_.push_back(name);
        factors_.push_back({size});
      } else if (size < 0) {
        report_size(name, size, start);
      } else if (const std::size_t found = find(name); found == names_.size()) {
        mentions_.push_back({kInSet, 0, name, start});
      } else if (found < next) {
        return report_size_order(name, next, start);
      } else {
        factors_[next = found].size = size;
      }
      ++next;
    } while (in_.accept(","));
    return in_.expect("}");
  }

  constexpr bool sets() {
    for (FactorKind kind :
         {FactorKind::kReduction, FactorKind::kNeedReplication, FactorKind::kPermutation}) {
      if (!set(to_string(kind), kind)) return false;
    }
    return set(kBlocked, FactorKind::kPassThrough);
  }

  // Reads ` name={i, k}` if it is there; the set of blocked factors has the kind pass-through.
  constexpr bool set(std::string_view set_name, FactorKind kind) {
    if (!in_.accept_word(set_name)) return true;
    if (!in_.expect("=") || !in_.expect("{")) return false;
    std::int64_t previous = -1;
    do {
      const std::size_t start = in_.offset();
      FactorName name = 0;
      if (!symbol(name)) return false;
      const std::size_t factor = find(name);
      if (factor == names_.size()) {
        mentions_.push_back({kInSet, 0, name, start});
      } else if (name <= previous) {
        report_set_order(set_name, name, name == previous, start);
      } else if (kind == FactorKind::kPassThrough) {
        factors_[factor].blocked = true;
      } else if (factors_[factor].kind != FactorKind::kPassThrough) {
        report_two_sets(set_name, name, start);
      } else {
        factors_[factor].kind = kind;
      }
      previous = std::max<std::int64_t>(previous, name);
    } while (in_.accept(","));
    return in_.expect("}");
  }

  constexpr bool custom() {
    if (!in_.accept(",")) return true;
    custom_ = in_.accept_word("custom");
    return custom_ || in_.fail("'custom'");
  }

  constexpr void check_mentions() {
    for (const Mention& mention : mentions_) {
      const std::size_t factor = find(mention.name);
      if (factor == names_.size()) {
        report_unknown(mention);
      } else if (is_pattern_ && mention.tensor != kInSet && mention.tensor >= operand_count_ &&
                 factors_[factor].kind == FactorKind::kReduction) {
        report_reduced_result(mention);
      }
    }
  }

  // Whether the current tensor does not have the factor `name` yet.
  constexpr void check_unused(FactorName name, std::size_t offset) {
    for (const Mention& mention : mentions_) {
      if (mention.tensor + 1 == tensors_.size() && mention.name == name)
        return report_reused(name, offset);
    }
  }

  // The errors of meaning. None is `constexpr`: a compiler that reads a rule names the function
  // that it came to.

  bool report_empty(std::size_t offset) {
    in_.report({"rule.empty_dimension", "a dimension has no factor",
                "give each dimension a factor; one that only it has leaves it alone"},
               offset);
    return true;
  }
  bool report_symbol(std::string_view symbol, std::size_t offset) {
    in_.report({"rule.factor_symbol", fmt::format("'{}' is not a factor", symbol),
                fmt::format("factors are called {} to z, then z_1, z_2, ... without leading zeros",
                            is_pattern_ ? 'a' : 'i')},
               offset);
    return false;
  }
  bool report_size_order(FactorName name, std::size_t next, std::size_t offset) {
    in_.report(is_pattern_
                   ? Diagnostic{"rule.factor_order",
                                fmt::format("the size of factor {} comes after that of a later one",
                                            name_text(name)),
                                "give the sizes in the order of the alphabet"}
                   : Diagnostic{"rule.factor_order",
                                fmt::format("expected the size of factor {}, found that of {}",
                                            factor_symbol(static_cast<std::uint32_t>(next)),
                                            name_text(name)),
                                "give the sizes of i, j, k, ... in this order, none left out"},
               offset);
    return false;
  }
  void report_size(FactorName name, std::int64_t size, std::size_t offset) {
    in_.report({"rule.factor_size", fmt::format("factor {} has size {}", name_text(name), size),
                "sizes of factors are those of dimensions, at least 0"},
               offset);
  }
  void report_set_order(std::string_view set, FactorName name, bool twice, std::size_t offset) {
    const std::string symbol = name_text(name);
    in_.report(
        twice ? Diagnostic{"rule.duplicate_factor",
                           fmt::format("factor {} is in {} twice", symbol, set), "leave one out"}
              : Diagnostic{"rule.unsorted_factors",
                           fmt::format("factor {} in {} comes after a later one", symbol, set),
                           "sort the factors of a set"},
        offset);
  }
  void report_two_sets(std::string_view set, FactorName name, std::size_t offset) {
    in_.report({"rule.factor_in_two_sets",
                fmt::format("factor {} is in {} and in a set before it", name_text(name), set),
                "a factor is of one kind: reduction, need_replication, permutation, or none"},
               offset);
  }
  void report_unknown(const Mention& mention) {
    const std::string name = name_text(mention.name);
    in_.report(is_pattern_
                   ? Diagnostic{"rule.unknown_factor", fmt::format("no tensor has factor {}", name),
                                "map a dimension to the factor, or leave it out"}
                   : Diagnostic{"rule.unknown_factor", fmt::format("factor {} has no size", name),
                                "give each factor a size, as in {i=8, j=16}"},
               mention.offset);
  }
  void report_reused(FactorName name, std::size_t offset) {
    in_.report(
        {"rule.reused_factor", fmt::format("one tensor has factor {} twice", name_text(name)),
         "two dimensions of one tensor cannot be sharded alike; use another factor"},
        offset);
  }
  void report_reduced_result(const Mention& mention) {
    in_.report({"rule.reduction_in_result",
                fmt::format("the reduction factor {} is in a result", name_text(mention.name)),
                "a reduction factor is in operands only"},
               mention.offset);
  }

  bool is_pattern_;
  TextScanner in_;
  std::vector<Tensor> tensors_;
  std::size_t operand_count_ = 0;
  std::vector<Mention> mentions_;
  std::vector<FactorName> names_;  // of the factors, sorted
  std::vector<Factor> factors_;
  bool custom_ = false;
};

}  // namespace detail

}  // namespace shardprop
