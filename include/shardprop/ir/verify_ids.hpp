// Whether every id in the tables of a module names a row of the right table. A module that the
// functions of ir/edit.hpp made from its own ids is whole; one with ids of another module, or that
// was written to by hand, need not be. O(rows).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop {

namespace detail {

class IdVerifier {
 public:
  IdVerifier(const Module& m, Diagnostics& out) : m_(m), out_(out) {}

  void run() {
    verify_columns();
    for (OpId op : m_.ops.ids()) {
      if (!is_erased(m_, op)) verify_op(op);
    }
    for (ValueId value : m_.values.ids()) verify_value(value);
    for (BlockId block : m_.blocks.ids()) verify_block(block);
    for (FuncId f : m_.func_order) {
      if (need("function", f, m_.funcs.size(), {})) verify_func(m_.funcs[f]);
    }
  }

 private:
  // Operations, values and their columns grow together.
  void verify_columns() {
    if (m_.layout.size() == m_.ops.size() && m_.value_shardings.size() == m_.values.size() &&
        m_.value_names.size() == m_.values.size())
      return;
    out_.push_back({"ir.columns", "the tables of operations or of values have different lengths",
                    "add rows with the functions of ir/edit.hpp"});
  }

  template <class I>
  bool need(std::string_view what, I id, std::size_t count, Place place) {
    if (id.index < count) return true;
    out_.push_back({"ir.unknown_id",
                    id.valid()
                        ? fmt::format("the module has {} rows for a {}, and none of number {}",
                                      count, what, id.index)
                        : fmt::format("a {} is missing", what),
                    "use ids of this module", std::move(place)});
    return false;
  }
  template <class I>
  void allow(std::string_view what, I id, std::size_t count, const Place& place) {
    if (id.valid()) need(what, id, count, place);
  }
  template <class I>
  bool need_range(std::string_view what, IdRange<I> range, std::size_t count, const Place& place) {
    return range.empty() ||
           need(what,
                I(std::size_t{range.first.index} + range.size() - 1 < count ? range.first.index
                                                                            : count),
                count, place);
  }

  void verify_op(OpId op) {
    const Operation& o = m_.ops[op];
    Place place;
    place.operation = std::string(op_name(m_, op));
    need("name", o.name, m_.strings.size(), place);
    allow("rule", o.rule, m_.rules.size(), place);
    verify_dictionary(o.attributes, place);
    need("block", m_.layout[op].block, m_.blocks.size(), place);
    allow("operation", m_.layout[op].prev, m_.ops.size(), place);
    allow("operation", m_.layout[op].next, m_.ops.size(), place);
    if (need_range("operand", operand_uses(m_, op), m_.uses.size(), place)) {
      for (UseId use : operand_uses(m_, op)) {
        need("value", m_.uses[use].value, m_.values.size(), place);
        allow("operand", m_.uses[use].next, m_.uses.size(), place);
      }
    }
    need_range("value", results(m_, op), m_.values.size(), place);
    allow("block", o.first_block, m_.blocks.size(), place);
  }

  void verify_value(ValueId id) {
    const Value& value = m_.values[id];
    Place place;
    place.value = name_of(m_, id);
    need("type", value.type, m_.types.size(), place);
    allow("sharding", m_.value_shardings[id], m_.shardings.size(), place);
    allow("operand", value.first_use, m_.uses.size(), place);
    const std::size_t owners = value.is_argument ? m_.blocks.size() : m_.ops.size();
    need("owner", Id<void>(value.owner), owners, place);
  }

  void verify_block(BlockId id) {
    const Block& block = m_.blocks[id];
    allow("operation", block.first_op, m_.ops.size(), {});
    allow("operation", block.last_op, m_.ops.size(), {});
    allow("operation", block.parent_op, m_.ops.size(), {});
    allow("function", block.parent_func, m_.funcs.size(), {});
    allow("block", block.next_sibling, m_.blocks.size(), {});
    need_range("value", block.arguments, m_.values.size(), {});
  }

  void verify_func(const Function& func) {
    need("name", func.name, m_.strings.size(), {});
    Place place;
    place.function = std::string(m_.strings[func.name]);
    need("block", func.body, m_.blocks.size(), place);
    verify_dictionary(func.attributes, place);
    for (const FuncResult& result : func.results) {
      need("type", result.type, m_.types.size(), place);
      allow("sharding", result.sharding, m_.shardings.size(), place);
      verify_dictionary(result.attributes, place);
    }
  }

  void verify_dictionary(AttrId attributes, const Place& place) {
    if (!attributes.valid() || !need("attribute", attributes, m_.attrs.size(), place)) return;
    if (m_.attrs.kind(attributes) == AttrKind::kDict) return;
    out_.push_back({"ir.attributes", "attributes must be a dictionary",
                    "make them with AttrTable::dict", place});
  }

  const Module& m_;
  Diagnostics& out_;
};

}  // namespace detail

// Adds an error, `ir.unknown_id`, `ir.attributes` or `ir.columns`, for each place that is not whole;
// true if there is none.
inline bool verify_ids(const Module& m, Diagnostics& out) {
  const std::size_t before = out.size();
  detail::IdVerifier(m, out).run();
  return out.size() == before;
}

}  // namespace shardprop
