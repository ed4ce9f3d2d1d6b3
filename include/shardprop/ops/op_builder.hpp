// Builds functions and operations, of any number of results and regions, in a module. Result types
// follow from the operation table where they are not given. GraphBuilder (graph_builder.hpp) adds the
// operations that programs are mostly made of.
//
// Nothing fails on the way, and no argument reaches other memory: what does not fit is left out, its
// diagnostic is kept, and its result is none. Operations on such a result are left out in silence.
// Ask `errors()` once, at the end. Besides the errors of inference and verification these are
// - `builder.no_function`: an operation before `begin_func` or after `end_func`;
// - `builder.open_function`: a function begins before the last one ended, or inside a region;
// - `builder.unknown_value`, `builder.unknown_type`, `builder.unknown_sharding`,
//   `builder.unknown_attribute`: an id that the module does not have;
// - `builder.not_visible`: a value of another function, or of a region that has ended;
// - `builder.mesh`, `builder.dtype`, `builder.shape`, `builder.sharding_count`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ops/common/element_type.hpp"
#include "shardprop/ops/infer.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/ops/verify.hpp"
#include "shardprop/sharding/sharding_text.hpp"
#include "shardprop/sharding/verify_mesh.hpp"
#include "shardprop/sharding/verify_sharding.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop {

// A list argument that takes {a, b}, vectors and spans. Only for parameters: it does not own its
// elements.
template <class T>
struct ListArg : std::span<const T> {
  ListArg(std::initializer_list<T> list) : std::span<const T>(list.begin(), list.size()) {}
  template <class List>
  requires std::is_convertible_v<const List&, std::span<const T>> ListArg(const List& list)
      : std::span<const T>(list) {}
};

using Values = std::vector<ValueId>;

// A parameter of a function. An empty name gives %argN.
struct Param {
  TypeId type;
  ShardingId sharding = {};
  std::string name = {};
};

// A region: the types of its arguments, and a function that makes its operations and gives the
// values that it returns.
struct RegionSpec {
  std::vector<TypeId> arguments = {};
  std::function<Values(IdRange<ValueId>)> body;
};

// What an operation has besides name and operands.
struct OpParts {
  AttrId attributes = {};
  std::vector<RegionSpec> regions = {};
  std::optional<std::vector<TypeId>> types = {};  // of the results; none: inferred
  std::vector<ShardingId> shardings = {};         // of the results, each may be none; none: no one
  std::string_view terminator = "stablehlo.return";  // of each region
};

class OpBuilder {
 public:
  using NamedAttr = std::pair<std::string_view, AttrId>;

  // Adds to `m`; both must outlive the builder.
  OpBuilder(Module& m, const OpTable& table) : m_(&m), table_(&table) {}
  OpBuilder(Module& m, OpTable&& table) = delete;

  Module& module() { return *m_; }
  const Diagnostics& errors() const { return errors_; }

  // --- Types, shardings, attributes ---

