// The time of each pass on the whole way from a document to a document.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "bench/tables.hpp"
#include "fmt/core.h"

namespace shardprop::bench {

struct PassCost {
  std::string name;
  double seconds = 0;
};

// The costs of reading, of each pass of propagation-pipeline, and of writing. `collectives` is the
// text "true" or "false".
inline std::vector<PassCost> pass_costs(const std::string& text, const OpTable& table,
                                        const std::string& collectives) {
  std::vector<PassCost> out;
  double start = cpu_seconds();
  Result<Module> m = read_json(text);
  out.push_back({"(read)", cpu_seconds() - start});
  if (!m) return out;
  const std::vector<PassCall> calls = {
      {"propagation-pipeline", {{"enable-insert-explicit-collectives", collectives}}}};
  const Result<PipelineReport> report = run_passes(*m, table, calls);
  if (!report) return out;
  for (const PassTiming& pass : report->passes) out.push_back({pass.name, pass.seconds});
  start = cpu_seconds();
  (void)write_json(*m).size();
  out.push_back({"(write)", cpu_seconds() - start});
  return out;
}

// The least cost of each pass in several runs.
inline std::vector<PassCost> least_pass_costs(const Module& m, const OpTable& table,
                                              const std::string& collectives) {
  const std::string text = write_json(m);
  std::vector<PassCost> least = pass_costs(text, table, collectives);
  for (int i = 0; i < 4; ++i) {
    const std::vector<PassCost> costs = pass_costs(text, table, collectives);
    for (std::size_t p = 0; p < costs.size() && p < least.size(); ++p)
      least[p].seconds = std::min(least[p].seconds, costs[p].seconds);
  }
  return least;
}

// `large` are the costs on a graph, `small` those on a graph of a tenth of the operations.
inline void print_passes(const std::vector<PassCost>& small, const std::vector<PassCost>& large,
                         double size_ratio) {
  double whole = 0;
  for (const PassCost& pass : large) whole += pass.seconds;
  fmt::print("{:<44} {:>9} {:>7} {:>7}\n", "pass", "ms", "%", "growth");
  for (std::size_t p = 0; p < large.size(); ++p) {
    const double before = p < small.size() ? small[p].seconds : 0;
    const double slope =
        before > 0 ? std::log(large[p].seconds / before) / std::log(size_ratio) : 0;
    fmt::print("{:<44} {:>9.2f} {:>7.2f} {:>7.2f}\n", large[p].name, large[p].seconds * 1e3,
               100 * ratio(large[p].seconds, whole), slope);
  }
  fmt::print("{:<44} {:>9.2f}\n", "all", whole * 1e3);
}

}  // namespace shardprop::bench
