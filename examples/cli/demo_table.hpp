// A propagated module as a table that a person reads: each argument, important value and result
// with its sharding and with what of it stands on one device. Values that only differ by a number
// in their name, such as those of repeated layers, share a row.
//
// Important values are those that the program names; in a program that only numbers its values, the
// results of operations that are no element-wise ones and move much data: products, convolutions,
// gathers, calls.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "examples/cli/demo_rows.hpp"
#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/propagate/propagation_report.hpp"

namespace shardprop::cli {

namespace detail {

constexpr std::size_t kMaxRows = 40;   // of one section; what is left out is counted
constexpr std::size_t kMaxNotes = 10;  // of what propagation could not do

// 12,345
inline std::string with_commas(std::size_t number) {
  if (number < 1000) return std::to_string(number);
  return with_commas(number / 1000) + fmt::format(",{:03}", number % 1000);
}

inline std::string bytes_text(double bytes) {
  if (bytes >= 1 << 30) return fmt::format("{:.2f} GiB", bytes / (1 << 30));
  if (bytes >= 1 << 20) return fmt::format("{:.1f} MiB", bytes / (1 << 20));
  if (bytes >= 1 << 10) return fmt::format("{:.1f} KiB", bytes / (1 << 10));
  return fmt::format("{:.0f} B", bytes);
}

class TableWriter {
 public:
  TableWriter(const Module& before, const Module& after, bool colour)
      : before_(before), after_(after), colour_(colour) {}

  std::string take() { return std::move(out_); }

  void meshes() {
    for (MeshId id : after_.meshes.ids()) {
      const Mesh& mesh = after_.meshes[id];
      std::string axes;
      for (std::size_t i = 0; i < mesh.axes.size(); ++i) {
        axes += axes.empty() ? "" : " x ";
        axes +=
            coloured(fmt::format("{}={}", mesh.axes[i].name, mesh.axes[i].size), axis_colour(i));
      }
      if (axes.empty()) axes = "no axes";
      const std::string name = mesh.name.empty() ? "" : "@" + mesh.name + ": ";
      field("mesh", fmt::format("{}{} ({} devices)", name, axes, mesh.device_count()));
    }
  }

  void program(const PropagationReport& report) {
    std::size_t operations = 0;
    walk_ops(after_, [&](OpId) { ++operations; });
    field("program",
          fmt::format("{} operations, {} values, {} of them with a sharding from the user",
                      with_commas(operations), with_commas(after_.values.size()),
                      with_commas(given_count())));
    const std::string stop = report.stop_reason == StopReason::kFixedPoint
                                 ? "to the fixed point"
                                 : "to the limit of visits";
    field("propagation",
          fmt::format("{} in {:.1f} ms: {} visits, {} changes", stop, report.seconds * 1e3,
                      with_commas(report.visits), with_commas(report.changes)));
    for (const OpWithoutRule& op : report.without_rule) {
      field("no rule",
            fmt::format("{} ({} times): no sharding passes it", op.name, with_commas(op.count)));
    }
    for (const Diagnostic& d : report.diagnostics) field("note", d.message);
  }

  void func(FuncId id) {
    const DemoRows rows = collect_rows(before_, after_, id);
    field("arguments", fmt::format("{} in all, {} on each device", bytes_text(rows.argument_bytes),
                                   bytes_text(rows.argument_bytes_on_device)));
    measure(rows);
    out_ +=
        '\n' + coloured(fmt::format("@{}", after_.strings[after_.funcs[id].name]), kBold) + '\n';
    section("arguments", rows.arguments);
    section("values", rows.values);
    section("results", rows.results);
  }

  void mismatches(const PropagationReport& report) {
    if (report.unresolved.empty()) return;
    out_ += '\n' +
            coloured("left to communication, since operands and results do not match", kBold) +
            '\n';
    for (std::size_t i = 0; i < report.unresolved.size() && i < kMaxNotes; ++i) {
      const Unresolved& kind = report.unresolved[i];
      out_ += fmt::format("{:>5} x {} (first {}): {}\n", with_commas(kind.count),
                          kind.first.operation, kind.first.value, kind.message);
    }
    if (report.unresolved.size() > kMaxNotes) {
      out_ +=
          fmt::format("... and {} more kinds\n", with_commas(report.unresolved.size() - kMaxNotes));
    }
  }

