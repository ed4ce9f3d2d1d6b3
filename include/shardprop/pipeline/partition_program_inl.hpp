// Definitions of partition_program.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "fmt/core.h"
#include "shardprop/ir/edit.hpp"
#include "shardprop/ops/verify.hpp"
#include "shardprop/passes/calls/export_named_computations.hpp"
#include "shardprop/passes/canonicalize/canonicalize.hpp"
#include "shardprop/passes/collectives/reshard_to_collectives.hpp"
#include "shardprop/passes/export/drop_sharding_and_mesh.hpp"
#include "shardprop/passes/export/remove_sharding_groups.hpp"
#include "shardprop/passes/export/resolve_single_device_sharding.hpp"
#include "shardprop/passes/export/sharding_constraint_to_reshard.hpp"
#include "shardprop/passes/partition/convert_global_to_local.hpp"
#include "shardprop/passes/partition/prepare_shardings.hpp"
#include "shardprop/passes/partition/split_reshards.hpp"
#include "shardprop/passes/reshards/insert_explicit_reshards.hpp"
#include "shardprop/pipeline/partition_program.hpp"
#include "shardprop/pipeline/run_passes.hpp"

namespace shardprop {

namespace detail {

// The number of devices of the meshes of `m`; an error where they differ.
inline Result<std::int64_t> device_count(const Module& m) {
  std::int64_t devices = 1;
  for (MeshId id : m.meshes.ids()) {
    const Mesh& mesh = m.meshes[id];
    if (mesh.is_empty() || mesh.is_maximal()) continue;
    if (devices != 1 && mesh.device_count() != 1 && mesh.device_count() != devices) {
      return Diagnostic{"partition.devices",
                        fmt::format("the program has meshes of {} and of {} devices", devices,
                                    mesh.device_count()),
                        "use meshes of one number of devices"};
    }
    if (mesh.device_count() != 1) devices = mesh.device_count();
  }
  return devices;
}

// Runs steps on a module as long as none fails.
class PartitionSteps {
 public:
  PartitionSteps& operator()(Result<bool> done) {
    if (!done) errors = std::move(done.errors());
    return *this;
  }
  template <class Step>
  PartitionSteps& then(Step&& step) {
    return errors.empty() ? (*this)(step()) : *this;
  }

  Diagnostics errors;
};

// Propagates, and leaves shardings closed and nothing of sdy but reshards and manual computations.
inline Diagnostics shard_program(Module& m, const OpTable& ops, Diagnostics& notes) {
  const auto calls = parse_pipeline(
      "propagation-pipeline{avoid-export-for-partitioning=true},sharding-constraint-to-reshard,"
      "remove-sharding-groups");
  const Result<PipelineReport> report = run_passes(m, ops, *calls, {});
  if (!report) return report.errors();
  notes = report->warnings;
  return {};
}

inline Diagnostics make_local(Module& m, const OpTable& ops) {
  PartitionSteps steps;
  steps.then([&] { return prepare_shardings(m); })
      .then([&] {
        return insert_explicit_reshards(m, ops, {.enable_full_version = true, .only_local = true});
      })
      .then([&] { return split_reshards(m); })
      .then([&] { return reshard_to_collectives(m, {}); })
      .then([&] { return canonicalize(m, ops, {"sdy-collective"}); })
      .then([&] { return resolve_single_device_sharding(m, {}); });
  return steps.errors;
}

inline void write_counts(Module& m, std::int64_t devices) {
  const auto count = [&](std::string_view name, std::int64_t number) {
    const AttrId typed =
        m.attrs.typed(m.attrs.integer(number), m.strings.intern(fmt::format("{} : i32", number)));
    m.attributes = m.attrs.with(m.attributes, m.strings.intern(name), typed);
  };
  count("mhlo.num_partitions", devices);
  count("mhlo.num_replicas", 1);
}

}  // namespace detail

SHARDPROP_INLINE Result<PartitionedProgram> partition_program(const Module& m, const OpTable& ops,
                                                              const PartitionOptions& options) {
  const Result<std::int64_t> devices = detail::device_count(m);
  if (!devices) return devices.errors();
  PartitionedProgram out;
  out.sharded = m;
  out.devices = *devices;
  Diagnostics errors = detail::shard_program(out.sharded, ops, out.notes);
  if (errors.empty()) errors = detail::make_local(out.sharded, ops);
  if (!errors.empty()) return errors;
  out.local = out.sharded;
  GlobalToLocalOptions local;
  local.per_dim_all_gather = options.per_dim_all_gather;
  local.combine_multi_dimension_reduce_scatter = true;
  local.enable_rgv3 = options.enable_rgv3;
  detail::PartitionSteps steps;
  steps.then([&] { return convert_global_to_local(out.local, local); }).then([&] {
    return export_named_computations(out.local);
  });
  if (!options.keep_shardings) steps.then([&] { return drop_sharding_and_mesh(out.local, ops); });
  if (steps.errors.empty()) verify_module(ops, out.local, steps.errors);
  if (has_errors(steps.errors)) return steps.errors;
  detail::write_counts(out.local, out.devices);
  return out;
}

}  // namespace shardprop
