// Pass `import-gspmd-shardings`: reads the shardings of a program that was made for GSPMD, which
// are strings about device numbers (sharding/gspmd_text.hpp), as shardings over named axes.
//
// Strings are `mhlo.sharding` of arguments and results of functions and of operations; of a custom
// call `@Sharding` it becomes a sharding constraint (`unspecified_dims=[...]` in its
// `backend_config` says which dimensions stay open). A program that has a mesh takes its axes. One
// that has none gets `@mesh` with axes `axis_0`, `axis_1`, ..., major to minor, such that every tile
// size is a product of them.
//
// Worked example: `{devices=[4,1,2]<=[8] last_tile_dim_replicate}` alone makes the mesh
// <["axis_0"=4, "axis_1"=2]> and [{"axis_0"}, {}].
//
// A string that does not map stays, with a warning. The same where no string splits anything:
// nothing is imported then. O(strings, each distinct one read once).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/stablehlo/custom_call_rules.hpp"
#include "shardprop/sharding/gspmd_text.hpp"
#include "shardprop/sharding/mesh_text.hpp"
#include "shardprop/sharding/verify_sharding.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

struct GspmdImport {
  std::size_t imported = 0;  // shardings
  Diagnostics warnings;
};

namespace detail {

inline constexpr std::string_view kGspmdKey = "mhlo.sharding";
inline constexpr std::string_view kGspmdCure =
    "print the program with named axes: in JAX, "
    "jax.config.update(\"jax_use_shardy_partitioner\", True); or give shardings by --mesh and "
    "--shard";

inline std::string_view gspmd_string(const Module& m, AttrId dict) {
  return text_of(m, m.attrs.find(dict, m.strings.find(kGspmdKey)));
}

// What has a string, and where the sharding goes.
struct GspmdSite {
  ValueId argument = {};
  FuncId func = {};
  std::size_t result = 0;
  OpId op = {};
  Place place = {};
  std::string text = {};
};

inline std::vector<GspmdSite> gspmd_sites(const Module& m) {
  std::vector<GspmdSite> sites;
  if (!m.strings.find(kGspmdKey).valid()) return sites;
  const auto add = [&](GspmdSite site, AttrId dict, const auto& place) {
    site.text = std::string(gspmd_string(m, dict));
    if (site.text.empty()) return;
    site.place = place();
    sites.push_back(std::move(site));
  };
  for (FuncId func : m.func_order) {
    const Function& row = m.funcs[func];
    for (ValueId value : m.blocks[row.body].arguments) {
      const auto at = m.value_attributes.find(value.index);
      if (at == m.value_attributes.end()) continue;
      add({.argument = value}, at->second, [&] { return place_of_value(m, value); });
    }
    for (std::size_t i = 0; i < row.results.size(); ++i) {
      add({.func = func, .result = i}, row.results[i].attributes, [&] {
        Place place;
        place.function = std::string(m.strings[row.name]);
        place.value = fmt::format("result {}", i);
        return place;
      });
    }
    walk_block(m, row.body, [&](OpId op) {
      add({.op = op}, m.ops[op].attributes, [&] { return place_of(m, op); });
    });
  }
  return sites;
}

// The axes that digits of device numbers come to: of a mesh that is given, or of one that grows
// with each sharding.
class DigitAxes {
 public:
  explicit DigitAxes(const Mesh* given) : given_(given != nullptr) {
    if (given) mesh_ = *given;
  }

  // Whether shardings with these digits, of a mesh of `count` devices, can be written; a mesh that
  // is not given gets the axes that they need.
  bool add(const std::vector<DeviceDigits>& dims, std::int64_t count) {
    if (given_) return mesh_.device_count() == count && mesh_.device_ids.empty();
    if (!bounds_.empty() && bounds_.back() != count) return false;
    std::vector<std::int64_t> bounds = bounds_;
    bounds.insert(bounds.end(), {1, count});
    for (const DeviceDigits& digits : dims) {
      for (const DeviceDigit& digit : digits)
        bounds.insert(bounds.end(), {digit.stride, digit.stride * digit.size});
    }
    std::ranges::sort(bounds);
    bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
    for (std::size_t i = 1; i < bounds.size(); ++i) {
      if (bounds[i] % bounds[i - 1] != 0) return false;
    }
    bounds_ = std::move(bounds);
    return true;
  }

