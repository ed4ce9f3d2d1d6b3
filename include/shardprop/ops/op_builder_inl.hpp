// Definitions of op_builder.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ops/common/element_type.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/infer.hpp"
#include "shardprop/ops/op_builder.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/ops/verify.hpp"
#include "shardprop/sharding/sharding_text.hpp"
#include "shardprop/sharding/verify_mesh.hpp"
#include "shardprop/sharding/verify_sharding.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop {

SHARDPROP_INLINE MeshId OpBuilder::add_mesh(std::string_view name, ListArg<MeshAxis> axes) {
  Mesh mesh{std::string(name), std::vector<MeshAxis>(axes.begin(), axes.end()), {}};
  if (name.empty() || m_->meshes.find(name).valid()) {
    fail("builder.mesh", fmt::format("a mesh needs a name of its own, found '{}'", name),
         "shardings refer to meshes by name");
    return MeshId();
  }
  if (!verify_mesh(mesh, {}, errors_)) return MeshId();
  mesh_ = mesh.name;
  return m_->meshes.add(std::move(mesh));
}

SHARDPROP_INLINE TypeId OpBuilder::tensor(std::string_view dtype, ListArg<std::int64_t> shape) {
  if (!(parse_element_type(dtype).kind & kAnyTensorElement)) {
    fail("builder.dtype", fmt::format("'{}' is not the type of an element", dtype),
         "use a name such as f32, bf16, i32, i1 or complex<f32>");
    return TypeId();
  }
  if (std::any_of(shape.begin(), shape.end(), [](auto size) { return size < kDynamic; })) {
    fail("builder.shape", fmt::format("a shape has a negative size: {}", to_string(shape)),
         "use kDynamic for a size that is not known");
    return TypeId();
  }
  return tensor_type(*m_, dtype, shape);
}

SHARDPROP_INLINE ShardingId OpBuilder::sharding(std::string_view dims, std::string_view mesh) {
  const std::string_view on = mesh.empty() ? std::string_view(mesh_) : mesh;
  const bool whole = dims.starts_with('<') || dims.starts_with('#');
  if (!whole && on.empty()) {
    fail("builder.mesh", "there is no mesh for a sharding", "call add_mesh first");
    return ShardingId();
  }
  Result<TensorSharding> parsed = parse_sharding(
      whole ? std::string(dims) : fmt::format("<{}, {}>", detail::mesh_symbol(on), dims),
      m_->meshes);
  if (parsed) return m_->shardings.intern(*parsed);
  errors_.insert(errors_.end(), parsed.errors().begin(), parsed.errors().end());
  return ShardingId();
}

SHARDPROP_INLINE AttrId OpBuilder::dict(ListArg<NamedAttr> entries) {
  std::vector<AttrEntry> rows;
  for (const auto& [key, value] : entries) {
    if (has("attribute", value, m_->attrs.size())) rows.push_back({m_->strings.intern(key), value});
  }
  return rows.empty() ? AttrId() : m_->attrs.dict(rows);
}

SHARDPROP_INLINE IdRange<ValueId> OpBuilder::begin_func(std::string_view name,
                                                        std::span<const Param> params) {
  if (at_.block.valid()) {
    fail("builder.open_function", fmt::format("@{} begins inside another function", name),
         "call end_func first");
    if (depth_ > 0) return {};
  }
  std::vector<TypeId> types;
  for (const Param& param : params) {
    const bool known = has("type", param.type, m_->types.size());
    types.push_back(known ? param.type : tensor("f32", {}));
  }
  func_ = create_func(*m_, {.name = name, .argument_types = types});
  at_ = at_end(m_->funcs[func_].body);
  next_number_ = 0;
  const IdRange<ValueId> args = m_->blocks[at_.block].arguments;
  for (std::size_t i = 0; i < params.size(); ++i) {
    set_name(*m_, args[i], params[i].name.empty() ? fmt::format("%arg{}", i) : params[i].name);
    if (params[i].sharding.valid()) set_sharding(args[i], params[i].sharding);
  }
  return args;
}

