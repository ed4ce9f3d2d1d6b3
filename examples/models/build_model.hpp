// Gives the module that a GraphBuilder built, for all models.
#pragma once

#include <utility>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/graph_builder.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop::models::detail {

// The module `m` that `b` built, or the errors of `b`.
inline Result<Module> finish(Module& m, const GraphBuilder& b) {
  if (!b.errors().empty()) return b.errors();
  return std::move(m);
}

// The module of a model: a class that is made from a builder and options and has a function
// `build`.
template <class Model, class Options>
Result<Module> build_model(const OpTable& table, const Options& options) {
  Module m;
  GraphBuilder b(m, table);
  Model(b, options).build();
  return finish(m, b);
}

}  // namespace shardprop::models::detail
