// A program of the oracle: one operation, as in the operation tests (tests/ops/check_op_cases.hpp),
// read into a module for its rule and with data for the interpreter.
//
// Operands of element type i32 hold places (-1 to 4), scalars of it too; all others hold any
// numbers. A region combines two values with `body`.
#pragma once

#include <cstddef>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/ir/walk.hpp"
#include "tests/ops/check_op_cases.hpp"
#include "tests/oracle/interpreter.hpp"

namespace oracle {

using shardprop::Module;
using shardprop::OpId;
using shardprop::OpShardingRule;
using shardprop::OpTable;

struct Program {
  std::string_view op;
  const char* json;
  const char* body = "stablehlo.add";
};

// The body of a region that combines argument 0 with argument 1, or returns the latter.
inline json block_of(const std::string& body, const std::string& prefix, const std::string& dtype) {
  const auto scalar = [&](const std::string& name) {
    return json{{"name", prefix + name}, {"shape", json::array()}, {"dtype", dtype}};
  };
  const bool combines = !body.empty();
  json ops = json::array();
  if (combines) {
    json made = scalar("r");
    json op = {{"op", body}, {"operands", {prefix + "a", prefix + "b"}}};
    if (body == "stablehlo.compare") {
      made["dtype"] = "i1";
      op["attributes"] = {{"comparison_direction", "LT"}};
    }
    op["results"] = json::array({made});
    ops.push_back(op);
  }
  ops.push_back({{"op", "stablehlo.return"}, {"operands", {prefix + (combines ? "r" : "b")}}});
  return {{"arguments", {scalar("a"), scalar("b")}}, {"ops", ops}};
}

inline std::string module_text(const Program& program) {
  json text = json::parse(program.json);
  const json blocks = text.value("blocks", json::array());
  text.erase("blocks");
  json func = op_test::function_of_short(std::string(program.op), text, true);
  json& op = func["ops"][func["ops"].size() - 2];
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::string body = blocks[i].get<std::string>();
    op["blocks"].push_back(
        block_of(body == "body" ? program.body : body, "%b" + std::to_string(i), "f32"));
  }
  json meshes = json::array({{{"name", "m"}, {"axes", {{{"name", "x"}, {"size", 2}}}}}});
  return json{{"meshes", meshes}, {"functions", {func}}}.dump();
}

// A program that is ready to run.
struct Case {
  std::string name;
  Operation op;
  std::vector<Tensor> results;  // of the whole
  std::optional<OpShardingRule> rule;
  std::optional<OpShardingRule> conservative_rule;

  std::size_t tensor_count() const { return op.operands.size() + op.results.size(); }
  const Shape& shape(std::size_t tensor) const {
    const std::size_t operands = op.operands.size();
    return tensor < operands ? op.operands[tensor].shape : op.results[tensor - operands];
  }
};

inline Tensor random_tensor(const Shape& shape, bool places, std::mt19937& random) {
  Tensor tensor(shape);
  for (std::int64_t& element : tensor.data) {
    const auto bits = static_cast<std::int64_t>(random() % 100'000);
    element = places ? bits % 6 - 1 : bits - 50'000;
  }
  return tensor;
}

// Throws where the program cannot be read or run.
inline Case prepare(const OpTable& table, const Program& program) {
  shardprop::Result<Module> read = shardprop::read_json(module_text(program));
  if (!read) throw std::runtime_error(to_string(read.errors()));
  Module& m = *read;
  OpId id;
  for (OpId op : preorder(m)) {
    if (op_name(m, op) == program.op) id = op;
  }
  Case out;
  std::mt19937 random(1);
  out.op.name = program.op;
  out.op.body = program.body;
  out.op.attributes = json::parse(program.json).value("attributes", json::object());
  for (shardprop::UseId use : operand_uses(m, id)) {
    const shardprop::ValueId value = m.uses[use].value;
    const auto shape = shape_of(m, value);
    const bool places = m.strings[m.types.dtype(type_of(m, value))] == "i32";
    out.op.operands.push_back(random_tensor({shape.begin(), shape.end()}, places, random));
  }
  for (shardprop::ValueId value : shardprop::results(m, id)) {
    const auto shape = shape_of(m, value);
    out.op.results.emplace_back(shape.begin(), shape.end());
  }
  const Shape& first = out.op.operands.at(0).shape;
  out.op.placement = {first, Shape(first.size(), 0)};
  out.name = program.op;
  if (out.op.attributes.contains("call_target_name"))
    out.name += " " + out.op.attributes["call_target_name"].get<std::string>();
  out.rule = create_rule(*table.find(program.op), {m, id, false});
  out.conservative_rule = create_rule(*table.find(program.op), {m, id, true});
  Results results = evaluate(out.op);
  if (!results) throw std::runtime_error(out.name + " cannot be run: " + program.json);
  out.results = *results;
  return out;
}

}  // namespace oracle
