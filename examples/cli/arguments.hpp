// Command-line arguments from a table of commands: subcommands, long and short options that may
// repeat, `--`, values out of a list, and help with an example.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "fmt/format.h"
#include "shardprop/support/nearest_name.hpp"

namespace shardprop::cli {

constexpr int kOk = 0;
constexpr int kBadInput = 1;  // also what could not be written
constexpr int kBadUsage = 2;

// An option; without a `value` it is a flag.
struct Option {
  std::string_view name;   // --passes
  std::string_view value;  // what stands after it, as help names it
  std::string_view help;
  std::string_view choices = {};  // `a|b`; empty: any value
};

// Two lists of options as one.
template <std::size_t A, std::size_t B>
constexpr std::array<Option, A + B> operator+(const std::array<Option, A>& a,
                                              const std::array<Option, B>& b) {
  std::array<Option, A + B> all{};
  std::copy(a.begin(), a.end(), all.begin());
  std::copy(b.begin(), b.end(), all.begin() + A);
  return all;
}

struct Arguments {
  std::vector<std::string> positional;
  std::map<std::string, std::vector<std::string>, std::less<>> options;

  bool has(std::string_view name) const { return options.find(name) != options.end(); }
  // The last value that was given.
  std::string get(std::string_view name, std::string_view absent = "") const {
    const auto at = options.find(name);
    return at == options.end() ? std::string(absent) : at->second.back();
  }
  std::vector<std::string> all(std::string_view name) const {
    const auto at = options.find(name);
    return at == options.end() ? std::vector<std::string>() : at->second;
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
  std::string_view details = {};  // help's last paragraph
};

inline constexpr Option kOutput = {
    "-o", "FILE", "write there instead of standard output; '-' is standard output"};

// `, did you mean 'x'?`, or nothing.
template <class Names>
std::string or_did_you_mean(std::string_view wanted, const Names& names) {
  const std::string near = nearest(wanted, names);
  return near.empty() ? "" : "; " + did_you_mean(near);
}

inline std::vector<std::string_view> option_names(const Command& command) {
  std::vector<std::string_view> names = {"--help"};
  for (const Option& option : command.options) names.push_back(option.name);
  return names;
}

inline const Option* find_option(const Command& command, std::string_view name) {
  if (name == "--output") name = "-o";
  for (const Option& option : command.options) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

inline std::string check_value(const Option& option, std::string_view value) {
  std::vector<std::string_view> choices;
  for (std::string_view rest = option.choices; !rest.empty();) {
    const std::size_t end = std::min(rest.find('|'), rest.size());
    choices.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (choices.empty() || std::ranges::find(choices, value) != choices.end()) return {};
  return fmt::format("option '{}' cannot be '{}'; it is one of {}{}", option.name, value,
                     fmt::join(choices, ", "), or_did_you_mean(value, choices));
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
    if (!option) {
      return fmt::format("'{}' has no option '{}'{}", command.name, name,
                         or_did_you_mean(name, option_names(command)));
    }
    std::string_view value = "true";
    if (option->value.empty()) {
      if (equals != std::string_view::npos) return fmt::format("option '{}' takes no value", name);
    } else if (equals != std::string_view::npos) {
      value = word.substr(equals + 1);
    } else if (i + 1 < words.size()) {
      value = words[++i];
    } else {
      return fmt::format("option '{}' needs a value: {}", name, option->value);
    }
    if (std::string wrong = check_value(*option, value); !wrong.empty()) return wrong;
    out.options[std::string(option->name)].emplace_back(value);
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
  if (!command.details.empty()) out += fmt::format("\n{}\n", command.details);
  return out + fmt::format("\nexample:\n  {}\n", command.example);
}

}  // namespace shardprop::cli
