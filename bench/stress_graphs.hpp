// Graphs that have a large number of one thing: uses of one value, arguments, functions, regions,
// manual computations, members of a group, meshes, shardings, types, constants. The parameter
// `size` is the approximate number of operations.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/graph_builder.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop::bench {

// A builder on the mesh data=4, model=8, with functions for what it lacks: operations of several
// results or with regions.
class StressBuilder {
 public:
  explicit StressBuilder(const OpTable& table) : b(m, table) {
    b.add_mesh("mesh", {{"data", 4}, {"model", 8}});
    square = b.tensor("f32", {512, 512});
  }

  Result<Module> finish() {
    if (!b.errors().empty()) return b.errors();
    return std::move(m);
  }

  IdRange<ValueId> begin_func(std::string_view name, const std::vector<Param>& params) {
    const IdRange<ValueId> args = b.begin_func(name, params);
    at = at_end(m.funcs[m.func_order.back()].body);
    return args;
  }
  // Begins a function of `count` square arguments, of which the first is sharded.
  IdRange<ValueId> begin(std::string_view name, std::size_t count) {
    std::vector<Param> params(count, Param{square});
    if (count > 0) params[0].sharding = b.sharding(R"([{"data", ?}, {"model", ?}])");
    return begin_func(name, params);
  }

  // An operation at `at`; its results have the types of the operands.
  OpId add(std::string_view name, std::span<const ValueId> operands, std::size_t results,
           AttrId attributes = {}) {
    const std::vector<TypeId> types(results, square);
    return create_op(
        m, at,
        {.name = name, .operands = operands, .result_types = types, .attributes = attributes});
  }
  ValueId unary(std::string_view name, ValueId x) { return result(m, add(name, {&x, 1}, 1), 0); }
  ValueId sum(ValueId x, ValueId y) {
    const std::array operands = {x, y};
    return result(m, add("stablehlo.add", operands, 1), 0);
  }
  // Begins a region of `op` with square arguments. Operations are added to it until `leave`.
  IdRange<ValueId> enter(OpId op, std::size_t arguments) {
    const std::vector<TypeId> types(arguments, square);
    at = at_end(append_block(m, op, types));
    return m.blocks[at.block].arguments;
  }
  void leave(std::string_view terminator, std::span<const ValueId> values) {
    add(terminator, values, 0);
    at = at_end(m.layout[m.blocks[at.block].parent_op].block);
  }
  void constrain(ValueId x, std::string_view dims) {
    m.value_shardings[result(m, add("sdy.sharding_constraint", {&x, 1}, 1), 0)] = b.sharding(dims);
  }

  Module m;
  GraphBuilder b;
  TypeId square;
  Cursor at;
};

inline std::vector<ValueId> to_vector(IdRange<ValueId> values) {
  std::vector<ValueId> out;
  for (ValueId value : values) out.push_back(value);
  return out;
}

// `size` operations on one value, or in a chain, each on the result before it. The last result is
// sharded.
inline Result<Module> sharded_at_end(const OpTable& table, std::size_t size, bool is_chain) {
  StressBuilder s(table);
  const ValueId x = s.begin_func("main", {{s.square}})[0];
  ValueId last = x;
  for (std::size_t i = 0; i < size; ++i) last = s.unary("stablehlo.tanh", is_chain ? last : x);
  s.constrain(last, R"([{"data", ?}, {"model", ?}])");
  s.b.end_func({last});
  return s.finish();
}

// One value with `size` uses. Its sharding comes from its last user.
inline Result<Module> many_uses(const OpTable& table, std::size_t size) {
  return sharded_at_end(table, size, false);
}

// A chain that is sharded at its end: the sharding moves backward through all of it.
inline Result<Module> long_block(const OpTable& table, std::size_t size) {
  return sharded_at_end(table, size, true);
}

// One operation and one result per argument.
inline Result<Module> arguments(const OpTable& table, std::size_t size) {
  StressBuilder s(table);
  const IdRange<ValueId> args = s.begin("main", size);
  std::vector<ValueId> made;
  for (std::size_t i = 0; i < size; ++i) made.push_back(s.sum(args[i], args[i / 2]));
  s.b.end_func(made);
  return s.finish();
}

inline ValueId call(StressBuilder& s, std::string_view name, ValueId x) {
  return result(s.m, s.add("func.call", {&x, 1}, 1, s.b.dict({{"callee", s.b.string(name)}})), 0);
}

inline void unary_func(StressBuilder& s, std::string_view name) {
  const ValueId x = s.begin_func(name, {{s.square}})[0];
  s.m.funcs[s.m.func_order.back()].is_private = true;
  s.b.end_func({s.unary("stablehlo.tanh", s.unary("stablehlo.negate", x))});
}

