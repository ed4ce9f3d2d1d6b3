// A propagated module as a table that a person reads: each argument, important value and result
// with its sharding and with what of it stands on one device. Values that only differ by numbers in
// their names, such as those of repeated layers, share a row; private functions with equal tables
// share one.
//
// Important values are the results of products and convolutions, then of other operations that move
// much data, then values that the program names, then named constants.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "examples/cli/folded_names.hpp"
#include "examples/cli/show_rows.hpp"
#include "examples/cli/units.hpp"
#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/propagate/propagation_report.hpp"
#include "shardprop/support/glob.hpp"

namespace shardprop::cli {

namespace detail {

constexpr std::size_t kMaxRows = 40;   // of one section; what is left out is counted
constexpr std::size_t kMaxNotes = 10;  // of what propagation could not do

inline bool shows_func(const Module& m, FuncId id, const ShowOptions& options) {
  return options.function.empty() || glob_match(options.function, m.strings[m.funcs[id].name]);
}

class TableWriter {
 public:
  TableWriter(const Module& before, const Module& after, const ShowOptions& options, bool colour)
      : before_(before), after_(after), options_(options), colour_(colour) {}

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
    if (after_.meshes.size() == 0) field("mesh", "none: nothing can be sharded");
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

  // All functions that are asked for; private ones with equal tables once.
  void funcs() {
    struct Shape {
      std::string table;
      std::vector<FuncId> funcs;
    };
    std::vector<Shape> shapes;
    std::map<std::string, std::size_t> known;
    for (FuncId id : after_.func_order) {
      if (!shows_func(after_, id, options_)) continue;
      std::string table = func_table(id);
      const bool folds = after_.funcs[id].is_private && !options_.all;
      const auto [at, is_new] = known.try_emplace(table, shapes.size());
      if (folds && !is_new) {
        shapes[at->second].funcs.push_back(id);
      } else {
        shapes.push_back({std::move(table), {id}});
      }
    }
    for (const Shape& shape : shapes) {
      out_ += '\n' + coloured(func_title(shape.funcs), kBold) + '\n' + shape.table;
    }
  }

  void mismatches(const PropagationReport& report) {
    if (report.unresolved.empty()) return;
    out_ += '\n' +
            coloured("left to communication, since operands and results do not match", kBold) +
            '\n';
    const std::size_t most = options_.all ? report.unresolved.size() : kMaxNotes;
    for (std::size_t i = 0; i < report.unresolved.size() && i < most; ++i) {
      const Unresolved& kind = report.unresolved[i];
      out_ += fmt::format("{:>5} x {} (first {}): {}\n", with_commas(kind.count),
                          kind.first.operation, kind.first.value, kind.message);
    }
    if (report.unresolved.size() > most) {
      out_ += fmt::format("... and {} more kinds\n", with_commas(report.unresolved.size() - most));
    }
  }

