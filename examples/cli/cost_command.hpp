// `shardprop cost IN`: what the collectives of a program send, as a table or as JSON. A program
// without collectives is propagated first, and gets them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "examples/cli/arguments.hpp"
#include "examples/cli/output.hpp"
#include "examples/cli/propagation.hpp"
#include "examples/cli/shardings.hpp"
#include "examples/cli/units.hpp"
#include "fmt/core.h"
#include "nlohmann/json.hpp"
#include "shardprop/analysis/communication.hpp"
#include "shardprop/ir/walk.hpp"

namespace shardprop::cli {

inline constexpr std::array kCostOptions =
    std::array{Option{"--json", "", "as JSON instead of a table"}} + kShardingOptions;

namespace detail {

inline CommunicationRow cost_total(const CommunicationSummary& summary) {
  CommunicationRow total;
  for (const CommunicationRow& row : summary.rows) {
    total.count += row.count;
    total.sent += row.sent;
    total.received += row.received;
    total.in_loop = total.in_loop || row.in_loop;
  }
  return total;
}

inline std::string cost_table(const CommunicationSummary& summary) {
  std::string out;
  const CommunicationRow total = cost_total(summary);
  if (summary.rows.empty()) {
    out = "nothing to sum up: there are no collectives\n";
  } else {
    constexpr std::string_view kLine = "{:<20} {:<12} {:<24} {:>6} {:>14} {:>14}{}\n";
    out = fmt::format(kLine, "collective", "mesh", "axes", "count", "sent", "received", "");
    const auto line = [&](std::string_view kind, const CommunicationRow& row,
                          std::string_view note) {
      out += fmt::format(kLine, kind, row.mesh, row.axes, row.count, bytes_text(row.sent),
                         bytes_text(row.received), note);
    };
    for (const CommunicationRow& row : summary.rows)
      line(row.kind, row, row.in_loop ? "  one trip of a loop" : "");
    line("total", total, total.in_loop ? "  loops counted once" : "");
    out += "Sent and received are by each device, with ring algorithms.\n";
  }
  if (summary.not_counted > 0) {
    out += fmt::format(
        "not counted: {} reshards, and collectives whose groups are not known; "
        "`reshard-to-collectives` makes collectives of reshards\n",
        summary.not_counted);
  }
  return out;
}

inline nlohmann::ordered_json cost_json(const CommunicationRow& row) {
  return {{"in_loop", row.in_loop},
          {"count", row.count},
          {"bytes_sent", row.sent},
          {"bytes_received", row.received}};
}

inline std::string cost_json(const CommunicationSummary& summary) {
  nlohmann::ordered_json out;
  out["unit"] = "bytes of each device";
  out["collectives"] = nlohmann::ordered_json::array();
  for (const CommunicationRow& row : summary.rows) {
    nlohmann::ordered_json one = {{"kind", row.kind}, {"mesh", row.mesh}, {"axes", row.axes}};
    one.update(cost_json(row));
    out["collectives"].push_back(std::move(one));
  }
  out["total"] = cost_json(cost_total(summary));
  out["not_counted"] = summary.not_counted;
  return out.dump(2) + "\n";
}

// Whether the program was made explicit already: it has collectives or reshards.
inline bool has_collectives(const Module& m) {
  static constexpr StringId kNames[] = {
      known::kSdyAllGather, known::kSdyAllReduce,          known::kSdyAllSlice,
      known::kSdyAllToAll,  known::kSdyReduceScatter,      known::kSdyCollectivePermute,
      known::kSdyReshard,   known::kSdyShardedToUnreduced, known::kSdyReplicatedToUnreduced};
  return std::ranges::any_of(kNames, [&](StringId name) { return has_op(m, name); });
}

}  // namespace detail

inline int cost_command(const Arguments& arguments) {
  const OpTable ops = standard_ops();
  std::optional<Input> input;
  if (const int code = load_to_propagate(arguments, ops, input); code != kOk) return code;
  if (!detail::has_collectives(input->m)) {
    PropagationSetup setup;
    setup.collectives = true;
    const Result<PipelineReport> report = run_propagation(input->m, ops, setup);
    if (!report) {
      print_diagnostics(report.errors(), input->texts());
      return kBadInput;
    }
    fmt::print(stderr, "note: the program has no collectives; these are what propagation makes\n");
    print_warnings(*report, input->texts());
    for (const PropagationReport& r : report->propagations) print_without_rule(r);
  }
  const CommunicationSummary summary = communication(input->m);
  return print_text(arguments.has("--json") ? detail::cost_json(summary)
                                            : detail::cost_table(summary));
}

}  // namespace shardprop::cli
