// Options of the JSON reader and writer.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop {

// Gives the types of the results of an operation, one per result; or none, after adding a
// diagnostic.
using InferTypes = std::function<std::optional<std::vector<TypeId>>(Module&, OpId, Diagnostics&)>;

struct ReadOptions {
  std::size_t max_depth = 512;        // nesting of lists and objects; at most `kMaxJsonDepth`
  std::size_t max_diagnostics = 100;  // reading stops after this many errors, at least 1
  // Plain documents go through a scan of ours, in half the time of nlohmann's parser; false: all go
  // through that parser. The answer is the same.
  bool fast_scan = true;
  // Called for each operation with a result that leaves its type out, once its operands, attributes
  // and regions are there. Without it such a result is an error.
  InferTypes infer_types = {};
};

// Objects within objects are read and written by recursion, which this bounds.
inline constexpr std::size_t kMaxJsonDepth = 2048;

struct WriteOptions {
  bool compact = false;  // the whole document in one line
  // A constant of more elements that was left in MLIR text is written as {"elided": true}. Lists
  // that came from JSON are written whatever their size.
  std::size_t max_elements = std::numeric_limits<std::size_t>::max();
};

}  // namespace shardprop
