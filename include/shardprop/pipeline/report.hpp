// What running passes gives: how long each took, and what the propagations among them found.
#pragma once

#include <string>

#include "shardprop/propagate/report.hpp"
#include "shardprop/support/vector.hpp"

namespace shardprop {

struct PassTiming {
  std::string name;
  double seconds = 0;
  bool changed = false;
};

struct PipelineReport {
  Vector<PassTiming> passes;
  Vector<PropagationReport> propagations;
};

}  // namespace shardprop
