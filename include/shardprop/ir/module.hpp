// A program: functions of blocks of operations over values, as tables indexed by ids.
//
// Data, layout and uses are separate. The row of an operation says what it is; `prev` and `next`
// say where it is in its block; the uses of a value are a doubly linked list through the operand
// slots. A new use goes to the front of its value's list, so that uses are listed last made first:
// the order of visits of the propagation engine depends on it.
//
// Rows are never reused: an erased operation leaves a dead row. Copying a module copies its tables;
// ids stay valid in the copy. Edit through the functions of ir/edit.hpp, which keep layout and uses
// consistent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shardprop/ir/attributes.hpp"
#include "shardprop/ir/known_names.hpp"
#include "shardprop/ir/lineage.hpp"
#include "shardprop/ir/locations.hpp"
#include "shardprop/ir/types.hpp"
#include "shardprop/ir/value_name.hpp"
#include "shardprop/sharding/mesh.hpp"
#include "shardprop/sharding/op_sharding_rule.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"
#include "shardprop/support/id.hpp"
#include "shardprop/support/inline.hpp"
#include "shardprop/support/string_table.hpp"

namespace shardprop {

struct OpTag;
struct ValueTag;
struct BlockTag;
struct FuncTag;
struct UseTag;
using OpId = Id<OpTag>;
using ValueId = Id<ValueTag>;
using BlockId = Id<BlockTag>;
using FuncId = Id<FuncTag>;
using UseId = Id<UseTag>;

struct Operation {
  StringId name;      // stablehlo.add
  AttrId attributes;  // a dictionary, or none
  RuleId rule;        // given by the user or kept by propagation; none: the operation table decides
  UseId first_operand;  // operand slots are consecutive
  std::uint32_t operand_count = 0;
  ValueId first_result;  // results are consecutive
  std::uint32_t result_count = 0;
  BlockId first_block;  // one per region, linked by `next_sibling`
};

// Where an operation is. An erased operation is in no block.
struct OpLayout {
  BlockId block;
  OpId prev;
  OpId next;
};

// An operand slot: `value` at operand number `slot - first_operand` of `user`.
struct Use {
  ValueId value;
  OpId user;
  UseId prev;
  UseId next;
};

// A result of an operation or an argument of a block.
struct Value {
  TypeId type;
  std::uint32_t owner = OpId::kNone;  // an OpId or a BlockId
  std::uint32_t number : 31 = 0;      // of the result or the argument
  std::uint32_t is_argument : 1 = 0;
  UseId first_use;
};

// One block, the only one of its region. Its parent is an operation or, for a body, a function.
struct Block {
  OpId first_op;
  OpId last_op;
  IdRange<ValueId> arguments;
  OpId parent_op;
  FuncId parent_func;
  BlockId next_sibling;
};

struct FuncResult {
  TypeId type;
  ShardingId sharding;
  AttrId attributes;
};

struct Function {
  StringId name;
  bool is_private = false;
  BlockId body;
  AttrId attributes;
  std::vector<FuncResult> results;
};

struct ModuleLocations {
  LocationTable table;
  LocationColumn<OpId> of_op;
  LocationColumn<ValueId> of_value;  // of arguments of functions and blocks
  LocationColumn<FuncId> of_func;
  LocationColumn<MeshId> of_mesh;
  LocId of_module;
};

struct ModuleLineage {
  Originals<ValueId> of_value;
  Originals<OpId> of_op;
  Originals<BlockId> of_block;
  // For which operation a reshard or a collective was made, where `of_op` is on.
  std::unordered_map<OpId, OpId> needed_by;

  void note_need(OpId made, OpId by) {
    if (!of_op.is_on()) return;
    const auto of_other = needed_by.find(by);  // a collective that was made of another one
    needed_by[made] = of_other == needed_by.end() ? by : of_other->second;
  }
};

// A text that a module was read from and still needs: large constants stay where they were read, as
// slices of it, and are never copied. `text` lives as long as `owner`; without an owner, the caller
// who gave the text keeps it alive.
struct ModuleSource {
  std::shared_ptr<const void> owner;
  std::string_view text;
};

struct Module {
  Module();
  Module(const Module& other);
  Module(Module&& other) noexcept;
  Module& operator=(const Module& other);
  Module& operator=(Module&& other) noexcept;
  ~Module();

