// Checks of all meshes, shardings and rules of a module. O(values), as each pair of a sharding and
// a type is checked once (except in manual computations, where the axes that may be used depend on the
// place).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/common/type_text.hpp"
#include "shardprop/ops/sdy/manual_axes.hpp"
#include "shardprop/ops/sdy/sharding_list_attributes.hpp"
#include "shardprop/sharding/verify_mesh.hpp"
#include "shardprop/sharding/verify_rule.hpp"
#include "shardprop/sharding/verify_sharding.hpp"

namespace shardprop {

namespace detail {

class ShardingVerifier {
 public:
  ShardingVerifier(const Module& m, Diagnostics& out) : m_(m), out_(out) {}

  void verify_meshes() {
    for (MeshId id : m_.meshes.ids()) {
      const Mesh& mesh = m_.meshes[id];
      verify_mesh(mesh, {}, out_);
      if (mesh.name.empty() || m_.meshes.find(mesh.name) == id) continue;
      out_.push_back({"mesh.duplicate_name", fmt::format("two meshes are called @{}", mesh.name),
                      "give each mesh a name of its own"});
    }
  }

  void verify_func(const Function& func) {
    for (ValueId value : m_.blocks[func.body].arguments) verify_value(value, {});
    for (std::size_t i = 0; i < func.results.size(); ++i) {
      const FuncResult& r = func.results[i];
      if (!r.sharding.valid() || was_checked(r.sharding, r.type)) continue;
      Place place;
      place.function = std::string(m_.strings[func.name]);
      place.value = fmt::format("result {}", i);
      verify_typed(r.sharding, r.type, {}, place);
    }
    walk_block(m_, func.body, [&](OpId op) { verify_op(op); });
  }

 private:
  void verify_op(OpId op) {
    bool sharded = false;
    for (ValueId value : results(m_, op)) sharded = sharded || m_.value_shardings[value].valid();
    if (sharded) {
      const AxisNames manual = manual_axes_around(m_, m_.layout[op].block);
      for (ValueId value : results(m_, op)) verify_value(value, manual);
    }
    if (m_.ops[op].result_count == 0 && m_.ops[op].attributes.valid()) verify_op_sharding(op);
    if (m_.ops[op].rule.valid()) verify_op_rule(op);
  }

  void verify_value(ValueId value, const AxisNames& manual) {
    const ShardingId sharding = m_.value_shardings[value];
    if (!sharding.valid()) return;
    if (manual.empty() && was_checked(sharding, type_of(m_, value))) return;
    verify_typed(sharding, type_of(m_, value), manual, place_of_value(m_, value));
  }

  bool was_checked(ShardingId sharding, TypeId type) {
    return !checked_.insert((std::uint64_t{sharding.index} << 32) | type.index).second;
  }

  void verify_typed(ShardingId id, TypeId type, const AxisNames& manual, const Place& place) {
    const TensorSharding& sharding = m_.shardings[id];
    const auto verify = [&](const TypeTable& types, TypeId tensor) {
      const ShardedShape shape{.is_tensor = types.is_tensor(tensor),
                               .shape = types.shape(tensor),
                               .manual_axes = manual};
      verify_sharding(sharding, m_.meshes, shape, place, out_);
    };
    if (m_.types.is_tensor(type) || m_.meshes[sharding.mesh].is_maximal())
      return verify(m_.types, type);
    const std::string_view text = m_.strings[m_.types.dtype(type)];
    if (text.starts_with("tensor<*")) {
      out_.push_back({"sharding.unranked",
                      fmt::format("{} has no rank, so that no sharding fits it", text),
                      "give the tensor a shape; its sizes may be dynamic", place});
      return;
    }
    const auto parts = types_inside(text, "tuple");
    if (!parts) return verify(m_.types, type);
    if (parts->size() != 1) {
      out_.push_back({"sharding.tuple",
                      fmt::format("a tuple of {} values cannot have a sharding", parts->size()),
                      "shard the values before they become a tuple", place});
      return;
    }
    Module inside;
    const TypeId part = type_from_text(inside, parts->front());
    verify(inside.types, part);
  }

  // An operation without results, such as a host callback, is on one device or on all.
  void verify_op_sharding(OpId op) {
    const auto shardings = sharding_list(m_, op, kOpShardings);
    if (!shardings || shardings->empty()) return;
    const TensorSharding& s = m_.shardings[shardings->front()];
    const bool fits = shardings->size() == 1 && s.dims.empty() && has_no_axes(s);
    if (fits) return;
    out_.push_back(
        {"sharding.no_results", "an operation without results can only be on one device or on all",
         "give it one sharding without dimensions and axes: <@mesh, []>", place_of(m_, op)});
  }

  void verify_op_rule(OpId op) {
    std::vector<ShardedShape> operands;
    std::vector<ShardedShape> made;
    const auto shape = [&](ValueId value) {
      return ShardedShape{.is_tensor = m_.types.is_tensor(type_of(m_, value)),
                          .shape = shape_of(m_, value)};
    };
    for (UseId use : operand_uses(m_, op)) operands.push_back(shape(m_.uses[use].value));
    for (ValueId value : results(m_, op)) made.push_back(shape(value));
    verify_rule(m_.rules[m_.ops[op].rule], {operands, made}, place_of(m_, op), out_);
  }

  const Module& m_;
  Diagnostics& out_;
  std::unordered_set<std::uint64_t> checked_;  // pairs of a sharding and a type
};

}  // namespace detail

// Adds every error of meshes, of shardings of values and of rules on operations.
inline void verify_shardings(const Module& m, Diagnostics& out) {
  detail::ShardingVerifier verifier(m, out);
  verifier.verify_meshes();
  for (FuncId f : m.func_order) verifier.verify_func(m.funcs[f]);
}

}  // namespace shardprop
