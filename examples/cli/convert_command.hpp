// `shardprop convert IN`: from MLIR text to JSON and back.
#pragma once

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <system_error>

#include "examples/cli/arguments.hpp"
#include "examples/cli/output.hpp"
#include "examples/cli/shardings.hpp"

namespace shardprop::cli {

inline constexpr std::array kConvertOptions =
    std::array{
        kOutput,
        Option{"--to", "FORMAT", "json or mlir; default: as -o says, else not that of the input",
               "json|mlir"},
        Option{"--generic", "", "MLIR text in the generic form of all operations"},
        Option{"--no-locations", "", "MLIR text without loc(...)"},
        Option{"--max-elements", "N",
               "JSON without the data of constants of more elements in MLIR text"},
    } +
    kShardingOptions;

// The program is not verified: what can be read can be converted.
inline int convert_command(const Arguments& arguments) {
  SaveOptions options;
  options.text.generic = arguments.has("--generic");
  options.text.locations = !arguments.has("--no-locations");
  if (arguments.has("--max-elements")) {
    const std::string most = arguments.get("--max-elements");
    const char* const end = most.data() + most.size();
    const auto [stop, error] = std::from_chars(most.data(), end, options.json.max_elements);
    if (error != std::errc() || stop != end) {
      print_error(fmt::format("--max-elements takes a number, not '{}'", most));
      return kBadUsage;
    }
  }
  GivenShardings given;
  if (const int code = read_shardings(arguments, given); code != kOk) return code;
  std::optional<Input> input = load(arguments.positional[0], standard_ops(), false);
  if (!input || (!given.empty() && !apply_shardings(*input, given))) return kBadInput;
  const Format other = input->format == Format::kJson ? Format::kMlir : Format::kJson;
  Format format = format_of_name(arguments.get("-o")).value_or(other);
  if (arguments.has("--to"))
    format = arguments.get("--to") == "json" ? Format::kJson : Format::kMlir;
  return save(input->m, arguments.get("-o"), format, options);
}

}  // namespace shardprop::cli
