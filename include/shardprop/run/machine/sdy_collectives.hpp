// The operations of sdy for which devices matter: manual computations, whose body runs on each
// device, and collectives, which move shards.
//
// The value of a global tensor does not depend on where its shards are, so a global program runs as
// one process. At a manual computation it becomes as many as there are devices: each runs the body
// on what its manual axes leave it of the operands. There, a tensor is still whole along the free
// axes. A collective of sdy returns its operand, or, with `EvalOptions::move_shards`, what it makes
// of the shards: cut by the sharding of the operand, exchanged between the devices, and put together
// by the sharding of the result. The two differ where a collective does not do what its result says.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ops/sdy/manual_axes.hpp"
#include "shardprop/ops/sdy/sharding_list_attributes.hpp"
#include "shardprop/ops/value_sharding.hpp"
#include "shardprop/passes/collectives/collective_builder.hpp"
#include "shardprop/run/machine/collectives.hpp"
#include "shardprop/run/machine/machine.hpp"
#include "shardprop/run/machine/placement.hpp"
#include "shardprop/sharding/sharding_text.hpp"

namespace shardprop {

namespace detail {

// The number of devices of the mesh. In a machine of one process that process stands for all of
// them; otherwise each device is a process.
inline Result<std::size_t> devices_of(const Machine& machine, const EvalInput& in,
                                      const Mesh& mesh) {
  const auto count = static_cast<std::size_t>(mesh.device_count());
  if (machine.grid().size() == 1 || machine.grid().size() == count) return count;
  return eval_error(in, "groups",
                    fmt::format("the mesh has {} devices, and the program runs on {}", count,
                                machine.grid().size()),
                    "run it on as many devices as it was made for: `shardprop eval --devices`");
}

// Of `s` what the manual axes do.
inline TensorSharding manual_part(TensorSharding s, const Mesh& mesh, const AxisNames& manual) {
  for (DimSharding& dim : s.dims)
    dim.axes = AxisList(AxisSpan(dim.axes).first(manual_prefix(dim.axes, mesh, manual)));
  AxisList unreduced;
  for (AxisRef axis : s.unreduced) {
    if (is_manual(axis, mesh, manual)) unreduced.push_back(axis);
  }
  s.unreduced = unreduced;
  return s;
}

inline Result<std::vector<Tensors>> do_manual_computation(Machine& machine, GroupInput& group) {
  const EvalInput& in = group.in;
  const Module& m = in.m;
  const auto ins = sharding_list(m, in.op, kInShardings).value_or(std::vector<ShardingId>());
  const auto outs = sharding_list(m, in.op, kOutShardings).value_or(std::vector<ShardingId>());
  if (ins.empty() && outs.empty())
    return eval_error(in, "unsupported", "a manual computation without a mesh cannot be run");
  const Mesh& mesh = m.meshes[m.shardings[ins.empty() ? outs[0] : ins[0]].mesh];
  const AxisNames manual = manual_axes(m, in.op);
  const Result<std::size_t> devices = devices_of(machine, in, mesh);
  if (!devices) return devices.errors();
  const bool is_one = group.operands.size() == 1;
  Machine body(machine,
               is_one ? ProcessGrid{1, static_cast<std::int64_t>(*devices)} : machine.grid());
  std::vector<Placement> placements;
  for (ShardingId id : ins)
    placements.emplace_back(manual_part(m.shardings[id], mesh, manual), mesh);
  for (std::size_t device = 0; device < *devices; ++device) {
    const Tensors& operands = group.operands[is_one ? 0 : device];
    Tensors arguments;
    for (std::size_t i = 0; i < operands.size() && i < ins.size(); ++i)
      arguments.push_back(placements[i].shard(operands[i], device));
    body.add(block_of(m, in.op, 0), std::move(arguments));
  }
  if (Diagnostics errors = body.run(); !errors.empty()) return errors;
  std::vector<Tensors> returned(outs.size());
  for (std::size_t device = 0; device < *devices; ++device) {
    Tensors results = body.take_results(device);
    for (std::size_t i = 0; i < outs.size() && i < results.size(); ++i)
      returned[i].push_back(std::move(results[i]));
  }
  std::vector<Tensors> all(group.operands.size());
  for (std::size_t i = 0; i < outs.size(); ++i) {
    const Placement placement(manual_part(m.shardings[outs[i]], mesh, manual), mesh);
    if (const auto device =
            in.options.check_copies ? placement.different_copy(returned[i]) : std::nullopt) {
      return eval_error(
          in, "copies",
          fmt::format("result {} should be the same on devices of different manual axes, "
                      "but device {} has another one",
                      i, *device));
    }
    for (std::size_t process = 0; process < all.size(); ++process)
      all[process].push_back(placement.whole(returned[i], result_shape(in, i), process));
  }
  return all;
}

// The shards of all devices, and what the collectives of sdy do with them.
class ShardExchange {
 public:
  ShardExchange(const Mesh& mesh, Tensors shards)
      : mesh_(mesh), grid_(mesh), shards_(std::move(shards)) {}

