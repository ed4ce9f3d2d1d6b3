// The command line: `shardprop COMMAND ...`. Exit codes: 0 well, 1 bad input or an answer that
// could not be written, 2 bad usage.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "examples/cli/commands.hpp"
#include "fmt/core.h"
#include "shardprop/version.hpp"

namespace {

using namespace shardprop::cli;

std::string general_help() {
  std::string out =
      "Finds how every tensor of a program is split over a mesh of devices.\n\n"
      "usage: shardprop COMMAND ...\n\ncommands:\n";
  for (const Command& command : kCommands)
    out += fmt::format("  {:<11} {}\n", command.name, command.summary);
  return out +
         "  help        Tells how to call a command: `shardprop help show`.\n"
         "\nIN is a file of StableHLO text (MLIR) or of the JSON graph format, told apart by its\n"
         "content, or '-' for standard input. What is written is in the format that the name\n"
         "after -o says (.mlir, .json), else in that of IN. Shardings are in the program, or "
         "given\n"
         "by --mesh and --shard.\n\n"
         "examples:\n"
         "  shardprop propagate model.json -o sharded.json --report\n"
         "  shardprop show bert.mlir --mesh data=4,model=2 --shard '%arg5=-,model'\n";
}

int usage_error(std::string_view message, std::string_view help_command) {
  print_error(message);
  fmt::print(stderr, "`shardprop {}--help` tells how to call it\n", help_command);
  return kBadUsage;
}

const Command* find_command(std::string_view name) {
  for (const Command& command : kCommands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

int unknown_command(std::string_view name) {
  std::vector<std::string_view> names = {"help"};
  for (const Command& command : kCommands) names.push_back(command.name);
  return usage_error(fmt::format("there is no command '{}'{}", name, or_did_you_mean(name, names)),
                     "");
}

int help(std::span<const std::string_view> words) {
  if (words.empty()) return print_text(general_help());
  const Command* command = find_command(words[0]);
  return command ? print_text(command_help(*command)) : unknown_command(words[0]);
}

int run_command_line(std::span<const std::string_view> words) {
  if (words.empty()) {
    fmt::print(stderr, "{}", general_help());
    return kBadUsage;
  }
  const std::span<const std::string_view> rest = words.subspan(1);
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") return help(rest);
  if (words[0] == "--version" || words[0] == "version") {
    return print_text(fmt::format("shardprop {}.{}.{}\n", SHARDPROP_VERSION_MAJOR,
                                  SHARDPROP_VERSION_MINOR, SHARDPROP_VERSION_PATCH));
  }
  const Command* command = find_command(words[0]);
  if (!command) return unknown_command(words[0]);
  for (std::string_view word : rest) {
    if (word == "--") break;
    if (word == "--help" || word == "-h") return print_text(command_help(*command));
  }
  Arguments arguments;
  const std::string error = parse_arguments(*command, rest, arguments);
  return error.empty() ? command->run(arguments)
                       : usage_error(error, fmt::format("{} ", command->name));
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  return run_command_line(words);
}
