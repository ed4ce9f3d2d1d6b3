// `shardprop propagate IN`: the main job.
#pragma once

#include <array>
#include <optional>

#include "examples/cli/arguments.hpp"
#include "examples/cli/propagation.hpp"
#include "examples/cli/run_command.hpp"
#include "examples/cli/shardings.hpp"

namespace shardprop::cli {

inline constexpr std::array kPropagateOptions =
    kShardingOptions + kPassRunOptions +
    std::array{
        Option{"--strategy", "NAME", "basic, aggressive (default) or basic-then-aggressive",
               "basic|aggressive|basic-then-aggressive"},
        Option{"--conservative", "",
               "no sub-axes, no shardings that need padding or communication"},
        Option{"--keep-sharding-rules", "", "leave the rules that were used on the operations"},
        Option{"--collectives", "", "go on to the program with explicit collectives"},
        Option{
            "--copy-functions", "YES|NO",
            "copy a function whose calls need different shardings (yes), or give it those of its "
            "first call",
            "yes|no"},
    };

inline int propagate_command(const Arguments& arguments) {
  PropagationSetup setup;
  setup.strategy = arguments.get("--strategy");
  setup.conservative = arguments.has("--conservative");
  setup.keep_sharding_rules = arguments.has("--keep-sharding-rules");
  setup.collectives = arguments.has("--collectives");
  setup.copy_functions = arguments.get("--copy-functions") != "no";
  if (setup.collectives &&
      (setup.conservative || setup.keep_sharding_rules || !setup.strategy.empty())) {
    print_error("--collectives goes with the default strategy and rules only");
    return kBadUsage;
  }
  const OpTable ops = standard_ops();
  std::optional<Input> input;
  if (const int code = load_to_propagate(arguments, ops, input); code != kOk) return code;
  return run_and_save(arguments, *input, [&](Module& m, const RunOptions& options) {
    return run_propagation(m, ops, setup, options);
  });
}

}  // namespace shardprop::cli
