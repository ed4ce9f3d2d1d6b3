// Measures each part on a graph: the least CPU time of a few runs, and counts that do not depend on
// the machine.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <iterator>
#include <vector>

#include "bench/blocks.hpp"
#include "bench/families.hpp"
#include "bench/heap.hpp"
#include "bench/measured_part.hpp"
#include "bench/workloads.hpp"

namespace shardprop::bench {

constexpr std::size_t kWorkCount = std::size(kWorkloads);

inline double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// The least CPU time of at least 3 runs, and of further runs for half a second; 0 is less than the
// clock can tell. There is no further run after a second.
inline double least_seconds(const Stages& stages, const Workload& work,
                            const WorkContext& context) {
  double least = 1e30;
  double total = 0;
  for (int i = 0; (i < 3 && total < 1) || (total < 0.5 && i < 50); ++i) {
    WorkInput input = make_input(stages, work);
    const double start = cpu_seconds();
    (void)measured_part(work, input, context);
    const double seconds = cpu_seconds() - start;
    least = std::min(least, seconds);
    total += seconds;
  }
  return least;
}

// The basic blocks of one run.
inline double blocks_of(const Stages& stages, const Workload& work, const WorkContext& context) {
  WorkInput input = make_input(stages, work);
  const std::uint64_t start = blocks_run();
  (void)measured_part(work, input, context);
  return static_cast<double>(blocks_run() - start);
}

// Whether this program counts blocks: then it has counted some by now.
inline bool counts_blocks() { return blocks_run() != 0; }

// What was measured on one graph.
struct Row {
  const Family* family = nullptr;
  std::size_t operations = 0;
  std::array<double, kWorkCount> cost = {};  // seconds, basic blocks or instructions
  PropagationReport report;
  std::size_t document_bytes = 0;
  std::size_t written_bytes = 0;  // of the propagated module
  std::size_t module_bytes = 0;   // heap
  std::size_t work_bytes = 0;     // most heap during propagation, beyond the module
  std::size_t read_bytes = 0;     // most heap while reading, beyond the document
};

inline void measure_heap(const Stages& stages, const WorkContext& context, Row& row) {
  std::size_t start = heap_bytes();
  Module copy = stages.imported;
  row.module_bytes = heap_bytes() - start;
  start = heap_bytes();
  reset_heap_peak();
  if (Result<PropagationReport> report = propagate(copy, context.table))
    row.report = std::move(*report);
  row.work_bytes = heap_peak() - start;
  start = heap_bytes();
  reset_heap_peak();
  (void)read_json(stages.text).ok();
  row.read_bytes = heap_peak() - start;
}

inline Row measure(const Family& family, const Stages& stages, const WorkContext& context) {
  Row row;
  row.family = &family;
  row.operations = stages.original.ops.size();
  row.document_bytes = stages.text.size();
  row.written_bytes = write_json(stages.propagated).size();
  measure_heap(stages, context, row);
  for (std::size_t w = 0; w < kWorkCount; ++w)
    row.cost[w] = counts_blocks() ? blocks_of(stages, kWorkloads[w], context)
                                  : least_seconds(stages, kWorkloads[w], context);
  return row;
}

// The slope of log(cost) over log(operations), by least squares, of the rows of about `from` or
// more operations: 1 is linear. 0 if there are fewer than two such rows.
inline double growth(const std::vector<Row>& rows, std::size_t work, std::size_t from) {
  double n = 0;
  double x = 0;
  double y = 0;
  double xx = 0;
  double xy = 0;
  for (const Row& row : rows) {
    if (row.operations * 2 < from || row.cost[work] <= 0) continue;
    const double log_size = std::log(static_cast<double>(row.operations));
    const double log_cost = std::log(row.cost[work]);
    n += 1;
    x += log_size;
    y += log_cost;
    xx += log_size * log_size;
    xy += log_size * log_cost;
  }
  return n < 2 ? 0 : (n * xy - x * y) / (n * xx - x * x);
}

}  // namespace shardprop::bench
