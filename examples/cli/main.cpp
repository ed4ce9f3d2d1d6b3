// The command line: `shardprop COMMAND ...`. Exit codes: 0 well, 1 bad input, 2 bad usage.
#include <span>
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
         "\nIN is a file of StableHLO text (MLIR) or of the JSON graph format, told apart by its "
         "content, or '-' for standard input. What is written is in the format that the name after "
         "-o says (.mlir, .json), else in that of IN. `shardprop COMMAND --help` tells more.\n\n"
         "example:\n  shardprop propagate model.json -o sharded.json --report\n";
}

int usage_error(std::string_view message, std::string_view help_command) {
  fmt::print(stderr, "error: {}\n`shardprop {}--help` tells how to call it\n", message,
             help_command);
  return kBadUsage;
}

int run_command_line(std::vector<std::string_view> words) {
  if (words.empty()) {
    fmt::print(stderr, "{}", general_help());
    return kBadUsage;
  }
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help")
    return print_text(general_help()) ? kOk : kBadInput;
  if (words[0] == "--version") {
    return print_text(fmt::format("shardprop {}.{}.{}\n", SHARDPROP_VERSION_MAJOR,
                                  SHARDPROP_VERSION_MINOR, SHARDPROP_VERSION_PATCH))
               ? kOk
               : kBadInput;
  }
  for (const Command& command : kCommands) {
    if (command.name != words[0]) continue;
    const std::span<const std::string_view> rest = std::span(words).subspan(1);
    for (std::string_view word : rest) {
      if (word == "--help" || word == "-h")
        return print_text(command_help(command)) ? kOk : kBadInput;
    }
    Arguments arguments;
    const std::string error = parse_arguments(command, rest, arguments);
    return error.empty() ? command.run(arguments)
                         : usage_error(error, fmt::format("{} ", command.name));
  }
  return usage_error(fmt::format("there is no command '{}'", words[0]), "");
}

}  // namespace

int main(int argc, char** argv) { return run_command_line({argv + 1, argv + argc}); }
