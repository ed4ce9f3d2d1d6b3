// The rows of the demo's table: which values are shown, what each shows, and which share a row.
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

struct DemoRow {
  // The name without its first number, and the numbers of all values of the row.
  std::string before_number;
  std::string after_number;
  std::vector<std::uint64_t> numbers;
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

  // `%layers.{0-31}.key`; `%7 and 99 more` where the numbers are no one range.
  std::string label() const {
    const std::string end = note.empty() ? "" : " " + note;
    if (numbers.empty()) return before_number + end;
    const std::string first = std::to_string(numbers.front());
    if (numbers.size() == 1) return before_number + first + after_number + end;
    if (numbers.back() - numbers.front() == numbers.size() - 1) {
      return fmt::format("{}{{{}-{}}}{}{}", before_number, first, numbers.back(), after_number,
                         end);
    }
    return fmt::format("{}{}{} and {} more{}", before_number, first, after_number,
                       numbers.size() - 1, end);
  }
};

struct DemoRows {
  std::vector<DemoRow> arguments;
  std::vector<DemoRow> values;
  std::vector<DemoRow> results;
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
    if (!id.valid() || m.shardings[id].dims[d].axes.empty()) {
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

// The largest shape that one device holds: dimensions that do not divide are rounded up.
inline std::vector<std::int64_t> local_shape(const Module& m, TypeId type, ShardingId id) {
  const auto global = m.types.shape(type);
  std::vector<std::int64_t> shape(global.begin(), global.end());
  if (!id.valid()) return shape;
  for (std::size_t d = 0; d < shape.size(); ++d) {
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
  RowFolder(const Module& before, const Module& after) : before_(before), after_(after) {}

  void add(const Shown& shown) {
    const std::size_t digit = std::min(shown.name.find_first_of("0123456789"), shown.name.size());
    const std::size_t rest =
        std::min(shown.name.find_first_not_of("0123456789", digit), shown.name.size());
    const std::string number = shown.name.substr(digit, rest - digit);
    const Origin origin = origin_of(before_, after_, shown);
    const Key key = {shown.name.substr(0, digit),
                     shown.name.substr(rest),
                     shown.note,
                     shown.type,
                     shown.after,
                     origin};
    // Longer than any number that counts layers: part of a name.
    const bool foldable = !number.empty() && number.size() < 10;
    if (!foldable) {
      rows_.push_back(make_row(shown, origin));
      rows_.back().before_number = shown.name;
      return;
    }
    const auto [at, is_new] = row_of_.try_emplace(key, rows_.size());
    if (is_new) {
      rows_.push_back(make_row(shown, origin));
      rows_.back().before_number = shown.name.substr(0, digit);
      rows_.back().after_number = shown.name.substr(rest);
    }
    rows_[at->second].numbers.push_back(std::stoull(number));
  }

  std::vector<DemoRow> take() { return std::move(rows_); }

 private:
  using Key = std::tuple<std::string, std::string, std::string, TypeId, ShardingId, Origin>;

  DemoRow make_row(const Shown& shown, Origin origin) const {
    DemoRow row;
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
  std::map<Key, std::size_t> row_of_;
  std::vector<DemoRow> rows_;
};

inline bool is_named(const Module& m, ValueId value) {
  const ValueName name = m.value_names[value];
  return name.bits != ValueName::kUnnamed && (name.bits & ValueName::kIsText) != 0;
}

inline bool moves_much_data(std::string_view op) {
  constexpr std::array<std::string_view, 12> kNames = {"stablehlo.dot",
                                                       "stablehlo.dot_general",
                                                       "stablehlo.convolution",
                                                       "stablehlo.gather",
                                                       "stablehlo.scatter",
                                                       "stablehlo.reduce_window",
                                                       "stablehlo.sort",
                                                       "stablehlo.custom_call",
                                                       "stablehlo.while",
                                                       "stablehlo.case",
                                                       "func.call",
                                                       "sdy.manual_computation"};
  return std::find(kNames.begin(), kNames.end(), op) != kNames.end();
}

inline Shown shown_value(const Module& before, const Module& after, ValueId value) {
  return {name_of(after, value), type_of(after, value), before.value_shardings[value],
          after.value_shardings[value]};
}

inline std::vector<DemoRow> collect_values(const Module& before, const Module& after,
                                           BlockId body) {
  bool any_named = false;
  for (OpId op = after.blocks[body].first_op; op.valid(); op = after.layout[op].next) {
    for (ValueId value : results(after, op)) any_named = any_named || is_named(after, value);
  }
  RowFolder folder(before, after);
  for (OpId op = after.blocks[body].first_op; op.valid(); op = after.layout[op].next) {
    for (ValueId value : results(after, op)) {
      if (any_named ? !is_named(after, value) : !moves_much_data(op_name(after, op))) continue;
      Shown shown = shown_value(before, after, value);
      if (!any_named) shown.note = fmt::format("({})", op_name(after, op));
      folder.add(shown);
    }
  }
  return folder.take();
}

// `after` is `before` after propagation, with the same ids.
inline DemoRows collect_rows(const Module& before, const Module& after, FuncId id) {
  const Function& func = after.funcs[id];
  DemoRows rows;
  RowFolder arguments(before, after);
  for (ValueId value : after.blocks[func.body].arguments) {
    const Shown shown = shown_value(before, after, value);
    arguments.add(shown);
    const auto global = after.types.shape(shown.type);
    rows.argument_bytes += tensor_bytes(after, shown.type, {global.begin(), global.end()});
    rows.argument_bytes_on_device +=
        tensor_bytes(after, shown.type, local_shape(after, shown.type, shown.after));
  }
  rows.arguments = arguments.take();
  rows.values = collect_values(before, after, func.body);
  RowFolder results(before, after);
  for (std::size_t i = 0; i < func.results.size(); ++i) {
    results.add({fmt::format("result {}", i), func.results[i].type,
                 before.funcs[id].results[i].sharding, func.results[i].sharding});
  }
  rows.results = results.take();
  return rows;
}

}  // namespace shardprop::cli::detail
