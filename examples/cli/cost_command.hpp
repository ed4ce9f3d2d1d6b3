// `shardprop cost IN`: what the collectives of a graph send, as a table or as JSON.
#pragma once

#include <optional>
#include <string>

#include "examples/cli/arguments.hpp"
#include "examples/cli/files.hpp"
#include "fmt/core.h"
#include "nlohmann/json.hpp"
#include "shardprop/analysis/communication.hpp"
#include "shardprop/ops/standard_ops.hpp"

namespace shardprop::cli {

inline std::string cost_table(const CommunicationSummary& summary) {
  std::string out = fmt::format("{:<20} {:<12} {:<24} {:>6} {:>14} {:>14}\n", "collective", "mesh",
                                "axes", "count", "bytes sent", "bytes received");
  for (const CommunicationRow& row : summary.rows) {
    out += fmt::format("{:<20} {:<12} {:<24} {:>6} {:>14.0f} {:>14.0f}{}\n", row.kind, row.mesh,
                       row.axes, row.count, row.sent, row.received,
                       row.in_loop ? "  one trip of a loop" : "");
  }
  if (summary.not_counted > 0) {
    out += fmt::format(
        "not counted: {} reshards and collectives of the program's own; `reshard-to-collectives` "
        "makes collectives of reshards\n",
        summary.not_counted);
  }
  return out;
}

inline std::string cost_json(const CommunicationSummary& summary) {
  nlohmann::ordered_json out;
  out["collectives"] = nlohmann::ordered_json::array();
  for (const CommunicationRow& row : summary.rows) {
    out["collectives"].push_back({{"kind", row.kind},
                                  {"mesh", row.mesh},
                                  {"axes", row.axes},
                                  {"in_loop", row.in_loop},
                                  {"count", row.count},
                                  {"bytes_sent", row.sent},
                                  {"bytes_received", row.received}});
  }
  out["not_counted"] = summary.not_counted;
  return out.dump(2) + "\n";
}

// With `--json` as JSON.
inline int cost_command(const Arguments& arguments) {
  const OpTable ops = standard_ops();
  const std::optional<Module> m = load(arguments.positional[0], ops);
  if (!m) return kBadInput;
  const CommunicationSummary summary = communication(*m);
  const bool good = print_text(arguments.has("--json") ? cost_json(summary) : cost_table(summary));
  return good ? kOk : kBadInput;
}

}  // namespace shardprop::cli
