// Meshes, shardings and sharding rules as attributes of MLIR text.
#pragma once

#include <cstddef>

#include "shardprop/io/common/sdy_attributes.hpp"
#include "shardprop/io/text/write/context.hpp"
#include "shardprop/io/text/write/type.hpp"
#include "shardprop/sharding/mesh_text.hpp"
#include "shardprop/sharding/rule_text.hpp"
#include "shardprop/sharding/sharding_text.hpp"
#include "shardprop/support/text_list.hpp"

namespace shardprop::detail {

inline void write_mesh(TextWriteContext& c, const Mesh& mesh) { c.out.append(to_string(mesh)); }

inline void write_sharding(TextWriteContext& c, ShardingId sharding) {
  c.shardings.append(c.out, sharding,
                     [&] { c.out.append(to_string(c.m.shardings[sharding], c.m.meshes)); });
}

// `#sdy.sharding<@mesh, [{"x"}]>`
inline void write_sharding_attribute(TextWriteContext& c, ShardingId sharding) {
  c.out.append("#sdy.sharding");
  write_sharding(c, sharding);
}

// `#sdy.op_sharding_rule<([i])->([i]) {i=8}>`
inline void write_rule_attribute(TextWriteContext& c, RuleId rule) {
  c.out.append("#sdy.op_sharding_rule<").append(to_string(c.m.rules[rule])) += '>';
}

// `<@mesh, [{?}, {?}]>`: what a result without a sharding has where another result has one, since
// the notation has no gaps. It means the same as none.
inline void write_open_sharding(TextWriteContext& c, MeshId mesh, std::size_t rank) {
  c.out.append(to_string(open_sharding(mesh, rank), c.m.meshes));
}

// Whether the shardings of the results of `op` are an attribute `sdy.sharding` of it.
inline bool has_result_shardings(const Module& m, OpId op) {
  const bool has_own = !result_sharding_attribute(m.ops[op].name).empty();
  if (has_own && m.ops[op].result_count == 1) return false;
  for (ValueId value : results(m, op)) {
    if (m.value_shardings[value].valid()) return true;
  }
  return false;
}

// `#sdy.sharding_per_value<[<@mesh, [{"x"}]>, ...]>` of the results.
inline void write_result_shardings(TextWriteContext& c, OpId op) {
  MeshId mesh;
  for (ValueId value : results(c.m, op)) {
    const ShardingId id = c.m.value_shardings[value];
    if (id.valid() && !mesh.valid()) mesh = c.m.shardings[id].mesh;
  }
  c.out.append("#sdy.sharding_per_value<[");
  append_list(c.out, results(c.m, op), [&](ValueId value) {
    const ShardingId id = c.m.value_shardings[value];
    id.valid() ? write_sharding(c, id) : write_open_sharding(c, mesh, rank_of(c.m, value));
  });
  c.out.append("]>");
}

// `[<@mesh, ...>, <@mesh, ...>]` of a list of shardings; false, and nothing appended, if `list` is
// none.
inline bool write_sharding_list(TextWriteContext& c, AttrId list) {
  if (c.m.attrs.kind(list) == AttrKind::kInts && c.m.attrs.as_ints(list).empty()) {
    c.out.append("[]");
    return true;
  }
  if (c.m.attrs.kind(list) != AttrKind::kList) return false;
  const auto items = c.m.attrs.items(list);
  for (AttrId item : items) {
    if (c.m.attrs.kind(item) != AttrKind::kSharding) return false;
  }
  c.out += '[';
  append_list(c.out, items, [&](AttrId item) { write_sharding(c, c.m.attrs.as_sharding(item)); });
  c.out += ']';
  return true;
}

}  // namespace shardprop::detail
