// What the page of `shardprop view` knows of a plan, as JSON: the program with its collectives as
// columns, the shardings of its values at the stages on the way, what each collective costs, and how
// axes came to values. Texts, types and shardings are stored once and named by number; -1 is none.
// examples/view/plan.js reads it. O(operations), some 200 bytes for each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "examples/cli/cost_command.hpp"
#include "examples/cli/view_why.hpp"
#include "fmt/core.h"
#include "nlohmann/json.hpp"
#include "shardprop/analysis/communication.hpp"
#include "shardprop/analysis/explain/explainer.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/symbols.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/sharding_view_inl.hpp"
#include "shardprop/ops/value_sharding.hpp"

namespace shardprop::cli {

namespace detail {

class ViewWriter {
 public:
  ViewWriter(const ViewPlan& plan, Explainer* explainer)
      : plan_(plan), m_(plan.stages.back().m), explainer_(explainer) {}

  ViewJson write() {
    number_rows();
    ViewJson out;
    out["title"] = plan_.title;
    out["functions"] = functions();
    out["blocks"] = blocks();
    out["ops"] = operations();
    out["values"] = values();
    out["collectives"] = collectives();
    WhyWriter why(plan_, by_original_, strings_);
    out["findings"] = why.findings();
    out["cost"] = ViewJson::parse(cost_json(plan_.report.communication));
    if (explainer_) {
      out["rounds"] = rounds_json(*explainer_);
      why.add_ways(*explainer_, out);
    }
    out["meshes"] = std::move(meshes_.rows());
    out["types"] = std::move(types_.rows());
    out["shardings"] = std::move(shardings_.rows());
    out["strings"] = std::move(strings_.rows());
    return out;
  }

 private:
  // Operations in program order; values where they are made, arguments of a block before it.
  void number_rows() {
    for (FuncId f : m_.func_order) {
      number_block(m_.funcs[f].body);
      walk_block(m_, m_.funcs[f].body, [&](OpId op) {
        op_number_[op] = static_cast<std::int64_t>(ops_.size());
        ops_.push_back(op);
        for (ValueId value : results(m_, op)) number_value(value);
        for (BlockId b = m_.ops[op].first_block; b.valid(); b = m_.blocks[b].next_sibling)
          number_block(b);
      });
    }
  }
  void number_block(BlockId block) {
    block_number_[block] = static_cast<std::int64_t>(blocks_.size());
    blocks_.push_back(block);
    for (ValueId value : m_.blocks[block].arguments) number_value(value);
  }
  void number_value(ValueId value) {
    const auto number = static_cast<std::int64_t>(values_.size());
    value_number_[value] = number;
    values_.push_back(value);
    const ValueId original = m_.lineage.of_value.of(value);
    if (original.valid()) by_original_.emplace(original, number);
  }

  std::int64_t text(std::string_view s) { return s.empty() ? -1 : strings_.number(std::string(s)); }

  ViewJson functions() {
    ViewJson out = ViewJson::array();
    for (FuncId f : m_.func_order) {
      const Function& func = m_.funcs[f];
      ViewJson shardings = ViewJson::array();
      for (const FuncResult& result : func.results)
        shardings.push_back(sharding(m_, shardprop::detail::stored_sharding(m_, result.sharding)));
      out.push_back({{"name", m_.strings[func.name]},
                     {"private", func.is_private},
                     {"body", block_number_[func.body]},
                     {"results", std::move(shardings)}});
    }
    return out;
  }

  // Columns: the operation that the block belongs to, and its first argument and their number.
  ViewJson blocks() {
    ViewJson parents = ViewJson::array();
    ViewJson first = ViewJson::array();
    ViewJson counts = ViewJson::array();
    for (BlockId block : blocks_) {
      const OpId parent = m_.blocks[block].parent_op;
      const IdRange<ValueId> arguments = m_.blocks[block].arguments;
      parents.push_back(parent.valid() ? op_number_[parent] : -1);
      first.push_back(arguments.empty() ? -1 : value_number_[arguments[0]]);
      counts.push_back(arguments.size());
    }
    return {{"parent", std::move(parents)},
            {"first_argument", std::move(first)},
            {"arguments", std::move(counts)}};
  }

  ViewJson operations() {
    const Symbols symbols(m_);
    ViewJson name, block, place, inputs, operands, outputs;
    ViewJson callees = ViewJson::object();
    std::map<std::uint32_t, std::size_t> position;
    for (std::size_t i = 0; i < m_.func_order.size(); ++i) position[m_.func_order[i].index] = i;
    for (OpId op : ops_) {
      name.push_back(text(op_name(m_, op)));
      block.push_back(block_number_[m_.layout[op].block]);
      place.push_back(text(location(m_.locations.of_op[op])));
      inputs.push_back(m_.ops[op].operand_count);
      for (ValueId value : operands_of(m_, op)) operands.push_back(value_number_[value]);
      outputs.push_back(m_.ops[op].result_count);
      if (const FuncId callee = symbols.callee(m_, op); callee.valid())
        callees[std::to_string(op_number_[op])] = position[callee.index];
    }
    return {{"name", std::move(name)},         {"block", std::move(block)},
            {"place", std::move(place)},       {"inputs", std::move(inputs)},
            {"operands", std::move(operands)}, {"outputs", std::move(outputs)},
            {"callees", std::move(callees)}};
  }

