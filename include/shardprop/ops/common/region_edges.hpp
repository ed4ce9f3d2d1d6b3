// Data-flow edges of operations with regions, from which the built-in and callers' operations make
// theirs.
#pragma once

#include <cstddef>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/data_flow.hpp"

namespace shardprop {

// Adds operand `i` of `op` as a source, if it has one.
inline void add_source(const Module& m, OpId op, std::size_t i, DataFlowEdge& edge) {
  if (i < m.ops[op].operand_count) edge.sources.push_back(operand_uses(m, op)[i]);
}

// Adds what `block` returns as value `i` as a source.
inline void add_returned(const Module& m, BlockId block, std::size_t i, DataFlowEdge& edge) {
  const OpId last = terminator(m, block);
  if (last.valid()) add_source(m, last, i, edge);
}

// Adds argument `i` of `block` as a target.
inline void add_argument(const Module& m, BlockId block, std::size_t i, DataFlowEdge& edge) {
  if (block.valid() && i < m.blocks[block].arguments.size())
    edge.targets.push_back(m.blocks[block].arguments[i]);
}

// One region that takes the operands and returns the results: an edge from each operand to its
// block argument, which owns it, then one from each returned value to its result.
inline void body_edges(const Module& m, OpId op, std::vector<DataFlowEdge>& out) {
  const BlockId body = block_of(m, op, 0);
  if (!body.valid()) return;
  for (std::size_t i = 0; i < m.blocks[body].arguments.size(); ++i) {
    DataFlowEdge edge{m.blocks[body].arguments[i], {}, {}};
    add_source(m, op, i, edge);
    out.push_back(edge);
  }
  for (std::size_t i = 0; i < m.ops[op].result_count; ++i) {
    DataFlowEdge edge{result(m, op, i), {}, {}};
    add_returned(m, body, i, edge);
    out.push_back(edge);
  }
}

// A condition and a body over the same values: an edge per result, from the operand and the returned
// value to the result, which owns it, and the arguments of both regions.
inline void loop_edges(const Module& m, OpId op, std::vector<DataFlowEdge>& out) {
  const BlockId condition = block_of(m, op, 0);
  const BlockId body = block_of(m, op, 1);
  if (!body.valid()) return;
  for (std::size_t i = 0; i < m.ops[op].result_count; ++i) {
    DataFlowEdge edge{result(m, op, i), {}, {}};
    add_source(m, op, i, edge);
    add_returned(m, body, i, edge);
    add_argument(m, condition, i, edge);
    add_argument(m, body, i, edge);
    out.push_back(edge);
  }
}

// Regions of which one is run: an edge per result, from what each region returns to the result.
inline void branch_edges(const Module& m, OpId op, std::vector<DataFlowEdge>& out) {
  for (std::size_t i = 0; i < m.ops[op].result_count; ++i) {
    DataFlowEdge edge{result(m, op, i), {}, {}};
    for (BlockId b = m.ops[op].first_block; b.valid(); b = m.blocks[b].next_sibling)
      add_returned(m, b, i, edge);
    out.push_back(edge);
  }
}

// Operands that come out as the results: an edge from each operand to its result.
inline void pass_edges(const Module& m, OpId op, std::vector<DataFlowEdge>& out) {
  for (std::size_t i = 0; i < m.ops[op].result_count; ++i) {
    DataFlowEdge edge{result(m, op, i), {}, {}};
    add_source(m, op, i, edge);
    out.push_back(edge);
  }
}

}  // namespace shardprop
