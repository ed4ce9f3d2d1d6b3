// `shardprop partition IN`: from a sharded program to the program that each device runs.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "examples/cli/arguments.hpp"
#include "examples/cli/cost_command.hpp"
#include "examples/cli/output.hpp"
#include "examples/cli/shardings.hpp"
#include "shardprop/pipeline/partition_program.hpp"

namespace shardprop::cli {

inline constexpr std::array kPartitionOptions =
    std::array{
        kOutput,
        Option{"--report", "", "tell what the devices send each other"},
        Option{"--keep-shardings", "", "keep the shardings of arguments and results"},
        Option{"--per-dim-all-gather", "", "gather dimension by dimension, not all at once"},
        Option{"--replica-groups", "LISTS|AXES",
               "groups of collectives as lists of devices (default) or by axes of the mesh",
               "lists|axes"},
    } +
    kShardingOptions;

inline constexpr std::string_view kPartitionDetails =
    "The program is propagated first. What comes out takes the parts of the arguments that a "
    "device\n"
    "has, and gives its parts of the results; `shardprop verify` compares it with the program.\n"
    "Operations that would need data of other devices get it gathered before; --report says so.\n";

inline int partition_command(const Arguments& arguments) {
  const OpTable ops = standard_ops();
  std::optional<Input> input;
  if (const int code = load_to_propagate(arguments, ops, input); code != kOk) return code;
  PartitionOptions options;
  options.keep_shardings = arguments.has("--keep-shardings");
  options.per_dim_all_gather = arguments.has("--per-dim-all-gather");
  options.enable_rgv3 = arguments.get("--replica-groups") == "axes";
  Result<PartitionedProgram> partitioned = partition_program(input->m, ops, options);
  if (!partitioned) {
    print_diagnostics(partitioned.errors(), input->texts());
    return kBadInput;
  }
  print_diagnostics(partitioned->notes, input->texts());
  if (arguments.has("--report"))
    fmt::print(stderr, "{}", detail::cost_table(communication(partitioned->sharded)));
  const std::string path = arguments.get("-o");
  return save(partitioned->local, path, format_of_name(path).value_or(input->format));
}

}  // namespace shardprop::cli