  // After the last `add`.
  const Mesh& mesh() {
    if (given_ || !mesh_.axes.empty()) return mesh_;
    mesh_.name = "mesh";
    for (std::size_t i = bounds_.size(); i-- > 1;) {
      mesh_.axes.push_back(
          {fmt::format("axis_{}", mesh_.axes.size()), bounds_[i] / bounds_[i - 1]});
    }
    return mesh_;
  }

  // The axes of a dimension; none where a digit ends inside of an axis at no divisor.
  std::optional<AxisList> axes_of(const DeviceDigits& digits) const {
    AxisList out;
    for (const DeviceDigit& digit : digits) {
      std::int64_t stride = mesh_.device_count();
      for (std::size_t a = 0; a < mesh_.axes.size(); ++a) {
        const std::int64_t end = stride;
        const std::int64_t size = mesh_.axes[a].size;
        stride /= size;
        const std::int64_t low = std::max(stride, digit.stride);
        const std::int64_t high = std::min(end, digit.stride * digit.size);
        if (high <= low) continue;
        if (low % stride != 0 || end % high != 0 || high % low != 0) return std::nullopt;
        const bool full = low == stride && high == end;
        out.push_back(full ? full_axis(mesh_, a) : sub_axis(a, end / high, high / low));
      }
    }
    return out;
  }

 private:
  bool given_;
  Mesh mesh_;
  std::vector<std::int64_t> bounds_;  // of digits, ascending, each divides the next
};

class GspmdReader {
 public:
  explicit GspmdReader(Module& m) : m_(m), axes_(given_mesh(m)) {}

  GspmdImport run() {
    const std::vector<GspmdSite> sites = gspmd_sites(m_);
    for (const GspmdSite& site : sites) read(site.text);
    if (sites.empty()) return std::move(out_);
    if (!splits_) {
      warn("gspmd.nothing_split",
           fmt::format("{} strings of mhlo.sharding split nothing: they are left aside, and all "
                       "dimensions are open",
                       sites.size()),
           sites.front().place);
      return std::move(out_);
    }
    const Mesh& mesh = axes_.mesh();
    if (!mesh.axes.empty()) {
      mesh_ = m_.meshes.find(mesh.name);
      if (!mesh_.valid()) mesh_ = m_.meshes.add(mesh);
    }
    for (const GspmdSite& site : sites) apply(site);
    const std::string over = mesh.axes.empty() ? "named axes" : "the axes of " + to_string(mesh);
    for (const auto& [text, first] : failed_) {
      warn("gspmd.not_mapped",
           fmt::format("the sharding {} cannot be written over {} ({} times): it is left out", text,
                       over, first.second),
           first.first);
    }
    return std::move(out_);
  }

 private:
  struct Read {
    std::vector<GspmdSharding> shardings;
    std::vector<std::vector<DeviceDigits>> digits;  // of each that is tiled
    bool mapped = false;
  };

  static const Mesh* given_mesh(const Module& m) {
    for (MeshId id : m.meshes.ids()) {
      if (!m.meshes[id].axes.empty() && !m.meshes[id].name.empty()) return &m.meshes[id];
    }
    return nullptr;
  }

  void warn(std::string_view code, std::string message, const Place& place) {
    out_.warnings.push_back({std::string(code), std::move(message), std::string(kGspmdCure), place,
                             Severity::kWarning});
  }

  void read(const std::string& text) {
    const auto [at, is_new] = read_.try_emplace(text);
    if (!is_new) return;
    Result<std::vector<GspmdSharding>> parsed = parse_gspmd_sharding(text);
    if (!parsed) {
      splits_ = true;
      return;
    }
    Read& row = at->second;
    row.shardings = *std::move(parsed);
    row.mapped = true;
    for (const GspmdSharding& s : row.shardings) {
      row.digits.emplace_back();
      const bool manual = s.kind == GspmdKind::kManual || s.manual_subgroup;
      if (!manual && s.kind != GspmdKind::kTiled) continue;
      splits_ = true;
      const auto digits = manual ? std::nullopt : find_digits(s);
      row.mapped = digits && axes_.add(*digits, s.device_count());
      if (!row.mapped) return;
      row.digits.back() = *digits;
    }
  }

  void fail(const GspmdSite& site) {
    auto& [place, count] = failed_[site.text];
    if (count++ == 0) place = site.place;
  }

