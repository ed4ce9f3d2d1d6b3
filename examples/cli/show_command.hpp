// `shardprop show IN`: propagates, and shows a table, JSON, or drawings of single values.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "examples/cli/arguments.hpp"
#include "examples/cli/output.hpp"
#include "examples/cli/propagation.hpp"
#include "examples/cli/shardings.hpp"
#include "examples/cli/show_table.hpp"
#include "examples/cli/show_tiles.hpp"
#include "fmt/core.h"
#include "nlohmann/json.hpp"

namespace shardprop::cli {

inline constexpr std::array kShowOptions =
    kShardingOptions +
    std::array{
        Option{"--function", "NAME", "only this function, or those that fit a pattern"},
        Option{"--all", "", "every value and row"},
        Option{"--json", "", "as JSON: a row for each value"},
        Option{"--tiles", "NAME",
               "draw a value over the mesh instead: '%3', 'result 0', '@f %x'; may repeat"},
    };

namespace detail {

inline nlohmann::ordered_json rows_json(const std::vector<ShowRow>& rows) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const ShowRow& row : rows) {
    out.push_back({{"name", row.names.label()},
                   {"type", row.type},
                   {"sharding", sharding_text(row.sharding)},
                   {"local_shape", row.local},
                   {"bytes_on_device", row.bytes_on_device},
                   {"origin", to_string(row.origin)}});
  }
  return out;
}

inline std::string show_json(const Module& before, const Module& after,
                             const PropagationReport& report, const ShowOptions& options) {
  nlohmann::ordered_json out;
  out["meshes"] = nlohmann::ordered_json::array();
  for (MeshId id : after.meshes.ids()) {
    nlohmann::ordered_json axes = nlohmann::ordered_json::array();
    for (const MeshAxis& axis : after.meshes[id].axes)
      axes.push_back({{"name", axis.name}, {"size", axis.size}});
    out["meshes"].push_back({{"name", after.meshes[id].name}, {"axes", std::move(axes)}});
  }
  out["functions"] = nlohmann::ordered_json::array();
  for (FuncId id : after.func_order) {
    if (!shows_func(after, id, options)) continue;
    const ShowRows rows = collect_rows(before, after, id, options);
    out["functions"].push_back({{"name", after.strings[after.funcs[id].name]},
                                {"private", after.funcs[id].is_private},
                                {"argument_bytes", rows.argument_bytes},
                                {"argument_bytes_on_device", rows.argument_bytes_on_device},
                                {"arguments", rows_json(rows.arguments)},
                                {"values", rows_json(rows.values)},
                                {"results", rows_json(rows.results)}});
  }
  out["unresolved"] = nlohmann::ordered_json::array();
  for (const Unresolved& u : report.unresolved) {
    out["unresolved"].push_back({{"operation", u.first.operation},
                                 {"count", u.count},
                                 {"first", shardprop::to_string(u.first)},
                                 {"message", u.message}});
  }
  return out.dump(2) + "\n";
}

inline bool has_func(const Module& m, const ShowOptions& options) {
  std::vector<std::string_view> names;
  for (FuncId id : m.func_order) {
    if (shows_func(m, id, options)) return true;
    names.push_back(m.strings[m.funcs[id].name]);
  }
  print_error(fmt::format("the program has no function '@{}'{}", options.function,
                          or_did_you_mean(options.function, names)));
  return false;
}

}  // namespace detail

inline int show_command(const Arguments& arguments) {
  const OpTable ops = standard_ops();
  std::optional<Input> input;
  if (const int code = load_to_propagate(arguments, ops, input); code != kOk) return code;
  detail::ShowOptions options;
  options.all = arguments.has("--all");
  options.fold = !arguments.has("--json");
  options.function = arguments.get("--function");
  if (options.function.starts_with('@')) options.function.erase(0, 1);
  if (!detail::has_func(input->m, options)) return kBadInput;
  Module after = input->m;
  const Result<PipelineReport> report = run_propagation(after, ops, {});
  if (!report) {
    print_diagnostics(report.errors(), input->texts());
    return kBadInput;
  }
  print_warnings(*report, input->texts());
  if (arguments.has("--tiles")) return print_tiles(after, arguments.all("--tiles"));
  const PropagationReport& propagation = report->propagations[0];
  if (arguments.has("--json"))
    return print_text(detail::show_json(input->m, after, propagation, options));
  const bool colour = isatty(STDOUT_FILENO) != 0;
  return print_text(show_table(input->m, after, propagation, options, colour));
}

}  // namespace shardprop::cli
