// The rows of the table that `show` prints: which values are shown, what each shows, and which
// share a row.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "examples/cli/folded_names.hpp"
#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ops/common/element_type.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/sharding/axis_text.hpp"

namespace shardprop::cli::detail {

// Where a sharding comes from.
enum class Origin : std::uint8_t { kNone, kGiven, kExtended, kFound };

constexpr std::string_view to_string(Origin origin) {
  constexpr std::string_view kNames[] = {"", "given", "extended", "found"};
  return kNames[static_cast<std::size_t>(origin)];
}

// A stretch of a sharding's text: an axis, or what stands between axes.
struct ShardingPiece {
  std::string text;
  int axis = -1;
};

struct ShowRow {
  FoldedNames names;
  std::string note;  // after the name
  std::string type;
  std::vector<ShardingPiece> sharding;
  std::string local;  // shape on one device
  double bytes_on_device = 0;
  Origin origin = Origin::kNone;

  std::size_t sharding_width() const {
    std::size_t width = 0;
    for (const ShardingPiece& piece : sharding) width += piece.text.size();
    return width;
  }
  std::string label() const { return names.label() + (note.empty() ? "" : " " + note); }
};

struct ShowRows {
  std::vector<ShowRow> arguments;
  std::vector<ShowRow> values;
  std::vector<ShowRow> results;
  double argument_bytes = 0;
  double argument_bytes_on_device = 0;
};

// What is shown of one value.
struct Shown {
  std::string name;
  TypeId type;
  ShardingId before;
  ShardingId after;
  std::string note = {};
};

inline std::vector<ShardingPiece> sharding_pieces(const Module& m, ShardingId id,
                                                  std::size_t rank) {
  std::vector<ShardingPiece> out = {{"[", -1}};
  for (std::size_t d = 0; d < rank; ++d) {
    if (d > 0) out.push_back({", ", -1});
    if (!id.valid() || d >= m.shardings[id].rank() || m.shardings[id].dims[d].axes.empty()) {
      out.push_back({"-", -1});
      continue;
    }
    const TensorSharding& sharding = m.shardings[id];
    for (std::size_t a = 0; a < sharding.dims[d].axes.size(); ++a) {
      const AxisRef axis = sharding.dims[d].axes[a];
      if (a > 0) out.push_back({"*", -1});
      out.push_back({shardprop::to_string(axis, m.meshes[sharding.mesh]), axis.axis});
    }
  }
  out.push_back({"]", -1});
  if (id.valid() && !m.shardings[id].unreduced.empty()) {
    out.push_back({" to be summed over ", -1});
    for (AxisRef axis : m.shardings[id].unreduced) {
      out.push_back({shardprop::to_string(axis, m.meshes[m.shardings[id].mesh]) + " ", axis.axis});
    }
  }
  return out;
}

inline std::string sharding_text(const std::vector<ShardingPiece>& pieces) {
  std::string out;
  for (const ShardingPiece& piece : pieces) out += piece.text;
  return out;
}

// The largest shape that one device holds: dimensions that do not divide are rounded up.
inline std::vector<std::int64_t> local_shape(const Module& m, TypeId type, ShardingId id) {
  const auto global = m.types.shape(type);
  std::vector<std::int64_t> shape(global.begin(), global.end());
  if (!id.valid()) return shape;
  for (std::size_t d = 0; d < std::min(shape.size(), m.shardings[id].rank()); ++d) {
    std::int64_t parts = 1;
    for (AxisRef axis : m.shardings[id].dims[d].axes) parts *= axis.size;
    if (shape[d] != kDynamic) shape[d] = (shape[d] + parts - 1) / parts;
  }
  return shape;
}

inline double tensor_bytes(const Module& m, TypeId type, const std::vector<std::int64_t>& shape) {
  if (!m.types.is_tensor(type)) return 0;
  const ElementType element = parse_element_type(m.strings[m.types.dtype(type)]);
  double bytes = element.kind == kBool ? 1 : element.bits / 8.0;
  for (std::int64_t dim : shape) bytes *= static_cast<double>(std::max<std::int64_t>(dim, 0));
  return bytes;
}

inline Origin origin_of(const Module& before, const Module& after, const Shown& shown) {
  const bool has_axes = shown.after.valid() && !has_no_axes(after.shardings[shown.after]);
  if (!shown.before.valid()) return has_axes ? Origin::kFound : Origin::kNone;
  if (!shown.after.valid()) return Origin::kGiven;
  const TensorSharding& given = before.shardings[shown.before];
  const TensorSharding& found = after.shardings[shown.after];
  for (std::size_t d = 0; d < given.dims.size() && d < found.dims.size(); ++d) {
    if (!(given.dims[d].axes == found.dims[d].axes)) return Origin::kExtended;
  }
  return Origin::kGiven;
}

inline std::string type_text(const Module& m, TypeId type) {
  const std::string dtype(m.strings[m.types.dtype(type)]);
  return m.types.is_tensor(type) ? dtype + shardprop::to_string(m.types.shape(type)) : dtype;
}

// Joins values in rows, in the order in which rows first come up.
class RowFolder {
 public:
  RowFolder(const Module& before, const Module& after, bool fold)
      : before_(before), after_(after), fold_(fold) {}

