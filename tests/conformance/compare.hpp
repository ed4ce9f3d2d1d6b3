// Compares two JSON graphs as the cases' README asks: functions by name, operations by position,
// values by the order of their definition. Names of values, the order of attributes, functions and
// meshes, and default fields do not count. Linear in the size of the graphs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/conformance/normal_form.hpp"

namespace shardprop::conformance {

// A step into a function: operation `op` of block `block` of the operation before; the first step's
// block is 0.
struct OpStep {
  std::size_t block = 0;
  std::size_t op = 0;
};
using OpTrail = std::vector<OpStep>;

struct Difference {
  std::string path;      // such as @main.ops[4].results[0].sharding
  std::string function;  // empty for what belongs to the module
  OpTrail trail;         // empty for what belongs to the function
  Json expected;
  Json actual;
};

struct FunctionMatch {
  std::string name;
  std::size_t equal_ops = 0;  // without what their regions hold
  std::size_t ops = 0;        // that were compared
  bool agrees = false;
};

struct Comparison {
  std::vector<Difference> differences;
  std::vector<FunctionMatch> functions;  // of both graphs

  // True when meshes and module attributes agree too.
  bool agrees() const { return differences.empty(); }
  std::size_t agreeing_functions() const;
};

Comparison compare(const Json& expected, const Json& actual);

// The function `name` of `graph`, or null.
const Json* find_function(const Json& graph, const std::string& name);

// The operation at `trail` in `function`, or null.
const Json* find_op(const Json& function, const OpTrail& trail);

}  // namespace shardprop::conformance
