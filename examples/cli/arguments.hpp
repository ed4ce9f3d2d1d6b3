// Command-line arguments from a table of commands: subcommands, long and short options, `--`, and
// help with an example.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "fmt/format.h"

namespace shardprop::cli {

// An option; without a `value` it is a flag.
struct Option {
  std::string_view name;   // --passes
  std::string_view value;  // what stands after it, as help names it
  std::string_view help;
};

struct Arguments {
  std::vector<std::string> positional;
  std::map<std::string, std::string, std::less<>> options;

  bool has(std::string_view name) const { return options.find(name) != options.end(); }
  std::string get(std::string_view name, std::string_view absent = "") const {
    const auto at = options.find(name);
    return at == options.end() ? std::string(absent) : at->second;
  }
};

struct Command {
  std::string_view name;
  std::string_view operands;  // as the usage line names them
  std::string_view summary;
  std::string_view example;
  std::span<const Option> options;
  std::size_t min_operands;
  std::size_t max_operands;
  int (*run)(const Arguments&);
};

inline constexpr Option kOutput = {
    "-o", "FILE", "write there instead of standard output; '-' is standard output"};

inline const Option* find_option(const Command& command, std::string_view name) {
  if (name == "--output") name = "-o";
  for (const Option& option : command.options) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

// Fills `out` from the words after the command's name. Returns an error text, empty if all is well.
inline std::string parse_arguments(const Command& command, std::span<const std::string_view> words,
                                   Arguments& out) {
  bool only_operands = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (only_operands || word == "-" || word.empty() || word[0] != '-') {
      out.positional.emplace_back(word);
      continue;
    }
    if (word == "--") {
      only_operands = true;
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const Option* option = find_option(command, name);
    if (!option) return fmt::format("'{}' has no option '{}'", command.name, name);
    if (option->value.empty()) {
      if (equals != std::string_view::npos) return fmt::format("option '{}' takes no value", name);
      out.options[std::string(option->name)] = "true";
    } else if (equals != std::string_view::npos) {
      out.options[std::string(option->name)] = std::string(word.substr(equals + 1));
    } else if (i + 1 < words.size()) {
      out.options[std::string(option->name)] = std::string(words[++i]);
    } else {
      return fmt::format("option '{}' needs a value: {}", name, option->value);
    }
  }
  if (out.positional.size() < command.min_operands)
    return fmt::format("'{}' needs {}", command.name, command.operands);
  if (out.positional.size() > command.max_operands) {
    return fmt::format("'{}' does not take '{}'", command.name,
                       out.positional[command.max_operands]);
  }
  return {};
}

inline std::string command_help(const Command& command) {
  std::string out =
      fmt::format("{}\n\nusage: shardprop {}{}{}\n", command.summary, command.name,
                  command.options.empty() ? "" : " [options]",
                  command.operands.empty() ? "" : fmt::format(" {}", command.operands));
  if (!command.options.empty()) out += "\noptions:\n";
  for (const Option& option : command.options) {
    const std::string left = option.value.empty() ? std::string(option.name)
                                                  : fmt::format("{} {}", option.name, option.value);
    out += fmt::format("  {:<26} {}\n", left, option.help);
  }
  return out + fmt::format("\nexample:\n  {}\n", command.example);
}

}  // namespace shardprop::cli
