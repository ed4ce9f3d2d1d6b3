// What the tensors and operations of a propagated copy are in the program that it is a copy of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/analysis/explain/explanation.hpp"
#include "shardprop/analysis/explain/step_graph.hpp"
#include "shardprop/ir/module.hpp"

namespace shardprop {

class ProgramSide {
 public:
  // `graph` is of a propagated copy of `program`, which has its lineage.
  ProgramSide(const Module& program, const StepGraph& graph) : program_(program), graph_(graph) {
    const Module& copy = graph.module();
    for (ValueId value : copy.values.ids()) {
      const OpId op = defining_op(copy, value);
      if (op.valid() && is_erased(copy, op)) continue;
      if (const ValueId own = copy.lineage.of_value.of(value); own.valid())
        stands_for_.emplace_back(own, value);
    }
    std::ranges::stable_sort(stands_for_, {}, &std::pair<ValueId, ValueId>::first);
  }

  // The value of the program that a value of the copy stands for; of what the copy added, that of
  // its operand.
  ValueRef value(ValueId at) const {
    const Module& m = graph_.module();
    for (int depth = 0; depth < 8; ++depth) {
      const OpId op = defining_op(m, at);
      if (const ValueId own = m.lineage.of_value.of(at); own.valid()) return {own};
      if (const EdgeInfo* info = op.valid() ? graph_.store().edge(op) : nullptr) {
        at = info->edge.owner;
        continue;
      }
      if (!op.valid() || m.ops[op].operand_count == 0) break;
      at = operand(m, op, 0);
    }
    return {};
  }

  // The tensors of the copy that stand for `ref`.
  std::vector<Slot> slots(const ValueRef& ref) const {
    const Module& m = graph_.module();
    std::vector<Slot> out;
    if (!ref.value.valid()) {
      for (FuncId f : m.func_order) {
        const BlockId body = m.lineage.of_block.of(m.funcs[f].body);
        if (body.valid() && program_.blocks[body].parent_func == ref.func)
          out.push_back(graph_.slot(f, ref.number));
      }
      return out;
    }
    auto at =
        std::ranges::lower_bound(stands_for_, ref.value, {}, &std::pair<ValueId, ValueId>::first);
    for (; at != stands_for_.end() && at->first == ref.value; ++at) {
      const Slot slot = graph_.slot(at->second);
      if (slot.valid() && std::ranges::find(out, slot) == out.end()) out.push_back(slot);
    }
    return out;
  }

  // The program's operation of a step, and its name.
  void operation(StepRef step, OpId& op, std::string& name) const {
    const Module& m = graph_.module();
    if (!step.op.valid()) {
      name = "return";
      return;
    }
    const OpId owner = graph_.is_edge(step.op) ? graph_.edge_owner(step.op) : step.op;
    if (!owner.valid()) return;
    op = m.lineage.of_op.of(owner);
    name = std::string(op.valid() ? op_name(program_, op) : op_name(m, owner));
  }

  // Dimension `number` of a tensor of a step.
  ExplainedDim dim(const StepTensors& s, std::size_t tensor, std::size_t number) const {
    ExplainedDim out;
    out.dim = number;
    if (!s.values[tensor].valid()) {
      out.value = result_ref(s.step);
    } else {
      out.value = value(s.values[tensor]);
    }
    out.words = fmt::format("dimension {}", number);
    if (s.step.op.valid() && !graph_.is_edge(s.step.op)) {
      const Operation& op = graph_.module().ops[s.step.op];
      out.words += " of " + detail::tensor_words(graph_.module().strings[op.name], tensor,
                                                 op.operand_count, op.result_count);
    }
    return out;
  }

 private:
  ValueRef result_ref(StepRef step) const {
    const Module& m = graph_.module();
    const BlockId body = m.lineage.of_block.of(m.funcs[step.func].body);
    return {{}, body.valid() ? program_.blocks[body].parent_func : FuncId(), step.number};
  }

  const Module& program_;
  const StepGraph& graph_;
  std::vector<std::pair<ValueId, ValueId>> stands_for_;  // a value and one of its copies; sorted
};

}  // namespace shardprop