// Functions of three operations, each called once.
inline Result<Module> functions(const OpTable& table, std::size_t size) {
  StressBuilder s(table);
  const std::size_t count = std::max<std::size_t>(1, size / 4);
  ValueId x = s.begin("main", 1)[0];
  for (std::size_t i = 0; i < count; ++i) x = call(s, fmt::format("f{}", i), x);
  s.b.end_func({x});
  for (std::size_t i = 0; i < count; ++i) unary_func(s, fmt::format("f{}", i));
  return s.finish();
}

// One function, called by every second operation.
inline Result<Module> calls(const OpTable& table, std::size_t size) {
  StressBuilder s(table);
  ValueId x = s.begin("main", 1)[0];
  for (std::size_t i = 0; i < size / 2; ++i) x = s.unary("stablehlo.tanh", call(s, "f", x));
  s.b.end_func({x});
  unary_func(s, "f");
  return s.finish();
}

// A while loop over `values`. Its body adds neighbours.
inline OpId loop(StressBuilder& s, std::span<const ValueId> values, std::size_t inner_loops) {
  const OpId op = s.add("stablehlo.while", values, values.size());
  s.enter(op, values.size());
  const TypeId flag = s.b.tensor("i1", {});
  const OpId condition = create_op(s.m, s.at,
                                   {.name = "stablehlo.constant",
                                    .result_types = {&flag, 1},
                                    .attributes = s.b.dict({{"value", s.m.attrs.boolean(true)}})});
  const ValueId go_on = result(s.m, condition, 0);
  s.leave("stablehlo.return", {&go_on, 1});
  const IdRange<ValueId> args = s.enter(op, values.size());
  std::vector<ValueId> made = to_vector(args);
  if (inner_loops > 0) made = to_vector(results(s.m, loop(s, made, inner_loops - 1)));
  for (std::size_t i = 0; i < values.size(); ++i)
    made[i] = s.sum(made[i], args[(i + 1) % values.size()]);
  s.leave("stablehlo.return", made);
  return op;
}

// Loops in loops, ten deep, one nest after the other.
inline Result<Module> nested_loops(const OpTable& table, std::size_t size) {
  StressBuilder s(table);
  std::vector<ValueId> values = to_vector(s.begin("main", 2));
  for (std::size_t i = 0; i < std::max<std::size_t>(1, size / 60); ++i)
    values = to_vector(results(s.m, loop(s, values, 9)));
  s.b.end_func(values);
  return s.finish();
}

// One loop that carries `size` values.
inline Result<Module> wide_loop(const OpTable& table, std::size_t size) {
  StressBuilder s(table);
  const std::vector<ValueId> values = to_vector(s.begin("main", size));
  s.b.end_func(to_vector(results(s.m, loop(s, values, 0))));
  return s.finish();
}

// A manual computation over `values` with the manual axis `data`.
inline OpId manual(StressBuilder& s, std::span<const ValueId> values) {
  const AttrId sharding = s.m.attrs.sharding(s.b.sharding(R"([{"data", ?}, {?}])"));
  const std::vector<AttrId> shardings(values.size(), sharding);
  const AttrId list = s.m.attrs.list(shardings);
  const AttrId axes[] = {s.b.string("data")};
  const OpId op = s.add("sdy.manual_computation", values, values.size(),
                        s.b.dict({{"in_shardings", list},
                                  {"out_shardings", list},
                                  {"manual_axes", s.m.attrs.list(axes)}}));
  const TypeId around = s.square;
  s.square = s.b.tensor("f32", {128, 512});
  const IdRange<ValueId> args = s.enter(op, values.size());
  std::vector<ValueId> made;
  for (std::size_t i = 0; i < values.size(); ++i) made.push_back(s.sum(args[i], args[i / 2]));
  s.leave("sdy.return", made);
  s.square = around;
  return op;
}

// One manual computation of `size` operands and results.
inline Result<Module> wide_manual(const OpTable& table, std::size_t size) {
  StressBuilder s(table);
  const std::vector<ValueId> values = to_vector(s.begin("main", size));
  s.b.end_func(to_vector(results(s.m, manual(s, values))));
  return s.finish();
}

// Manual computations of one addition, one after the other.
inline Result<Module> many_manual(const OpTable& table, std::size_t size) {
  StressBuilder s(table);
  ValueId x = s.begin("main", 1)[0];
  for (std::size_t i = 0; i < std::max<std::size_t>(1, size / 3); ++i)
    x = result(s.m, manual(s, {&x, 1}), 0);
  s.b.end_func({x});
  return s.finish();
}

