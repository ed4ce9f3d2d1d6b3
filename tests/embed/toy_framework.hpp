// A small framework for tests of embedding: its values are names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shardprop/embed/adapted_program.hpp"

namespace shardprop::test {

using Names = std::vector<std::string>;

// A framework whose values are names, all of them vectors of 8 but for those of a type of their own.
struct Toy {
  using Value = std::string;
  using Op = std::size_t;
  using Region = std::size_t;

  struct Operation {
    std::string name;
    Names operands, results;
    std::vector<NamedAttribute> attributes = {};
    std::vector<Region> regions = {};
  };
  struct Block {
    Names arguments, returned;
    std::vector<Op> ops;
  };
  std::vector<Operation> all;
  std::vector<Block> blocks{1};
  std::map<std::string, std::string> dtypes;
  std::map<std::string, NamedSharding> shardings;
  std::size_t writes = 0;

  void add(Operation op, Region region = 0) {
    blocks[region].ops.push_back(all.size());
    all.push_back(std::move(op));
  }

  std::vector<Mesh> mesh_list = {{"mesh", {{"a", 2}, {"b", 2}}, {}}};
  const std::vector<Mesh>& meshes() { return mesh_list; }
  Region body() { return 0; }
  const Names& arguments(Region r) { return blocks[r].arguments; }
  const std::vector<Op>& ops(Region r) { return blocks[r].ops; }
  const Names& returned(Region r) { return blocks[r].returned; }
  const std::string& name(Op op) { return all[op].name; }
  const std::vector<NamedAttribute>& attributes(Op op) { return all[op].attributes; }
  const Names& operands(Op op) { return all[op].operands; }
  const Names& results(Op op) { return all[op].results; }
  const std::vector<Region>& regions(Op op) { return all[op].regions; }
  std::vector<std::int64_t> shape(const Value& v) {
    if (dtypes.contains(v)) return {};
    return {8};
  }
  std::string dtype(const Value& v) { return dtypes.contains(v) ? dtypes[v] : "f32"; }
  const std::string& label(const Value& v) { return v; }
  std::optional<NamedSharding> sharding(const Value& v) {
    const auto at = shardings.find(v);
    if (at == shardings.end()) return std::nullopt;
    return at->second;
  }
  void set_sharding(const Value& v, const std::optional<ShardingView>& s) {
    ++writes;
    shardings.erase(v);
    if (s) shardings.emplace(v, *s);
  }
};

}  // namespace shardprop::test
