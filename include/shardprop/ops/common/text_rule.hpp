// Rules that are stated as text, for operations whose dimensions always play the same parts:
//   .rule = rule<"([..., i, k], [..., k, j]) -> ([..., i, j]) reduction={k}">
// sharding/rule_text.hpp has the notation. Sizes of factors follow from the operands and results.
// The compiler reads the text: one that is malformed does not compile.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/sharding/rule_text.hpp"

namespace shardprop {

// A string literal as a template argument.
template <std::size_t Size>
struct FixedText {
  constexpr FixedText(const char (&literal)[Size]) { std::copy_n(literal, Size, chars); }
  constexpr std::string_view view() const { return {chars, Size - 1}; }

  char chars[Size] = {};
};

template <std::size_t A, std::size_t B>
constexpr FixedText<A + B - 1> operator+(const FixedText<A>& a, const FixedText<B>& b) {
  char both[A + B - 1] = {};
  std::copy_n(b.chars, B, std::copy_n(a.chars, A - 1, both));
  return both;
}

namespace detail {

// The shape of tensor `i`, operands first.
inline std::span<const std::int64_t> tensor_shape(const Module& m, OpId op, std::size_t i) {
  const std::size_t operands = m.ops[op].operand_count;
  return shape_of(m, i < operands ? operand(m, op, i) : result(m, op, i - operands));
}

// The number of leading dimensions that `...` stands for; none if a rank does not fit or a size is
// not known.
inline std::optional<std::size_t> leading_rank(const RulePattern& pattern, const RuleInput& in) {
  const Operation& op = in.m.ops[in.op];
  if (pattern.rule.operands.size() != op.operand_count ||
      pattern.rule.results.size() != op.result_count)
    return std::nullopt;
  std::optional<std::size_t> batch;
  for (std::size_t t = 0; t < pattern.rule.tensor_count(); ++t) {
    const auto shape = tensor_shape(in.m, in.op, t);
    if (std::any_of(shape.begin(), shape.end(), [](std::int64_t size) { return size < 0; }))
      return std::nullopt;
    const std::size_t stated = pattern.rule.tensor(t).size();
    if (shape.size() < stated) return std::nullopt;
    const std::size_t more = shape.size() - stated;
    if (!pattern.batched[t] ? more != 0 : batch.value_or(more) != more) return std::nullopt;
    if (pattern.batched[t]) batch = more;
  }
  return batch.value_or(0);
}

// Gives `batch` leading dimensions of the tensors that have `...` the first factors.
inline OpShardingRule with_batch(RulePattern pattern, std::size_t batch) {
  OpShardingRule& rule = pattern.rule;
  rule.factors.insert(rule.factors.begin(), batch, {kUnknownSize});
  for (std::size_t t = 0; t < rule.tensor_count(); ++t) {
    TensorMapping& tensor =
        t < rule.operands.size() ? rule.operands[t] : rule.results[t - rule.operands.size()];
    for (DimMapping& dim : tensor) {
      for (std::uint32_t& factor : dim) factor += static_cast<std::uint32_t>(batch);
    }
    if (!pattern.batched[t]) continue;
    tensor.insert(tensor.begin(), batch, {});
    for (std::uint32_t d = 0; d < batch; ++d) tensor[d].push_back(d);
  }
  return std::move(rule);
}

// Gives the one factor of `dim` whose size is not known, if there is one, what the others leave of
// the dimension's size. Whether it did.
inline bool infer_factor_size(const DimMapping& dim, std::int64_t rest, OpShardingRule& rule) {
  Factor* unknown = nullptr;
  for (std::uint32_t number : dim) {
    Factor& factor = rule.factors[number];
    if (factor.size == 0 || (factor.size < 0 && unknown)) return false;
    if (factor.size < 0) {
      unknown = &factor;
    } else {
      rest /= factor.size;
    }
  }
  if (unknown) unknown->size = rest;
  return unknown != nullptr;
}

// Whether the factors of `dim` make up a dimension of this size. One whose sharding costs an
// exchange or is not carried on may stand for dimensions of different sizes, as in a pad.
inline bool has_size(const DimMapping& dim, std::int64_t size, const OpShardingRule& rule) {
  std::int64_t product = 1;
  for (std::uint32_t number : dim) {
    const Factor& factor = rule.factors[number];
    if (factor.blocked || factor.kind == FactorKind::kNeedReplication ||
        factor.kind == FactorKind::kPermutation)
      return true;
    product *= factor.size;
  }
  return product == size;
}

}  // namespace detail

// The rule of an operation that `pattern` fits; none if a rank differs, the size of a dimension or
// of a factor is not known, or dimensions of one pass-through or reduction factor differ in size.
inline std::optional<OpShardingRule> rule_from_pattern(const RulePattern& pattern,
                                                       const RuleInput& in) {
  const std::optional<std::size_t> batch = detail::leading_rank(pattern, in);
  if (!batch) return std::nullopt;
  OpShardingRule rule = detail::with_batch(pattern, *batch);
  for (bool progress = true; progress;) {
    progress = false;
    for (std::size_t t = 0; t < rule.tensor_count(); ++t) {
      const auto shape = detail::tensor_shape(in.m, in.op, t);
      for (std::size_t d = 0; d < shape.size(); ++d)
        progress |= detail::infer_factor_size(rule.tensor(t)[d], shape[d], rule);
    }
  }
  for (const Factor& factor : rule.factors) {
    if (factor.size < 0) return std::nullopt;
  }
  for (std::size_t t = 0; t < rule.tensor_count(); ++t) {
    const auto shape = detail::tensor_shape(in.m, in.op, t);
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (!detail::has_size(rule.tensor(t)[d], shape[d], rule)) return std::nullopt;
    }
  }
  return rule;
}

// A rule as the first of `Texts` that fits the ranks of an operation. A `RuleFn`.
template <FixedText... Texts>
std::optional<OpShardingRule> rule(const RuleInput& in) {
  static_assert((is_rule_pattern(Texts.view()) && ...));
  std::optional<OpShardingRule> made;
  ((made = rule_from_pattern(*parse_rule_pattern(Texts.view()), in)) || ...);
  return made;
}

}  // namespace shardprop
