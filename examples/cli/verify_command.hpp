// `shardprop verify IN`: partitions a program and compares it with what came out, on random arguments.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "examples/cli/arguments.hpp"
#include "examples/cli/output.hpp"
#include "examples/cli/shardings.hpp"
#include "fmt/ranges.h"
#include "shardprop/run/verify_partition.hpp"

namespace shardprop::cli {

inline constexpr std::array kVerifyOptions =
    std::array{
        Option{"--exact", "", "compute with wrapping integers, in which no rounding hides a fault"},
        Option{"--runs", "N", "how many times, each with other arguments (default 1)"},
        Option{"--seed", "N", "of the first arguments (default 0)"},
    } +
    kShardingOptions;

inline constexpr std::string_view kVerifyDetails =
    "The program runs on one device, what it was partitioned to on a simulated machine. Where "
    "results\n"
    "differ, the first value that differs is named. Exit code 0: no difference.\n";

namespace detail {

// The number of an option, `absent` where it is not given, none where it is not a number.
inline std::optional<std::uint64_t> number_of(const Arguments& arguments, std::string_view option,
                                              std::uint64_t absent) {
  if (!arguments.has(option)) return absent;
  const std::string text = arguments.get(option);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  print_error(fmt::format("{} takes a number, not '{}'", option, text));
  return std::nullopt;
}

inline void print_difference(const PartitionDifference& d, std::uint64_t seed) {
  fmt::print("result {} differs (seed {}): element [{}] is {}, and {} on device {}\n", d.result,
             seed, fmt::join(d.index, ", "), d.expected, d.found, d.device);
  if (!d.first_value.empty()) fmt::print("the first value that differs: {}\n", d.first_value);
}

}  // namespace detail

inline int verify_command(const Arguments& arguments) {
  const auto runs = detail::number_of(arguments, "--runs", 1);
  const auto seed = detail::number_of(arguments, "--seed", 0);
  if (!runs || !seed) return kBadUsage;
  const OpTable ops = standard_ops();
  std::optional<Input> input;
  if (const int code = load_to_propagate(arguments, ops, input); code != kOk) return code;
  const Result<PartitionedProgram> partitioned = partition_program(input->m, ops);
  if (!partitioned) return print_diagnostics(partitioned.errors(), input->texts()), kBadInput;
  const EvalTable table = standard_evaluators();
  for (std::uint64_t run = 0; run < *runs; ++run) {
    VerifyPartitionOptions options;
    options.seed = *seed + run;
    options.exact = arguments.has("--exact");
    const auto difference = verify_partition(input->m, *partitioned, table, options);
    if (!difference) return print_diagnostics(difference.errors(), input->texts()), kBadInput;
    if (!*difference) continue;
    detail::print_difference(**difference, options.seed);
    flush_output();
    return kBadInput;
  }
  return print_text(
      fmt::format("{} runs on {} devices: no difference\n", *runs, partitioned->devices));
}

}  // namespace shardprop::cli
