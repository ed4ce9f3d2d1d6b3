// Room in the tables of a module for what is about to be read.
#pragma once

#include <cstddef>

#include "shardprop/ir/module.hpp"

namespace shardprop {

// Reserves rows for `ops` operations of two operands each, and for `values` values.
inline void reserve_rows(Module& m, std::size_t ops, std::size_t values) {
  m.ops.reserve(ops);
  m.layout.reserve(ops);
  m.uses.reserve(2 * ops);
  m.values.reserve(values);
  m.value_shardings.reserve(values);
  m.value_names.reserve(values);
}

// Gives back what was reserved and not used. O(size of the tables).
inline void release_rows(Module& m) {
  m.ops.shrink_to_fit();
  m.layout.shrink_to_fit();
  m.uses.shrink_to_fit();
  m.values.shrink_to_fit();
  m.value_shardings.shrink_to_fit();
  m.value_names.shrink_to_fit();
}

}  // namespace shardprop