SHARDPROP_INLINE void OpBuilder::end_func(ListArg<ValueId> values, ListArg<ShardingId> shardings) {
  if (!is_open("func.return")) return;
  if (depth_ > 0) {
    fail("builder.open_function", "a function ends inside a region",
         "let the region return its values first");
    return;
  }
  const bool usable = can_use(values);
  if (!shardings.empty() && shardings.size() != values.size()) {
    fail_count(shardings.size(), values.size());
  } else if (usable) {
    create_op(*m_, at_, {.name = "func.return", .operands = values});
    for (std::size_t i = 0; i < values.size(); ++i) {
      const ShardingId sharding = shardings.empty() ? ShardingId() : shardings[i];
      const bool fits = sharding.valid() && suits(values[i], sharding);
      m_->funcs[func_].results.push_back(
          {type_of(*m_, values[i]), fits ? sharding : ShardingId(), AttrId()});
    }
  }
  at_ = Cursor();
  func_ = FuncId();
}

SHARDPROP_INLINE ValueId OpBuilder::named(ValueId value, std::string_view name) {
  if (value.index < m_->values.size()) set_name(*m_, value, name);
  return value;
}

SHARDPROP_INLINE ValueId OpBuilder::set_sharding(ValueId value, ShardingId sharding) {
  if (has("value", value, m_->values.size()) && suits(value, sharding))
    m_->value_shardings[value] = sharding;
  return value;
}

SHARDPROP_INLINE IdRange<ValueId> OpBuilder::build(std::string_view name, ListArg<ValueId> operands,
                                                   const OpParts& parts) {
  if (!is_open(name) || !can_use(operands) || !can_have(name, parts)) return {};
  const OpId op =
      create_op(*m_, at_, {.name = name, .operands = operands, .attributes = parts.attributes});
  // The results of an operation are numbered before the values of its regions.
  std::uint32_t number = next_number_;
  const std::uint32_t after = next_number_ +=
      parts.types ? static_cast<std::uint32_t>(parts.types->size()) : 1;
  bool ok = true;
  for (const RegionSpec& region : parts.regions) {
    if (!build_region(op, region, parts.terminator)) ok = false;
  }
  std::optional<std::vector<TypeId>> types = parts.types;
  if (ok && !types) types = infer(op);
  if (ok && types) {
    add_results(*m_, op, *types);
    for (ValueId value : results(*m_, op))
      m_->value_names[value] = numbered_name(number < after ? number++ : next_number_++);
    if (shard_results(op, parts.shardings) && verifies(op)) return results(*m_, op);
  }
  erase_op(*m_, op);
  return {};
}

SHARDPROP_INLINE ValueId OpBuilder::op(std::string_view name, ListArg<ValueId> operands,
                                       AttrId attributes) {
  return build(name, operands, {.attributes = attributes})[0];
}

SHARDPROP_INLINE ValueId OpBuilder::op_of_type(std::string_view name, ListArg<ValueId> operands,
                                               TypeId type, AttrId attributes) {
  return build(name, operands, {.attributes = attributes, .types = std::vector<TypeId>{type}})[0];
}

SHARDPROP_INLINE void OpBuilder::fail(std::string_view code, std::string message,
                                      std::string hint) {
  Place place;
  if (func_.valid()) place.function = std::string(m_->strings[m_->funcs[func_].name]);
  errors_.push_back({std::string(code), std::move(message), std::move(hint), std::move(place)});
}

SHARDPROP_INLINE void OpBuilder::fail_count(std::size_t shardings, std::size_t results) {
  fail("builder.sharding_count", fmt::format("{} shardings for {} results", shardings, results),
       "give one sharding per result, which may be none");
}

template <class I>
bool OpBuilder::has(std::string_view what, I id, std::size_t count) {
  if (id.index < count) return true;
  if (id.valid() || errors_.empty()) {
    fail(fmt::format("builder.unknown_{}", what),
         id.valid()
             ? fmt::format("the module has {} {}s, and none of number {}", count, what, id.index)
             : fmt::format("a {} is missing", what),
         "use ids that this builder or its module gave");
  }
  return false;
}

SHARDPROP_INLINE bool OpBuilder::is_open(std::string_view name) {
  if (at_.block.valid()) return true;
  fail("builder.no_function", fmt::format("{} is outside of a function", name),
       "call begin_func before it");
  return false;
}

