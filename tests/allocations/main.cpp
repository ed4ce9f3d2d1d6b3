// Checks that a propagation step allocates nothing once its scratch has grown: neither one that the
// memo answers nor one that is computed. A program of its own, since it counts what the global
// operator new gives (bench/heap.cpp).
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include "bench/heap.hpp"
#include "examples/models/decoder.hpp"
#include "examples/models/small_graphs.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/rules.hpp"
#include "shardprop/ops/standard_ops.hpp"
#include "shardprop/propagate/propagate.hpp"
#include "shardprop/propagate/step/projection.hpp"
#include "shardprop/propagate/step/step.hpp"
#include "shardprop/propagate/step/strategy.hpp"

namespace shardprop {
namespace {

// A rule and shardings that its tensors might have.
struct Case {
  RuleId rule;
  std::vector<ShardingId> shardings;
};

ShardingId random_sharding(Module& m, MeshId mesh, std::size_t rank, models::Random& random) {
  TensorSharding s = open_sharding(mesh, rank);
  for (std::size_t axis = 0; axis < m.meshes[mesh].axes.size(); ++axis) {
    const std::size_t at = random.below(2 * rank + 1);
    if (at < rank) s.dims[at].axes.push_back(full_axis(m.meshes[mesh], axis));
  }
  return m.shardings.intern(s);
}

std::vector<Case> make_cases(Module& m) {
  const OpTable table = standard_ops();
  OpRows rows(table, m);
  RuleCache rules(false);
  models::Random random(5);
  std::vector<Case> cases;
  for (OpId op : preorder(m)) {
    const RuleId rule = rules.get(m, rows, op);
    if (!rule.valid()) continue;
    for (int i = 0; i < 10; ++i) {
      Case& c = cases.emplace_back(Case{rule, {}});
      for (std::size_t t = 0; t < m.rules[rule].tensor_count(); ++t)
        c.shardings.push_back(
            random_sharding(m, MeshId(0), m.rules[rule].tensor(t).size(), random));
    }
  }
  return cases;
}

// Steps all cases under both strategies; returns how many shardings changed.
template <class Step>
std::size_t step_all(const std::vector<Case>& cases, Step&& step) {
  std::size_t changed = 0;
  for (const Case& c : cases) {
    for (Strategy strategy : {Strategy::kBasic, Strategy::kAggressive}) {
      const StepKind kind{both_ways(Direction::kBoth), strategy, false, false};
      changed += step(c, kind);
    }
  }
  return changed;
}

std::size_t count_changed(const Case& c, std::span<const ShardingId> after) {
  std::size_t changed = 0;
  for (std::size_t t = 0; t < c.shardings.size(); ++t) changed += after[t] != c.shardings[t];
  return changed;
}

// Runs `all` twice; the second time must not touch the heap. Whether that is so.
template <class All>
bool check(const char* what, All&& all) {
  const std::size_t warm = all();
  bench::reset_heap_peak();
  const std::size_t before = bench::heap_peak();
  const std::size_t changed = all();
  const std::size_t grown = bench::heap_peak() - before;
  std::printf("%s: %zu shardings changed, heap +%zu bytes\n", what, changed, grown);
  return grown == 0 && changed == warm && changed > 100;
}

int run() {
  Module m = *models::decoder(standard_ops(), {.layers = 1});
  const std::vector<Case> cases = make_cases(m);
  Stepper stepper;
  std::vector<ShardingId> out(64);
  const bool computed = check("computed", [&] {
    return step_all(cases, [&](const Case& c, const StepKind& kind) {
      const auto after = std::span<ShardingId>(out).subspan(0, c.shardings.size());
      stepper.step(m, c.rule, kind, c.shardings, after);
      return count_changed(c, after);
    });
  });
  StepCache cache;
  const bool remembered = check("remembered", [&] {
    return step_all(cases, [&](const Case& c, const StepKind& kind) {
      return count_changed(c, cache.step(m, c.rule, kind, c.shardings));
    });
  });
  const bool hits = cache.hits() >= 2 * cases.size();
  return computed && remembered && hits ? 0 : 1;
}

}  // namespace
}  // namespace shardprop

int main() { return shardprop::run(); }
