// Builds programs: functions and operations whose result types follow from the operation table, so
// that a caller gives operands and attributes and no shapes that could be wrong. Values are
// numbered in order, %0, %1, ...; arguments are %arg0, %arg1, ... unless they are named.
//
// Nothing fails on the way: an operation that does not type-check is left out, its diagnostic is
// kept and its result is none; operations on such a result are left out in silence. Ask `errors()`
// once, at the end. O(1) per value, plus inference.
//
// Worked example, y = x w with the batch split over an axis:
//   GraphBuilder b(m, table);
//   b.add_mesh("mesh", {{"data", 4}});
//   const Param params[] = {{b.tensor("f32", {8, 32}), b.sharding(R"([{"data"}, {}])")},
//                           {b.tensor("f32", {32, 16})}};
//   const auto args = b.begin_func("main", params);
//   const ValueId y =
//       b.dot_general(args[0], args[1], {.lhs_contracting = {1}, .rhs_contracting = {0}});
//   b.end_func({y});
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
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
#include "shardprop/ops/infer.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/sharding/sharding_text.hpp"
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

using Dims = std::vector<std::int64_t>;

// A parameter of a function. An empty name gives %argN.
struct Param {
  TypeId type;
  ShardingId sharding = {};
  std::string name = {};
};

struct DotSpec {
  Dims lhs_batching = {};
  Dims rhs_batching = {};
  Dims lhs_contracting = {};
  Dims rhs_contracting = {};
};

struct SliceSpec {
  Dims start;
  Dims limit;
  Dims strides = {};  // none: all 1
};

class GraphBuilder {
 public:
  using NamedAttr = std::pair<std::string_view, AttrId>;

  // Adds to `m`; both must outlive the builder.
  GraphBuilder(Module& m, const OpTable& table) : m_(&m), table_(&table) {}

  Module& module() { return *m_; }
  const Diagnostics& errors() const { return errors_; }

  // --- Types, shardings, attributes ---

  // Adds a mesh, which `sharding` refers to from now on.
  MeshId add_mesh(std::string_view name, ListArg<MeshAxis> axes) {
    mesh_ = std::string(name);
    return m_->meshes.add({mesh_, std::vector<MeshAxis>(axes.begin(), axes.end()), {}});
  }

  TypeId tensor(std::string_view dtype, ListArg<std::int64_t> shape) {
    return tensor_type(*m_, dtype, shape);
  }

  // The sharding on the mesh that was added last, its dimensions in the sdy notation:
  // `[{"data", ?}p1, {}]`.
  ShardingId sharding(std::string_view dims) {
    Result<TensorSharding> parsed =
        parse_sharding(fmt::format("<{}, {}>", detail::mesh_symbol(mesh_), dims), m_->meshes);
    if (parsed) return m_->shardings.intern(*parsed);
    errors_.insert(errors_.end(), parsed.errors().begin(), parsed.errors().end());
    return ShardingId();
  }

  AttrId ints(ListArg<std::int64_t> values) { return m_->attrs.ints(values); }
  AttrId string(std::string_view text) { return m_->attrs.string(m_->strings.intern(text)); }
  AttrId dict(ListArg<NamedAttr> entries) {
    std::vector<AttrEntry> rows;
    for (const auto& [key, value] : entries) rows.push_back({m_->strings.intern(key), value});
    return rows.empty() ? AttrId() : m_->attrs.dict(rows);
  }

  // --- Functions ---

  // Begins a function; what is made from now on is its body. Gives its arguments.
  IdRange<ValueId> begin_func(std::string_view name, std::span<const Param> params) {
    std::vector<TypeId> types;
    for (const Param& param : params) types.push_back(param.type);
    func_ = create_func(*m_, {.name = name, .argument_types = types});
    at_ = at_end(m_->funcs[func_].body);
    next_number_ = 0;
    const IdRange<ValueId> args = m_->blocks[at_.block].arguments;
    for (std::size_t i = 0; i < params.size(); ++i) {
      m_->value_shardings[args[i]] = params[i].sharding;
      set_name(*m_, args[i], params[i].name.empty() ? fmt::format("%arg{}", i) : params[i].name);
    }
    return args;
  }

  // Returns `values` from the function.
  void end_func(ListArg<ValueId> values) {
    if (has_missing(values)) return;
    create_op(*m_, at_, {.name = "func.return", .operands = values});
    for (ValueId value : values)
      m_->funcs[func_].results.push_back({type_of(*m_, value), ShardingId(), AttrId()});
  }

  // Names `value`, which keeps the number that it was given free.
  ValueId named(ValueId value, std::string_view name) {
    if (value.valid()) set_name(*m_, value, name);
    return value;
  }

  // --- Any operation ---

  // An operation of one result, the type of which is inferred.
  ValueId op(std::string_view name, ListArg<ValueId> operands, AttrId attributes = {}) {
    if (has_missing(operands)) return ValueId();
    return infer_result(create(name, operands, any_type(), attributes));
  }

  // An operation of one result, the type of which is given, such as reshape.
  ValueId op_of_type(std::string_view name, ListArg<ValueId> operands, TypeId type,
                     AttrId attributes = {}) {
    if (has_missing(operands)) return ValueId();
    return result(*m_, create(name, operands, type, attributes), 0);
  }

  // --- Often used operations ---

