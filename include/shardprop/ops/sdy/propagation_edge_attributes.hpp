// The attributes that record how a sharding was propagated, step by step: their form, read and
// written here, and their checks. `sdy.propagation_edges` is one record;
// `sdy.result_propagation_edges` and `sdy.block_arg_propagation_edges` are lists of them, one per
// value.
//
// A record is kept by its text: in `#sdy.propagation_edges<[{step-1 = [{"a" = operand-0 ->
// [operand-1, result-0]}]}]>` the axis a went in step 1 from operand 0 to operand 1 and result 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/known_names.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/value_sharding.hpp"
#include "shardprop/sharding/scanner.hpp"
#include "shardprop/support/text_list.hpp"

namespace shardprop {

inline constexpr std::string_view kPropagationEdges = "sdy.propagation_edges";
inline constexpr std::string_view kResultPropagationEdges = "sdy.result_propagation_edges";
inline constexpr std::string_view kBlockArgPropagationEdges = "sdy.block_arg_propagation_edges";

// Operand or result number `index` of an operation.
struct EdgeNode {
  bool is_result = false;
  std::int64_t index = 0;
  friend auto operator<=>(const EdgeNode&, const EdgeNode&) = default;
};

struct AxisMove {
  std::int64_t step = 0;
  std::string axis;  // the name
  std::string part;  // of a sub-axis, `:(1)2`
  EdgeNode source;
  std::vector<EdgeNode> targets;
};

namespace detail {

inline bool scan_node(TextScanner& scan, EdgeNode& node) {
  const std::string_view kind = scan.word();
  node.is_result = kind == "result";
  if (kind != "result" && kind != "operand") return scan.fail("operand or result");
  return scan.expect("-") && scan.integer(node.index);
}

inline bool scan_move(TextScanner& scan, AxisMove& move) {
  if (!scan.expect("{") || !scan.string(move.axis)) return false;
  if (scan.accept(":(")) {
    std::int64_t pre_size = 0;
    std::int64_t size = 0;
    if (!scan.integer(pre_size) || !scan.expect(")") || !scan.integer(size)) return false;
    move.part = fmt::format(":({}){}", pre_size, size);
  }
  if (!scan.expect("=") || !scan_node(scan, move.source) || !scan.expect("->") || !scan.expect("["))
    return false;
  while (!scan.accept("]")) {
    EdgeNode target;
    if (!scan_node(scan, target)) return false;
    move.targets.push_back(target);
    if (!scan.next_is("]") && !scan.expect(",")) return false;
  }
  return scan.expect("}");
}

inline bool scan_step(TextScanner& scan, std::vector<AxisMove>& moves) {
  std::int64_t step = 0;
  if (!scan.expect("{") || scan.word() != "step" || !scan.expect("-") || !scan.integer(step))
    return false;
  if (!scan.expect("=") || !scan.expect("[")) return false;
  while (!scan.accept("]")) {
    AxisMove move;
    move.step = step;
    if (!scan_move(scan, move)) return false;
    moves.push_back(std::move(move));
    if (!scan.next_is("]") && !scan.expect(",")) return false;
  }
  return scan.expect("}");
}

// The moves of a record; false where the text has another form.
inline bool parse_moves(std::string_view text, std::vector<AxisMove>& moves) {
  TextScanner scan(text, "", "");
  if (!scan.expect("#") || scan.word() != kPropagationEdges || !scan.expect("<") ||
      !scan.expect("["))
    return false;
  while (!scan.accept("]")) {
    if (!scan_step(scan, moves)) return false;
    if (!scan.next_is("]") && !scan.expect(",")) return false;
  }
  return scan.expect(">") && scan.at_end();
}

// The same, of an attribute; the moves of several records may be added to one list.
inline bool parse_record(const Module& m, AttrId attr, std::vector<AxisMove>& moves) {
  const StringId text = m.attrs.string_or_none(m.attrs.find(attr, key::kOpaque));
  return text.valid() && parse_moves(m.strings[text], moves);
}

inline std::string node_text(EdgeNode node) {
  return fmt::format("{}-{}", node.is_result ? "result" : "operand", node.index);
}

// `moves` as a record; those of one step stand together.
inline AttrId record_attr(Module& m, const std::vector<AxisMove>& moves) {
  std::string steps;
  for (std::size_t i = 0; i < moves.size();) {
    const std::int64_t step = moves[i].step;
    std::string entries;
    for (; i < moves.size() && moves[i].step == step; ++i) {
      entries += fmt::format("{}{{{}{} = {} -> [{}]}}", entries.empty() ? "" : ", ",
                             detail::quoted(moves[i].axis), moves[i].part,
                             node_text(moves[i].source), comma_list(moves[i].targets, node_text));
    }
    steps += fmt::format("{}{{step-{} = [{}]}}", steps.empty() ? "" : ", ", step, entries);
  }
  const std::string text = fmt::format("#{}<[{}]>", kPropagationEdges, steps);
  const AttrEntry entry{key::kOpaque, m.attrs.string(m.strings.intern(text))};
  return m.attrs.dict(std::span(&entry, 1));
}

class EdgeRecordVerifier {
 public:
  explicit EdgeRecordVerifier(const VerifyInput& in) : in_(in) {}

