// The table of all passes and pipelines. To add one: its header in passes/, and its row in one of
// the tables below.
#pragma once

#include "shardprop/pipeline/export_passes.hpp"
#include "shardprop/pipeline/export_pipelines.hpp"
#include "shardprop/pipeline/import_passes.hpp"
#include "shardprop/pipeline/pass_table.hpp"
#include "shardprop/pipeline/pipelines.hpp"
#include "shardprop/pipeline/propagation_passes.hpp"
#include "shardprop/pipeline/reshard_passes.hpp"

namespace shardprop {

inline PassTable standard_passes() {
  PassTable table(kPropagationPasses);
  for (const PassDef& def : kImportPasses) table.add(def);
  for (const PassDef& def : kExportPasses) table.add(def);
  for (const PassDef& def : kExplicitReshardPasses) table.add(def);
  for (const PassDef& def : kCollectivePasses) table.add(def);
  for (const PassDef& def : kPipelines) table.add(def);
  for (const PassDef& def : kExportPipelines) table.add(def);
  return table;
}

}  // namespace shardprop
