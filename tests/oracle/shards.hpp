// Runs an operation shard by shard and compares what the shards give, put together, with the whole.
//
// A pass-through factor: each shard has its block of every operand that has the factor and all of
// the others, and gives its block of every result that has the factor and all of the others. A
// reduction factor: the shards' results are combined, by the reduction that the operation does.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tests/oracle/program.hpp"

namespace oracle {

// For each tensor, operands first, what is split of it.
using Split = std::vector<std::optional<SubDim>>;

inline bool splits(const Split& split, std::size_t tensor, std::size_t dim) {
  return split[tensor] && split[tensor]->dim == dim;
}

// Whether operand 0 is split along a dimension where the shard is an operand of its own: it goes
// along with the other tensors. Else the shard is a part of the whole that places refer to.
inline bool is_operand_of_its_own(const Operation& whole, const Split& split) {
  const std::size_t dim = split[0]->dim;
  if (whole.name == "stablehlo.dynamic_update_slice") return splits(split, 1, dim);
  if (whole.name == "stablehlo.dynamic_slice")
    return splits(split, split.size() - 1, dim) &&
           ints(whole.attributes, "slice_sizes")[dim] == whole.operand(0).shape[dim];
  const WindowDims dims = window_dims(whole.attributes);
  if (contains(dims.batch, dim)) return true;
  const auto targets = window_targets(dims, whole.operand(0).shape.size());
  // Tensor 2 is the slices: the result of a gather, the updates of a scatter.
  const Shape& shape = whole.name == "stablehlo.gather" ? whole.results[0] : whole.operand(2).shape;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (targets[i] != dim || !splits(split, 2, index_of(dims.window[i]))) continue;
    return shape[index_of(dims.window[i])] == whole.operand(0).shape[dim];
  }
  return false;
}

// For operations that look into operand 0 at computed places.
inline bool place_shard(Operation& local, const Operation& whole, const Split& split, Block block) {
  local.placement = {local.operand(0).shape, Shape(local.operand(0).shape.size(), 0)};
  if (!split[0]) return true;
  const std::size_t dim = split[0]->dim;
  if (!is_operand_of_its_own(whole, split)) {
    local.placement.whole[dim] = whole.operand(0).shape[dim];
    local.placement.offset[dim] = block.number * local.operand(0).shape[dim];
    return split[0]->major == 1;
  }
  if (local.attributes.contains("slice_sizes")) {
    json& size = local.attributes["slice_sizes"][dim];
    if (size == whole.operand(0).shape[dim]) size = local.operand(0).shape[dim];
  }
  return true;
}

inline void divide(json& attribute, std::int64_t count) {
  const std::int64_t groups = attribute.get<std::int64_t>();
  if (groups % count == 0) attribute = groups / count;
}

// Gives the shard the attributes that an SPMD program has for it: sizes that are those of whole
// dimensions, and the number of groups where groups are split.
inline bool adapt(Operation& local, const Operation& whole, const Split& split, Block block) {
  const std::string& name = whole.name;
  if (name == "stablehlo.slice" && split[0]) {
    const std::size_t dim = split[0]->dim;
    json& limit = local.attributes["limit_indices"][dim];
    const bool is_whole = whole.attributes["start_indices"][dim] == 0 &&
                          whole.attributes["strides"][dim] == 1 &&
                          limit == whole.operand(0).shape[dim];
    if (is_whole) limit = local.operand(0).shape[dim];
  }
  if (name == "stablehlo.convolution") {
    const ConvolutionDims dims = read_convolution(whole.attributes);
    const bool features = splits(split, 2, dims.output_feature);
    if (features && splits(split, 0, dims.input_feature))
      divide(local.attributes["feature_group_count"], block.count);
    if (features && splits(split, 0, dims.input_batch))
      divide(local.attributes["batch_group_count"], block.count);
  }
  const bool has_places = name == "stablehlo.gather" || name == "stablehlo.scatter" ||
                          name == "stablehlo.dynamic_slice" ||
                          name == "stablehlo.dynamic_update_slice";
  return !has_places || place_shard(local, whole, split, block);
}

// The operands that results are accumulated on: one shard has them, the others have the
// reduction's identity.
inline std::vector<std::size_t> accumulators(const Operation& op) {
  if (op.name == "stablehlo.scatter") return {0};
  if (op.name == "stablehlo.reduce_window") return {1};
  if (op.name == "stablehlo.select_and_scatter") return {2};
  std::vector<std::size_t> out;
  if (op.name == "stablehlo.reduce") {
    for (std::size_t i = op.operands.size() / 2; i < op.operands.size(); ++i) out.push_back(i);
  }
  return out;
}

inline std::string reducer_of(const Operation& op) {
  return accumulators(op).empty() ? "stablehlo.add" : op.body;
}

enum class Joining { kConcatenate, kReduce };

inline Results run_shard(const Operation& whole, const Split& split, Block block, Joining joining) {
  Operation local = whole;
  for (std::size_t i = 0; i < split.size(); ++i) {
    if (!split[i]) continue;
    const std::size_t operands = whole.operands.size();
    if (i < operands) {
      local.operands[i] = cut(whole.operands[i], *split[i], block);
    } else {
      local.results[i - operands] = cut_shape(whole.results[i - operands], *split[i], block);
    }
  }
  if (joining == Joining::kReduce && block.number > 0) {
    for (std::size_t i : accumulators(whole))
      local.operands[i] = Tensor(local.operands[i].shape, identity_of(whole.body));
  }
  return adapt(local, whole, split, block) ? evaluate(local) : std::nullopt;
}

// What is wrong with splitting in `count` blocks; empty if the shards give the whole.
inline std::string compare_shards(const Case& test, const Split& split, std::int64_t count,
                                  Joining joining) {
  const std::size_t operands = test.op.operands.size();
  std::vector<Tensor> joined = test.results;
  for (Tensor& tensor : joined) tensor = Tensor(tensor.shape);
  for (std::int64_t number = 0; number < count; ++number) {
    const Block block{number, count};
    const Results part = run_shard(test.op, split, block, joining);
    if (!part) return "the operation cannot be run on shards";
    for (std::size_t r = 0; r < joined.size(); ++r) {
      const Tensor& local = (*part)[r];
      if (joining == Joining::kReduce && number > 0) {
        for (std::size_t i = 0; i < local.data.size(); ++i)
          joined[r].data[i] = combine(reducer_of(test.op), joined[r].data[i], local.data[i]);
      } else if (split[operands + r]) {
        join(joined[r], local, *split[operands + r], block);
      } else if (number > 0 && joined[r] != local) {
        return "shards differ in a result that they all have whole";
      } else {
        joined[r] = local;
      }
    }
  }
  return joined == test.results ? "" : "the shards' results are not the whole's";
}

// The same for every number of blocks that `size` can be divided in.
inline std::string compare_all_shards(const Case& test, const Split& split, std::int64_t size,
                                      Joining joining) {
  for (std::int64_t count = 2; count <= size; ++count) {
    if (size % count != 0) continue;
    if (const std::string wrong = compare_shards(test, split, count, joining); !wrong.empty())
      return wrong;
  }
  return "";
}

}  // namespace oracle
