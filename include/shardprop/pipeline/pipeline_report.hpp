// What running passes gives: how long each took, and what the propagations among them found.
#pragma once

#include <string>
#include <vector>

#include "shardprop/propagate/propagation_report.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop {

struct PassTiming {
  std::string name;
  double seconds = 0;
  bool changed = false;
};

struct PipelineReport {
  std::vector<PassTiming> passes;
  std::vector<PropagationReport> propagations;
  Diagnostics warnings;  // of the passes and of the program as a whole
};

}  // namespace shardprop
