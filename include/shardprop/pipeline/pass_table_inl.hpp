// Definitions of pass_table.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/pipeline/pass_call.hpp"
#include "shardprop/pipeline/pass_table.hpp"
#include "shardprop/support/nearest_name.hpp"
#include "shardprop/support/result.hpp"
#include "shardprop/support/text_list.hpp"

namespace shardprop {

namespace detail {

inline std::string option_names(const PassDef& def) {
  const std::string names =
      comma_list(def.options, [](const PassOption& option) { return option.name; });
  return names.empty() ? "it has no options" : "its options are " + names;
}

inline std::vector<std::string_view> option_name_list(const PassDef& def) {
  std::vector<std::string_view> names;
  for (const PassOption& option : def.options) names.push_back(option.name);
  return names;
}

// The parts of `a|b|c`.
inline std::vector<std::string_view> choice_list(std::string_view choices) {
  std::vector<std::string_view> out;
  for (std::size_t begin = 0; begin <= choices.size();) {
    const std::size_t end = std::min(choices.find('|', begin), choices.size());
    out.push_back(choices.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

inline bool is_choice(std::string_view choices, std::string_view value) {
  const std::vector<std::string_view> all = choice_list(choices);
  return choices.empty() || std::find(all.begin(), all.end(), value) != all.end();
}

inline void check_option(const PassDef& def, std::string_view name, std::string_view value,
                         Diagnostics& errors) {
  const auto option = std::find_if(def.options.begin(), def.options.end(),
                                   [&](const PassOption& o) { return o.name == name; });
  if (option == def.options.end()) {
    errors.push_back({"pipeline.unknown_option",
                      fmt::format("pass '{}' has no option '{}'", def.name, name),
                      did_you_mean(nearest(name, option_name_list(def)), option_names(def))});
  } else if (option->kind == OptionKind::kFlag && value != "true" && value != "false") {
    errors.push_back({"pipeline.option_value",
                      fmt::format("option '{}' of '{}' is '{}'", name, def.name, value),
                      "write true or false"});
  } else if (!is_choice(option->choices, value)) {
    errors.push_back({"pipeline.option_value",
                      fmt::format("option '{}' of '{}' is '{}'", name, def.name, value),
                      did_you_mean(nearest(value, choice_list(option->choices)),
                                   fmt::format("write one of {}", option->choices))});
  }
}

constexpr std::size_t kMaxPipelineDepth = 16;  // of pipelines that name pipelines

inline void expand_call(const PassTable& table, const PassCall& call, std::size_t depth,
                        std::vector<PassCall>& out) {
  const PassDef* def = table.find(call.name);
  if (!def || !def->expand || depth == kMaxPipelineDepth) return out.push_back(call);
  for (const PassCall& inner : def->expand(OptionValues(def->options, call))) {
    expand_call(table, inner, depth + 1, out);
  }
}

}  // namespace detail

SHARDPROP_INLINE Diagnostics check_calls(const PassTable& table, std::span<const PassCall> calls) {
  Diagnostics errors;
  for (const PassCall& call : calls) {
    const PassDef* def = table.find(call.name);
    if (!def) {
      std::vector<std::string_view> names;
      for (const PassDef& known : table.passes()) names.push_back(known.name);
      errors.push_back(
          {"pipeline.unknown_pass", fmt::format("there is no pass '{}'", call.name),
           did_you_mean(nearest(call.name, names), "`shardprop passes` lists all passes")});
      continue;
    }
    for (const auto& [name, value] : call.options) detail::check_option(*def, name, value, errors);
  }
  return errors;
}

SHARDPROP_INLINE Result<std::vector<PassCall>> expand_calls(const PassTable& table,
                                                            std::span<const PassCall> calls) {
  if (Diagnostics errors = check_calls(table, calls); !errors.empty()) return errors;
  std::vector<PassCall> expanded;
  for (const PassCall& call : calls) detail::expand_call(table, call, 0, expanded);
  Diagnostics errors = check_calls(table, expanded);
  for (const PassCall& call : expanded) {
    const PassDef* def = table.find(call.name);
    if (!def || def->run) continue;
    errors.push_back({"pipeline.recursive", fmt::format("pipeline '{}' names itself", call.name),
                      "a pipeline must expand to passes"});
  }
  if (!errors.empty()) return errors;
  return expanded;
}

}  // namespace shardprop
