// A module as text for people: one line per operation, followed by its shardings and rule; regions
// are indented. It is deterministic. It serves reading and messages; programs take JSON.
//
//   func @main(%arg0: tensor<8x32xf32> <@mesh, [{"x"}, {}]>) -> (tensor<8x16xf32>) {
//     %0 = stablehlo.dot(%arg0, %arg1) : tensor<8x16xf32> <@mesh, [{"x", ?}, {?}]>
//     func.return(%0)
//   }
#pragma once

#include <cstddef>
#include <string>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/sharding/mesh_text.hpp"
#include "shardprop/sharding/rule_text.hpp"
#include "shardprop/sharding/sharding_text.hpp"
#include "shardprop/support/text_list.hpp"

namespace shardprop {

// `tensor<2x3xf32>`, or the text of a type that is not a tensor.
inline std::string to_string(const Module& m, TypeId type) {
  std::string dtype(m.strings[m.types.dtype(type)]);
  if (!m.types.is_tensor(type)) return dtype;
  std::string out = "tensor<";
  for (std::int64_t dim : m.types.shape(type)) {
    out += (dim == kDynamic ? "?" : std::to_string(dim)) + "x";
  }
  return out + dtype + ">";
}

namespace detail {

class Printer {
 public:
  explicit Printer(const Module& m) : m_(m) {}

  std::string module() {
    for (MeshId id : m_.meshes.ids()) {
      const Mesh& mesh = m_.meshes[id];
      if (!mesh.name.empty()) out_ += fmt::format("mesh @{} = {}\n", mesh.name, to_string(mesh));
    }
    for (FuncId f : m_.func_order) func(m_.funcs[f]);
    return std::move(out_);
  }

  std::string op_line(OpId op) {
    op_head(op);
    return std::move(out_);
  }

 private:
  void func(const Function& f) {
    const auto result_text = [&](const FuncResult& result) {
      return to_string(m_, result.type) + sharding(result.sharding);
    };
    out_ += fmt::format("{}func @{}({}) -> ({}) {{\n", f.is_private ? "private " : "",
                        m_.strings[f.name], arguments(f.body), comma_list(f.results, result_text));
    block(f.body, 1);
    out_ += "}\n";
  }

  void block(BlockId block, std::size_t depth) {
    for (OpId op = m_.blocks.get(block).first_op; op.valid(); op = m_.layout.get(op).next) {
      out_.append(2 * depth, ' ');
      op_head(op);
      for (BlockId b = m_.ops.get(op).first_block; b.valid(); b = m_.blocks.get(b).next_sibling) {
        out_ += fmt::format(" ({}) {{\n", arguments(b));
        this->block(b, depth + 1);
        out_.append(2 * depth, ' ');
        out_ += "}";
      }
      out_ += "\n";
    }
  }

  void op_head(OpId op) {
    std::string types;
    for (ValueId value : results(m_, op)) {
      out_ += (types.empty() ? "" : ", ") + value_text(value);
      types += (types.empty() ? " : " : ", ") + to_string(m_, type_of(m_, value)) +
               sharding(m_.value_shardings.get(value));
    }
    out_ += fmt::format("{}{}(", types.empty() ? "" : " = ", op_name(m_, op));
    for (UseId use : operand_uses(m_, op)) {
      out_ +=
          (use == m_.ops.get(op).first_operand ? "" : ", ") + value_text(m_.uses.get(use).value);
    }
    out_ += ")" + types;
    if (m_.ops.get(op).rule.valid()) out_ += " rule " + to_string(m_.rules[m_.ops.get(op).rule]);
  }

  std::string arguments(BlockId block) const {
    return comma_list(m_.blocks.get(block).arguments, [&](ValueId value) {
      return fmt::format("{}: {}{}", value_text(value), to_string(m_, type_of(m_, value)),
                         sharding(m_.value_shardings.get(value)));
    });
  }

  // An unnamed value is printed by its id.
  std::string value_text(ValueId value) const {
    const std::string name = name_of(m_, value);
    return name.empty() ? fmt::format("%v{}", value.index) : name;
  }

  std::string sharding(ShardingId id) const {
    return id.valid() ? " " + to_string(m_.shardings[id], m_.meshes) : std::string();
  }

  const Module& m_;
  std::string out_;
};

}  // namespace detail

inline std::string to_string(const Module& m) { return detail::Printer(m).module(); }

// One operation without its regions.
inline std::string to_string(const Module& m, OpId op) { return detail::Printer(m).op_line(op); }

}  // namespace shardprop
