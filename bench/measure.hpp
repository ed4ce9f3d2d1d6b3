// What is measured on one graph: the least CPU time of a few runs, and counts that do not depend on
// the machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <string>
#include <string_view>

#include "bench/heap.hpp"
#include "nlohmann/json.hpp"
#include "shardprop/io/json_reader.hpp"
#include "shardprop/io/json_writer.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/propagate/propagate.hpp"

namespace shardprop::bench {

inline double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// The least CPU time of `run(prepare())`, of at least 3 runs and at most what half a second holds;
// 0 is below the clock.
template <class Prepare, class Run>
double least_seconds(Prepare prepare, Run run) {
  double least = 1e30;
  double total = 0;
  for (int i = 0; i < 3 || (total < 0.5 && i < 50); ++i) {
    auto input = prepare();
    const double start = cpu_seconds();
    run(input);
    const double seconds = cpu_seconds() - start;
    least = std::min(least, seconds);
    total += seconds;
  }
  return least;
}

struct PropagateNumbers {
  PropagationReport report;
  double seconds = 0;
  std::size_t module_bytes = 0;  // heap of the module
  std::size_t work_bytes = 0;    // most heap during propagation, beyond the module
};

inline PropagateNumbers measure_propagate(const Module& m, const OpTable& table) {
  PropagateNumbers out;
  const std::size_t before = heap_bytes();
  {
    Module copy = m;
    out.module_bytes = heap_bytes() - before;
    const std::size_t start = heap_bytes();
    reset_heap_peak();
    if (Result<PropagationReport> report = propagate(copy, table)) out.report = std::move(*report);
    out.work_bytes = heap_peak() - start;
  }
  out.seconds =
      least_seconds([&] { return m; }, [&](Module& copy) { (void)propagate(copy, table).ok(); });
  return out;
}

// Takes every event and keeps nothing: what parsing alone costs.
struct NullSax {
  using Json = nlohmann::json;
  bool null() { return true; }
  bool boolean(bool) { return true; }
  bool number_integer(Json::number_integer_t) { return true; }
  bool number_unsigned(Json::number_unsigned_t) { return true; }
  bool number_float(Json::number_float_t, const std::string&) { return true; }
  bool string(std::string&) { return true; }
  bool binary(Json::binary_t&) { return true; }
  bool start_object(std::size_t) { return true; }
  bool key(std::string&) { return true; }
  bool end_object() { return true; }
  bool start_array(std::size_t) { return true; }
  bool end_array() { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) {
    return false;
  }
};

inline bool parse_only(const std::string& text) {
  NullSax sax;
  return nlohmann::json::sax_parse(text, &sax);
}

struct JsonNumbers {
  std::size_t document_bytes = 0;
  double read_seconds = 0;
  double write_seconds = 0;
  double parse_seconds = 0;
  std::size_t read_bytes = 0;  // most heap while reading, beyond the document
};

inline JsonNumbers measure_json(const Module& m) {
  JsonNumbers out;
  const std::string text = write_json(m);
  out.document_bytes = text.size();
  const std::size_t start = heap_bytes();
  reset_heap_peak();
  (void)read_json(text).ok();
  out.read_bytes = heap_peak() - start;
  const auto same_text = [&]() -> const std::string* { return &text; };
  out.read_seconds =
      least_seconds(same_text, [](const std::string* t) { (void)read_json(*t).ok(); });
  out.parse_seconds = least_seconds(same_text, [](const std::string* t) { (void)parse_only(*t); });
  out.write_seconds = least_seconds([&] { return &m; },
                                    [](const Module* module) { (void)write_json(*module).size(); });
  return out;
}

}  // namespace shardprop::bench