  ViewJson values() {
    ViewJson name, type, stages = ViewJson::array();
    for (ValueId value : values_) {
      name.push_back(text(name_of(m_, value)));
      type.push_back(type_number(type_of(m_, value)));
    }
    for (const ViewStage& stage : plan_.stages)
      stages.push_back({{"name", stage.name}, {"shardings", stage_column(stage.m)}});
    return {{"name", std::move(name)},
            {"type", std::move(type)},
            {"stages", std::move(stages)},
            {"copies", copies()}};
  }

  // The values that stand for a value of the input besides the first one, with that one.
  ViewJson copies() const {
    ViewJson out = ViewJson::object();
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const auto first = by_original_.find(m_.lineage.of_value.of(values_[i]));
      if (first != by_original_.end() && first->second != static_cast<std::int64_t>(i))
        out[std::to_string(i)] = first->second;
    }
    return out;
  }

  // The shardings of the values at a stage, by the values of the input that they stand for.
  ViewJson stage_column(const Module& stage) {
    std::unordered_map<ValueId, std::int64_t> found;
    if (&stage != &m_) {
      for (ValueId value : stage.values.ids()) {
        const ValueId original = stage.lineage.of_value.of(value);
        if (!original.valid() || !exists(stage, value)) continue;
        const std::int64_t number = sharding(stage, tensor_sharding_of(stage, value));
        if (number >= 0) found.emplace(original, number);
      }
    }
    ViewJson column = ViewJson::array();
    for (ValueId value : values_) {
      if (&stage == &m_) {
        column.push_back(sharding(m_, tensor_sharding_of(m_, value)));
        continue;
      }
      const auto at = found.find(m_.lineage.of_value.of(value));
      column.push_back(at == found.end() ? -1 : at->second);
    }
    return column;
  }

  static bool exists(const Module& m, ValueId value) {
    const OpId op = defining_op(m, value);
    return !op.valid() || !is_erased(m, op);
  }

  ViewJson collectives() {
    ViewJson op, kind, axes, in_loop, runs, sent;
    for (const CollectiveCost& cost : plan_.collectives) {
      op.push_back(op_number_[cost.op]);
      kind.push_back(text(cost.kind));
      axes.push_back(text(cost.axes));
      in_loop.push_back(cost.in_loop ? 1 : 0);
      runs.push_back(cost.runs);
      sent.push_back(cost.sent);
    }
    std::vector<std::size_t> finding(plan_.collectives.size());
    for (std::size_t i = 0; i < plan_.report.findings.size(); ++i) {
      for (std::size_t number : plan_.report.findings[i].collectives) finding[number] = i;
    }
    return {{"op", std::move(op)},           {"kind", std::move(kind)}, {"axes", std::move(axes)},
            {"in_loop", std::move(in_loop)}, {"runs", std::move(runs)}, {"sent", std::move(sent)},
            {"finding", std::move(finding)}};
  }

  // [dtype, bytes of an element, shape], the shape null where it is not known.
  std::int64_t type_number(TypeId type) {
    const auto [at, is_new] = type_number_.emplace(type.index, 0);
    if (is_new) {
      ViewJson shape;
      double bytes = 0;
      if (m_.types.is_static_tensor(type)) {
        shape = m_.types.shape(type);
        bytes = shardprop::detail::bytes_of(m_, type, {});
      }
      const std::string_view dtype = m_.strings[m_.types.dtype(type)];
      at->second = types_.number({dtype, bytes, std::move(shape)});
    }
    return at->second;
  }

  // [mesh, [axes of a dimension, ...], unreduced axes]; an axis is [number, pre-size, size].
  std::int64_t sharding(const Module& m, const std::optional<TensorSharding>& s) {
    if (!s) return -1;
    const Mesh& mesh = m.meshes[s->mesh];
    ViewJson axes = ViewJson::array();
    for (const MeshAxis& axis : mesh.axes) axes.push_back({axis.name, axis.size});
    const auto list = [](AxisSpan refs) {
      ViewJson out = ViewJson::array();
      for (const AxisRef& axis : refs) out.push_back({axis.axis, axis.pre_size, axis.size});
      return out;
    };
    ViewJson dims = ViewJson::array();
    for (const DimSharding& dim : s->dims) dims.push_back(list(dim.axes));
    const std::int64_t number =
        meshes_.number({{"name", mesh.name}, {"axes", axes}, {"devices", mesh.device_ids}});
    return shardings_.number(ViewJson::array({number, std::move(dims), list(s->unreduced)}));
  }

  // `model.py:12:3`, or the name that the location has.
  std::string location(LocId id) const {
    std::string place = source_place(m_, id);
    return place.empty() ? std::string(shardprop::detail::location_name(m_, id)) : place;
  }

  const ViewPlan& plan_;
  const Module& m_;
  Explainer* explainer_;  // none: the program has its collectives already
  std::vector<OpId> ops_;
  std::vector<ValueId> values_;
  std::vector<BlockId> blocks_;
  std::unordered_map<OpId, std::int64_t> op_number_;
  std::unordered_map<ValueId, std::int64_t> value_number_;
  std::unordered_map<BlockId, std::int64_t> block_number_;
  std::unordered_map<ValueId, std::int64_t> by_original_;
  std::unordered_map<std::uint32_t, std::int64_t> type_number_;
  ViewTable strings_, types_, shardings_, meshes_;
};

}  // namespace detail

// The JSON of a plan.
inline nlohmann::ordered_json view_json(ViewPlan& plan, const OpTable& ops) {
  if (!plan.traced) return detail::ViewWriter(plan, nullptr).write();
  const PropagateOptions options;
  Explainer explainer(plan.stages.front().m, *plan.traced, ops, options);
  return detail::ViewWriter(plan, &explainer).write();
}

}  // namespace shardprop::cli
