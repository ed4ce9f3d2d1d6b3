// The definitions of compiled.hpp. They are not inline: include this header in exactly one
// source file of a program. The umbrella leaves it out.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/ops/standard_ops.hpp"
#include "shardprop/ops/verify.hpp"
#include "shardprop/pipeline/compiled.hpp"
#include "shardprop/pipeline/pass_call.hpp"
#include "shardprop/pipeline/run_passes.hpp"
#include "shardprop/propagate/propagate.hpp"

namespace shardprop::compiled {

OpTable standard_ops() { return shardprop::standard_ops(); }

Diagnostics verify_module(const OpTable& ops, const Module& m) {
  Diagnostics errors;
  shardprop::verify_module(ops, m, errors);
  return errors;
}

Result<PropagationReport> propagate(Module& m, const OpTable& ops,
                                    const PropagateOptions& options) {
  return shardprop::propagate(m, ops, options);
}

Result<PipelineReport> run_pipeline(Module& m, const OpTable& ops, std::string_view pipeline,
                                    bool verify_each) {
  Result<std::vector<PassCall>> calls = parse_pipeline(pipeline);
  if (!calls) return std::move(calls.errors());
  RunOptions options;
  options.verify_each = verify_each;
  return run_passes(m, ops, *calls, options);
}

}  // namespace shardprop::compiled