  const Tensors& shards() const { return shards_; }

  // Each device gets the shards of its group, next to each other along each dimension.
  void gather(const std::vector<AxisList>& axes) {
    exchange(joined(axes), [&](const std::vector<std::int64_t>& group) {
      Tensor out(shards_[0].element(), grown(axes));
      for (std::int64_t device : group)
        place_block(out, shards_[index(device)], block(axes, device));
      return Tensors(group.size(), out);
    });
  }
  // Each device keeps its part of its shard.
  void slice(const std::vector<AxisList>& axes) {
    Shape shape = shards_[0].shape();
    for (std::size_t d = 0; d < shape.size(); ++d) shape[d] /= total_size(axes[d]);
    for (std::size_t device = 0; device < shards_.size(); ++device)
      shards_[device] =
          cut_block(shards_[device], block(axes, static_cast<std::int64_t>(device)), shape);
  }
  void reduce(const AxisList& axes, ReductionOp reduction) {
    exchange(axes, [&](const std::vector<std::int64_t>& group) {
      Tensor sum = shards_[index(group[0])];
      for (std::size_t k = 1; k < group.size(); ++k)
        sum = reduced(sum, shards_[index(group[k])], reduction);
      return Tensors(group.size(), sum);
    });
  }
  // Each device keeps its shard where it is among those of its group, with zeros around it.
  void spread(const std::vector<AxisList>& axes) {
    const Shape shape = grown(axes);
    for (std::size_t device = 0; device < shards_.size(); ++device) {
      Tensor out(shards_[device].element(), shape);
      place_block(out, shards_[device], block(axes, static_cast<std::int64_t>(device)));
      shards_[device] = std::move(out);
    }
  }
  // One device of each group keeps its shard, the others have zeros.
  void keep_one(const AxisList& axes) {
    const auto places = grid_.shards_by_id(axes);
    for (std::size_t device = 0; device < shards_.size(); ++device) {
      if (places[device] != 0)
        shards_[device] = Tensor(shards_[device].element(), shards_[device].shape());
    }
  }
  // Each device gets the shard that is to be at its place; where there is none, any.
  void permute(const Placement& before, const Placement& after) {
    Tensors out;
    for (std::size_t device = 0; device < shards_.size(); ++device) {
      std::size_t from = 0;
      while (from + 1 < shards_.size() && before.place(from) != after.place(device)) ++from;
      out.push_back(shards_[from]);
    }
    shards_ = std::move(out);
  }

 private:
  static std::size_t index(std::int64_t device) { return static_cast<std::size_t>(device); }
  static AxisList joined(const std::vector<AxisList>& axes) {
    AxisList out;
    for (const AxisList& list : axes) out.append(list);
    return out;
  }
  Shape grown(const std::vector<AxisList>& axes) const {
    Shape shape = shards_[0].shape();
    for (std::size_t d = 0; d < shape.size(); ++d) shape[d] *= total_size(axes[d]);
    return shape;
  }
  // The place of a device among its group, along each dimension.
  Shape block(const std::vector<AxisList>& axes, std::int64_t device) const {
    const auto at = std::find(places_.begin(), places_.end(), device) - places_.begin();
    Shape out;
    for (const AxisList& list : axes) out.push_back(grid_.shard(at, list));
    return out;
  }
  template <class Fn>
  void exchange(const AxisList& axes, Fn&& fn) {
    Tensors out(shards_.size());
    for (const auto& group : device_groups(mesh_, axes)) {
      Tensors made = fn(group);
      for (std::size_t k = 0; k < group.size(); ++k) out[index(group[k])] = std::move(made[k]);
    }
    shards_ = std::move(out);
  }

  const Mesh& mesh_;
  DeviceGrid grid_;
  std::vector<std::int64_t> places_ = ids_by_place();  // ids, by place
  Tensors shards_;