  void apply(const GspmdSite& site) {
    const Read& row = read_[site.text];
    std::vector<TypeId> types = types_of(site);
    if (!mesh_.valid() || !row.mapped || row.shardings.size() != types.size()) return fail(site);
    std::vector<TensorSharding> found;
    for (std::size_t i = 0; i < types.size(); ++i) {
      std::optional<TensorSharding> one = to_axes(row.shardings[i], row.digits[i], types[i]);
      if (!one) return fail(site);
      found.push_back(*std::move(one));
    }
    out_.imported += found.size();
    if (site.op.valid()) return apply_to_op(site.op, found);
    const ShardingId id = m_.shardings.intern(found[0]);
    if (site.argument.valid()) {
      m_.value_shardings[site.argument] = id;
      AttrId& dict = m_.value_attributes[site.argument.index];
      dict = m_.attrs.with(dict, m_.strings.find(kGspmdKey), AttrId());
      if (!dict.valid()) m_.value_attributes.erase(site.argument.index);
      return;
    }
    FuncResult& result = m_.funcs[site.func].results[site.result];
    result.sharding = id;
    result.attributes = m_.attrs.with(result.attributes, m_.strings.find(kGspmdKey), AttrId());
  }

  std::vector<TypeId> types_of(const GspmdSite& site) const {
    if (site.argument.valid()) return {type_of(m_, site.argument)};
    if (!site.op.valid()) return {m_.funcs[site.func].results[site.result].type};
    std::vector<TypeId> types;
    for (ValueId value : results(m_, site.op)) types.push_back(type_of(m_, value));
    return types;
  }

  // Over axes of the mesh; closed, since GSPMD takes what a user wrote as it is.
  std::optional<TensorSharding> to_axes(const GspmdSharding& s,
                                        const std::vector<DeviceDigits>& digits, TypeId type) {
    const std::size_t rank = m_.types.is_tensor(type) ? m_.types.rank(type) : 0;
    TensorSharding out = closed_sharding(mesh_, rank);
    if (s.kind == GspmdKind::kMaximal) return closed_sharding(maximal_mesh(s.device), 0);
    if (s.kind == GspmdKind::kReplicated) return out;
    if (s.rank() != rank) return std::nullopt;
    for (std::size_t d = 0; d < rank; ++d) {
      std::optional<AxisList> axes = axes_.axes_of(digits[d]);
      if (!axes) return std::nullopt;
      out.dims[d].axes = *std::move(axes);
    }
    Diagnostics wrong;
    const ShardedShape shape{.is_tensor = m_.types.is_tensor(type), .shape = m_.types.shape(type)};
    if (!verify_sharding(out, m_.meshes, shape, Place(), wrong)) return std::nullopt;
    return out;
  }

  MeshId maximal_mesh(std::int64_t device) {
    const std::string name = fmt::format("maximal_mesh_{}", device);
    const MeshId known = m_.meshes.find(name);
    return known.valid() ? known : m_.meshes.add({name, {}, {device}});
  }

  void apply_to_op(OpId op, std::vector<TensorSharding>& found) {
    const bool is_constraint = is_sharding_call(m_, op);
    if (is_constraint) open_unspecified(op, found[0]);
    set_attribute(m_, op, kGspmdKey, AttrId());
    for (std::size_t i = 0; i < found.size(); ++i)
      m_.value_shardings[result(m_, op, i)] = m_.shardings.intern(found[i]);
    if (is_constraint) replace_by_constraint(m_, op);
  }

  // `unspecified_dims=[0,2]`
  void open_unspecified(OpId op, TensorSharding& sharding) const {
    TextScanner in(text_of(m_, attribute(m_, op, "backend_config")), "gspmd.syntax", "");
    if (!in.accept_word("unspecified_dims") || !in.accept("=") || !in.accept("[")) return;
    std::int64_t dim = 0;
    do {
      if (!in.integer(dim) || dim < 0 || dim >= static_cast<std::int64_t>(sharding.rank())) return;
      sharding.dims[static_cast<std::size_t>(dim)].open = true;
    } while (in.accept(","));
  }

  Module& m_;
  DigitAxes axes_;
  MeshId mesh_;
  bool splits_ = false;
  std::map<std::string, Read> read_;
  std::map<std::string, std::pair<Place, std::size_t>> failed_;  // where first, how often
  GspmdImport out_;
};

}  // namespace detail

// Whether any argument, result or operation has a string of `mhlo.sharding`.
inline bool has_gspmd_shardings(const Module& m) { return !detail::gspmd_sites(m).empty(); }

// Imports what maps. Warnings, each with the place of the first of its kind: `gspmd.nothing_split`,
// `gspmd.not_mapped`.
inline GspmdImport import_gspmd_shardings(Module& m) { return detail::GspmdReader(m).run(); }

}  // namespace shardprop
