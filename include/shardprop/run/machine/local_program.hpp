// Local programs as a whole: what a partitioner makes of a program, in which the types are those of
// a device's shards. Arguments and results may still have the shardings of the global program; then
// global arguments are cut by them, and results are put together.
//
// A global program has sharded tensors of their global types, and the collectives of sdy only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/value_sharding.hpp"
#include "shardprop/run/machine/run_on_devices.hpp"

namespace shardprop {

namespace detail {

inline std::int64_t module_number(const Module& m, std::string_view name, std::int64_t absent) {
  const AttrId value = m.attrs.plain(m.attrs.find(m.attributes, m.strings.find(name)));
  return m.attrs.kind(value) == AttrKind::kInt ? m.attrs.as_int(value) : absent;
}

}  // namespace detail

// Whether a device of the program knows of others: it has a collective of StableHLO or asks for its
// number, outside of manual computations.
inline bool is_local_program(const Module& m, const EvalTable& table) {
  bool found = false;
  walk_ops(m, [&](OpId op) {
    if (found || !manual_axes_around(m, m.layout[op].block).empty()) return;
    const EvalRow* row = table.find(m, op);
    found = is_one_of(m.ops[op].name, {known::kPartitionId, known::kReplicaId}) ||
            (row && row->together && row->together->grouping != Grouping::kAlone &&
             row->together->grouping != Grouping::kEverybody);
  });
  return found;
}

// The devices that the module says it is for: those of its largest mesh, or `mhlo.num_replicas` and
// `mhlo.num_partitions`. None where it does not say so.
inline std::optional<ProcessGrid> grid_of(const Module& m) {
  const ProcessGrid grid = {detail::module_number(m, "mhlo.num_replicas", 1),
                            detail::module_number(m, "mhlo.num_partitions", 1)};
  if (grid.replicas > 0 && grid.partitions > 0 && grid.size() > 1) return grid;
  std::int64_t devices = 0;
  for (MeshId mesh : m.meshes.ids()) devices = std::max(devices, m.meshes[mesh].device_count());
  if (devices > 0) return ProcessGrid{1, devices};
  return std::nullopt;
}

// The shape of the global tensor of which `shape` is a shard.
inline Shape global_shape(const Module& m, Shape shape, const std::optional<TensorSharding>& s) {
  if (!s) return shape;
  const Shape counts = Placement(*s, m.meshes[s->mesh]).counts();
  for (std::size_t d = 0; d < counts.size(); ++d) shape[d] *= counts[d];
  return shape;
}

// The arguments of each device: shards of the global ones where a parameter has a sharding, else
// the same for all.
inline std::vector<Tensors> shards_of_arguments(const Module& m, FuncId func,
                                                const Tensors& arguments, std::size_t devices) {
  std::vector<Tensors> out(devices);
  const auto parameters = m.blocks[m.funcs[func].body].arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto s = i < parameters.size() ? tensor_sharding_of(m, parameters[i]) : std::nullopt;
    std::optional<Placement> placement;
    if (s) placement.emplace(*s, m.meshes[s->mesh]);
    for (std::size_t device = 0; device < devices; ++device)
      out[device].push_back(placement ? placement->shard(arguments[i], device) : arguments[i]);
  }
  return out;
}

// Result `i` of `func` as a global tensor, from what it is on each device. None where the program
// does not say how it is sharded and the devices do not have the same.
inline std::optional<Tensor> global_result(const Module& m, FuncId func, std::size_t i,
                                           const Tensors& shards) {
  if (const ShardingId id = m.funcs[func].results[i].sharding; id.valid()) {
    const TensorSharding& s = m.shardings[id];
    return assemble_tensor(shards, s, m.meshes[s.mesh], global_shape(m, shards[0].shape(), s));
  }
  const auto is_equal = [&](const Tensor& tensor) {
    return tensor.shape() == shards[0].shape() &&
           std::equal(tensor.read(), tensor.read() + tensor.bytes(), shards[0].read());
  };
  if (!std::all_of(shards.begin(), shards.end(), is_equal)) return std::nullopt;
  return shards[0];
}

}  // namespace shardprop
