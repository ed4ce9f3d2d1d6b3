// Measures all parts of the way from JSON to JSON on families of graphs at several sizes.
// `shardprop_bench --help` lists the options.
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/instructions.hpp"
#include "bench/measure.hpp"
#include "bench/passes.hpp"
#include "bench/tables.hpp"
#include "fmt/core.h"
#include "shardprop/io/common/file.hpp"
#include "shardprop/ops/standard_ops.hpp"

namespace shardprop::bench {

constexpr std::string_view kHelp =
    R"(usage: shardprop_bench [--family NAME] [--max-operations N] [--instructions]
       shardprop_bench --passes FAMILY OPERATIONS
       shardprop_bench --once WHAT FAMILY OPERATIONS
       shardprop_bench --once WHAT FILE.json

Measures families of graphs of 1,000 operations, 10,000 and so on up to N (default 100,000). Prints
propagation, JSON in and out, the cost per operation of each part, and how that cost grows from
10,000 operations on: the exponent, where 1 is linear. Times are CPU time, the least of several
runs. They grow faster than the work if a graph does not fit into a cache.

  --family NAME       measure only this family
  --max-operations N  the largest number of operations
  --instructions      count instructions instead of time (needs valgrind; about 50 times slower)
  --passes            the time of each pass of the propagation pipeline, and its growth from a tenth
                      of the operations on
  --once              run one part, or all, a single time in a function of its own, for
                      valgrind --tool=callgrind --collect-atstart=no --toggle-collect=measured_part

The program shardprop_bench_blocks counts basic blocks instead of time (a few times slower).
)";

struct Options {
  std::string program;
  std::string_view family;
  std::size_t max_operations = 100000;
  bool instructions = false;
  std::string_view mode;  // --passes or --once
  std::vector<std::string_view> words;
};

std::optional<std::size_t> parse_size(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Options> parse_options(std::span<const std::string_view> words) {
  Options options;
  while (!words.empty()) {
    const std::string_view word = words.front();
    words = words.subspan(1);
    if (word == "--instructions") {
      options.instructions = true;
      continue;
    }
    if ((word == "--once" || word == "--passes") && (words.size() == 2 || words.size() == 3)) {
      options.mode = word;
      options.words.assign(words.begin(), words.end());
      return options;
    }
    if (words.empty()) return std::nullopt;
    const auto size = parse_size(words.front());
    if (word == "--family" && find_family(words.front())) {
      options.family = words.front();
    } else if (word == "--max-operations" && size) {
      options.max_operations = *size;
    } else {
      return std::nullopt;
    }
    words = words.subspan(1);
  }
  return options;
}

int fail(const Diagnostics& errors) {
  fmt::print(stderr, "{}", to_string(errors));
  return 1;
}

// --- Tables --------------------------------------------------------------------------------------

int run_tables(const Options& options) {
  const OpTable table = standard_ops();
  const PipelineParts parts = pipeline_parts();
  const WorkContext context{table, parts};
  std::vector<Row> rows;
  for (const Family& family : kFamilies) {
    if (!options.family.empty() && family.name != options.family) continue;
    for (std::size_t size = 1000; size <= options.max_operations; size *= 10) {
      Result<Module> m = make_graph(family, table, size);
      if (!m) return fail(m.errors());
      if (options.instructions) {
        rows.push_back(count_instructions(options.program, family, size, m->ops.size()));
        continue;
      }
      const Stages stages = make_stages(std::move(*m), table, parts);
      if (!stages.errors.empty()) return fail(stages.errors);
      rows.push_back(measure(family, stages, context));
      fmt::print(stderr, "{} {}\n", family.name, size);
    }
  }
  constexpr std::size_t kFrom = 10000;
  if (options.instructions) {
    print_costs(rows, "instructions per operation", 1);
    print_growth(rows, "growth of instructions, from 10,000 operations on", kFrom);
    return 0;
  }
  if (counts_blocks()) {
    print_costs(rows, "basic blocks per operation", 1);
    print_growth(rows, "growth of basic blocks, from 10,000 operations on", kFrom);
    return 0;
  }
  print_propagate(rows);
  print_json(rows);
  print_costs(rows, "nanoseconds per operation", 1e9);
  print_growth(rows, "growth of time, from 10,000 operations on", kFrom);
  return 0;
}

int run_passes_table(const Options& options) {
  const OpTable table = standard_ops();
  const Family* family = find_family(options.words[0]);
  const auto size = parse_size(options.words.back());
  if (!family || !size || *size < 10) {
    fmt::print(stderr, "{}", kHelp);
    return 2;
  }
  const Result<Module> small = make_graph(*family, table, *size / 10);
  const Result<Module> large = make_graph(*family, table, *size);
  if (!small || !large) return fail(small ? large.errors() : small.errors());
  for (const std::string collectives : {"false", "true"}) {
    fmt::print("{}, {} operations{}\n", family->name, large->ops.size(),
               collectives == "true" ? ", explicit collectives" : "");
    print_passes(least_pass_costs(*small, table, collectives),
                 least_pass_costs(*large, table, collectives),
                 per(large->ops.size(), small->ops.size()));
  }
  return 0;
}

// --- One part, once ------------------------------------------------------------------------------

Result<Module> module_of(const std::vector<std::string_view>& words, const OpTable& table) {
  if (words.size() == 2) return read_json_file(std::string(words[1]));
  const Family* family = find_family(words[1]);
  const auto size = parse_size(words[2]);
  if (family && size) return make_graph(*family, table, *size);
  return Diagnostic{"bench.family", "the family or the size is not known", "see --help"};
}

int run_once(const Options& options) {
  const OpTable table = standard_ops();
  const PipelineParts parts = pipeline_parts();
  Result<Module> m = module_of(options.words, table);
  if (!m) return fail(m.errors());
  const Stages stages = make_stages(std::move(*m), table, parts);
  if (!stages.errors.empty()) return fail(stages.errors);
  bool found = false;
  bool ok = true;
  for (const Workload& work : kWorkloads) {
    if (options.words[0] != "all" && options.words[0] != work.name) continue;
    found = true;
    WorkInput input = make_input(stages, work);
    const std::size_t heap_before = heap_bytes();
    reset_heap_peak();
    const double start = cpu_seconds();
    const bool done = measured_part(work, input, {table, parts});
    ok = ok && done;
    fmt::print("{}: {}, {:.1f} ms CPU, {} operations, {} bytes of JSON, heap peak +{} bytes\n",
               work.name, done ? "done" : "failed", (cpu_seconds() - start) * 1e3,
               stages.original.ops.size(), stages.text.size(), heap_peak() - heap_before);
  }
  if (!found) return fail({{"bench.what", "the part is not known", "see --help"}});
  fmt::print("resident peak {} bytes\n", peak_resident_bytes());
  return ok ? 0 : 1;
}

}  // namespace shardprop::bench

int main(int argc, char** argv) {
  using namespace shardprop::bench;
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  if (words.size() == 1 && words[0] == "--help") {
    fmt::print("{}", kHelp);
    return 0;
  }
  std::optional<Options> options = parse_options(words);
  if (!options) {
    fmt::print(stderr, "{}", kHelp);
    return 2;
  }
  options->program = argv[0];
  if (options->mode == "--once") return run_once(*options);
  return options->mode.empty() ? run_tables(*options) : run_passes_table(*options);
}
