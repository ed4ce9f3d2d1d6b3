// A report as a person reads it.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>

#include "examples/cli/cost_command.hpp"
#include "examples/cli/explain_text.hpp"
#include "examples/cli/units.hpp"
#include "fmt/core.h"
#include "shardprop/analysis/report/report.hpp"
#include "shardprop/sharding/sharding_text.hpp"

namespace shardprop::cli {

namespace detail {

inline std::string change_text(double bytes) {
  if (bytes == 0) return "the same";
  return fmt::format("{} {}", bytes_text(std::abs(bytes)), bytes < 0 ? "less" : "more");
}

inline std::string suggestion_text(const Module& m, const Suggestion& s) {
  std::string out = fmt::format("give {}", label(m, s.edits[0].value));
  if (s.edits.size() > 1) out += fmt::format(" and {} others like it", s.edits.size() - 1);
  out += fmt::format(" {}: communication {}", to_string(s.edits[0].sharding, m.meshes),
                     change_text(s.communication));
  if (s.memory != 0) out += fmt::format(", arguments and results {}", change_text(s.memory));
  return out;
}

inline std::string finding_text(const Module& m, const Finding& f) {
  const std::string bytes = f.measure == Measure::kNone ? "" : bytes_text(f.bytes);
  std::string out =
      fmt::format("{:>10}  {}{}{}\n", bytes, f.count > 1 ? fmt::format("{} x ", f.count) : "",
                  f.summary, f.in_loop ? ", for each trip of a loop" : "");
  const auto line = [&](std::string_view text) { out += fmt::format("{:12}{}\n", "", text); };
  if (f.kind != FindingKind::kConflict && f.kind != FindingKind::kNotDivisible) line(f.reason);
  if (f.cause && !f.cause->won.empty()) line(f.cause->won);
  if (!f.places.empty()) {
    const FindingPlace& place = f.places.front();
    ValueRef value = place.value;
    if (place.op.valid() && m.ops[place.op].result_count > 0) value = {result(m, place.op, 0)};
    const bool is_named = value.value.valid() || value.func.valid();
    const std::string where = place.op.valid() ? op_place(m, place.op) : source_place(m, value);
    if (is_named)
      line(fmt::format("{} {}{}", f.places.size() > 1 ? "first at" : "at", label(m, value),
                       place_text(where)));
  }
  if (f.suggestion) line("try: " + suggestion_text(m, *f.suggestion));
  return out;
}

}  // namespace detail

// `m` is the program. At most `most` findings are told of, all if that is 0.
inline std::string report_text(const Module& m, const Report& report, std::size_t most) {
  const CommunicationRow total = detail::cost_total(report.communication);
  std::string out = fmt::format(
      "communication {} sent by each device in {} collectives{}; arguments {}, {} on each "
      "device\n\n",
      bytes_text(total.sent), total.count, total.in_loop ? ", loops counted once" : "",
      bytes_text(report.argument_bytes), bytes_text(report.argument_bytes_on_device));
  double left = 0;
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    const Finding& f = report.findings[i];
    if (most == 0 || i < most) {
      out += detail::finding_text(m, f);
    } else if (f.measure == Measure::kCommunication) {
      left += f.bytes;
    }
  }
  if (most != 0 && report.findings.size() > most) {
    out += fmt::format("... and {} more rows, of {} of communication; --all shows them\n",
                       report.findings.size() - most, bytes_text(left));
  }
  return out;
}

}  // namespace shardprop::cli
