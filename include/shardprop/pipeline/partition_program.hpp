// From a sharded program to the program that each device runs.
//
// The program is propagated, then made such that every operation works on its own parts: reshards
// before operations whose tensors disagree or that would need data of other devices, all-reduces after
// those that reduce a split dimension. Reshards become collectives, and every tensor gets the type of its
// part. Dimensions that do not divide keep the axes that do.
//
// The local program has StableHLO operations only, takes the parts of the arguments and gives those of the
// results. Its function is that of the program, which `verify_partition` of room run can show.
#pragma once

#include <cstdint>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/support/diagnostic.hpp"
#include "shardprop/support/inline.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

struct PartitionOptions {
  // Gather dimension by dimension, not all at once.
  bool per_dim_all_gather = false;
  // Name the groups of collectives by axes of the mesh where those are whole (ReplicaGroupV3).
  bool enable_rgv3 = false;
  // Keep the shardings of arguments and results, and the meshes that they name.
  bool keep_shardings = false;
};

struct PartitionedProgram {
  Module sharded;  // with explicit collectives, in global types
  Module local;    // what each device runs
  std::int64_t devices = 1;
  Diagnostics notes;  // what a user should know of the propagation
};

// Partitions `m`, which must verify, over its meshes. All meshes must have the same number of devices.
// Errors: those of the passes, and `partition.devices`.
SHARDPROP_INLINE Result<PartitionedProgram> partition_program(const Module& m, const OpTable& ops,
                                                              const PartitionOptions& options = {});

}  // namespace shardprop

#ifndef SHARDPROP_COMPILED
#include "shardprop/pipeline/partition_program_inl.hpp"
#endif