  // Adds a mesh, which `sharding` refers to from here on.
  MeshId add_mesh(std::string_view name, ListArg<MeshAxis> axes) {
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

  // A dimension of an unknown size is `kDynamic`.
  TypeId tensor(std::string_view dtype, ListArg<std::int64_t> shape) {
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

  // A sharding, its dimensions in the sdy notation: `[{"data", ?}p1, {}]`. It is on the mesh called
  // `mesh`, or on the mesh that was added last. A whole one, `<@mesh, [{}]>`, is taken as well.
  ShardingId sharding(std::string_view dims, std::string_view mesh = {}) {
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

  AttrId ints(ListArg<std::int64_t> values) { return m_->attrs.ints(values); }
  AttrId string(std::string_view text) { return m_->attrs.string(m_->strings.intern(text)); }
  AttrId dict(ListArg<NamedAttr> entries) {
    std::vector<AttrEntry> rows;
    for (const auto& [key, value] : entries) {
      if (has("attribute", value, m_->attrs.size()))
        rows.push_back({m_->strings.intern(key), value});
    }
    return rows.empty() ? AttrId() : m_->attrs.dict(rows);
  }

  // --- Functions ---

  // Begins a function; what is made from here on is its body. Gives its arguments.
  IdRange<ValueId> begin_func(std::string_view name, std::span<const Param> params) {
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
  IdRange<ValueId> begin_func(std::string_view name, std::initializer_list<Param> params) {
    return begin_func(name, std::span<const Param>(params.begin(), params.size()));
  }

  // Returns `values` from the function. `shardings` are those of its results: none, or one per
  // value, which may be none.
  void end_func(ListArg<ValueId> values, ListArg<ShardingId> shardings = {}) {
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

  // --- Values ---

  // Names `value`, which keeps the number that it was given free.
  ValueId named(ValueId value, std::string_view name) {
    if (value.index < m_->values.size()) set_name(*m_, value, name);
    return value;
  }

  // Annotates `value`: propagation begins with this sharding.
  ValueId set_sharding(ValueId value, ShardingId sharding) {
    if (has("value", value, m_->values.size()) && suits(value, sharding))
      m_->value_shardings[value] = sharding;
    return value;
  }

  // --- Any operation ---

  // An operation of any number of results and regions. Gives its results; there are none where it
  // is left out.
  IdRange<ValueId> build(std::string_view name, ListArg<ValueId> operands, const OpParts& parts) {
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

  // An operation of one result, the type of which is inferred.
  ValueId op(std::string_view name, ListArg<ValueId> operands, AttrId attributes = {}) {
    return build(name, operands, {.attributes = attributes})[0];
  }

  // An operation of one result, the type of which is given, such as reshape.
  ValueId op_of_type(std::string_view name, ListArg<ValueId> operands, TypeId type,
                     AttrId attributes = {}) {
    return build(name, operands, {.attributes = attributes, .types = std::vector<TypeId>{type}})[0];
  }

 protected:
  bool is_value(ValueId value) const { return value.index < m_->values.size(); }

 private:
  void fail(std::string_view code, std::string message, std::string hint) {
    Place place;
    if (func_.valid()) place.function = std::string(m_->strings[m_->funcs[func_].name]);
    errors_.push_back({std::string(code), std::move(message), std::move(hint), std::move(place)});
  }

  void fail_count(std::size_t shardings, std::size_t results) {
    fail("builder.sharding_count", fmt::format("{} shardings for {} results", shardings, results),
         "give one sharding per result, which may be none");
  }

  // Whether `id` names one of `count` rows. An id that is none stands for something that was left
  // out before, so that it is an error only where there was none.
  template <class I>
  bool has(std::string_view what, I id, std::size_t count) {
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

  bool is_open(std::string_view name) {
    if (at_.block.valid()) return true;
    fail("builder.no_function", fmt::format("{} is outside of a function", name),
         "call begin_func before it");
    return false;
  }

  // Whether `value` is of a block that is open.
  bool is_visible(ValueId value) const {
    const OpId maker = defining_op(*m_, value);
    const BlockId from = maker.valid() ? m_->layout[maker].block : argument_block(*m_, value);
    for (BlockId block = at_.block; block.valid();) {
      if (block == from) return true;
      const OpId parent = m_->blocks[block].parent_op;
      block = parent.valid() ? m_->layout[parent].block : BlockId();
    }
    return false;
  }

  bool can_use(std::span<const ValueId> values) {
    for (ValueId value : values) {
      if (!has("value", value, m_->values.size())) return false;
      if (is_visible(value)) continue;
      fail("builder.not_visible", fmt::format("{} is not visible here", name_of(*m_, value)),
           "use values of the function and of the regions that are open");
      return false;
    }
    return true;
  }

  bool can_have(std::string_view name, const OpParts& parts) {
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

  bool suits(ValueId value, ShardingId sharding) {
    if (!has("sharding", sharding, m_->shardings.size())) return false;
    const TypeId type = type_of(*m_, value);
    const ShardedShape shape{.is_tensor = m_->types.is_tensor(type),
                             .shape = m_->types.shape(type)};
    return verify_sharding(m_->shardings[sharding], m_->meshes, shape, place_of_value(*m_, value),
                           errors_);
  }

  bool build_region(OpId op, const RegionSpec& region, std::string_view terminator) {
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

  std::optional<std::vector<TypeId>> infer(OpId op) {
    const std::size_t before = errors_.size();
    std::optional<std::vector<TypeId>> types = infer_types(*table_, *m_, op, errors_);
    if (!types && errors_.size() == before) {
      fail("builder.unknown_type",
           fmt::format("{} infers no types and does not say why", op_name(*m_, op)),
           "let its inference add a diagnostic");
    }
    return types;
  }

  bool shard_results(OpId op, const std::vector<ShardingId>& shardings) {
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

  bool verifies(OpId op) {
    const OpRow* row = table_->find(op_name(*m_, op));
    if (!row) return true;
    Diagnostics found;
    // As `verify_op`, which copies the tables of types since the module must stay as it is.
    detail::verify_with_row(*row, {*m_, *m_, op, found, row->def.inputs});
    const bool ok = !has_errors(found);
    errors_.insert(errors_.end(), found.begin(), found.end());
    return ok;
  }

  Module* m_;
  const OpTable* table_;
  std::string mesh_;
  FuncId func_;
  Cursor at_;              // none outside of functions
  std::size_t depth_ = 0;  // of regions
  std::uint32_t next_number_ = 0;
  Diagnostics errors_;
};

}  // namespace shardprop
