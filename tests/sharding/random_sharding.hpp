// Random valid meshes, shardings and rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "shardprop/sharding/op_sharding_rule.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"
#include "tests/sharding/axis_model.hpp"

namespace shardprop::test {

// A mesh of up to four axes, some with names that must be quoted with care, some with device ids.
inline Mesh random_mesh(Random& random) {
  const std::vector<std::string> names = {"x", "data axis", "a\"b\\c", "q:(1)2", "tab\t\xC3\xBC"};
  const std::vector<std::int64_t> sizes = {1, 2, 3, 4, 6, 8, 12};
  Mesh mesh;
  std::int64_t devices = 1;
  for (std::size_t i = 0, axes = 1 + pick(random, 4); i < axes; ++i) {
    mesh.axes.push_back({names[i], sizes[pick(random, sizes.size())]});
    devices *= mesh.axes.back().size;
  }
  if (devices > 1 && pick(random, 3) == 0) {
    for (std::int64_t d = devices; d > 0; --d) mesh.device_ids.push_back(d - 1);
  }
  return mesh;
}

// Cuts a random list of axes into dimensions, replicated and unreduced axes.
inline TensorSharding random_sharding(Random& random, MeshId id, const Mesh& mesh) {
  TensorSharding s;
  s.mesh = id;
  s.dims.resize(pick(random, 4));
  for (AxisRef axis : random_list(random, mesh, 6)) {
    const std::size_t place = pick(random, s.dims.size() + 2);
    if (place < s.dims.size()) {
      append_or_merge(s.dims[place].axes, axis, mesh);
    } else if (place == s.dims.size()) {
      s.replicated.push_back(axis);
    } else {
      s.unreduced.push_back(axis);
    }
  }
  for (DimSharding& dim : s.dims) {
    dim.open = pick(random, 2) == 0;
    if ((dim.open || !dim.axes.empty()) && pick(random, 3) == 0) {
      dim.priority = static_cast<std::int32_t>(pick(random, 30));
    }
  }
  sort_and_merge(s.replicated, mesh);
  sort_and_merge(s.unreduced, mesh);
  if (!s.unreduced.empty()) s.reduction = static_cast<ReductionOp>(pick(random, 3));
  return s;
}

// A rule whose tensors pick their factors at random.
inline OpShardingRule random_rule(Random& random) {
  OpShardingRule rule;
  rule.factors.resize(pick(random, 25));
  for (Factor& factor : rule.factors) {
    factor.size = static_cast<std::int64_t>(pick(random, 100));
    factor.kind = static_cast<FactorKind>(pick(random, 4));
    factor.blocked = pick(random, 4) == 0;
  }
  rule.operands.resize(1 + pick(random, 3));
  rule.results.resize(1 + pick(random, 2));
  for (std::size_t t = 0; t < rule.tensor_count(); ++t) {
    const bool operand = t < rule.operands.size();
    TensorMapping& tensor = operand ? rule.operands[t] : rule.results[t - rule.operands.size()];
    for (std::uint32_t f = 0; f < rule.factors.size(); ++f) {
      if (pick(random, 3) == 0) continue;
      if (tensor.empty() || pick(random, 3) != 0) tensor.emplace_back();
      tensor.back().push_back(f);
    }
  }
  rule.custom = pick(random, 4) == 0;
  return rule;
}

// Removes, replaces or inserts up to three characters.
inline void damage(Random& random, const std::string& alphabet, std::string& text) {
  for (std::size_t n = 1 + pick(random, 3); n > 0; --n) {
    const std::size_t at = pick(random, text.size());
    const std::size_t removed = pick(random, 3);
    const std::size_t inserted = pick(random, 2);
    text.replace(at, removed, inserted, alphabet[pick(random, alphabet.size())]);
  }
}

}  // namespace shardprop::test