  void add(const Shown& shown) {
    NumberedName name = split_name(shown.name);
    const Origin origin = origin_of(before_, after_, shown);
    const Key key = {name.texts, shown.note, shown.type, shown.after, origin};
    const auto [at, is_new] = row_of_.try_emplace(key, rows_.size());
    if (!is_new && fold_ && !name.numbers.empty())
      return rows_[at->second].names.add(std::move(name));
    rows_.push_back(make_row(shown, origin));
    rows_.back().names.add(std::move(name));
  }

  std::vector<ShowRow> take() { return std::move(rows_); }

 private:
  using Key = std::tuple<std::vector<std::string>, std::string, TypeId, ShardingId, Origin>;

  ShowRow make_row(const Shown& shown, Origin origin) const {
    ShowRow row;
    row.note = shown.note;
    row.type = type_text(after_, shown.type);
    row.origin = origin;
    if (!after_.types.is_tensor(shown.type)) return row;
    const std::vector<std::int64_t> local = local_shape(after_, shown.type, shown.after);
    row.sharding = sharding_pieces(after_, shown.after, local.size());
    row.local = shardprop::to_string(std::span<const std::int64_t>(local));
    row.bytes_on_device = tensor_bytes(after_, shown.type, local);
    return row;
  }

  const Module& before_;
  const Module& after_;
  bool fold_;
  std::map<Key, std::size_t> row_of_;
  std::vector<ShowRow> rows_;
};

// Whether the name says more than a number: `%12` and `%12#1` do not.
inline bool is_named(const Module& m, ValueId value) {
  const std::string name = name_of(m, value);
  return name.size() > 1 && (name[1] < '0' || name[1] > '9');
}

// What a table is to show of values: the lower first, `kHidden` only where all are asked for.
enum class Weight : std::uint8_t { kProduct, kMovesData, kNamed, kConstant, kHidden };

inline Weight weight_of(const Module& m, OpId op) {
  constexpr std::array<std::string_view, 3> kProducts = {"stablehlo.dot", "stablehlo.dot_general",
                                                         "stablehlo.convolution"};
  constexpr std::array<std::string_view, 9> kMovers = {
      "stablehlo.gather",      "stablehlo.scatter", "stablehlo.reduce_window", "stablehlo.sort",
      "stablehlo.custom_call", "stablehlo.while",   "stablehlo.case",          "func.call",
      "sdy.manual_computation"};
  const std::string_view name = op_name(m, op);
  const auto is_one_of = [&](const auto& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (is_one_of(kProducts)) return Weight::kProduct;
  if (is_one_of(kMovers)) return Weight::kMovesData;
  const bool named = m.ops[op].result_count > 0 && is_named(m, result(m, op, 0));
  if (!named) return Weight::kHidden;
  const bool is_constant = name.ends_with(".constant") || name.ends_with(".iota");
  return is_constant ? Weight::kConstant : Weight::kNamed;
}

inline Shown shown_value(const Module& before, const Module& after, ValueId value) {
  return {name_of(after, value), type_of(after, value), before.value_shardings[value],
          after.value_shardings[value]};
}

// The values of a body, by weight and then in program order; with `all` each of them.
inline std::vector<Shown> important_values(const Module& before, const Module& after, BlockId body,
                                           bool all) {
  std::array<std::vector<Shown>, 5> by_weight;
  for (OpId op = after.blocks[body].first_op; op.valid(); op = after.layout[op].next) {
    const Weight weight = weight_of(after, op);
    if (weight == Weight::kHidden && !all) continue;
    for (ValueId value : results(after, op)) {
      // Those that are made later have no sharding from before.
      Shown shown = shown_value(before, after, value);
      if (!is_named(after, value)) shown.note = fmt::format("({})", op_name(after, op));
      by_weight[all ? 0 : static_cast<std::size_t>(weight)].push_back(std::move(shown));
    }
  }
  std::vector<Shown> out;
  for (std::vector<Shown>& part : by_weight) std::ranges::move(part, std::back_inserter(out));
  return out;
}

struct ShowOptions {
  bool all = false;           // every value, every row
  bool fold = true;           // values that differ by numbers in their names share a row
  std::string function = {};  // a name or a pattern; empty: each
};

// `after` is `before` after propagation, with the same ids.
inline ShowRows collect_rows(const Module& before, const Module& after, FuncId id,
                             const ShowOptions& options) {
  const Function& func = after.funcs[id];
  ShowRows rows;
  RowFolder arguments(before, after, options.fold);
  for (ValueId value : after.blocks[func.body].arguments) {
    const Shown shown = shown_value(before, after, value);
    arguments.add(shown);
    const auto global = after.types.shape(shown.type);
    rows.argument_bytes += tensor_bytes(after, shown.type, {global.begin(), global.end()});
    rows.argument_bytes_on_device +=
        tensor_bytes(after, shown.type, local_shape(after, shown.type, shown.after));
  }
  rows.arguments = arguments.take();
  RowFolder values(before, after, options.fold);
  for (const Shown& shown : important_values(before, after, func.body, options.all))
    values.add(shown);
  rows.values = values.take();
  RowFolder results(before, after, options.fold);
  for (std::size_t i = 0; i < func.results.size(); ++i) {
    results.add({fmt::format("result {}", i), func.results[i].type,
                 before.funcs[id].results[i].sharding, func.results[i].sharding});
  }
  rows.results = results.take();
  return rows;
}

}  // namespace shardprop::cli::detail