  void legend() {
    out_ +=
        "\nA sharding lists, for each dimension, the axes that split it, major first; - is not "
        "split.\n"
        "given: by the user; extended: by the user, and split further; found: by propagation.\n"
        "A row with {0-31} in its name stands for that many values, all alike.\n";
  }

 private:
  static constexpr std::string_view kBold = "1";
  static constexpr std::string_view kDim = "2";
  static constexpr std::string_view axis_colour(std::size_t axis) {
    constexpr std::string_view kColours[] = {"36", "33", "35", "32", "34", "31"};
    return kColours[axis % 6];
  }

  std::string coloured(std::string_view text, std::string_view code) const {
    return colour_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }

  void field(std::string_view name, std::string_view text) {
    out_ += coloured(fmt::format("{:<12}", name), kBold) + std::string(text) + '\n';
  }

  std::size_t given_count() const {
    std::size_t count = 0;
    for (ValueId value : before_.values.ids())
      count += before_.value_shardings[value].valid() ? 1 : 0;
    return count;
  }

  void measure(const DemoRows& rows) {
    widths_ = {};
    for (const std::vector<DemoRow>* part : {&rows.arguments, &rows.values, &rows.results}) {
      for (const DemoRow& row : *part) {
        widths_.name = std::max(widths_.name, row.label().size());
        widths_.type = std::max(widths_.type, row.type.size());
        widths_.sharding = std::max(widths_.sharding, row.sharding_width());
        widths_.local = std::max(widths_.local, row.local.size());
      }
    }
  }

  void section(std::string_view title, const std::vector<DemoRow>& rows) {
    if (rows.empty()) return;
    const std::string header = fmt::format(
        "{:<{}}  {:<{}}  {:<{}}  {:<{}}  {:>10}  origin", title, widths_.name, "type", widths_.type,
        "sharding", widths_.sharding, "on each device", widths_.local, "size there");
    out_ += '\n' + coloured(header, kBold) + '\n';
    for (std::size_t i = 0; i < rows.size() && i < kMaxRows; ++i) line(rows[i]);
    if (rows.size() > kMaxRows) {
      out_ += fmt::format("... and {} more rows\n", with_commas(rows.size() - kMaxRows));
    }
  }

  void line(const DemoRow& row) {
    out_ += fmt::format("{:<{}}  {:<{}}  ", row.label(), widths_.name, row.type, widths_.type);
    for (const ShardingPiece& piece : row.sharding) {
      out_ += piece.axis >= 0
                  ? coloured(piece.text, axis_colour(static_cast<std::size_t>(piece.axis)))
                  : coloured(piece.text, kDim);
    }
    out_.append(widths_.sharding - row.sharding_width() + 2, ' ');
    out_ += fmt::format("{:<{}}  {:>10}  {}", row.local, widths_.local,
                        bytes_text(row.bytes_on_device), to_string(row.origin));
    out_.erase(out_.find_last_not_of(' ') + 1);
    out_ += '\n';
  }

  struct Widths {
    std::size_t name = 9;
    std::size_t type = 4;
    std::size_t sharding = 8;
    std::size_t local = 14;
  };

  const Module& before_;
  const Module& after_;
  bool colour_;
  Widths widths_;
  std::string out_;
};

}  // namespace detail

// The table of `after`, which is `before` with the shardings that propagation found and with the
// same ids. A line ends with a newline, the last one too.
inline std::string demo_table(const Module& before, const Module& after,
                              const PropagationReport& report, bool colour = false) {
  detail::TableWriter writer(before, after, colour);
  writer.meshes();
  writer.program(report);
  for (FuncId id : after.func_order) writer.func(id);
  writer.mismatches(report);
  writer.legend();
  return writer.take();
}

}  // namespace shardprop::cli
