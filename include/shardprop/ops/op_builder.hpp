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

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/support/diagnostic.hpp"
#include "shardprop/support/inline.hpp"

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
  MeshId add_mesh(std::string_view name, ListArg<MeshAxis> axes);

  // A dimension of an unknown size is `kDynamic`.
  TypeId tensor(std::string_view dtype, ListArg<std::int64_t> shape);

  // A sharding, its dimensions in the sdy notation: `[{"data", ?}p1, {}]`. It is on the mesh called
  // `mesh`, or on the mesh that was added last. A whole one, `<@mesh, [{}]>`, is taken as well.
  ShardingId sharding(std::string_view dims, std::string_view mesh = {});

  AttrId ints(ListArg<std::int64_t> values) { return m_->attrs.ints(values); }
  AttrId string(std::string_view text) { return m_->attrs.string(m_->strings.intern(text)); }
  AttrId dict(ListArg<NamedAttr> entries);

  // --- Functions ---

  // Begins a function; what is made from here on is its body. Gives its arguments.
  IdRange<ValueId> begin_func(std::string_view name, std::span<const Param> params);
  IdRange<ValueId> begin_func(std::string_view name, std::initializer_list<Param> params) {
    return begin_func(name, std::span<const Param>(params.begin(), params.size()));
  }

  // Returns `values` from the function. `shardings` are those of its results: none, or one per
  // value, which may be none.
  void end_func(ListArg<ValueId> values, ListArg<ShardingId> shardings = {});

  // --- Values ---

  // Names `value`, which keeps the number that it was given free.
  ValueId named(ValueId value, std::string_view name);

  // Annotates `value`: propagation begins with this sharding.
  ValueId set_sharding(ValueId value, ShardingId sharding);

  // --- Any operation ---

  // An operation of any number of results and regions. Gives its results; there are none where it
  // is left out.
  IdRange<ValueId> build(std::string_view name, ListArg<ValueId> operands, const OpParts& parts);

  // An operation of one result, the type of which is inferred.
  ValueId op(std::string_view name, ListArg<ValueId> operands, AttrId attributes = {});

  // An operation of one result, the type of which is given, such as reshape.
  ValueId op_of_type(std::string_view name, ListArg<ValueId> operands, TypeId type,
                     AttrId attributes = {});

 protected:
  bool is_value(ValueId value) const { return value.index < m_->values.size(); }

 private:
  void fail(std::string_view code, std::string message, std::string hint);

  void fail_count(std::size_t shardings, std::size_t results);

  // Whether `id` names one of `count` rows. An id that is none stands for something that was left
  // out before, so that it is an error only where there was none.
  template <class I>
  bool has(std::string_view what, I id, std::size_t count);

  bool is_open(std::string_view name);

  // Whether `value` is of a block that is open.
  bool is_visible(ValueId value) const;

  bool can_use(std::span<const ValueId> values);

  bool can_have(std::string_view name, const OpParts& parts);

  bool suits(ValueId value, ShardingId sharding);

  bool build_region(OpId op, const RegionSpec& region, std::string_view terminator);

  std::optional<std::vector<TypeId>> infer(OpId op);

  bool shard_results(OpId op, const std::vector<ShardingId>& shardings);

  bool verifies(OpId op);

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

#ifndef SHARDPROP_COMPILED
#include "shardprop/ops/op_builder_inl.hpp"
#endif