  ValueId constant(AttrId value, TypeId type) {
    return op_of_type("stablehlo.constant", {}, type, dict({{"value", value}}));
  }
  // A scalar.
  ValueId constant(double value, std::string_view dtype) {
    return constant(m_->attrs.number(value), tensor(dtype, {}));
  }
  ValueId iota(TypeId type, std::int64_t dim) {
    return op_of_type("stablehlo.iota", {}, type,
                      dict({{"iota_dimension", m_->attrs.integer(dim)}}));
  }

  ValueId convert(ValueId x, std::string_view dtype) {
    if (!x.valid()) return x;
    const Dims shape = copy_shape(x);
    return op_of_type("stablehlo.convert", {x}, tensor(dtype, shape));
  }
  ValueId reshape(ValueId x, ListArg<std::int64_t> shape) {
    return x.valid() ? op_of_type("stablehlo.reshape", {x}, like(x, shape)) : x;
  }
  ValueId transpose(ValueId x, ListArg<std::int64_t> permutation) {
    return op("stablehlo.transpose", {x}, dict({{"permutation", ints(permutation)}}));
  }
  // Dimension i of `x` becomes dimension dims[i] of the result, which is of `shape`.
  ValueId broadcast_in_dim(ValueId x, ListArg<std::int64_t> shape, ListArg<std::int64_t> dims) {
    if (!x.valid()) return x;
    return op_of_type("stablehlo.broadcast_in_dim", {x}, like(x, shape),
                      dict({{"broadcast_dimensions", ints(dims)}}));
  }
  ValueId dot_general(ValueId lhs, ValueId rhs, const DotSpec& dims) {
    std::vector<NamedAttr> numbers;
    if (!dims.lhs_batching.empty()) {
      numbers.emplace_back("lhs_batching_dimensions", ints(dims.lhs_batching));
      numbers.emplace_back("rhs_batching_dimensions", ints(dims.rhs_batching));
    }
    numbers.emplace_back("lhs_contracting_dimensions", ints(dims.lhs_contracting));
    numbers.emplace_back("rhs_contracting_dimensions", ints(dims.rhs_contracting));
    return op("stablehlo.dot_general", {lhs, rhs},
              dict({{"dot_dimension_numbers", dict(numbers)}}));
  }
  // Reduces `dims` of `x` with `body`, an operation of two operands such as stablehlo.add, from the
  // scalar `init` on.
  ValueId reduce(ValueId x, ValueId init, ListArg<std::int64_t> dims, std::string_view body) {
    if (!x.valid() || !init.valid()) return ValueId();
    const OpId reduction =
        create("stablehlo.reduce", {x, init}, any_type(), dict({{"dimensions", ints(dims)}}));
    const TypeId scalar = type_of(*m_, init);
    const TypeId scalars[] = {scalar, scalar};
    const Cursor around = std::exchange(at_, at_end(append_block(*m_, reduction, scalars)));
    const IdRange<ValueId> args = m_->blocks[at_.block].arguments;
    for (ValueId arg : args) m_->value_names[arg] = numbered_name(next_number_++);
    const ValueId reduced = op(body, {args[0], args[1]});
    if (reduced.valid())
      create_op(*m_, at_, {.name = "stablehlo.return", .operands = {&reduced, 1}});
    at_ = around;
    return infer_result(reduction);
  }
  ValueId slice(ValueId x, const SliceSpec& dims) {
    const Dims ones(dims.start.size(), 1);
    return op("stablehlo.slice", {x},
              dict({{"start_indices", ints(dims.start)},
                    {"limit_indices", ints(dims.limit)},
                    {"strides", ints(dims.strides.empty() ? ones : dims.strides)}}));
  }
  ValueId concatenate(ListArg<ValueId> parts, std::int64_t dim) {
    return op("stablehlo.concatenate", parts, dict({{"dimension", m_->attrs.integer(dim)}}));
  }
  // `direction` is EQ, NE, GE, GT, LE or LT.
  ValueId compare(ValueId lhs, ValueId rhs, std::string_view direction) {
    return op("stablehlo.compare", {lhs, rhs}, dict({{"comparison_direction", string(direction)}}));
  }

 private:
  static bool has_missing(std::span<const ValueId> values) {
    for (ValueId value : values) {
      if (!value.valid()) return true;
    }
    return false;
  }

  TypeId any_type() { return tensor("f32", {}); }
  TypeId like(ValueId x, std::span<const std::int64_t> shape) {
    return m_->types.tensor(m_->types.dtype(type_of(*m_, x)), shape);
  }
  // The view of the table would not outlive a new type.
  Dims copy_shape(ValueId x) const {
    const auto shape = shape_of(*m_, x);
    return Dims(shape.begin(), shape.end());
  }

  OpId create(std::string_view name, ListArg<ValueId> operands, TypeId type, AttrId attributes) {
    assert(func_.valid() && "begin_func comes first");
    const OpId id = create_op(
        *m_, at_,
        {.name = name, .operands = operands, .result_types = {&type, 1}, .attributes = attributes});
    m_->value_names[result(*m_, id, 0)] = numbered_name(next_number_++);
    return id;
  }

  ValueId infer_result(OpId id) {
    const std::optional<std::vector<TypeId>> types = infer_types(*table_, *m_, id, errors_);
    if (!types || types->size() != 1) {
      erase_op(*m_, id);
      return ValueId();
    }
    const ValueId made = result(*m_, id, 0);
    m_->values[made].type = types->front();
    return made;
  }

  Module* m_;
  const OpTable* table_;
  std::string mesh_;
  FuncId func_;
  Cursor at_;
  std::uint32_t next_number_ = 0;
  Diagnostics errors_;
};

}  // namespace shardprop
