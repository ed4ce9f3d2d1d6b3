// What the collectives of a program send: for each kind and each list of mesh axes how often, and
// how many bytes a device sends and receives, with ring algorithms (docs/communication.md).
//
// Worked example: all_reduce along an axis of size 4 of a tensor of which each device holds 1000
// bytes: 2 * 3/4 * 1000 = 1500 bytes sent and received. O(operations).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/support/inline.hpp"

namespace shardprop {

// The collectives of one kind along the same axes.
struct CommunicationRow {
  std::string kind;        // all_gather
  std::string mesh;        // empty for an inlined mesh
  std::string axes;        // "x, y:(1)2", empty where only the order of the devices changes
  bool in_loop = false;    // inside a stablehlo.while: the numbers are of one trip
  std::int64_t count = 0;  // calls of a function count each
  double sent = 0;         // bytes that a device sends, all together
  double received = 0;
};

// One collective of a program.
struct CollectiveCost {
  OpId op;
  std::string kind;
  std::string mesh;
  std::string axes;
  bool in_loop = false;
  std::int64_t runs = 1;  // calls of its function count each
  double sent = 0;        // bytes that a device sends, and receives, in one run
};

// Rows by kind, mesh, axes. `not_counted` is the number of operations that communicate but of which
// it is not known what: reshards, and collectives of stablehlo whose groups are not in the program.
struct CommunicationSummary {
  std::vector<CommunicationRow> rows;
  std::int64_t not_counted = 0;
};

// Sums up what the collectives of `m`, a verified module, send in one run of each public function.
SHARDPROP_INLINE CommunicationSummary communication(const Module& m);

// Calls `fn` for each collective of `m`, a verified module, in one run of each public
// function; twice for one that is run in a loop and outside of one. Gives the number of operations
// that communicate and are not counted.
SHARDPROP_INLINE std::int64_t for_each_collective(
    const Module& m, const std::function<void(const CollectiveCost&)>& fn);

}  // namespace shardprop

#ifndef SHARDPROP_COMPILED
#include "shardprop/analysis/communication_inl.hpp"
#endif
