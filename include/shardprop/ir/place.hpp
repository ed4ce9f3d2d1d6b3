// Places of diagnostics in a module.
#pragma once

#include <string>

#include "shardprop/ir/module.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop {

inline std::string name_of(const Module& m, ValueId value) {
  return to_string(m.strings, m.value_names[value]);
}

// The function, name and first result of an operation, which must be in a block.
inline Place place_of(const Module& m, OpId op) {
  Place place;
  const FuncId func = enclosing_func(m, m.layout.get(op).block);
  if (func.valid()) place.function = std::string(m.strings[m.funcs[func].name]);
  place.operation = std::string(op_name(m, op));
  if (m.ops.get(op).result_count > 0) place.value = name_of(m, result(m, op, 0));
  return place;
}

// The function, the operation that makes the value, and its name.
inline Place place_of_value(const Module& m, ValueId value) {
  const OpId op = defining_op(m, value);
  Place place;
  if (op.valid()) {
    place = place_of(m, op);
  } else {
    const FuncId func = enclosing_func(m, argument_block(m, value));
    if (func.valid()) place.function = std::string(m.strings[m.funcs[func].name]);
  }
  place.value = name_of(m, value);
  return place;
}

}  // namespace shardprop
