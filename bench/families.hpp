// The families of graphs that are measured. The first ones are programs; each of the others has a
// large number of one thing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "bench/stress_graphs.hpp"
#include "examples/models/decoder.hpp"
#include "examples/models/small_graphs.hpp"
#include "examples/models/transformer.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop::bench {

struct Family {
  std::string_view name;
  std::string_view what;
  std::size_t operations_of_unit;  // `make` takes a number of units, such as layers
  Result<Module> (*make)(const OpTable&, std::size_t units);
};

inline Result<Module> make_transformer(const OpTable& table, std::size_t layers) {
  return models::transformer(table, {.layers = layers});
}
inline Result<Module> make_decoder(const OpTable& table, std::size_t layers) {
  return models::decoder(table, {.layers = layers});
}
inline Result<Module> make_random_dag(const OpTable& table, std::size_t operations) {
  return models::random_dag(table, operations);
}

inline constexpr Family kFamilies[] = {
    {"transformer", "layers of attention and feed-forward, three user priorities", 61,
     make_transformer},
    {"decoder", "layers of a decoder", 101, make_decoder},
    {"mlp", "dense layers", 5, models::mlp},
    {"diamond", "values that fork and join", 3, models::diamond},
    {"random_dag", "operations on random values, random shardings", 1, make_random_dag},
    {"fan_out", "one weight for many inputs, each of which is returned", 2, models::fan_out},
    {"many_uses", "one value with a use per operation", 1, many_uses},
    {"long_block", "a chain, sharded at its end", 1, long_block},
    {"arguments", "an argument and a result per operation", 1, arguments},
    {"functions", "functions of three operations, each called once", 1, functions},
    {"calls", "one function, called by every second operation", 1, calls},
    {"nested_loops", "loops in loops, ten deep", 1, nested_loops},
    {"wide_loop", "one loop that carries a value per operation", 1, wide_loop},
    {"wide_manual", "one manual computation with an operand per operation", 1, wide_manual},
    {"many_manual", "manual computations of one addition", 1, many_manual},
    {"one_group", "one sharding group of all values", 1, one_group},
    {"many_groups", "sharding groups of four", 1, many_groups},
    {"meshes", "a mesh for four operations", 1, meshes},
    {"shardings", "a sharding for two operations", 1, shardings},
    {"types", "a type for two operations", 1, types},
    {"constants", "constants for two of five operations", 1, constants},
};

inline const Family* find_family(std::string_view name) {
  for (const Family& family : kFamilies) {
    if (family.name == name) return &family;
  }
  return nullptr;
}

// The graph of a family with about `operations` operations.
inline Result<Module> make_graph(const Family& family, const OpTable& table,
                                 std::size_t operations) {
  return family.make(table, std::max<std::size_t>(1, operations / family.operations_of_unit));
}

}  // namespace shardprop::bench
