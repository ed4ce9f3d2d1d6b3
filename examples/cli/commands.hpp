// The table of commands. Help is made from it.
#pragma once

#include <array>

#include "examples/cli/arguments.hpp"
#include "examples/cli/check_command.hpp"
#include "examples/cli/convert_command.hpp"
#include "examples/cli/cost_command.hpp"
#include "examples/cli/eval_command.hpp"
#include "examples/cli/explain_command.hpp"
#include "examples/cli/partition_command.hpp"
#include "examples/cli/propagate_command.hpp"
#include "examples/cli/report_command.hpp"
#include "examples/cli/run_command.hpp"
#include "examples/cli/show_command.hpp"
#include "examples/cli/verify_command.hpp"
#include "examples/cli/view_command.hpp"

namespace shardprop::cli {

inline constexpr std::array kCommands = {
    Command{"propagate", "IN", "Finds the shardings of all values from those that are given.",
            "shardprop propagate bert.mlir --mesh data=4,model=2 --shard '%arg0=data,-' "
            "-o sharded.mlir --report",
            kPropagateOptions, 1, 1, propagate_command, kShardingDetails},
    Command{"show", "IN", "Propagates and shows arguments, results and key values as a table.",
            "shardprop show model.mlir --mesh data=4 --shard '%arg{0-2}=data,-'", kShowOptions, 1,
            1, show_command, kShardingDetails},
    Command{"explain", "IN VALUE...",
            "Tells how each axis came to the values, and why one did not.",
            "shardprop explain model.json %12 --axis model", kExplainOptions, 1, 1000,
            explain_command, kExplainDetails},
    Command{"cost", "IN", "Sums up the communication of a program with explicit collectives.",
            "shardprop cost model.mlir", kCostOptions, 1, 1, cost_command,
            "A program without collectives is propagated first, and gets them."},
    Command{"view", "IN",
            "Makes a page to look at a plan in a browser: one file, without a network.",
            "shardprop view model.mlir -o model.html", kViewOptions, 1, 1, view_command,
            kShardingDetails},
    Command{"report", "IN", "Tells what a program costs once it is sharded, and why, worst first.",
            "shardprop report model.mlir", kReportOptions, 1, 1, report_command, kReportDetails},
    Command{"convert", "IN", "Writes a program in the other format: MLIR text or JSON.",
            "shardprop convert model.mlir -o model.json", kConvertOptions, 1, 1, convert_command},
    Command{"check", "IN", "Verifies a program and prints every error.",
            "shardprop check model.json", kShardingOptions, 1, 1, check_command},
    Command{"rules", "IN", "Prints each operation's sharding rule.", "shardprop rules model.json",
            kRulesOptions, 1, 1, rules_command},
    Command{"partition", "IN", "Makes the program that each device runs.",
            "shardprop partition model.mlir --mesh data=4 --shard '%arg0=data,-' -o local.mlir",
            kPartitionOptions, 1, 1, partition_command, kPartitionDetails},
    Command{"verify", "IN", "Partitions a program, runs both, and compares.",
            "shardprop verify model.mlir --mesh data=4 --shard '%arg0=data,-' --exact --runs 10",
            kVerifyOptions, 1, 1, verify_command, kVerifyDetails},
    Command{"eval", "IN", "Runs a program on tensors, on one device.",
            "shardprop eval model.mlir --arg 0=x.npy --arg '*=random' -o results.npz", kEvalOptions,
            1, 1, eval_command, kEvalDetails},
    Command{"run", "IN",
            "Runs passes by name; without any, reads, infers types, verifies and writes.",
            "shardprop run --passes='user-priority-propagate{keep-sharding-rules=true}' model.json "
            "-o out.json",
            kRunOptions, 1, 1, run_command},
    Command{"passes",
            "",
            "Lists the passes with their options.",
            "shardprop passes",
            {},
            0,
            0,
            passes_command},
};

}  // namespace shardprop::cli
