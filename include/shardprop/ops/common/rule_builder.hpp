// Builds a sharding rule factor by factor. Dimensions that end without a factor get one of their
// own of size 1: nothing can be sharded along them, whatever their real size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/sharding/op_sharding_rule.hpp"

namespace shardprop {

constexpr std::int64_t kNoDim = -1;  // the tensor has no dimension for the factor

struct FactorOptions {
  FactorKind kind = FactorKind::kPassThrough;
  bool blocked = false;
};

class RuleBuilder {
 public:
  RuleBuilder(const Module& m, OpId op) {
    for (UseId use : operand_uses(m, op))
      rule_.operands.emplace_back(rank_of(m, m.uses[use].value));
    for (ValueId value : results(m, op)) rule_.results.emplace_back(rank_of(m, value));
  }

  // Adds a factor that maps dimension `operand_dims[i]` of operand i and `result_dims[i]` of result
  // i; `kNoDim` leaves a tensor out. A factor of size 1 is left out of dimensions that have one
  // already.
  RuleBuilder& add(std::span<const std::int64_t> operand_dims,
                   std::span<const std::int64_t> result_dims, std::int64_t size,
                   FactorOptions options = {}) {
    const std::uint32_t factor = new_factor(size, options);
    map(rule_.operands, operand_dims, factor, size);
    map(rule_.results, result_dims, factor, size);
    return *this;
  }
  RuleBuilder& add(std::initializer_list<std::int64_t> operand_dims,
                   std::initializer_list<std::int64_t> result_dims, std::int64_t size,
                   FactorOptions options = {}) {
    return add(std::span(operand_dims.begin(), operand_dims.size()),
               std::span(result_dims.begin(), result_dims.size()), size, options);
  }

  // Adds a factor for dimension `dim` of every operand and result that is not a scalar.
  RuleBuilder& add_everywhere(std::size_t dim, std::int64_t size, FactorOptions options = {}) {
    const std::uint32_t factor = new_factor(size, options);
    map_all(rule_.operands, dim, factor);
    map_all(rule_.results, dim, factor);
    return *this;
  }
  RuleBuilder& add_to_operands(std::size_t dim, std::int64_t size, FactorOptions options = {}) {
    map_all(rule_.operands, dim, new_factor(size, options));
    return *this;
  }
  RuleBuilder& add_to_results(std::size_t dim, std::int64_t size, FactorOptions options = {}) {
    map_all(rule_.results, dim, new_factor(size, options));
    return *this;
  }

  // One factor per dimension of `shape`, everywhere.
  RuleBuilder& add_pointwise(std::span<const std::int64_t> shape) {
    for (std::size_t dim = 0; dim < shape.size(); ++dim) add_everywhere(dim, shape[dim]);
    return *this;
  }

  OpShardingRule build() && {
    for (auto* tensors : {&rule_.operands, &rule_.results}) {
      for (TensorMapping& tensor : *tensors) {
        for (DimMapping& dim : tensor) {
          if (dim.empty()) dim.push_back(new_factor(1, {}));
        }
      }
    }
    return std::move(rule_);
  }

 private:
  std::uint32_t new_factor(std::int64_t size, FactorOptions options) {
    rule_.factors.push_back({size, options.kind, options.blocked});
    return static_cast<std::uint32_t>(rule_.factors.size() - 1);
  }
  static void map(std::vector<TensorMapping>& tensors, std::span<const std::int64_t> dims,
                  std::uint32_t factor, std::int64_t size) {
    for (std::size_t i = 0; i < dims.size(); ++i) {
      if (dims[i] == kNoDim) continue;
      DimMapping& mapping = tensors[i][static_cast<std::size_t>(dims[i])];
      if (size != 1 || mapping.empty()) mapping.push_back(factor);
    }
  }
  static void map_all(std::vector<TensorMapping>& tensors, std::size_t dim, std::uint32_t factor) {
    for (TensorMapping& tensor : tensors) {
      if (!tensor.empty()) tensor[dim].push_back(factor);
    }
  }

  OpShardingRule rule_;
};

// `count` operands and `results` results of one shape, dimension by dimension alike.
inline OpShardingRule identity_rule(std::span<const std::int64_t> shape, std::size_t operands,
                                    std::size_t results) {
  OpShardingRule rule;
  TensorMapping mapping;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    rule.factors.push_back({shape[dim], FactorKind::kPassThrough, false});
    mapping.push_back(DimMapping{static_cast<std::uint32_t>(dim)});
  }
  rule.operands.assign(operands, mapping);
  rule.results.assign(results, mapping);
  return rule;
}

}  // namespace shardprop
