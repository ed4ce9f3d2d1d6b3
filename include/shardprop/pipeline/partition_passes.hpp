// The passes of the partitioner as rows: what makes the program of one device of a sharded program
// whose communication is explicit.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include "fmt/core.h"
#include "shardprop/passes/export/resolve_single_device_sharding.hpp"
#include "shardprop/passes/partition/convert_global_to_local.hpp"
#include "shardprop/passes/partition/pad_for_divisibility.hpp"
#include "shardprop/passes/partition/per_instruction_partitioning.hpp"
#include "shardprop/passes/partition/resolve_permutation_factors.hpp"
#include "shardprop/pipeline/pass_table.hpp"

namespace shardprop {

namespace detail {

inline constexpr PassOption kReplicaCount = {"replica-count", "how many copies of the program run",
                                             "1", OptionKind::kText};
inline constexpr PassOption kPartitionCount = {
    "partition-count", "on how many parts each copy is split", "1", OptionKind::kText};

// How many copies of the program run, and on how many parts each is split.
struct DeviceCounts {
  std::int64_t replicas = 1;
  std::int64_t partitions = 1;
};

// A count of 1 or more, or 0 where the text is none.
inline std::int64_t count_option(const OptionValues& values, std::string_view name) {
  const std::string_view text = values.text(name);
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  return error == std::errc() && end == text.data() + text.size() && count > 0 ? count : 0;
}

inline Result<DeviceCounts> device_counts(const OptionValues& values, std::string_view pass) {
  const DeviceCounts counts = {count_option(values, kReplicaCount.name),
                               count_option(values, kPartitionCount.name)};
  if (counts.replicas > 0 && counts.partitions > 0) return counts;
  return Diagnostic{
      "pipeline.option_value",
      fmt::format("replica-count and partition-count of '{}' must be numbers of 1 or more", pass),
      "write a positive number"};
}

inline constexpr std::array kSingleDeviceOptions = {kReplicaCount, kPartitionCount};

inline Result<bool> run_resolve_single_device_sharding(Module& m, const OptionValues& values,
                                                       const PassContext&) {
  const auto counts = device_counts(values, "resolve-single-device-sharding");
  if (!counts) return counts.errors();
  return resolve_single_device_sharding(m, {counts->replicas, counts->partitions});
}

inline constexpr std::array kPermutationOptions = {
    PassOption{"enable-halo-exchange", "let devices exchange the ends of their shards", "true"},
    PassOption{"only-local", "resolve also what has no permutation factor but is not local"},
    kReplicaCount, kPartitionCount};

inline Result<bool> run_resolve_permutation_factors(Module& m, const OptionValues& values,
                                                    const PassContext& context) {
  const auto counts = device_counts(values, "resolve-permutation-factors");
  if (!counts) return counts.errors();
  ResolvePermutationOptions options;
  options.enable_halo_exchange = values.flag("enable-halo-exchange");
  options.only_local = values.flag("only-local");
  options.replica_count = counts->replicas;
  options.partition_count = counts->partitions;
  return resolve_permutation_factors(m, context.ops, options);
}

inline constexpr std::array kGlobalToLocalOptions = {
    PassOption{"per-dim-all-gather", "gather dimension by dimension, not all at once"},
    PassOption{
        "combine-multi-dimension-reduce-scatter",
        "scatter several dimensions by one reduce_scatter, not by an all_reduce and a slice"},
    PassOption{"enable-rgv3", "name the groups of collectives by axes of the mesh"}, kReplicaCount,
    kPartitionCount};

inline Result<bool> run_convert_global_to_local(Module& m, const OptionValues& values,
                                                const PassContext&) {
  const auto counts = device_counts(values, "convert-global-to-local");
  if (!counts) return counts.errors();
  GlobalToLocalOptions options;
  options.per_dim_all_gather = values.flag("per-dim-all-gather");
  options.combine_multi_dimension_reduce_scatter =
      values.flag("combine-multi-dimension-reduce-scatter");
  options.enable_rgv3 = values.flag("enable-rgv3");
  options.replica_count = counts->replicas;
  options.partition_count = counts->partitions;
  return convert_global_to_local(m, options);
}

inline constexpr std::array kPerInstructionOptions = {
    PassOption{"filter",
               "which operations: parts of their names, and numbers as selectLow=N, selectHigh=N",
               "", OptionKind::kText},
    PassOption{"selectLow", "the number of the first operation", "", OptionKind::kText},
    PassOption{"selectHigh", "the number of the last operation", "", OptionKind::kText},
    PassOption{"enable-halo-exchange", "let devices exchange the ends of their shards", "true"},
    kReplicaCount,
    kPartitionCount};

// A filter with blanks in it, such as 'selectLow=0, selectHigh=4', comes as several options.
inline Result<bool> run_per_instruction_partitioning(Module& m, const OptionValues& values,
                                                     const PassContext& context) {
  const auto counts = device_counts(values, "per-instruction-partitioning");
  if (!counts) return counts.errors();
  PerInstructionOptions options;
  options.permutations = {values.flag("enable-halo-exchange"), counts->replicas,
                          counts->partitions};
  const std::string range = fmt::format("selectLow={},selectHigh={}", values.text("selectLow"),
                                        values.text("selectHigh"));
  read_filter(values.text("filter"), options.filter);
  read_filter(range, options.filter);
  return per_instruction_partitioning(m, context.ops, options);
}

}  // namespace detail

inline constexpr std::array kPartitionPasses = {
    pass_row<detail::run_resolve_single_device_sharding>(
        "resolve-single-device-sharding",
        "runs operations that are placed on one device on that device only",
        detail::kSingleDeviceOptions),
    pass_row<detail::run_resolve_permutation_factors>(
        "resolve-permutation-factors",
        "makes pads, slices, reverses, windows and reshapes along sharded dimensions local",
        detail::kPermutationOptions),
    pass_row<pad_for_divisibility>("pad-for-divisibility",
                                   "pads tensors to sizes that their shardings divide"),
    pass_row<detail::run_per_instruction_partitioning>(
        "per-instruction-partitioning",
        "partitions operations one by one, each in a manual computation",
        detail::kPerInstructionOptions),
    pass_row<detail::run_convert_global_to_local>("convert-global-to-local",
                                                  "makes the program that each device runs",
                                                  detail::kGlobalToLocalOptions),
};

}  // namespace shardprop