  // What the ids below mean.
  StringTable strings = strings_with_known_names();
  TypeTable types;
  AttrTable attrs;
  MeshTable meshes;
  ShardingTable shardings;
  RuleTable rules;

  // Data.
  IdVector<OpId, Operation> ops;
  IdVector<ValueId, Value> values;
  IdVector<ValueId, ShardingId> value_shardings;  // none: no sharding
  IdTable<ValueId, ValueName> value_names;
  IdVector<BlockId, Block> blocks;
  IdTable<FuncId, Function> funcs;
  AttrId attributes;  // of the module, a dictionary or none

  // Layout and uses.
  IdVector<OpId, OpLayout> layout;
  IdVector<UseId, Use> uses;
  std::vector<FuncId> func_order;

  // Attributes of single values (arguments of functions carry them); sparse.
  std::unordered_map<std::uint32_t, AttrId> value_attributes;

  // What only MLIR text has: locations (empty columns if none were read), attributes of meshes, the
  // texts that large constants are in, and the sections `{-# ... #-}`, each with its braces.
  ModuleLocations locations;
  std::unordered_map<std::uint32_t, AttrId> mesh_attributes;  // by MeshId; sparse
  std::vector<ModuleSource> sources;
  std::vector<SourceSlice> resources;

  // In copies that are mapped back to where they came from; `of_op` also where constants without
  // data were copied.
  ModuleLineage lineage;
};

// From here on `m` notes what rows that are made stand for.
inline void start_lineage(Module& m) {
  m.lineage.of_value.start(m.values.size());
  m.lineage.of_op.start(m.ops.size());
  m.lineage.of_block.start(m.blocks.size());
}

// The text of a slice; empty where the module has no such source.
inline std::string_view slice_text(const Module& m, const SourceSlice& slice) {
  if (slice.source >= m.sources.size()) return {};
  const std::string_view text = m.sources[slice.source].text;
  return slice.offset > text.size() ? std::string_view() : text.substr(slice.offset, slice.length);
}

// The functions below read an id that the module does not have as an operation, a value or a block
// without anything: no name, no operands, no type, no uses.

inline std::string_view op_name(const Module& m, OpId op) { return m.strings[m.ops.get(op).name]; }

inline IdRange<ValueId> results(const Module& m, OpId op) {
  const Operation& o = m.ops.get(op);
  return {o.first_result, o.result_count};
}
inline IdRange<UseId> operand_uses(const Module& m, OpId op) {
  const Operation& o = m.ops.get(op);
  return {o.first_operand, o.operand_count};
}
inline ValueId operand(const Module& m, OpId op, std::size_t i) {
  return m.uses.get(operand_uses(m, op)[i]).value;
}
inline ValueId result(const Module& m, OpId op, std::size_t i) { return results(m, op)[i]; }
// The operands of `op`, as a copy.
inline std::vector<ValueId> operands_of(const Module& m, OpId op) {
  std::vector<ValueId> values;
  values.reserve(m.ops.get(op).operand_count);
  for (UseId use : operand_uses(m, op)) values.push_back(m.uses.get(use).value);
  return values;
}

inline std::size_t operand_number(const Module& m, UseId use) {
  return use.index - m.ops.get(m.uses.get(use).user).first_operand.index;
}

// The operation that makes `value`, or none for a block argument.
inline OpId defining_op(const Module& m, ValueId value) {
  const Value& v = m.values.get(value);
  return v.is_argument ? OpId() : OpId(v.owner);
}
// The block of which `value` is an argument, or none for a result.
inline BlockId argument_block(const Module& m, ValueId value) {
  const Value& v = m.values.get(value);
  return v.is_argument ? BlockId(v.owner) : BlockId();
}

inline bool has_one_use(const Module& m, ValueId value) {
  const UseId first = m.values.get(value).first_use;
  return first.valid() && !m.uses.get(first).next.valid();
}
inline bool has_uses(const Module& m, ValueId value) {
  return m.values.get(value).first_use.valid();
}

// The operation in whose region `op` is, or none for an operation in the body of a function.
inline OpId parent_op(const Module& m, OpId op) {
  return m.blocks.get(m.layout.get(op).block).parent_op;
}
inline bool is_erased(const Module& m, OpId op) { return !m.layout.get(op).block.valid(); }

// The function that `block` belongs to. O(nesting depth).
inline FuncId enclosing_func(const Module& m, BlockId block) {
  while (m.blocks.get(block).parent_op.valid())
    block = m.layout.get(m.blocks.get(block).parent_op).block;
  return m.blocks.get(block).parent_func;
}

// The last operation of a block, which returns from it; none in an empty block.
inline OpId terminator(const Module& m, BlockId block) { return m.blocks.get(block).last_op; }

// The `i`-th block of an operation, or none.
inline BlockId block_of(const Module& m, OpId op, std::size_t i) {
  BlockId block = m.ops.get(op).first_block;
  while (i-- > 0 && block.valid()) block = m.blocks.get(block).next_sibling;
  return block;
}
inline std::size_t block_count(const Module& m, OpId op) {
  std::size_t count = 0;
  for (BlockId b = m.ops.get(op).first_block; b.valid(); b = m.blocks.get(b).next_sibling) ++count;
  return count;
}

inline TypeId type_of(const Module& m, ValueId value) { return m.values.get(value).type; }
template <class Values>
std::vector<TypeId> types_of(const Module& m, const Values& values) {
  std::vector<TypeId> types;
  types.reserve(values.size());
  for (ValueId value : values) types.push_back(type_of(m, value));
  return types;
}
inline std::span<const std::int64_t> shape_of(const Module& m, ValueId value) {
  return m.types.shape(m.values.get(value).type);
}
inline std::size_t rank_of(const Module& m, ValueId value) {
  return m.types.rank(m.values.get(value).type);
}
inline bool is_scalar(const Module& m, ValueId value) {
  return m.types.is_tensor(type_of(m, value)) && rank_of(m, value) == 0;
}

// The attribute `key` of `op`, or none.
inline AttrId attribute(const Module& m, OpId op, StringId key) {
  return m.attrs.find(m.ops.get(op).attributes, key);
}
inline AttrId attribute(const Module& m, OpId op, std::string_view key) {
  return attribute(m, op, m.strings.find(key));
}

// The text of a string, also of one with a type; empty for none and for anything else.
inline std::string_view text_of(const Module& m, AttrId attr) {
  const StringId text = m.attrs.string_or_none(m.attrs.plain(attr));
  return text.valid() ? m.strings[text] : std::string_view();
}

// Whether `attr` stands for data that was left out or that has no form in JSON.
inline bool is_unknown_data(const Module& m, AttrId attr) {
  return m.attrs.find(attr, key::kElided).valid() || m.attrs.find(attr, key::kOpaque).valid();
}

// The mesh that all `shardings` have in common, or none. A value without a sharding does not count.
// Meshes of equal content are the same; an empty mesh fits any other.
inline MeshId common_mesh(const Module& m, std::span<const ShardingId> shardings) {
  MeshId common;
  for (ShardingId id : shardings) {
    if (!id.valid()) continue;
    const MeshId mesh = m.shardings[id].mesh;
    if (!common.valid() || m.meshes[common].is_empty()) {
      common = mesh;
    } else if (!m.meshes[mesh].is_empty() && m.meshes.content(mesh) != m.meshes.content(common)) {
      return MeshId();
    }
  }
  return common;
}

// The first mesh that has a name and axes, or none.
inline MeshId global_mesh(const Module& m) {
  for (MeshId id : m.meshes.ids()) {
    if (!m.meshes[id].name.empty() && !m.meshes[id].axes.empty()) return id;
  }
  return MeshId();
}

// The function called `name`, or none. O(number of functions).
inline FuncId find_func(const Module& m, std::string_view name) {
  const StringId id = m.strings.find(name);
  if (!id.valid()) return FuncId();
  for (FuncId f : m.func_order) {
    if (m.funcs[f].name == id) return f;
  }
  return FuncId();
}

}  // namespace shardprop

#ifndef SHARDPROP_COMPILED
#include "shardprop/ir/module_inl.hpp"
#endif
