// The families of graphs that are measured, each at sizes of about 600, 6,000 and 60,000
// operations.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "examples/models/decoder.hpp"
#include "examples/models/small_graphs.hpp"
#include "examples/models/transformer.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop::bench {

struct Family {
  std::string_view name;
  std::string_view unit;  // what the size counts
  std::array<std::size_t, 3> sizes;
  Result<Module> (*make)(const OpTable&, std::size_t size);
};

inline Result<Module> make_transformer(const OpTable& table, std::size_t size) {
  return models::transformer(table, {.layers = size});
}
inline Result<Module> make_decoder(const OpTable& table, std::size_t size) {
  return models::decoder(table, {.layers = size});
}
inline Result<Module> make_random_dag(const OpTable& table, std::size_t size) {
  return models::random_dag(table, size);
}

inline constexpr Family kFamilies[] = {
    {"transformer", "layers", {10, 100, 1000}, make_transformer},
    {"decoder", "layers", {6, 60, 600}, make_decoder},
    {"mlp", "layers", {120, 1200, 12000}, models::mlp},
    {"diamond", "diamonds", {200, 2000, 20000}, models::diamond},
    {"fan_out", "uses", {300, 3000, 30000}, models::fan_out},
    {"random_dag", "operations", {600, 6000, 60000}, make_random_dag},
};

}  // namespace shardprop::bench