// `size / 2` values in groups of `members`; the first value of a chain is sharded.
inline Result<Module> in_groups(const OpTable& table, std::size_t size, std::size_t members) {
  StressBuilder s(table);
  const IdRange<ValueId> args = s.begin("main", std::max<std::size_t>(2, size / 2));
  std::vector<ValueId> made;
  for (std::size_t i = 0; i < args.size(); ++i) {
    made.push_back(s.unary("stablehlo.tanh", args[i]));
    const auto id = static_cast<std::int64_t>(i / members);
    const ValueId member = i % 2 == 0 ? args[i] : made[i];
    s.add("sdy.sharding_group", {&member, 1}, 0, s.b.dict({{"group_id", s.m.attrs.integer(id)}}));
  }
  s.b.end_func(made);
  return s.finish();
}
inline Result<Module> one_group(const OpTable& table, std::size_t size) {
  return in_groups(table, size, size);
}
inline Result<Module> many_groups(const OpTable& table, std::size_t size) {
  return in_groups(table, size, 4);
}

// Four operations per mesh.
inline Result<Module> meshes(const OpTable& table, std::size_t size) {
  StressBuilder s(table);
  const std::size_t count = std::max<std::size_t>(1, size / 4);
  std::vector<Param> params;
  for (std::size_t i = 0; i < count; ++i) {
    s.b.add_mesh(fmt::format("mesh{}", i), {{"data", 4}, {fmt::format("axis{}", i), 2}});
    params.push_back({s.square, s.b.sharding(R"([{"data", ?}, {?}])")});
  }
  const IdRange<ValueId> args = s.begin_func("main", params);
  std::vector<ValueId> made = to_vector(args);
  for (int round = 0; round < 4; ++round) {
    for (ValueId& value : made) value = s.unary("stablehlo.tanh", value);
  }
  s.b.end_func(made);
  return s.finish();
}

// Axis number `i` of the mesh of `shardings`.
inline std::string axis_text(std::size_t i) { return fmt::format("\"a{}\"", i); }

// Two operations per sharding: arguments of four dimensions, each sharded by a different choice of
// twenty axes.
inline Result<Module> shardings(const OpTable& table, std::size_t size) {
  constexpr std::size_t kAxes = 20;
  StressBuilder s(table);
  std::vector<MeshAxis> axes;
  for (std::size_t i = 0; i < kAxes; ++i) axes.push_back({fmt::format("a{}", i), 2});
  s.b.add_mesh("large", axes);
  const TypeId type = s.b.tensor("f32", {1024, 1024, 1024, 1024});
  std::vector<Param> params;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, size / 2); ++i) {
    std::array<std::string, 4> dims;
    for (std::size_t axis = 0, rest = i + 1; rest > 0; ++axis, rest >>= 1) {
      if (rest % 2 == 0) continue;
      std::string& dim = dims[(axis + i) % 4];
      dim += axis_text(axis % kAxes) + ", ";
    }
    params.push_back({type, s.b.sharding(fmt::format("[{{{}?}}, {{{}?}}, {{{}?}}, {{{}?}}]",
                                                     dims[0], dims[1], dims[2], dims[3]))});
  }
  const IdRange<ValueId> args = s.begin_func("main", params);
  s.square = type;
  std::vector<ValueId> made;
  for (ValueId arg : args)
    made.push_back(s.unary("stablehlo.tanh", s.unary("stablehlo.negate", arg)));
  s.b.end_func(made);
  return s.finish();
}

// Two operations per type.
inline Result<Module> types(const OpTable& table, std::size_t size) {
  StressBuilder s(table);
  const std::size_t count = std::max<std::size_t>(1, size / 2);
  std::vector<Param> params;
  for (std::size_t i = 0; i < count; ++i) {
    const auto rows = static_cast<std::int64_t>(32 * (i + 1));
    params.push_back(
        {s.b.tensor("f32", {rows, 64}), s.b.sharding(R"([{"data", ?}, {"model", ?}])")});
  }
  const IdRange<ValueId> args = s.begin_func("main", params);
  std::vector<ValueId> made;
  for (ValueId arg : args) {
    s.square = type_of(s.m, arg);
    made.push_back(s.unary("stablehlo.tanh", s.unary("stablehlo.negate", arg)));
  }
  s.b.end_func(made);
  return s.finish();
}

// One scalar constant with many users, and many constants with one user.
inline Result<Module> constants(const OpTable& table, std::size_t size) {
  StressBuilder s(table);
  ValueId x = s.begin("main", 1)[0];
  const TypeId scalar = s.b.tensor("f32", {});
  const ValueId one = s.b.constant(1.0, "f32");
  for (std::size_t i = 0; i < std::max<std::size_t>(1, size / 5); ++i) {
    const ValueId other = s.b.constant(s.m.attrs.number(static_cast<double>(i % 1000)), scalar);
    x = s.sum(x, s.b.broadcast_in_dim(one, {512, 512}, {}));
    x = s.sum(x, s.b.broadcast_in_dim(other, {512, 512}, {}));
  }
  s.b.end_func({x});
  return s.finish();
}

}  // namespace shardprop::bench
