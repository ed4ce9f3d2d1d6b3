// Explanations of whole programs: every axis of every value leads back to an annotation, and every
// axis that stops somewhere has a reason.
#include <algorithm>
#include <string>
#include <vector>

#include "shardprop/analysis/explain/annotation.hpp"
#include "shardprop/analysis/explain/why_not.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/pipeline/propagate_program.hpp"
#include "tests/support/conformance_programs.hpp"
#include "tests/support/shared_data.hpp"

namespace shardprop::test::explain_shared_cases {
namespace {

// The factor along which both tensors of a hop have the axis.
bool is_connected(StepGraph& graph, AxisChains& chains, const AxisHop& hop) {
  const Module& m = graph.module();
  if (hop.kind == HopKind::kGroup) {
    const auto members = graph.groups().members_of(hop.from);
    return std::ranges::find(members, hop.to) != members.end() && hop.from_dim == hop.to_dim &&
           chains.find(graph.sharding(hop.from_slot), hop.axis) &&
           chains.find(graph.sharding(hop.to_slot), hop.axis);
  }
  const StepTensors s = graph.tensors(hop.step);
  if (s.slots[hop.source] != hop.from_slot || s.slots[hop.target] != hop.to_slot) return false;
  // The edge of a manual computation has the manual axes only as it is seen from outside.
  if (!chains.find(s.shardings[hop.source], hop.from_axis) ||
      !chains.find(s.shardings[hop.target], hop.axis))
    return false;
  const OpShardingRule& rule = m.rules[s.rule];
  for (std::uint32_t f : rule.tensor(hop.source)[hop.from_dim]) {
    const DimMapping& dim = rule.tensor(hop.target)[hop.to_dim];
    if (std::ranges::find(dim, f) != dim.end()) return true;
  }
  return false;
}

struct Counts {
  std::size_t stops = 0;
  std::size_t untold = 0;
  std::size_t axes = 0;
  std::size_t hops = 0;
  std::size_t broken = 0;
  std::size_t unknown = 0;
};

// Every axis that one tensor of a step has along a factor and another one lacks.
void check_stops(StepGraph& graph, OpId op, Counts& counts, const std::string& name) {
  if (!graph.is_step({op})) return;
  const Module& m = graph.module();
  const StepTensors s = graph.tensors({op});
  const MeshId mesh = common_mesh(m, s.shardings);
  if (!mesh.valid()) return;
  const OpShardingRule rule = m.rules[s.rule];
  Projection p;
  p.reset(rule);
  for (std::size_t t = 0; t < s.shardings.size(); ++t) {
    project_tensor(rule, t, s.shardings[t].valid() ? &m.shardings[s.shardings[t]] : nullptr,
                   m.meshes[mesh], p);
  }
  for (std::size_t f = 0; f < rule.factors.size(); ++f) {
    for (std::size_t source = 0; source < s.shardings.size(); ++source) {
      for (std::size_t target = 0; target < s.shardings.size(); ++target) {
        if (source == target || !p.at(source, f).mapped || !p.at(target, f).mapped) continue;
        if (!s.slots[target].valid() || s.slots[source] == s.slots[target]) continue;
        for (AxisRef axis : difference(p.at(source, f).axes, p.at(target, f).axes)) {
          ++counts.stops;
          const WhyNot why = why_not(m, s, source, target, f, axis);
          if (why.is_whole && !why.obstacles.empty()) continue;
          if (counts.untold++ > 12) continue;
          std::string sh;
          for (ShardingId id : s.shardings) sh += text_of(m, id) + " ";
          std::string ob;
          for (const Obstacle& o : why.obstacles)
            ob += fmt::format("[{} t{} d{}]", explain(o.reason), o.tensor, o.dim);
          WARN("untold: " << name << " " << op_name(m, op) << " rule " << to_string(rule) << " "
                          << sh << " source " << source << " target " << target << " factor " << f
                          << " axis " << to_string(axis, m.meshes[mesh]) << " " << ob);
        }
      }
    }
  }
}

// Functions that were inlined have results still.
bool is_result_of_program(const StepGraph& graph, Slot slot) {
  const Module& m = graph.module();
  return std::ranges::any_of(m.func_order, [&](FuncId f) {
    const std::size_t count = m.funcs[f].results.size();
    return count > 0 && slot >= graph.slot(f, 0) && slot <= graph.slot(f, count - 1);
  });
}

void check_chains(const Module& program, Counts& counts, const std::string& name) {
  const OpTable ops = standard_ops();
  PropagateProgramOptions options;
  options.propagation.trace = true;
  Result<PropagatedCopy> copy = propagate_copy(program, ops, options);
  if (!copy) return;
  StepGraph graph(copy->module, ops, options.propagation);
  AxisChains chains(graph, *copy->report.trace);
  AnnotationFinder annotations(program, graph, chains);
  const Module& m = copy->module;
  for (FuncId f : m.func_order)
    walk_block(m, m.funcs[f].body, [&](OpId op) { check_stops(graph, op, counts, name); });
  for (std::size_t i = 0; i < graph.store().slot_count(); ++i) {
    const Slot slot(i);
    if (graph.store().is_value(slot)) {
      const ValueId value = graph.store().value(slot);
      if (graph.store().holder(value) != value) continue;
      const OpId op = defining_op(m, value);
      if (op.valid() && is_erased(m, op)) continue;
      if (!op.valid() && !enclosing_func(m, argument_block(m, value)).valid()) continue;
    }
    if (!graph.store().is_value(slot) && !is_result_of_program(graph, slot)) continue;
    const ShardingId sharding = graph.sharding(slot);
    if (!sharding.valid()) continue;
    const TensorSharding s = m.shardings[sharding];
    for (std::size_t d = 0; d < s.rank(); ++d) {
      for (AxisRef ref : s.dims[d].axes) {
        ++counts.axes;
        const AxisChain chain = chains.chain(slot, d, chains.axis(m.meshes[s.mesh], ref));
        counts.hops += chain.hops.size();
        for (std::size_t h = 0; h < chain.hops.size(); ++h) {
          if (is_connected(graph, chains, chain.hops[h])) continue;
          if (counts.broken++ < 10) {
            const auto& hop = chain.hops[h];
            const auto st = graph.tensors(hop.step);
            std::string sh;
            for (ShardingId id : st.shardings) sh += text_of(m, id) + " ";
            WARN("broken: " << name << " hop " << h << " of " << chain.hops.size() << " "
                            << (chain.hops[h].step.op.valid()
                                    ? std::string(op_name(m, chain.hops[h].step.op))
                                    : "?")
                            << " src " << hop.source << " tgt " << hop.target << " dims "
                            << hop.from_dim << hop.to_dim << " " << chains.axes().text(hop.axis)
                            << sh << " own: " << op_name(m, graph.edge_owner(hop.step.op))
                            << " holder: " << text_of(m, graph.sharding(hop.to_slot)));
          }
        }
        std::vector<AxisHop> first;
        if (annotations.find(chain.begin, chain.begin_axis, first)) continue;
        if (counts.unknown++ < 10) {
          const bool v = graph.store().is_value(chain.begin);
          const ValueId value = v ? graph.store().value(chain.begin) : ValueId();
          WARN("unknown origin: "
               << name << " " << (v ? name_of(m, value) : "result") << " "
               << (v && defining_op(m, value).valid() ? op_name(m, defining_op(m, value)) : "")
               << " " << chains.axes().text(chain.begin_axis) << " of "
               << text_of(m, graph.sharding(chain.begin))
               << (v && defining_op(m, value).valid() && graph.store().edge(defining_op(m, value))
                       ? op_name(m, graph.edge_owner(defining_op(m, value)))
                       : "")
               << " hops " << chain.hops.size() << " value " << i);
        }
      }
    }
  }
}

TEST_CASE("each axis of each value leads back to an annotation, and each stop has a reason",
          "[shared]") {
  const std::filesystem::path folder = std::filesystem::path(SHARDPROP_SHARED) / "conformance";
  if (!is_shared(folder)) return;
  Counts counts;
  for (const char* part : {"generated", "real"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder / part)) {
      const std::string name = entry.path().filename().string();
      const bool is_generated = std::string_view(part) == "generated";
      if (is_generated && !name.starts_with("train.") && !name.starts_with("regions.")) continue;
      for_each_program(entry.path(), is_generated ? 5 : 1,
                       [&](std::size_t number, const Module& m) {
                         check_chains(m, counts, name + " " + std::to_string(number));
                       });
    }
  }
  CHECK(counts.broken == 0);
  CHECK(counts.unknown == 0);
  CHECK(counts.untold == 0);
  CHECK(counts.axes > 1000);
}

}  // namespace
}  // namespace shardprop::test::explain_shared_cases
