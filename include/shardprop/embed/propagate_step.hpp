// One propagation step on plain data, without a module: what the shardings of an operation's
// operands and results become by its rule. For frameworks that visit operations by themselves.
//
// Worked example, rule `([i, k], [k, j])->([i, j]) {i=8, j=8, k=8} reduction={k}` on data=4,
// model=2: of [{data}, {}], [{}, {model, ?}] and no sharding the last becomes
// [{data, ?}, {model, ?}].
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/propagate/step/step.hpp"
#include "shardprop/sharding/mesh.hpp"
#include "shardprop/sharding/named_sharding.hpp"
#include "shardprop/sharding/op_sharding_rule.hpp"
#include "shardprop/sharding/verify_mesh.hpp"
#include "shardprop/sharding/verify_rule.hpp"
#include "shardprop/sharding/verify_sharding.hpp"
#include "shardprop/support/diagnostic.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

// Operands first, then results; none for a tensor without a sharding.
using TensorShardings = std::vector<std::optional<NamedSharding>>;

// The step that a propagation makes at last, along all factors in both directions.
inline constexpr StepKind kWholeStep = {.directions = both_ways(Direction::kBoth),
                                        .strategy = Strategy::kAggressive};

namespace detail {

// Of these the ranks count.
inline std::vector<std::int64_t> unknown_sizes(const TensorMapping& mapping) {
  return std::vector<std::int64_t>(mapping.size(), -1);
}

inline void verify_step_rule(const OpShardingRule& rule, Diagnostics& errors) {
  std::vector<std::vector<std::int64_t>> sizes;
  for (std::size_t t = 0; t < rule.tensor_count(); ++t)
    sizes.emplace_back(rule.tensor(t).size(), 1);
  std::vector<ShardedShape> shapes;
  for (const auto& shape : sizes) shapes.push_back({.shape = shape});
  const std::span<const ShardedShape> all = shapes;
  const std::size_t operands = rule.operands.size();
  verify_rule(rule, {all.first(operands), all.subspan(operands)}, {}, errors);
}

// The shardings as they stand on the only mesh of `meshes`, whose name may be left out.
inline std::vector<std::optional<TensorSharding>> step_shardings(
    const OpShardingRule& rule, std::span<const std::optional<NamedSharding>> shardings,
    MeshTable& meshes, Diagnostics& errors) {
  const MeshId mesh(0);
  std::vector<std::optional<TensorSharding>> out(shardings.size());
  for (std::size_t t = 0; t < shardings.size(); ++t) {
    if (!shardings[t]) continue;
    Place place;
    place.value = t < rule.operands.size() ? fmt::format("operand {}", t)
                                           : fmt::format("result {}", t - rule.operands.size());
    NamedSharding names = *shardings[t];
    if (names.mesh.empty()) names.mesh = meshes[mesh].name;
    Result<TensorSharding> found = sharding_from_names(names, meshes);
    if (!found) {
      for (Diagnostic& error : found.errors()) {
        error.place = place;
        errors.push_back(std::move(error));
      }
      continue;
    }
    const std::vector<std::int64_t> sizes = unknown_sizes(rule.tensor(t));
    verify_sharding(*found, meshes, {.shape = sizes}, place, errors);
    out[t] = *std::move(found);
  }
  return out;
}

}  // namespace detail

// The shardings after one step; equal to `shardings` where nothing changed. Errors: those of
// `verify_rule`, `verify_mesh`, `sharding_from_names` and `verify_sharding`, and `rule.tensor_count`
// where there is not one sharding, which may be none, per operand and result. O(size of the rule).
inline Result<TensorShardings> propagate_step(
    const OpShardingRule& rule, Mesh mesh, std::span<const std::optional<NamedSharding>> shardings,
    const StepKind& kind = kWholeStep) {
  Diagnostics errors;
  verify_mesh(mesh, {}, errors);
  detail::verify_step_rule(rule, errors);
  if (shardings.size() != rule.tensor_count()) {
    errors.push_back({"rule.tensor_count",
                      fmt::format("{} shardings for a rule of {} operands and {} results",
                                  shardings.size(), rule.operands.size(), rule.results.size()),
                      "give one sharding per operand and result, which may be none"});
  }
  if (has_errors(errors)) return errors;
  if (mesh.name.empty()) mesh.name = "mesh";
  MeshTable meshes;
  const MeshId id = meshes.add(std::move(mesh));
  const auto given = detail::step_shardings(rule, shardings, meshes, errors);
  if (has_errors(errors)) return errors;

  TensorShardings out(shardings.begin(), shardings.end());
  Stepper stepper;
  stepper.run(rule, meshes[id], kind,
              [&](std::size_t t) { return given[t] ? &*given[t] : nullptr; });
  for (std::size_t t = 0; t < given.size(); ++t) {
    if (!stepper.is_changed(t)) continue;
    TensorSharding changed;
    unproject_tensor(rule, t, stepper.projection(), id, meshes[id], changed);
    if (given[t] || !has_no_axes(changed)) out[t] = named(changed, meshes);
  }
  return out;
}

}  // namespace shardprop
