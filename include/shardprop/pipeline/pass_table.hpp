// The passes that are known by name, one row each: what a pass does, its options, and the function
// that runs it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/pipeline/pass_call.hpp"
#include "shardprop/propagate/propagation_report.hpp"
#include "shardprop/support/inline.hpp"
#include "shardprop/support/result.hpp"

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

// Errors for unknown passes, unknown options and values that an option cannot have.
SHARDPROP_INLINE Diagnostics check_calls(const PassTable& table, std::span<const PassCall> calls);

// The passes that `calls` stand for: each pipeline is replaced by its passes. Errors are those of
// `check_calls`, for `calls` and for what pipelines stand for.
SHARDPROP_INLINE Result<std::vector<PassCall>> expand_calls(const PassTable& table,
                                                            std::span<const PassCall> calls);

}  // namespace shardprop

#ifndef SHARDPROP_COMPILED
#include "shardprop/pipeline/pass_table_inl.hpp"
#endif
