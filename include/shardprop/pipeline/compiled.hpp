// The entry points of the library as declarations, for an embedder with many source files: one file
// compiles the operations and the passes, the others only the module and the options.
//
// Worked example. In exactly one source file:
//   #include "shardprop/pipeline/compiled_definitions.hpp"
// and in any other, which then compiles in a fraction of a second:
//   #include "shardprop/pipeline/compiled.hpp"
//   const OpTable ops = compiled::standard_ops();
//   Result<PropagationReport> report = compiled::propagate(m, ops);
#pragma once

#include <string_view>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/pipeline/pipeline_report.hpp"
#include "shardprop/propagate/options.hpp"
#include "shardprop/propagate/propagation_report.hpp"
#include "shardprop/support/diagnostic.hpp"
#include "shardprop/support/result.hpp"

// Each does what the function of its name in `shardprop` does.
namespace shardprop::compiled {

OpTable standard_ops();

// What is wrong with `m`; nothing where it verifies.
Diagnostics verify_module(const OpTable& ops, const Module& m);

Result<PropagationReport> propagate(Module& m, const OpTable& ops,
                                    const PropagateOptions& options = {});

// Parses `pipeline`, such as "import-pipeline,basic-propagate{keep-sharding-rules}", and runs it
// with the standard passes; `verify_each` verifies the module after every pass.
Result<PipelineReport> run_pipeline(Module& m, const OpTable& ops, std::string_view pipeline,
                                    bool verify_each = false);

}  // namespace shardprop::compiled
