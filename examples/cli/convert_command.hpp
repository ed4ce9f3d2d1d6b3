// `shardprop convert IN`: from MLIR text to JSON and back.
#pragma once

#include <array>
#include <charconv>
#include <optional>
#include <string>

#include "examples/cli/arguments.hpp"
#include "examples/cli/files.hpp"
#include "fmt/core.h"
#include "shardprop/ops/standard_ops.hpp"

namespace shardprop::cli {

inline constexpr std::array kConvertOptions = {
    kOutput,
    Option{"--to", "FORMAT", "json or mlir; default: as -o says, else not that of the input"},
    Option{"--generic", "", "MLIR text in the generic form of all operations"},
    Option{"--no-locations", "", "MLIR text without loc(...)"},
    Option{"--max-elements", "N",
           "JSON without the data of constants of more elements in MLIR text"},
};

// The program is not verified: what can be read can be converted.
inline int convert_command(const Arguments& arguments) {
  const std::string to = arguments.get("--to");
  if (!to.empty() && to != "json" && to != "mlir") {
    fmt::print(stderr, "error: there is no format '{}'; formats are json and mlir\n", to);
    return kBadUsage;
  }
  TextWriteOptions options;
  WriteOptions json_options;
  options.generic = arguments.has("--generic");
  options.locations = !arguments.has("--no-locations");
  if (arguments.has("--max-elements")) {
    const std::string most = arguments.get("--max-elements");
    const char* const end = most.data() + most.size();
    const auto [stop, error] = std::from_chars(most.data(), end, json_options.max_elements);
    if (error != std::errc() || stop != end) {
      fmt::print(stderr, "error: --max-elements takes a number, not '{}'\n", most);
      return kBadUsage;
    }
  }
  Format from = Format::kJson;
  const std::optional<Module> m = load(arguments.positional[0], standard_ops(), &from, false);
  if (!m) return kBadInput;
  const Format other = from == Format::kJson ? Format::kMlir : Format::kJson;
  Format format = format_of_name(arguments.get("-o")).value_or(other);
  if (!to.empty()) format = to == "json" ? Format::kJson : Format::kMlir;
  return save(*m, arguments.get("-o"), format, options, json_options);
}

}  // namespace shardprop::cli
