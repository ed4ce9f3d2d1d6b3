// What processes do together, as the column `together` of a row of EvalTable: a collective is a
// function from the operands of the processes of a group to their results. The same functions serve
// a simulated machine, which has all processes, and a real one, where each process has gathered the
// operands of its group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "shardprop/run/eval_table.hpp"

namespace shardprop {

class Machine;

// The processes of a group at one operation. They are in the order of the group, which is that of
// what is gathered and of reductions.
struct GroupInput {
  EvalInput& in;                // of the first one
  std::span<Tensors> operands;  // of each
};

// Which processes do an operation together (specification of StableHLO, section Process grouping).
enum class Grouping : std::uint8_t {
  kAlone,     // each on its own, with the help of the machine
  kGroups,    // groups of replicas; with a channel also across partitions, or of global ids
  kExchange,  // groups of replicas or, with a channel, of partitions
  kMembers,   // the same; who is in no group gets zeros
  kPairs,     // all replicas or, with a channel, all partitions
  kEverybody
};

struct Together {
  Grouping grouping = Grouping::kAlone;
  // What all processes of the group have in common, made once.
  Result<Tensors> (*share)(GroupInput&) = nullptr;
  // The results of the process at place `me` of the group. Null: they are what is shared.
  Result<Tensors> (*part)(GroupInput&, const Tensors& shared, std::size_t me) = nullptr;
  // Of kEverybody: the results of each process.
  Result<std::vector<Tensors>> (*everybody)(Machine&, GroupInput&) = nullptr;
  // Of kAlone: the results of process number `process`, or none as long as it must wait.
  Result<std::optional<Tensors>> (*alone)(Machine&, std::size_t process, EvalInput&) = nullptr;
};

// The row of an operation that is done together.
constexpr EvalDef done_together(std::string_view name, const Together& together) {
  return {name, nullptr, nullptr, Control::kTogether, &together};
}

// What the process at place `me` returns; `shared` is what `share` made, if there is such.
inline Result<Tensors> results_of(const Together& together, GroupInput& group,
                                  const Tensors& shared, std::size_t me) {
  return together.part ? together.part(group, shared, me) : Result<Tensors>(shared);
}

// Results of the declared types, all elements 0; a token is a token.
inline Tensors zero_results(const EvalInput& in) {
  Tensors out;
  for (std::size_t i = 0; i < in.m.ops[in.op].result_count; ++i) {
    const Element element = result_element(in, i);
    out.push_back(element == Element::kNone ? Tensor() : Tensor(element, result_shape(in, i)));
  }
  return out;
}

// The channel of an operation, 0 where it has none.
inline std::int64_t channel_of(const Module& m, OpId op) {
  const AttrId handle = attribute(m, op, "channel_handle");
  const AttrId id = m.attrs.plain(m.attrs.find(handle, m.strings.find("handle")));
  return m.attrs.kind(id) == AttrKind::kInt ? m.attrs.as_int(id) : 0;
}

// The rows `[i, j, ...]` of a list of lists of integers; none of anything else.
inline std::optional<std::vector<Shape>> integer_rows(const Module& m, AttrId list) {
  list = m.attrs.plain(list);
  std::vector<Shape> rows;
  if (m.attrs.kind(list) == AttrKind::kInts && m.attrs.as_ints(list).empty()) return rows;
  if (m.attrs.kind(list) != AttrKind::kList) return std::nullopt;
  for (AttrId item : m.attrs.items(list)) {
    item = m.attrs.plain(item);
    if (m.attrs.kind(item) != AttrKind::kInts) return std::nullopt;
    const auto row = m.attrs.as_ints(item);
    rows.emplace_back(row.begin(), row.end());
  }
  return rows;
}

}  // namespace shardprop
