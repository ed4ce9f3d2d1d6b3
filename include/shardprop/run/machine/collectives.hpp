// The collectives of StableHLO: what the processes of a group get from each other. Data that is
// exchanged is copied, so that a collective costs what it moves; reductions are folded in the order
// of the group, first operand first, and so give the same bits wherever they run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ops/stablehlo/collectives_infer.hpp"
#include "shardprop/run/machine/together.hpp"
#include "shardprop/run/ops/comparison.hpp"
#include "shardprop/run/ops/slicing.hpp"
#include "shardprop/run/scalar_region.hpp"

namespace shardprop {

namespace detail {

// Part `number` of `count` equal parts along `dim`.
inline Result<Tensor> equal_part(const EvalInput& in, const Tensor& tensor, std::int64_t dim,
                                 std::size_t number, std::size_t count) {
  const std::int64_t size = tensor.shape()[static_cast<std::size_t>(dim)];
  const auto parts = static_cast<std::int64_t>(count);
  if (size % parts != 0) {
    return eval_error(in, "shape",
                      fmt::format("dimension {} of {} cannot be split in {} parts", dim,
                                  type_text(tensor), parts));
  }
  return part_along(tensor, dim, static_cast<std::int64_t>(number) * (size / parts), size / parts);
}

inline Result<Tensors> gather_all(GroupInput& group) {
  const auto dim = AttributeReader(group.in.m, group.in.op, nullptr).integer("all_gather_dim");
  Tensors out;
  for (std::size_t i = 0; i < group.operands[0].size(); ++i) {
    Tensors parts;
    for (const Tensors& operands : group.operands) parts.push_back(operands[i]);
    out.push_back(concatenated(parts, static_cast<std::size_t>(dim)));
  }
  return out;
}

// The first `count` operands of all processes, each reduced by the region.
inline Result<Tensors> reduce_first(GroupInput& group, std::size_t count) {
  Result<ScalarRegion> region =
      ScalarRegion::compile(group.in, block_of(group.in.m, group.in.op, 0));
  if (!region) return std::move(region.errors());
  const Element element = region->argument_element(0);
  Tensors out;
  for (std::size_t i = 0; i < count; ++i) {
    Tensor sum = converted(group.operands[0][i], element);
    for (std::size_t p = 1; p < group.operands.size(); ++p) {
      const Tensor next = converted(group.operands[p][i], element);
      const std::byte* const elements = next.read();
      fold(*region, {&sum, 1}, {&elements, 1});
    }
    out.push_back(std::move(sum));
  }
  return out;
}

inline Result<Tensors> reduce_all(GroupInput& group) {
  return reduce_first(group, group.operands[0].size());
}

inline Result<Tensors> scatter_part(GroupInput& group, const Tensors& shared, std::size_t me) {
  const auto dim = AttributeReader(group.in.m, group.in.op, nullptr).integer("scatter_dimension");
  Result<Tensor> part = equal_part(group.in, shared[0], dim, me, group.operands.size());
  if (!part) return std::move(part.errors());
  return one_result(*std::move(part));
}

inline Result<Tensors> all_to_all_part(GroupInput& group, const Tensors&, std::size_t me) {
  AttributeReader reader(group.in.m, group.in.op, nullptr);
  const auto split = reader.integer("split_dimension");
  const auto concat = static_cast<std::size_t>(reader.integer("concat_dimension"));
  Tensors out;
  for (std::size_t i = 0; i < group.operands[0].size(); ++i) {
    Tensors parts;
    for (const Tensors& operands : group.operands) {
      Result<Tensor> part = equal_part(group.in, operands[i], split, me, group.operands.size());
      if (!part) return std::move(part.errors());
      parts.push_back(*std::move(part));
    }
    out.push_back(concatenated(parts, concat));
  }
  return out;
}

// The place in the group of the process that sends operand `i` to all, or gets what it is reduced
// to: the first, or what the last operand says.
inline Result<std::size_t> root_of(GroupInput& group, std::size_t i, std::size_t me) {
  if (!has_dynamic_root(group.in.m, group.in.op)) return std::size_t{0};
  const std::int64_t root = integers_of(group.operands[me].back())[i];
  if (root >= 0 && static_cast<std::size_t>(root) < group.operands.size())
    return static_cast<std::size_t>(root);
  return eval_error(
      group.in, "groups",
      fmt::format("the root {} is not in a group of {} processes", root, group.operands.size()));
}

inline Result<Tensors> broadcast_part(GroupInput& group, const Tensors&, std::size_t me) {
  Tensors out;
  for (std::size_t i = 0; i < data_operands(group.in.m, group.in.op); ++i) {
    const Result<std::size_t> root = root_of(group, i, me);
    if (!root) return root.errors();
    out.push_back(group.operands[*root][i]);
  }
  return out;
}

inline Result<Tensors> reduce_to_root(GroupInput& group) {
  return reduce_first(group, data_operands(group.in.m, group.in.op));
}
inline Result<Tensors> root_part(GroupInput& group, const Tensors& shared, std::size_t me) {
  Tensors out;
  for (std::size_t i = 0; i < shared.size(); ++i) {
    const Result<std::size_t> root = root_of(group, i, me);
    if (!root) return root.errors();
    out.push_back(*root == me ? shared[i] : Tensor(shared[i].element(), shared[i].shape()));
  }
  return out;
}

// Places in the group are the ids of the pairs.
inline Result<Tensors> permute_part(GroupInput& group, const Tensors&, std::size_t me) {
  const auto pairs =
      integer_rows(group.in.m, attribute(group.in.m, group.in.op, "source_target_pairs"));
  if (!pairs) return eval_error(group.in, "groups", "the pairs of processes are not known");
  const auto count = static_cast<std::int64_t>(group.operands.size());
  const Tensor& own = group.operands[me][0];
  Tensor out(own.element(), own.shape());
  for (const Shape& pair : *pairs) {
    if (pair[0] >= count || pair[1] >= count) {
      return eval_error(group.in, "groups",
                        fmt::format("the pairs hold the id {}, and there are {}",
                                    std::max(pair[0], pair[1]), count));
    }
    if (pair[1] == static_cast<std::int64_t>(me))
      out = group.operands[static_cast<std::size_t>(pair[0])][0];
  }
  return one_result(std::move(out));
}

inline Result<Tensors> evaluate_partition_id(EvalInput& in) {
  return one_result(
      tensor_of(Element::kUi32, {},
                std::vector<std::uint64_t>{static_cast<std::uint64_t>(in.options.partition)}));
}
inline Result<Tensors> evaluate_replica_id(EvalInput& in) {
  return one_result(
      tensor_of(Element::kUi32, {},
                std::vector<std::uint64_t>{static_cast<std::uint64_t>(in.options.replica)}));
}

inline constexpr Together kAllGather = {Grouping::kGroups, gather_all};
inline constexpr Together kAllReduce = {Grouping::kGroups, reduce_all};
inline constexpr Together kReduceScatter = {Grouping::kGroups, reduce_all, scatter_part};
inline constexpr Together kAllToAll = {Grouping::kExchange, nullptr, all_to_all_part};
inline constexpr Together kCollectiveBroadcast = {Grouping::kMembers, nullptr, broadcast_part};
inline constexpr Together kCollectiveReduce = {Grouping::kMembers, reduce_to_root, root_part};
inline constexpr Together kCollectivePermute = {Grouping::kPairs, nullptr, permute_part};

}  // namespace detail

inline constexpr EvalDef kCollectiveEvaluators[] = {
    done_together("stablehlo.all_gather", detail::kAllGather),
    done_together("stablehlo.all_reduce", detail::kAllReduce),
    done_together("stablehlo.reduce_scatter", detail::kReduceScatter),
    done_together("stablehlo.all_to_all", detail::kAllToAll),
    done_together("stablehlo.collective_broadcast", detail::kCollectiveBroadcast),
    done_together("stablehlo.collective_reduce", detail::kCollectiveReduce),
    done_together("stablehlo.collective_permute", detail::kCollectivePermute),
    {"stablehlo.partition_id", nullptr, detail::evaluate_partition_id},
    {"stablehlo.replica_id", nullptr, detail::evaluate_replica_id},
};

}  // namespace shardprop