  void verify(const std::vector<AxisMove>& moves) {
    if (!collect_mesh(moves)) return;
    for (const AxisMove& move : moves) {
      if (in_.m.meshes[mesh_].find_axis(move.axis) < 0)
        fail(fmt::format("the mesh has no axis \"{}\"", move.axis));
      if (move.step < 0) fail(fmt::format("the step {} is negative", move.step));
      verify_node(move.source);
      for (std::size_t i = 0; i < move.targets.size(); ++i) {
        verify_node(move.targets[i]);
        const auto before = move.targets.begin() + static_cast<std::ptrdiff_t>(i);
        if (move.targets[i] == move.source) fail("an axis goes from a value to itself");
        if (std::find(move.targets.begin(), before, move.targets[i]) != before)
          fail("an axis goes to a value twice");
      }
    }
  }

 private:
  void fail(std::string message) { report(in_, "propagation_edges", std::move(message)); }

  bool in_range(EdgeNode node) const {
    const Operation& op = in_.m.ops[in_.op];
    return node.index >= 0 && node.index < (node.is_result ? op.result_count : op.operand_count);
  }

  // The mesh of the shardings that the record names; false after a diagnostic.
  bool collect_mesh(const std::vector<AxisMove>& moves) {
    bool one_mesh = true;
    const auto add = [&](EdgeNode node) {
      if (!in_range(node)) return;
      const auto index = static_cast<std::size_t>(node.index);
      const auto sharding = tensor_sharding_of(
          in_.m, node.is_result ? result(in_.m, in_.op, index) : operand(in_.m, in_.op, index));
      if (!sharding) return;
      if (!mesh_.valid() || in_.m.meshes[mesh_].is_empty()) mesh_ = sharding->mesh;
      one_mesh = one_mesh && (in_.m.meshes[sharding->mesh].is_empty() ||
                              in_.m.meshes.content(sharding->mesh) == in_.m.meshes.content(mesh_));
    };
    for (const AxisMove& move : moves) {
      add(move.source);
      for (EdgeNode target : move.targets) add(target);
    }
    if (!mesh_.valid()) fail("no operand or result that the edges name has a sharding");
    if (!one_mesh) fail("the shardings that the edges name are on several meshes");
    return mesh_.valid() && one_mesh;
  }

  void verify_node(EdgeNode node) {
    if (in_range(node)) return;
    fail(fmt::format("the operation has no {} {}", node.is_result ? "result" : "operand",
                     node.index));
  }

  const VerifyInput& in_;
  MeshId mesh_;
};

}  // namespace detail

// Checks the three attributes, where `in.op` has them. The record of an sdy.func_data_flow_edge is
// only checked for form: it names values of the calls.
inline void verify_edge_attributes(const VerifyInput& in) {
  std::vector<AxisMove> moves;
  if (const AttrId record = attribute(in.m, in.op, kPropagationEdges); record.valid()) {
    if (!detail::parse_record(in.m, record, moves)) {
      report(in, "propagation_edges",
             fmt::format("attribute '{}' must be a record of edges", kPropagationEdges));
    } else if (in.m.ops[in.op].name != known::kSdyFuncDataFlowEdge) {
      detail::EdgeRecordVerifier(in).verify(moves);
    }
  }
  for (std::string_view key : {kResultPropagationEdges, kBlockArgPropagationEdges}) {
    const AttrId list = attribute(in.m, in.op, key);
    if (!list.valid()) continue;
    const bool empty = in.m.attrs.kind(list) == AttrKind::kInts && in.m.attrs.as_ints(list).empty();
    bool ok = empty || in.m.attrs.kind(list) == AttrKind::kList;
    if (ok && !empty) {
      for (AttrId item : in.m.attrs.items(list)) ok = ok && detail::parse_record(in.m, item, moves);
    }
    if (!ok)
      report(in, "propagation_edges",
             fmt::format("attribute '{}' must be a list of records of edges", key));
  }
}

}  // namespace shardprop
