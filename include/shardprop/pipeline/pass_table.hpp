// The passes that are known by name, one row each: what a pass does, its options, and the function
// that runs it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/pipeline/pass_call.hpp"
#include "shardprop/propagate/propagation_report.hpp"
#include "shardprop/support/nearest_name.hpp"
#include "shardprop/support/result.hpp"
#include "shardprop/support/text_list.hpp"

namespace shardprop {

enum class OptionKind : std::uint8_t { kFlag, kText };

struct PassOption {
  std::string_view name;
  std::string_view summary;
  std::string_view default_value = "false";
  OptionKind kind = OptionKind::kFlag;
  std::string_view choices = {};  // of a kText option, separated by '|'; empty: any text
};

// The options of one call, checked against the row: an option that was not written has its default.
class OptionValues {
 public:
  OptionValues(std::span<const PassOption> known, const PassCall& call)
      : known_(known), call_(&call) {}

  std::string_view text(std::string_view name) const {
    for (const auto& [key, value] : call_->options) {
      if (key == name) return value;
    }
    for (const PassOption& option : known_) {
      if (option.name == name) return option.default_value;
    }
    return {};
  }
  bool flag(std::string_view name) const { return text(name) == "true"; }

 private:
  std::span<const PassOption> known_;
  const PassCall* call_;
};

// How propagation passes work. Their answers do not depend on it: other values are for tests of
// that. See PropagateOptions.
struct PropagationMeans {
  bool memoise = true;
  bool skip_settled = true;
};

// What a pass is run with. `reports` takes the reports of propagation passes, `warnings` what a
// user should know of the others.
struct PassContext {
  const OpTable& ops;
  std::vector<PropagationReport>& reports;
  Diagnostics& warnings;
  PropagationMeans propagation = {};
};

// Whether the pass changed the module, or why it did not run; then the module is as it was.
using PassFn = Result<bool> (*)(Module&, const OptionValues&, const PassContext&);
// The calls that a pipeline stands for, in order. They may be of pipelines in turn.
using ExpandFn = std::vector<PassCall> (*)(const OptionValues&);

// A pass (`run`) or a pipeline (`expand`).
struct PassDef {
  std::string_view name;  // that of the reference without its `sdy-`
  std::string_view summary = {};
  std::span<const PassOption> options = {};
  PassFn run = nullptr;
  ExpandFn expand = nullptr;
};

namespace detail {

// Calls a pass without options, one that needs the operation table, or one that takes options.
template <auto Pass>
Result<bool> run_pass(Module& m, const OptionValues& values, const PassContext& context) {
  if constexpr (std::is_invocable_v<decltype(Pass), Module&>) {
    return Pass(m);
  } else if constexpr (std::is_invocable_v<decltype(Pass), Module&, const OpTable&>) {
    return Pass(m, context.ops);
  } else {
    return Pass(m, values, context);
  }
}

}  // namespace detail

// The row of a pass that is a function of (Module&), (Module&, const OpTable&) or the arguments of
// `PassFn`.
template <auto Pass>
constexpr PassDef pass_row(std::string_view name, std::string_view summary,
                           std::span<const PassOption> options = {}) {
  return {name, summary, options, detail::run_pass<Pass>};
}

class PassTable {
 public:
  explicit PassTable(std::span<const PassDef> defs) : defs_(defs.begin(), defs.end()) {}
  // Adds a pass, or replaces the one of its name. The texts must outlive the table.
  void add(const PassDef& def) {
    const auto at = std::find_if(defs_.begin(), defs_.end(),
                                 [&](const PassDef& d) { return d.name == def.name; });
    at == defs_.end() ? defs_.push_back(def) : void(*at = def);
  }
  const PassDef* find(std::string_view name) const {
    const auto at =
        std::find_if(defs_.begin(), defs_.end(), [&](const PassDef& d) { return d.name == name; });
    return at == defs_.end() ? nullptr : &*at;
  }
  std::span<const PassDef> passes() const { return defs_; }

 private:
  std::vector<PassDef> defs_;
};

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

// Errors for unknown passes, unknown options and values that an option cannot have.
inline Diagnostics check_calls(const PassTable& table, std::span<const PassCall> calls) {
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

// The passes that `calls` stand for: each pipeline is replaced by its passes. Errors are those of
// `check_calls`, for `calls` and for what pipelines stand for.
inline Result<std::vector<PassCall>> expand_calls(const PassTable& table,
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