  std::vector<std::int64_t> ids_by_place() const {
    std::vector<std::int64_t> ids;
    for (std::int64_t place = 0; place < grid_.size(); ++place) ids.push_back(grid_.id(place));
    return ids;
  }
};

// The shardings around a collective of sdy. Axes that it reduces are unreduced before it: without a
// partitioner the operand is a whole tensor, and its summands are the tensor and zeros.
struct ShardingChange {
  TensorSharding before;
  TensorSharding after;
};
inline ShardingChange sharding_change(const Module& m, OpId op, const AxisList& reduced_axes) {
  const TensorSharding& after = out_sharding(m, op);
  const ValueId value = operand(m, op, 0);
  ShardingChange out{
      tensor_sharding_of(m, value).value_or(closed_sharding(after.mesh, rank_of(m, value))), after};
  for (AxisRef axis : reduced_axes) {
    if (!overlaps(AxisSpan(&axis, 1), out.before.unreduced)) out.before.unreduced.push_back(axis);
  }
  return out;
}

inline ReductionOp reduction_of(const Module& m, OpId op) {
  AttributeReader reader(m, op, nullptr);
  return parse_reduction(reader.text_or("reduction_op", "sum")).value_or(ReductionOp::kSum);
}

inline void exchange_shards(const Module& m, OpId op, const ShardingChange& change,
                            const AxisList& reduced_axes, ShardExchange& out) {
  const Mesh& mesh = m.meshes[change.after.mesh];
  const StringId name = m.ops[op].name;
  const auto lists = [&](StringId key) { return axes_per_dim_in(m, attribute(m, op, key), mesh); };
  if (name == known::kSdyAllGather) return out.gather(lists(key::kGatheringAxes));
  if (name == known::kSdyAllSlice) return out.slice(lists(key::kSlicingAxes));
  if (name == known::kSdyAllReduce) return out.reduce(reduced_axes, reduction_of(m, op));
  if (name == known::kSdyReduceScatter) {
    out.reduce(reduced_axes, reduction_of(m, op));
    return out.slice(lists(key::kReduceScatterAxes));
  }
  if (name == known::kSdyCollectivePermute) {
    return out.permute(Placement(change.before, m.meshes[change.before.mesh]),
                       Placement(change.after, mesh));
  }
  if (name == known::kSdyShardedToUnreduced) return out.spread(lists(key::kAxes));
  if (name == known::kSdyReplicatedToUnreduced)
    return out.keep_one(axes_in(m, attribute(m, op, key::kAxes), mesh));
  std::vector<AxisList> from(change.after.rank());
  std::vector<AxisList> to(change.after.rank());
  for (AttrId param : m.attrs.items(attribute(m, op, key::kParams))) {
    const auto dim = [&](StringId key) {
      return static_cast<std::size_t>(m.attrs.as_int(m.attrs.plain(m.attrs.find(param, key))));
    };
    const AxisList axes = axes_in(m, m.attrs.find(param, key::kAxes), mesh);
    from[dim(key::kSourceDimension)] = axes;
    to[dim(key::kTargetDimension)] = axes;
  }
  out.gather(from);
  out.slice(to);
}

inline Result<std::vector<Tensors>> do_sdy_collective(Machine& machine, GroupInput& group) {
  const EvalInput& in = group.in;
  const Module& m = in.m;
  if (!in.options.move_shards)
    return std::vector<Tensors>(group.operands.begin(), group.operands.end());
  const Mesh& mesh = m.meshes[out_sharding(m, in.op).mesh];
  const Result<std::size_t> devices = devices_of(machine, in, mesh);
  if (!devices) return devices.errors();
  AxisList reduced_axes = axes_in(m, attribute(m, in.op, key::kReductionAxes), mesh);
  for (const AxisList& axes :
       axes_per_dim_in(m, attribute(m, in.op, key::kReduceScatterAxes), mesh))
    reduced_axes.append(axes);
  const ShardingChange change = sharding_change(m, in.op, reduced_axes);
  const Placement before(change.before, m.meshes[change.before.mesh]);
  const Placement after(change.after, mesh);
  // Shards of shards have equal sizes only where both numbers of shards divide the dimension.
  Shape shape = group.operands[0][0].shape();
  const Shape given = shape;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::int64_t parts = std::lcm(before.counts()[d], after.counts()[d]);
    shape[d] = (shape[d] + parts - 1) / parts * parts;
  }
  const Shape origin(shape.size(), 0);
  Tensors shards;
  for (std::size_t device = 0; device < *devices; ++device) {
    const Tensor& operand = group.operands[group.operands.size() == 1 ? 0 : device][0];
    shards.push_back(before.shard(cut_block(operand, origin, shape), device));
  }
  ShardExchange exchange(mesh, std::move(shards));
  exchange_shards(m, in.op, change, reduced_axes, exchange);
  const Shape expected = after.shard_shape(shape);
  if (exchange.shards()[0].shape() != expected) {
    return eval_error(in, "shape",
                      fmt::format("the collective makes shards of the shape {}, its sharding {}",
                                  to_string(exchange.shards()[0].shape()), to_string(expected)));
  }
  std::vector<Tensors> all;
  for (std::size_t process = 0; process < group.operands.size(); ++process)
    all.push_back({after.whole(exchange.shards(), given, process)});
  return all;
}

inline constexpr Together kManualComputation = {.grouping = Grouping::kEverybody,
                                                .everybody = do_manual_computation};
inline constexpr Together kSdyCollective = {.grouping = Grouping::kEverybody,
                                            .everybody = do_sdy_collective};

}  // namespace detail

inline constexpr EvalDef kSdyEvaluators[] = {
    done_together("sdy.manual_computation", detail::kManualComputation),
    done_together("sdy.all_gather", detail::kSdyCollective),
    done_together("sdy.all_slice", detail::kSdyCollective),
    done_together("sdy.all_to_all", detail::kSdyCollective),
    done_together("sdy.all_reduce", detail::kSdyCollective),
    done_together("sdy.reduce_scatter", detail::kSdyCollective),
    done_together("sdy.collective_permute", detail::kSdyCollective),
    done_together("sdy.sharded_to_unreduced", detail::kSdyCollective),
    done_together("sdy.replicated_to_unreduced", detail::kSdyCollective),
};

}  // namespace shardprop