SHARDPROP_INLINE bool OpBuilder::is_visible(ValueId value) const {
  const OpId maker = defining_op(*m_, value);
  const BlockId from = maker.valid() ? m_->layout[maker].block : argument_block(*m_, value);
  for (BlockId block = at_.block; block.valid();) {
    if (block == from) return true;
    const OpId parent = m_->blocks[block].parent_op;
    block = parent.valid() ? m_->layout[parent].block : BlockId();
  }
  return false;
}

SHARDPROP_INLINE bool OpBuilder::can_use(std::span<const ValueId> values) {
  for (ValueId value : values) {
    if (!has("value", value, m_->values.size())) return false;
    if (is_visible(value)) continue;
    fail("builder.not_visible", fmt::format("{} is not visible here", name_of(*m_, value)),
         "use values of the function and of the regions that are open");
    return false;
  }
  return true;
}

SHARDPROP_INLINE bool OpBuilder::can_have(std::string_view name, const OpParts& parts) {
  const auto known = [&](TypeId type) { return has("type", type, m_->types.size()); };
  const AttrId attributes = parts.attributes;
  if (attributes.valid() && !has("attribute", attributes, m_->attrs.size())) return false;
  if (attributes.valid() && m_->attrs.kind(attributes) != AttrKind::kDict) {
    fail("builder.unknown_attribute", fmt::format("the attributes of {} have no names", name),
         "make them with dict");
    return false;
  }
  if (parts.types && !std::all_of(parts.types->begin(), parts.types->end(), known)) return false;
  return std::all_of(parts.regions.begin(), parts.regions.end(), [&](const RegionSpec& region) {
    return std::all_of(region.arguments.begin(), region.arguments.end(), known);
  });
}

SHARDPROP_INLINE bool OpBuilder::suits(ValueId value, ShardingId sharding) {
  if (!has("sharding", sharding, m_->shardings.size())) return false;
  const TypeId type = type_of(*m_, value);
  const ShardedShape shape{.is_tensor = m_->types.is_tensor(type), .shape = m_->types.shape(type)};
  return verify_sharding(m_->shardings[sharding], m_->meshes, shape, place_of_value(*m_, value),
                         errors_);
}

SHARDPROP_INLINE bool OpBuilder::build_region(OpId op, const RegionSpec& region,
                                              std::string_view terminator) {
  const Cursor around = std::exchange(at_, at_end(append_block(*m_, op, region.arguments)));
  ++depth_;
  const IdRange<ValueId> args = m_->blocks[at_.block].arguments;
  for (ValueId arg : args) m_->value_names[arg] = numbered_name(next_number_++);
  const Values returned = region.body ? region.body(args) : Values();
  const bool ok = can_use(returned);
  if (ok) create_op(*m_, at_, {.name = terminator, .operands = returned});
  --depth_;
  at_ = around;
  return ok;
}

SHARDPROP_INLINE std::optional<std::vector<TypeId>> OpBuilder::infer(OpId op) {
  const std::size_t before = errors_.size();
  std::optional<std::vector<TypeId>> types = infer_types(*table_, *m_, op, errors_);
  if (!types && errors_.size() == before) {
    fail("builder.unknown_type",
         fmt::format("{} infers no types and does not say why", op_name(*m_, op)),
         "let its inference add a diagnostic");
  }
  return types;
}

SHARDPROP_INLINE bool OpBuilder::shard_results(OpId op, const std::vector<ShardingId>& shardings) {
  const IdRange<ValueId> made = results(*m_, op);
  if (shardings.empty()) return true;
  if (shardings.size() != made.size()) {
    fail_count(shardings.size(), made.size());
    return false;
  }
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (shardings[i].valid() && !suits(made[i], shardings[i])) return false;
    m_->value_shardings[made[i]] = shardings[i];
  }
  return true;
}

SHARDPROP_INLINE bool OpBuilder::verifies(OpId op) {
  const OpRow* row = table_->find(op_name(*m_, op));
  if (!row) return true;
  Diagnostics found;
  // As `verify_op`, which copies the tables of types since the module must stay as it is.
  detail::verify_with_row(*row, {*m_, *m_, op, found, row->def.inputs});
  const bool ok = !has_errors(found);
  errors_.insert(errors_.end(), found.begin(), found.end());
  return ok;
}

}  // namespace shardprop
