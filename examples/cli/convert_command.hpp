// `shardprop convert IN`: from MLIR text to JSON and back.
#pragma once

#include <array>
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
};

// The program is not verified: what can be read can be converted.
inline int convert_command(const Arguments& arguments) {
  const std::string to = arguments.get("--to");
  if (!to.empty() && to != "json" && to != "mlir") {
    fmt::print(stderr, "error: there is no format '{}'; formats are json and mlir\n", to);
    return kBadUsage;
  }
  Format from = Format::kJson;
  const std::optional<Module> m = load(arguments.positional[0], standard_ops(), &from, false);
  if (!m) return kBadInput;
  const Format other = from == Format::kJson ? Format::kMlir : Format::kJson;
  Format format = format_of_name(arguments.get("-o")).value_or(other);
  if (!to.empty()) format = to == "json" ? Format::kJson : Format::kMlir;
  TextWriteOptions options;
  options.generic = arguments.has("--generic");
  options.locations = !arguments.has("--no-locations");
  return save(*m, arguments.get("-o"), format, options);
}

}  // namespace shardprop::cli
