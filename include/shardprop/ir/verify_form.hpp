// Checks the form of a module, whatever its operations mean: functions have unique names and return
// what they declare, blocks end with their terminator, values are defined before they are used.
// O(operations + uses).
//
// A value is visible after its definition, in its own block and in the blocks inside. A function
// sees no values from outside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop {

// What the form of an operation depends on. Its regions see the values around them unless they are
// `isolated`.
struct OpForm {
  bool may_end_block = false;
  bool must_end_block = false;
  bool isolated = false;
};

namespace detail {

// `form_of(OpId)` gives an OpForm.
template <class FormOf>
class FormVerifier {
 public:
  FormVerifier(const Module& m, FormOf form_of, Diagnostics& out)
      : m_(m),
        form_of_(form_of),
        out_(out),
        seen_(m.values.size(), false),
        open_(m.blocks.size(), 0) {}

  void verify_block(BlockId block) {
    open_[block.index] = scope_;
    for (ValueId value : m_.blocks[block].arguments) seen_[value.index] = true;
    verify_terminator(block);
    for (OpId op = m_.blocks[block].first_op; op.valid(); op = m_.layout[op].next) verify_op(op);
    open_[block.index] = 0;
  }

 private:
  void report(OpId op, std::string_view code, std::string message, std::string hint = {}) {
    out_.push_back({std::string(code), std::move(message), std::move(hint), place_of(m_, op)});
  }

  void verify_terminator(BlockId block) {
    const OpId last = terminator(m_, block);
    if (last.valid() && form_of_(last).may_end_block) return;
    const std::string hint = "add func.return, stablehlo.return or sdy.return";
    if (last.valid())
      return report(last, "ir.terminator", "the last operation of a block must be a terminator",
                    hint);
    const OpId parent = m_.blocks[block].parent_op;
    Place place;
    if (parent.valid()) {
      place = place_of(m_, parent);
    } else {
      place.function = std::string(m_.strings[m_.funcs[m_.blocks[block].parent_func].name]);
    }
    out_.push_back(
        {"ir.terminator", "a block is empty, but must end with a terminator", hint, place});
  }

  void verify_op(OpId op) {
    const OpForm form = form_of_(op);
    if (form.must_end_block && m_.layout[op].next.valid()) {
      report(op, "ir.terminator", "a terminator must be the last operation of its block");
    }
    for (UseId use : operand_uses(m_, op)) verify_operand(op, use);
    verify_regions(op, form.isolated);
    for (ValueId value : results(m_, op)) seen_[value.index] = true;
  }

  void verify_operand(OpId op, UseId use) {
    const ValueId value = m_.uses[use].value;
    const OpId maker = defining_op(m_, value);
    const BlockId from = maker.valid() ? m_.layout[maker].block : argument_block(m_, value);
    if (seen_[value.index] && from.valid() && open_[from.index] == scope_) return;
    report(op, "ir.dominance",
           fmt::format("operand {} is {}, which is not visible here", operand_number(m_, use),
                       name_of(m_, value)),
           "define the value before its use, in the same block or around it; the region of some "
           "operations, such as sdy.manual_computation, sees only its own arguments");
  }

  void verify_regions(OpId op, bool isolated) {
    if (isolated) ++scope_;
    for (BlockId b = m_.ops[op].first_block; b.valid(); b = m_.blocks[b].next_sibling)
      verify_block(b);
    if (isolated) --scope_;
  }

  const Module& m_;
  FormOf form_of_;
  Diagnostics& out_;
  std::vector<bool> seen_;  // by value: whether the walk passed its definition
  // By block: the scope in which it is open, or 0 if it is not open. The block that is walked and
  // the blocks around it are open. An isolated operation begins a scope; a scope is numbered by its
  // depth.
  std::vector<std::uint32_t> open_;
  std::uint32_t scope_ = 1;
};

inline void verify_return(const Module& m, const Function& func, Diagnostics& out) {
  const OpId last = terminator(m, func.body);
  if (!last.valid() || m.ops[last].name != known::kFuncReturn) return;
  bool same = m.ops[last].operand_count == func.results.size();
  for (std::size_t i = 0; same && i < func.results.size(); ++i) {
    same = type_of(m, operand(m, last, i)) == func.results[i].type;
  }
  if (same) return;
  out.push_back(
      {"ir.return_types",
       fmt::format("func.return must return the {} values of the types that the function declares",
                   func.results.size()),
       "give the results of the function the types of the operands of func.return",
       place_of(m, last)});
}

}  // namespace detail

// Adds every error of form to `out`. `form_of(OpId)` gives the OpForm of an operation.
template <class FormOf>
void verify_form(const Module& m, FormOf form_of, Diagnostics& out) {
  std::vector<bool> taken(m.strings.size(), false);
  detail::FormVerifier<FormOf> verifier(m, form_of, out);
  for (FuncId f : m.func_order) {
    const Function& func = m.funcs[f];
    if (taken[func.name.index]) {
      Place place;
      place.function = std::string(m.strings[func.name]);
      out.push_back({"ir.duplicate_function", "another function has this name",
                     "rename one of the two", place});
    }
    taken[func.name.index] = true;
    verifier.verify_block(func.body);
    detail::verify_return(m, func, out);
  }
}

}  // namespace shardprop
