// The text form of a sharding rule, that of `#sdy.op_sharding_rule`:
//   ([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k} need_replication={i}
//   permutation={j} blocked_propagation={j}, custom
// on one line. Factors are called i to z, then z_1, z_2, ...; a dimension of several factors is
// their names in a row (`ij`, `zz_1`). The sets are given in this order, each sorted, and left out
// when empty.
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
#include "shardprop/support/result.hpp"

namespace shardprop {

// Whether a rule's text must give the size of each factor; a size that is left out is 0.
enum class FactorSizes : std::uint8_t { kRequired, kOptional };

// The name of factor number `factor`: i, j, ..., z, z_1, z_2, ...
inline std::string factor_symbol(std::uint32_t factor) {
  constexpr std::uint32_t kLetters = 'z' - 'i';
  if (factor <= kLetters) return std::string(1, static_cast<char>('i' + factor));
  return fmt::format("z_{}", factor - kLetters);
}

// The keyword of the set of factors of `kind`; pass-through factors stand in no set.
constexpr std::string_view to_string(FactorKind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"pass_through", "reduction",
                                                      "need_replication", "permutation"};
  return kNames[static_cast<std::size_t>(kind)];
}

namespace detail {

inline constexpr std::string_view kBlocked = "blocked_propagation";

inline std::string mappings_text(const std::vector<TensorMapping>& tensors) {
  std::string out;
  for (const TensorMapping& tensor : tensors) {
    if (&tensor != &tensors.front()) out += ", ";
    out += '[';
    for (const DimMapping& dim : tensor) {
      if (&dim != &tensor.front()) out += ", ";
      for (std::uint32_t factor : dim) out += factor_symbol(factor);
    }
    out += ']';
  }
  return out;
}

// ` name={i, k}` for the factors that `belongs` picks; nothing if there are none.
template <class Belongs>
std::string factor_set_text(const OpShardingRule& rule, std::string_view name, Belongs&& belongs) {
  std::string symbols;
  for (std::uint32_t f = 0; f < rule.factors.size(); ++f) {
    if (belongs(rule.factors[f])) symbols += (symbols.empty() ? "" : ", ") + factor_symbol(f);
  }
  return symbols.empty() ? symbols : fmt::format(" {}={{{}}}", name, symbols);
}

}  // namespace detail

inline std::string to_string(const OpShardingRule& rule) {
  std::string out = fmt::format("({})->({})", detail::mappings_text(rule.operands),
                                detail::mappings_text(rule.results));
  for (std::uint32_t f = 0; f < rule.factors.size(); ++f) {
    out += fmt::format("{}{}={}", f == 0 ? " {" : ", ", factor_symbol(f), rule.factors[f].size);
  }
  if (!rule.factors.empty()) out += '}';
  for (FactorKind kind :
       {FactorKind::kReduction, FactorKind::kNeedReplication, FactorKind::kPermutation}) {
    out += detail::factor_set_text(rule, to_string(kind),
                                   [kind](const Factor& f) { return f.kind == kind; });
  }
  out += detail::factor_set_text(rule, detail::kBlocked, [](const Factor& f) { return f.blocked; });
  if (rule.custom) out += ", custom";
  return out;
}

namespace detail {

// Takes the first factor symbol off `word`; none if `word` does not begin with one.
inline std::optional<std::uint32_t> take_factor_symbol(std::string_view& word) {
  constexpr std::uint32_t kLetters = 'z' - 'i';
  if (word.empty() || word[0] < 'i' || word[0] > 'z') return std::nullopt;
  if (!word.starts_with("z_")) {
    const std::uint32_t factor = static_cast<std::uint32_t>(word[0] - 'i');
    word.remove_prefix(1);
    return factor;
  }
  std::size_t end = 2;
  while (end < word.size() && is_digit(word[end])) ++end;
  // Six digits are far more factors than a rule can have, and cannot overflow.
  std::int64_t number = 0;
  if (end > 8 || !parse_integer(word.substr(2, end - 2), number) || word[2] == '0')
    return std::nullopt;
  word.remove_prefix(end);
  return kLetters + static_cast<std::uint32_t>(number);
}

class RuleParser {
 public:
  RuleParser(std::string_view text, FactorSizes sizes)
      : factor_sizes_(sizes),
        in_(text, "rule.syntax",
            "write a rule as ([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}; the sets "
            "that "
            "follow are need_replication, permutation, blocked_propagation, then ', custom'") {}

  Result<OpShardingRule> run() {
    const bool wrapped = in_.accept("#sdy.op_sharding_rule") || in_.next_is("<");
    const bool read = (!wrapped || in_.expect("<")) && tensors(rule_.operands) &&
                      in_.expect("->") && tensors(rule_.results) && sizes() && add_unsized() &&
                      sets() && custom() && (!wrapped || in_.expect(">")) && in_.expect_end();
    if (read) check_mentions();
    if (!in_.errors().empty()) return std::move(in_.errors());
    return std::move(rule_);
  }

 private:
  struct Mention {
    std::uint32_t factor;
    std::size_t offset;
  };

  bool tensors(std::vector<TensorMapping>& out) {
    if (!in_.expect("(")) return false;
    if (in_.accept(")")) return true;
    do {
      if (!tensor(out.emplace_back())) return false;
    } while (in_.accept(","));
    return in_.expect(")");
  }

  bool tensor(TensorMapping& out) {
    if (!in_.expect("[")) return false;
    if (in_.accept("]")) return true;
    do {
      if (!dim(out.emplace_back())) return false;
    } while (in_.accept(","));
    return in_.expect("]");
  }

