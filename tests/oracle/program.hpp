// A program of the oracle: one operation, read from StableHLO text for its rule, and with data for
// the interpreter.
//
// Operands of element type i32 hold places (-1 to 4), scalars of it too; all others hold any
// numbers.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/ir/print.hpp"
#include "shardprop/ops/rules.hpp"
#include "tests/oracle/interpreter.hpp"
#include "tests/support/program.hpp"

namespace oracle {

using shardprop::Module;
using shardprop::OpId;
using shardprop::OpShardingRule;
using shardprop::OpTable;
using shardprop::test::with;

struct Program {
  std::shared_ptr<const Module> m;
  OpId op;
  json attributes = json::object();

  std::string name() const { return std::string(op_name(*m, op)); }
};

// The functions of `text`, each with the operation before its return. The text must verify.
inline std::vector<Program> programs_of(std::string_view text, const OpTable& table) {
  const auto m = std::make_shared<const Module>(shardprop::test::program(text, table));
  const json written = json::parse(write_json(*m));
  std::vector<Program> out;
  for (std::size_t i = 0; i < m->func_order.size(); ++i) {
    const OpId end = terminator(*m, m->funcs[m->func_order[i]].body);
    const json& ops = written["functions"][i]["ops"];
    out.push_back(
        {m, m->layout[end].prev, ops[ops.size() - 2].value("attributes", json::object())});
  }
  return out;
}

// The operation that the last region of `op` combines its arguments with; empty where it returns
// its second argument.
inline std::string body_of(const Module& m, OpId op) {
  const std::size_t blocks = block_count(m, op);
  if (blocks == 0) return "";
  const OpId first = m.blocks[block_of(m, op, blocks - 1)].first_op;
  return m.ops[first].name == shardprop::known::kReturn ? "" : std::string(op_name(m, first));
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

// Throws where the program cannot be run.
inline Case prepare(const OpTable& table, const Program& program) {
  const Module& m = *program.m;
  Case out;
  std::mt19937 random(1);
  out.op.name = program.name();
  out.op.body = body_of(m, program.op);
  out.op.attributes = program.attributes;
  for (shardprop::UseId use : operand_uses(m, program.op)) {
    const shardprop::ValueId value = m.uses[use].value;
    const auto shape = shape_of(m, value);
    const bool places = m.strings[m.types.dtype(type_of(m, value))] == "i32";
    out.op.operands.push_back(random_tensor({shape.begin(), shape.end()}, places, random));
  }
  for (shardprop::ValueId value : shardprop::results(m, program.op)) {
    const auto shape = shape_of(m, value);
    out.op.results.emplace_back(shape.begin(), shape.end());
  }
  const Shape& first = out.op.operands.at(0).shape;
  out.op.placement = {first, Shape(first.size(), 0)};
  out.name = out.op.name;
  if (out.op.attributes.contains("call_target_name"))
    out.name += " " + out.op.attributes["call_target_name"].get<std::string>();
  out.rule = create_rule(*table.find(out.op.name), {m, program.op, false});
  out.conservative_rule = create_rule(*table.find(out.op.name), {m, program.op, true});
  Results results = evaluate(out.op);
  if (!results) throw std::runtime_error(out.name + " cannot be run: " + to_string(m, program.op));
  out.results = *results;
  return out;
}

}  // namespace oracle
