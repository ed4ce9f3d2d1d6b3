// The tables that the program prints.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "fmt/core.h"

namespace shardprop::bench {

// `numerator / denominator`, or 0.
inline double ratio(double numerator, double denominator) {
  return denominator > 0 ? numerator / denominator : 0;
}
inline double per(std::size_t total, std::size_t count) {
  return ratio(static_cast<double>(total), static_cast<double>(count));
}
inline double megabytes(std::size_t bytes) { return static_cast<double>(bytes) / 1e6; }

inline std::size_t index_of(std::string_view work) {
  std::size_t w = 0;
  while (w + 1 < kWorkCount && kWorkloads[w].name != work) ++w;
  return w;
}

inline void print_propagate(const std::vector<Row>& rows) {
  fmt::print("\npropagate\n{:<12} {:>8} {:>9} {:>9} {:>9} {:>7} {:>7} {:>9} {:>8} {:>8} {:>7}\n",
             "family", "ops", "visits", "steps", "changes", "hits %", "memo", "ms", "ns/visit",
             "module B", "work B");
  for (const Row& row : rows) {
    const PropagationReport& r = row.report;
    const double seconds = row.cost[index_of("propagate")];
    fmt::print(
        "{:<12} {:>8} {:>9} {:>9} {:>9} {:>7.2f} {:>7} {:>9.2f} {:>8.1f} {:>8.0f} {:>7.0f}\n",
        row.family->name, row.operations, r.visits, r.steps, r.changes,
        100 * per(r.memo_hits, r.memo_hits + r.memo_entries), r.memo_entries, seconds * 1e3,
        ratio(seconds * 1e9, static_cast<double>(r.visits)), per(row.module_bytes, row.operations),
        per(row.work_bytes, row.operations));
  }
  fmt::print(
      "module B, work B: heap bytes per operation of the module, and of propagation beyond it\n");
}

inline void print_json(const std::vector<Row>& rows) {
  fmt::print("\nJSON\n{:<12} {:>8} {:>9} {:>10} {:>10} {:>10} {:>10} {:>7}\n", "family", "ops",
             "MB", "read MB/s", "parse MB/s", "read/parse", "write MB/s", "read B");
  for (const Row& row : rows) {
    const double size = megabytes(row.document_bytes);
    const double read = row.cost[index_of("read")];
    const double parse = row.cost[index_of("parse")];
    fmt::print("{:<12} {:>8} {:>9.2f} {:>10.0f} {:>10.0f} {:>10.2f} {:>10.0f} {:>7.0f}\n",
               row.family->name, row.operations, size, ratio(size, read), ratio(size, parse),
               ratio(read, parse), ratio(megabytes(row.written_bytes), row.cost[index_of("write")]),
               per(row.read_bytes, row.operations));
  }
  fmt::print(
      "parse: nlohmann's parser alone; read B: the most heap bytes per operation while reading, "
      "beyond the document\n");
}

inline std::string header_of_parts(std::string_view first) {
  std::string out = fmt::format("{:<12} {:>8}", "family", first);
  for (const Workload& work : kWorkloads) out += fmt::format(" {:>9}", work.name);
  return out;
}

// The cost per operation of each part, times `unit`.
inline void print_costs(const std::vector<Row>& rows, std::string_view what, double unit) {
  fmt::print("\n{}\n{}\n", what, header_of_parts("ops"));
  for (const Row& row : rows) {
    std::string line = fmt::format("{:<12} {:>8}", row.family->name, row.operations);
    for (double cost : row.cost)
      line += fmt::format(" {:>9.0f}", ratio(cost * unit, static_cast<double>(row.operations)));
    fmt::print("{}\n", line);
  }
}

// Exponents of the growth of each part, one line per family. `rows` are grouped by family.
inline void print_growth(const std::vector<Row>& rows, std::string_view what, std::size_t from) {
  fmt::print("\n{}\n{}\n", what, header_of_parts("up to"));
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin;
    while (end < rows.size() && rows[end].family == rows[begin].family) ++end;
    const std::vector<Row> family(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                                  rows.begin() + static_cast<std::ptrdiff_t>(end));
    std::string line =
        fmt::format("{:<12} {:>8}", rows[begin].family->name, rows[end - 1].operations);
    for (std::size_t w = 0; w < kWorkCount; ++w)
      line += fmt::format(" {:>9.2f}", growth(family, w, from));
    fmt::print("{}\n", line);
    begin = end;
  }
}

}  // namespace shardprop::bench
