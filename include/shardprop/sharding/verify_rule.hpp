// Well-formedness of a sharding rule for an operation with operands and results of given shapes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/sharding/op_sharding_rule.hpp"
#include "shardprop/sharding/rule_text.hpp"
#include "shardprop/sharding/verify_sharding.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop {

// The operands and results of the operation that a rule is for; of each, only `is_tensor` and
// `shape` are used.
struct RuleShapes {
  std::span<const ShardedShape> operands;
  std::span<const ShardedShape> results;
};

namespace detail {

// Operands or results: what a rule says of them, and what they are.
struct RuleSide {
  std::string_view name;  // operand or result
  std::string_view count_code;
  std::span<const TensorMapping> mappings;
  std::span<const ShardedShape> shapes;
};

class RuleVerifier {
 public:
  RuleVerifier(const OpShardingRule& rule, const Place& place, Diagnostics& out)
      : rule_(rule), place_(place), out_(out), in_tensor_(rule.factors.size()) {}

  void verify(const RuleShapes& shapes) {
    verify_side({"operand", "rule.operand_count", rule_.operands, shapes.operands});
    std::vector<std::uint8_t> in_operands(rule_.factors.size(), 0);
    in_operands.swap(used_);
    verify_side({"result", "rule.result_count", rule_.results, shapes.results});
    for (std::uint32_t f = 0; f < rule_.factors.size(); ++f)
      verify_factor(f, in_operands[f], used_[f]);
  }

 private:
  void report(std::string_view code, std::string message, std::string hint) {
    out_.push_back({std::string(code), std::move(message), std::move(hint), place_});
  }

  void verify_side(const RuleSide& side) {
    used_.assign(rule_.factors.size(), 0);
    if (side.mappings.size() != side.shapes.size()) {
      report(side.count_code,
             fmt::format("the rule is for {} {}s, the operation has {}", side.mappings.size(),
                         side.name, side.shapes.size()),
             fmt::format("map each {} of the operation", side.name));
    } else if (side.mappings.empty()) {
      report("rule.no_tensors", fmt::format("the operation has no {}", side.name),
             "only an operation with operands and results can have a rule");
    }
    for (std::size_t i = 0; i < side.mappings.size(); ++i) {
      const std::string where = fmt::format("{} {}", side.name, i);
      if (side.mappings.size() == side.shapes.size()) {
        verify_shape(side.mappings[i], side.shapes[i], where);
      }
      verify_mapping(side.mappings[i], where);
    }
  }

  void verify_shape(const TensorMapping& mapping, const ShardedShape& value,
                    const std::string& where) {
    bool is_static = value.is_tensor;
    for (std::int64_t size : value.shape) is_static = is_static && size >= 0;
    if (!is_static) {
      report("rule.not_a_static_tensor", fmt::format("{} is not a tensor of known sizes", where),
             "only operations on static tensors can have a rule");
    } else if (mapping.size() != value.shape.size()) {
      report("rule.rank_mismatch",
             fmt::format("the rule maps {} dimensions of {}, which has {}", mapping.size(), where,
                         value.shape.size()),
             "map each dimension of the tensor; a scalar is []");
    }
  }

  void verify_mapping(const TensorMapping& mapping, const std::string& where) {
    in_tensor_.assign(rule_.factors.size(), 0);
    for (std::size_t d = 0; d < mapping.size(); ++d) {
      if (mapping[d].empty()) {
        report("rule.empty_dimension", fmt::format("dimension {} of {} has no factor", d, where),
               "give each dimension a factor; one that only it has leaves it alone");
      }
      for (std::uint32_t factor : mapping[d]) verify_use(factor, mapping[d].size(), where);
    }
  }

  // One factor of a dimension that has `count` of them.
  void verify_use(std::uint32_t factor, std::size_t count, const std::string& where) {
    if (factor >= rule_.factors.size()) {
      report("rule.unknown_factor",
             fmt::format("{} uses factor {}, the rule has {}", where, factor_symbol(factor),
                         rule_.factors.size()),
             "give each factor a size, as in {i=8, j=16}");
      return;
    }
    if (in_tensor_[factor]) {
      report("rule.reused_factor",
             fmt::format("{} uses factor {} twice", where, factor_symbol(factor)),
             "two dimensions of one tensor cannot be sharded alike; use another factor");
    }
    if (count > 1 && rule_.factors[factor].size == 1) {
      report(
          "rule.unit_factor",
          fmt::format("factor {} of size 1 shares a dimension of {}", factor_symbol(factor), where),
          "leave out factors of size 1 where a dimension has others");
    }
    in_tensor_[factor] = 1;
    used_[factor] = 1;
  }

  void verify_factor(std::uint32_t f, bool in_operands, bool in_results) {
    const Factor& factor = rule_.factors[f];
    if (factor.size < 0) {
      report("rule.factor_size",
             fmt::format("factor {} has size {}", factor_symbol(f), factor.size),
             "sizes of factors are those of dimensions, at least 0");
    }
    if (!in_operands && !in_results) {
      report("rule.unused_factor",
             fmt::format("no dimension has factor {}={}", factor_symbol(f), factor.size),
             "leave the factor out and rename the ones after it");
    }
    if (factor.kind == FactorKind::kReduction && in_results) {
      report("rule.reduction_in_result",
             fmt::format("the reduction factor {} is in a result", factor_symbol(f)),
             "a reduction factor is in operands only");
    }
  }

  const OpShardingRule& rule_;
  const Place& place_;
  Diagnostics& out_;
  std::vector<std::uint8_t> in_tensor_;  // a factor: used by the tensor at hand
  std::vector<std::uint8_t> used_;       // a factor: used by the side at hand
};

}  // namespace detail

// Appends to `out` what is wrong with `rule` for an operation of these shapes, at `place`; true if
// nothing is. Sizes of factors need not multiply to those of dimensions (they do not for a
// concatenation).
inline bool verify_rule(const OpShardingRule& rule, const RuleShapes& shapes, const Place& place,
                        Diagnostics& out) {
  const std::size_t before = out.size();
  detail::RuleVerifier(rule, place, out).verify(shapes);
  return out.size() == before;
}

}  // namespace shardprop