  bool dim(DimMapping& out) {
    const std::size_t start = in_.offset();
    const std::string_view word = in_.word();
    if (word.empty() && (in_.next_is(",") || in_.next_is("]"))) {
      in_.report({"rule.empty_dimension", "a dimension has no factor",
                  "give each dimension a factor; one that only it has leaves it alone"},
                 start);
      return true;
    }
    if (word.empty()) return in_.fail("the factors of a dimension");
    std::string_view rest = word;
    while (!rest.empty()) {
      const std::size_t at = start + (word.size() - rest.size());
      const auto factor = take_factor_symbol(rest);
      if (!factor) return bad_symbol(rest, at);
      out.push_back(*factor);
      mentions_.push_back({*factor, at});
    }
    return true;
  }

  // One factor symbol, on its own.
  bool symbol(std::uint32_t& factor) {
    const std::size_t start = in_.offset();
    const std::string_view word = in_.word();
    if (word.empty()) return in_.fail("a factor");
    std::string_view rest = word;
    const auto found = take_factor_symbol(rest);
    if (!found || !rest.empty()) return bad_symbol(word, start);
    factor = *found;
    return true;
  }

  bool bad_symbol(std::string_view symbol, std::size_t offset) {
    in_.report({"rule.factor_symbol", fmt::format("'{}' is no factor", symbol),
                "factors are called i to z, then z_1, z_2, ... without leading zeros"},
               offset);
    return false;
  }

  bool sizes() {
    if (!in_.accept("{")) return true;
    do {
      const std::size_t start = in_.offset();
      std::uint32_t factor = 0;
      Factor next;
      if (!symbol(factor) || !in_.expect("=") || !in_.integer(next.size)) return false;
      const std::uint32_t expected = static_cast<std::uint32_t>(rule_.factors.size());
      if (factor != expected) {
        in_.report({"rule.factor_order",
                    fmt::format("the size of factor {} is due, found that of {}",
                                factor_symbol(expected), factor_symbol(factor)),
                    "give the sizes of i, j, k, ... in this order, none left out"},
                   start);
        return false;
      }
      rule_.factors.push_back(next);
    } while (in_.accept(","));
    return in_.expect("}");
  }

  // Gives the mentioned factors that have no size the size 0, where sizes may be left out.
  bool add_unsized() {
    if (factor_sizes_ == FactorSizes::kRequired) return true;
    for (const Mention& mention : mentions_) {
      while (rule_.factors.size() <= mention.factor) rule_.factors.push_back({0});
    }
    return true;
  }

  bool sets() {
    for (FactorKind kind :
         {FactorKind::kReduction, FactorKind::kNeedReplication, FactorKind::kPermutation}) {
      const auto add = [&](Factor& factor) {
        if (factor.kind != FactorKind::kPassThrough) return false;
        factor.kind = kind;
        return true;
      };
      if (!set(to_string(kind), add)) return false;
    }
    return set(kBlocked, [](Factor& factor) { return factor.blocked = true; });
  }

  // Reads ` name={i, k}` if it is there. `add` is false for a factor of another set.
  template <class Add>
  bool set(std::string_view name, Add&& add) {
    if (!in_.accept_word(name)) return true;
    if (!in_.expect("=") || !in_.expect("{")) return false;
    std::int64_t previous = -1;
    do {
      const std::size_t start = in_.offset();
      std::uint32_t factor = 0;
      if (!symbol(factor)) return false;
      if (factor >= rule_.factors.size()) {
        mentions_.push_back({factor, start});
      } else if (factor <= previous) {
        report_order(name, factor, factor == previous, start);
      } else if (!add(rule_.factors[factor])) {
        in_.report(
            {"rule.factor_in_two_sets",
             fmt::format("factor {} is in {} and in a set before it", factor_symbol(factor), name),
             "a factor is of one kind: reduction, need_replication, permutation, or none"},
            start);
      }
      previous = std::max<std::int64_t>(previous, factor);
    } while (in_.accept(","));
    return in_.expect("}");
  }

  void report_order(std::string_view name, std::uint32_t factor, bool twice, std::size_t offset) {
    const std::string symbol = factor_symbol(factor);
    in_.report(
        twice ? Diagnostic{"rule.duplicate_factor",
                           fmt::format("factor {} is in {} twice", symbol, name), "leave one out"}
              : Diagnostic{"rule.unsorted_factors",
                           fmt::format("factor {} in {} stands after a later one", symbol, name),
                           "give the factors of a set in the order of their sizes"},
        offset);
  }

  bool custom() {
    if (!in_.accept(",")) return true;
    rule_.custom = in_.accept_word("custom");
    return rule_.custom || in_.fail("'custom'");
  }

  void check_mentions() {
    for (const Mention& mention : mentions_) {
      if (mention.factor < rule_.factors.size()) continue;
      in_.report({"rule.unknown_factor",
                  fmt::format("factor {} has no size", factor_symbol(mention.factor)),
                  "give each factor a size, as in {i=8, j=16}"},
                 mention.offset);
    }
  }

  FactorSizes factor_sizes_;
  TextScanner in_;
  OpShardingRule rule_;
  std::vector<Mention> mentions_;
};

}  // namespace detail

// Reads the text form, also within `#sdy.op_sharding_rule<...>`. Errors, with line and column:
// `rule.syntax`, `factor_symbol`, `factor_order`, `empty_dimension`, `unknown_factor`,
// `unsorted_factors`, `duplicate_factor`, `factor_in_two_sets`. Whether the rule fits an operation
// is for `verify_rule`.
inline Result<OpShardingRule> parse_rule(std::string_view text,
                                         FactorSizes sizes = FactorSizes::kRequired) {
  return detail::RuleParser(text, sizes).run();
}

}  // namespace shardprop
