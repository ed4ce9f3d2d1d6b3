// Measures propagation and JSON on families of graphs at three sizes; `shardprop_bench --help`
// tells the options.
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/families.hpp"
#include "bench/measure.hpp"
#include "fmt/core.h"
#include "shardprop/io/json_file.hpp"
#include "shardprop/ops/standard_ops.hpp"

namespace shardprop::bench {

constexpr std::string_view kHelp = R"(usage: shardprop_bench [--family NAME] [--max-operations N]
       shardprop_bench --once WHAT FAMILY SIZE
       shardprop_bench --once WHAT FILE.json

Prints two tables: propagation with the default options, and JSON in and out. Times are CPU time, the least of several runs.
  growth  exponent of the time between this size and the one before: 1 is linear

--once does one thing a single time and prints its numbers: WHAT is propagate, read, write or parse (nlohmann's parser, with
nothing behind it). It does so in a function of its own, so that instructions are counted without what comes before:
  valgrind --tool=callgrind --collect-atstart=no --toggle-collect=measured_part shardprop_bench --once propagate transformer 100
Families: transformer, decoder, mlp, diamond, fan_out, random_dag.
)";

struct Options {
  std::string_view family;
  std::size_t max_operations = 100000;
  std::vector<std::string_view> once;
};

std::optional<std::size_t> parse_size(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

const Family* find_family(std::string_view name) {
  for (const Family& family : kFamilies) {
    if (family.name == name) return &family;
  }
  return nullptr;
}

std::optional<Options> parse_options(std::span<const std::string_view> words) {
  Options options;
  while (!words.empty()) {
    const std::string_view word = words.front();
    words = words.subspan(1);
    if (word == "--once" && (words.size() == 2 || words.size() == 3)) {
      options.once.assign(words.begin(), words.end());
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

// `numerator / denominator`, or 0.
double ratio(double numerator, double denominator) {
  return denominator > 0 ? numerator / denominator : 0;
}
double per(std::size_t total, std::size_t count) {
  return ratio(static_cast<double>(total), static_cast<double>(count));
}

struct Row {
  const Family* family;
  std::size_t size;
  std::size_t operations;
  PropagateNumbers propagate;
  JsonNumbers json;
};

std::string growth(const Row& row, const Row* before, double seconds, double seconds_before) {
  if (!before || before->family != row.family || seconds <= 0 || seconds_before <= 0) return "";
  return fmt::format("{:.2f}", std::log(seconds / seconds_before) /
                                   std::log(per(row.operations, before->operations)));
}

void print_propagate(const std::vector<Row>& rows) {
  fmt::print(
      "propagate\n{:<12} {:>7} {:>7} {:>9} {:>9} {:>8} {:>8} {:>6} {:>9} {:>8} {:>7} {:>8} {:>7}\n",
      "family", "size", "ops", "visits", "steps", "changes", "hits %", "memo", "ms", "ns/visit",
      "growth", "module B", "work B");
  const Row* before = nullptr;
  for (const Row& row : rows) {
    const PropagateNumbers& p = row.propagate;
    fmt::print(
        "{:<12} {:>7} {:>7} {:>9} {:>9} {:>8} {:>8.2f} {:>6} {:>9.2f} {:>8.1f} {:>7} {:>8.0f} "
        "{:>7.0f}\n",
        row.family->name, row.size, row.operations, p.report.visits, p.report.steps,
        p.report.changes, 100 * per(p.report.memo_hits, p.report.memo_hits + p.report.memo_entries),
        p.report.memo_entries, p.seconds * 1e3,
        ratio(p.seconds * 1e9, static_cast<double>(p.report.visits)),
        growth(row, before, p.seconds, before ? before->propagate.seconds : 0),
        per(p.module_bytes, row.operations), per(p.work_bytes, row.operations));
    before = &row;
  }
  fmt::print(
      "module B, work B: heap bytes an operation of the module, and of propagation beyond it\n\n");
}

void print_json(const std::vector<Row>& rows) {
  fmt::print("JSON\n{:<12} {:>7} {:>9} {:>10} {:>10} {:>10} {:>10} {:>7} {:>8}\n", "family", "size",
             "MB", "read MB/s", "write MB/s", "parse MB/s", "read/parse", "growth", "read B");
  const Row* before = nullptr;
  for (const Row& row : rows) {
    const JsonNumbers& j = row.json;
    const double megabytes = static_cast<double>(j.document_bytes) / 1e6;
    fmt::print("{:<12} {:>7} {:>9.2f} {:>10.0f} {:>10.0f} {:>10.0f} {:>10.2f} {:>7} {:>8.0f}\n",
               row.family->name, row.size, megabytes, ratio(megabytes, j.read_seconds),
               ratio(megabytes, j.write_seconds), ratio(megabytes, j.parse_seconds),
               ratio(j.read_seconds, j.parse_seconds),
               growth(row, before, j.read_seconds, before ? before->json.read_seconds : 0),
               per(j.read_bytes, row.operations));
    before = &row;
  }
  fmt::print(
      "parse: nlohmann's parser alone; read B: most heap bytes an operation while reading, beyond "
      "the document\n");
}

int fail(const Diagnostics& errors) {
  fmt::print(stderr, "{}", to_string(errors));
  return 1;
}

int run_tables(const Options& options) {
  const OpTable table = standard_ops();
  std::vector<Row> rows;
  for (const Family& family : kFamilies) {
    if (!options.family.empty() && family.name != options.family) continue;
    for (std::size_t size : family.sizes) {
      const Result<Module> m = family.make(table, size);
      if (!m) return fail(m.errors());
      if (m->ops.size() > options.max_operations) continue;
      rows.push_back(
          {&family, size, m->ops.size(), measure_propagate(*m, table), measure_json(*m)});
    }
  }
  print_propagate(rows);
  print_json(rows);
  return 0;
}

// --- One thing, once
// ---------------------------------------------------------------------------------------------------

struct OnceInput {
  std::string_view what;
  Module m;
  std::string text;
};

}  // namespace shardprop::bench

// Named plainly and never inlined, for callgrind's --toggle-collect.
extern "C" {
#if defined(__GNUC__)
__attribute__((noinline))
#endif
bool measured_part(shardprop::bench::OnceInput* input, const shardprop::OpTable* table) {
  using namespace shardprop;
  if (input->what == "propagate") return propagate(input->m, *table).ok();
  if (input->what == "read") return read_json(input->text).ok();
  if (input->what == "parse") return bench::parse_only(input->text);
  return !write_json(input->m).empty();
}
}

namespace shardprop::bench {

// Reads what `words` name: a file, or a family and a size.
Result<OnceInput> make_once_input(const std::vector<std::string_view>& words,
                                  const OpTable& table) {
  OnceInput input;
  input.what = words[0];
  const bool needs_text = input.what == "read" || input.what == "parse";
  if (!needs_text && input.what != "propagate" && input.what != "write") {
    return Diagnostic{"bench.what", fmt::format("'{}' cannot be measured", input.what),
                      "see --help"};
  }
  if (words.size() == 2) {
    Result<std::string> text = shardprop::detail::read_file(std::string(words[1]));
    if (!text) return text.errors();
    input.text = std::move(*text);
    if (needs_text) return input;
    Result<Module> m = read_json(input.text);
    if (!m) return m.errors();
    input.m = std::move(*m);
    return input;
  }
  const Family* family = find_family(words[1]);
  const auto size = parse_size(words[2]);
  if (!family || !size)
    return Diagnostic{"bench.family", "there is no such family or size", "see --help"};
  Result<Module> m = family->make(table, *size);
  if (!m) return m.errors();
  if (needs_text) {
    input.text = write_json(*m);
  } else {
    input.m = std::move(*m);
  }
  return input;
}

int run_once(const std::vector<std::string_view>& words) {
  const OpTable table = standard_ops();
  Result<OnceInput> input = make_once_input(words, table);
  if (!input) return fail(input.errors());
  const std::size_t operations = input->m.ops.size();
  const std::size_t heap_before = heap_bytes();
  const std::size_t resident_before = peak_resident_bytes();
  reset_heap_peak();
  const double start = cpu_seconds();
  const bool ok = measured_part(&*input, &table);
  const double seconds = cpu_seconds() - start;
  fmt::print(
      "{}: {}, {:.1f} ms CPU, {} operations, {} bytes of JSON, heap peak +{} bytes, resident peak "
      "+{} bytes\n",
      input->what, ok ? "done" : "failed", seconds * 1e3, operations, input->text.size(),
      heap_peak() - heap_before, peak_resident_bytes() - resident_before);
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
  const std::optional<Options> options = parse_options(words);
  if (!options) {
    fmt::print(stderr, "{}", kHelp);
    return 2;
  }
  return options->once.empty() ? run_tables(*options) : run_once(options->once);
}
