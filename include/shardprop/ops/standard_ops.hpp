// The table of all built-in operations, family by family.
#pragma once

#include "shardprop/ops/op_table.hpp"
#include "shardprop/support/inline.hpp"

namespace shardprop {

// A new table with every built-in row; add your own operations to it.
SHARDPROP_INLINE OpTable standard_ops();

}  // namespace shardprop

#ifndef SHARDPROP_COMPILED
#include "shardprop/ops/standard_ops_inl.hpp"
#endif
