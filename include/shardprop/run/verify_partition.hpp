// Runs a program and what a partitioner made of it on the same random arguments, and compares the results.
//
//   const auto difference = verify_partition(program, partitioned, table, {.seed = 1});
//
// In the exact mode, which floats are wrapping integers in, data in a wrong place shows without tolerance.
// Otherwise floats may differ as much as sums in another order do. Costs a run on one device and one on all.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "fmt/ranges.h"
#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ops/apply_annotations.hpp"
#include "shardprop/ops/value_sharding.hpp"
#include "shardprop/pipeline/partition_program.hpp"
#include "shardprop/run/evaluate.hpp"
#include "shardprop/run/machine/run_on_devices.hpp"
#include "shardprop/run/made_tensors.hpp"
#include "shardprop/run/tensor_text.hpp"

namespace shardprop {

struct VerifyPartitionOptions {
  std::uint64_t seed = 0;
  bool exact = true;
  // Of the larger of two floats, or of 1 where both are less: how much they may differ.
  double tolerance = 1e-4;
  EvalOptions run = {};
};

// The first element that differs.
struct PartitionDifference {
  std::size_t result = 0;
  Shape index;
  std::size_t device = 0;  // that has the wrong element
  std::string expected;    // as the program computes it
  std::string found;       // as the devices do
  std::string
      first_value;  // the first value of the program that differs, and what makes it; or empty
};

namespace detail {

inline bool are_close(const Tensor& a, const Tensor& b, std::size_t at, double tolerance) {
  const std::size_t width = bytes_of(a.element());
  const std::byte* const x = a.read() + at * width;
  const std::byte* const y = b.read() + at * width;
  if (std::equal(x, x + width, y)) return true;
  const Domain domain = domain_of(a.element());
  if (domain != Domain::kReal && domain != Domain::kPair) return false;
  std::complex<double> left;
  std::complex<double> right;
  if (domain == Domain::kPair) {
    load_elements(a.element(), x, 1, &left);
    load_elements(b.element(), y, 1, &right);
  } else {
    double number = 0;
    load_elements(a.element(), x, 1, &number);
    left = number;
    load_elements(b.element(), y, 1, &number);
    right = number;
  }
  const auto close = [&](double p, double q) {
    return p == q || (std::isnan(p) && std::isnan(q)) ||
           std::abs(p - q) <= tolerance * std::max({1.0, std::abs(p), std::abs(q)});
  };
  return close(left.real(), right.real()) && close(left.imag(), right.imag());
}

// The first element of `a` that `b` does not have, or none.
inline std::optional<std::size_t> first_difference(const Tensor& a, const Tensor& b,
                                                   double tolerance) {
  if (a.bytes() == b.bytes() && std::equal(a.read(), a.read() + a.bytes(), b.read()))
    return std::nullopt;
  for (std::size_t i = 0; i < a.count(); ++i) {
    if (!are_close(a, b, i, tolerance)) return i;
  }
  return std::nullopt;
}

// Holds a global tensor against the shards of it, each device's by itself, so that copies count too.
inline std::optional<PartitionDifference> compare_shards(const Tensor& whole, const Tensors& shards,
                                                         const std::optional<TensorSharding>& s,
                                                         const MeshTable& meshes,
                                                         double tolerance) {
  std::optional<Placement> placement;
  if (s) placement.emplace(*s, meshes[s->mesh]);
  for (std::size_t device = 0; device < shards.size(); ++device) {
    const Tensor found =
        placement ? placement->whole(shards, whole.shape(), device) : shards[device];
    const auto at = first_difference(whole, found, tolerance);
    if (!at) continue;
    PartitionDifference out;
    out.index = index_of(whole.shape(), *at);
    out.device = device;
    out.expected = element_text(whole, *at);
    out.found = element_text(found, *at);
    return out;
  }
  return std::nullopt;
}

inline Tensors random_arguments(const Module& m, FuncId func,
                                const VerifyPartitionOptions& options) {
  Tensors out;
  for (ValueId value : m.blocks[m.funcs[func].body].arguments) {
    const auto shape = shape_of(m, value);
    out.push_back(random_tensor(element_of(m, type_of(m, value), options.run),
                                {shape.begin(), shape.end()}, options.seed * 1000 + out.size()));
  }
  return out;
}

// Runs both on the same arguments; `values` are what they return, with their shardings.
struct TwoRuns {
  Tensors whole;
  std::vector<Tensors> parts;  // by device
};

inline Result<TwoRuns> run_both(const Module& whole, const Module& sharded, const Module& local,
                                std::int64_t devices, const EvalTable& table,
                                const VerifyPartitionOptions& options) {
  const FuncId func = entry_func(whole);
  const FuncId local_func = entry_func(local);
  Tensors arguments = random_arguments(whole, func, options);
  std::vector<Tensors> of_devices(static_cast<std::size_t>(devices));
  const auto parameters = sharded.blocks[sharded.funcs[entry_func(sharded)].body].arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto s = tensor_sharding_of(sharded, parameters[i]);
    std::optional<Placement> placement;
    if (s) placement.emplace(*s, sharded.meshes[s->mesh]);
    for (std::size_t device = 0; device < of_devices.size(); ++device)
      of_devices[device].push_back(placement ? placement->shard(arguments[i], device)
                                             : arguments[i]);
  }
  Result<Tensors> expected = evaluate(whole, table, func, std::move(arguments), options.run);
  if (!expected) return std::move(expected.errors());
  const Runnable program(local, table);
  auto found = run_on_devices(program, local_func, std::move(of_devices), options.run);
  if (!found) return std::move(found.errors());
  return TwoRuns{*std::move(expected), *std::move(found)};
}

inline Tensors part_of(const std::vector<Tensors>& parts, std::size_t i) {
  Tensors out;
  for (const Tensors& of_device : parts) out.push_back(of_device[i]);
  return out;
}

// Lets the entry function return `values` as well.
inline void return_values(Module& m, const std::vector<ValueId>& values) {
  const FuncId func = entry_func(m);
  const OpId end = terminator(m, m.funcs[func].body);
  std::vector<ValueId> returned = operands_of(m, end);
  for (ValueId value : values) {
    returned.push_back(value);
    m.funcs[func].results.push_back({type_of(m, value), ShardingId(), AttrId()});
  }
  create_op(m, at_end(m.funcs[func].body),
            {known::kFuncReturn, returned, {}, m.ops[end].attributes});
  erase_op(m, end);
}

// Whether `value` is what the devices have of a sum that a collective adds up afterwards.
inline bool is_partial(const Module& m, ValueId value) {
  const UseId use = m.values[value].first_use;
  return has_one_use(m, value) &&
         is_one_of(m.ops[m.uses[use].user].name, {known::kSdyAllReduce, known::kSdyReduceScatter});
}

// What the first value that differs is called, and what makes it. The values of the entry function that
// both programs still have are returned by both.
inline std::string first_wrong_value(const PartitionedProgram& p, const EvalTable& table,
                                     const VerifyPartitionOptions& options) {
  Module sharded = p.sharded;
  Module local = p.local;
  std::vector<ValueId> values;
  const FuncId func = entry_func(sharded);
  for (OpId op = sharded.blocks[sharded.funcs[func].body].first_op; op.valid();
       op = sharded.layout[op].next) {
    if (is_erased(local, op)) continue;
    for (ValueId value : results(sharded, op)) {
      if (sharded.types.is_tensor(type_of(sharded, value)) && !is_partial(sharded, value))
        values.push_back(value);
    }
  }
  const std::size_t returned = sharded.funcs[func].results.size();
  return_values(sharded, values);
  return_values(local, values);
  const auto runs = run_both(sharded, p.sharded, local, p.devices, table, options);
  if (!runs) return {};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto difference = compare_shards(
        runs->whole[returned + i], part_of(runs->parts, returned + i),
        tensor_sharding_of(p.sharded, values[i]), p.sharded.meshes, options.tolerance);
    if (!difference) continue;
    return fmt::format("{} {}: element {} is {} and {} on device {}",
                       op_name(p.sharded, defining_op(p.sharded, values[i])),
                       name_of(p.sharded, values[i]), fmt::join(difference->index, ", "),
                       difference->expected, difference->found, difference->device);
  }
  return {};
}

}  // namespace detail

// The first difference between the results of `program` and those of what it was partitioned to, or none.
// Errors: those of the runs.
inline Result<std::optional<PartitionDifference>> verify_partition(
    const Module& program, const PartitionedProgram& partitioned, const EvalTable& table,
    VerifyPartitionOptions options = {}) {
  options.run.exact = options.exact;
  options.run.check_copies = true;
  const auto runs = detail::run_both(program, partitioned.sharded, partitioned.local,
                                     partitioned.devices, table, options);
  if (!runs) return runs.errors();
  const Module& sharded = partitioned.sharded;
  const auto& returned = sharded.funcs[entry_func(sharded)].results;
  for (std::size_t i = 0; i < runs->whole.size(); ++i) {
    auto difference = detail::compare_shards(runs->whole[i], detail::part_of(runs->parts, i),
                                             detail::stored_sharding(sharded, returned[i].sharding),
                                             sharded.meshes, options.tolerance);
    if (!difference) continue;
    difference->result = i;
    difference->first_value = detail::first_wrong_value(partitioned, table, options);
    return difference;
  }
  return std::optional<PartitionDifference>();
}

}  // namespace shardprop