  // What the signs in the table mean, of those that are there.
  void legend() {
    std::string lines;
    if (shown_.sharding) {
      lines += "A sharding lists, for each dimension, the axes that split it";
      lines += shown_.product ? ", major first" : "";
      lines += shown_.dash ? "; - is not split.\n" : ".\n";
    }
    std::string origins;
    const auto origin = [&](Origin which, std::string_view text) {
      if (!shown_.origins[static_cast<std::size_t>(which)]) return;
      origins += fmt::format("{}{}: {}", origins.empty() ? "" : "; ", to_string(which), text);
    };
    origin(Origin::kGiven, "by the user");
    origin(Origin::kExtended, "by the user, and split further");
    origin(Origin::kFound, "by propagation");
    if (!origins.empty()) lines += origins + ".\n";
    if (!shown_.folded.empty()) {
      lines +=
          fmt::format("A row such as {} stands for several values, all alike.\n", shown_.folded);
    }
    if (shown_.left_out) lines += "--all shows every value and row.\n";
    if (!lines.empty()) out_ += "\n" + lines;
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

  // `@main`; `@relu_{0-7}: 8 private functions`.
  std::string func_title(const std::vector<FuncId>& funcs) const {
    const auto name = [&](FuncId id) {
      return "@" + std::string(after_.strings[after_.funcs[id].name]);
    };
    if (funcs.size() == 1) return name(funcs[0]);
    FoldedNames folded;
    NumberedName first = split_name(name(funcs[0]));
    const std::vector<std::string> texts = first.texts;
    bool alike = true;
    folded.add(std::move(first));
    for (std::size_t i = 1; i < funcs.size(); ++i) {
      NumberedName next = split_name(name(funcs[i]));
      alike = alike && next.texts == texts;
      if (alike) folded.add(std::move(next));
    }
    const std::string label =
        alike ? folded.label() : fmt::format("{} and {} more", name(funcs[0]), funcs.size() - 1);
    return fmt::format("{}: {} private functions, all alike", label, with_commas(funcs.size()));
  }

  std::string func_table(FuncId id) {
    const std::string so_far = std::exchange(out_, {});
    const ShowRows rows = collect_rows(before_, after_, id, options_);
    measure(rows);
    out_ += fmt::format("arguments: {} in all, {} on each device\n",
                        bytes_text(rows.argument_bytes), bytes_text(rows.argument_bytes_on_device));
    section("arguments", rows.arguments);
    section("values", rows.values);
    section("results", rows.results);
    return std::exchange(out_, so_far);
  }

  void measure(const ShowRows& rows) {
    widths_ = {};
    for (const std::vector<ShowRow>* part : {&rows.arguments, &rows.values, &rows.results}) {
      for (const ShowRow& row : *part) {
        widths_.name = std::max(widths_.name, row.label().size());
        widths_.type = std::max(widths_.type, row.type.size());
        widths_.sharding = std::max(widths_.sharding, row.sharding_width());
        widths_.local = std::max(widths_.local, row.local.size());
      }
    }
  }

  void section(std::string_view title, const std::vector<ShowRow>& rows) {
    if (rows.empty()) return;
    const std::string header = fmt::format(
        "{:<{}}  {:<{}}  {:<{}}  {:<{}}  {:>10}  origin", title, widths_.name, "type", widths_.type,
        "sharding", widths_.sharding, "on each device", widths_.local, "size there");
    out_ += '\n' + coloured(header, kBold) + '\n';
    const std::size_t most = options_.all ? rows.size() : kMaxRows;
    for (std::size_t i = 0; i < rows.size() && i < most; ++i) line(rows[i]);
    if (rows.size() > most) {
      out_ += fmt::format("... and {} more rows\n", with_commas(rows.size() - most));
      shown_.left_out = true;
    }
  }

  void line(const ShowRow& row) {
    note_shown(row);
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

  void note_shown(const ShowRow& row) {
    shown_.sharding = shown_.sharding || row.sharding.size() > 2;
    for (const ShardingPiece& piece : row.sharding) {
      shown_.dash = shown_.dash || piece.text == "-";
      shown_.product = shown_.product || piece.text == "*";
    }
    shown_.origins[static_cast<std::size_t>(row.origin)] = true;
    if (shown_.folded.empty() && row.names.count() > 1) shown_.folded = row.names.label();
  }

  struct Widths {
    std::size_t name = 9;
    std::size_t type = 4;
    std::size_t sharding = 8;
    std::size_t local = 14;
  };
  // What stands in the table, for the legend.
  struct ShownSigns {
    bool sharding = false;
    bool dash = false;
    bool product = false;
    bool left_out = false;
    bool origins[4] = {};
    std::string folded;  // the first label of several values
  };

  const Module& before_;
  const Module& after_;
  const ShowOptions& options_;
  bool colour_;
  Widths widths_;
  ShownSigns shown_;
  std::string out_;
};

}  // namespace detail

// The table of `after`, which is `before` with the shardings that propagation found and with the
// same ids. A line ends with a newline, the last one too.
inline std::string show_table(const Module& before, const Module& after,
                              const PropagationReport& report,
                              const detail::ShowOptions& options = {}, bool colour = false) {
  detail::TableWriter writer(before, after, options, colour);
  writer.meshes();
  writer.program(report);
  writer.funcs();
  writer.mismatches(report);
  writer.legend();
  return writer.take();
}

}  // namespace shardprop::cli
