// Verification: what a row declares, what it infers, what it checks itself, and the form of the
// whole module. Every error is added with its place, not only the first. An operation without a row
// is checked for form only.
#pragma once

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/support/diagnostic.hpp"
#include "shardprop/support/inline.hpp"

namespace shardprop {

namespace detail {

// Checks one operation against its row.
SHARDPROP_INLINE void verify_with_row(const OpRow& row, const InferInput& in);

}  // namespace detail

// Adds the errors of `op` itself, not of what its regions hold. O(types and strings of the module)
// besides the operation.
SHARDPROP_INLINE void verify_op(const OpTable& table, const Module& m, OpId op, Diagnostics& out);

// Adds every error of the module: ids (and where one is wrong, no more), form, meshes, operations,
// shardings and the rules that users gave. O(module), with a copy of its types and strings:
// inference makes types.
SHARDPROP_INLINE void verify_module(const OpTable& table, const Module& m, Diagnostics& out);

}  // namespace shardprop

#ifndef SHARDPROP_COMPILED
#include "shardprop/ops/verify_inl.hpp"
#endif
