// Helpers of the tests of MLIR text: comparing two modules without looking at ids or names.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shardprop/io/json/write_parts.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/sharding/rule_text.hpp"

namespace shardprop::test {

// What a module says, as a text: values by the number of their definition, shardings, attributes
// and types by what they mean, locations with what their aliases stand for. Two modules mean the
// same, with the same locations and the same data, if these texts are equal.
class ModuleMeaning {
 public:
  explicit ModuleMeaning(const Module& m) : m_(m), parts_(m, out_) {}

  std::string text() {
    for (MeshId mesh : m_.meshes.ids()) {
      if (m_.meshes[mesh].name.empty()) continue;
      out_ += "mesh " + m_.meshes[mesh].name + " ";
      detail::append_mesh_content(out_, m_.meshes[mesh]);
      const auto found = m_.mesh_attributes.find(mesh.index);
      if (found != m_.mesh_attributes.end()) attribute(found->second);
      location(m_.locations.of_mesh[mesh]);
    }
    attribute(m_.attributes);
    location(m_.locations.of_module);
    for (FuncId func : m_.func_order) function(func);
    for (const SourceSlice& slice : m_.resources) out_ += std::string(slice_text(m_, slice)) + "\n";
    return std::move(out_);
  }

 private:
  void location(LocId id) {
    if (id.valid()) {
      const LocationTable& table = m_.locations.table;
      const bool defined = table.is_alias(id) && table.is_defined(id);
      out_ += " at " + std::string(defined ? table.definition(id) : table.text(id));
    }
    out_ += '\n';
  }

  void attribute(AttrId id) {
    if (!id.valid()) return;
    if (m_.attrs.kind(id) == AttrKind::kData) {
      out_ += slice_text(m_, m_.attrs.as_data(id));
    } else if (m_.attrs.kind(id) == AttrKind::kTyped) {
      out_ += m_.strings[m_.attrs.typed_text(id)];
      parts_.attribute(m_.attrs.plain(id));
    } else if (m_.attrs.kind(id) == AttrKind::kDict) {
      dictionary(id);
    } else {
      parts_.attribute(id);
    }
  }

  // Sorted by key: order says nothing.
  void dictionary(AttrId id) {
    std::vector<AttrEntry> entries(m_.attrs.entries(id).begin(), m_.attrs.entries(id).end());
    std::sort(entries.begin(), entries.end(), [&](const AttrEntry& a, const AttrEntry& b) {
      return m_.strings[a.key] < m_.strings[b.key];
    });
    for (const AttrEntry& entry : entries) {
      out_ += " " + std::string(m_.strings[entry.key]) + "=";
      attribute(entry.value);
    }
  }

  void type(TypeId id) {
    if (!id.valid()) return;
    parts_.type(id);
    if (m_.types.encoding(id).valid()) out_ += m_.strings[m_.types.encoding(id)];
  }

  void define(ValueId value) {
    number_.emplace(value.index, number_.size());
    out_ += " %" + std::to_string(number_[value.index]) + ":";
    type(m_.values[value].type);
    if (m_.value_shardings[value].valid()) parts_.sharding(m_.value_shardings[value]);
    const auto found = m_.value_attributes.find(value.index);
    if (found != m_.value_attributes.end()) attribute(found->second);
    if (m_.locations.of_value[value].valid()) location(m_.locations.of_value[value]);
  }

  void function(FuncId id) {
    const Function& func = m_.funcs[id];
    out_ += func.is_private ? "private " : "";
    out_ += std::string(m_.strings[func.name]);
    attribute(func.attributes);
    for (const FuncResult& result : func.results) {
      type(result.type);
      if (result.sharding.valid()) parts_.sharding(result.sharding);
      attribute(result.attributes);
    }
    location(m_.locations.of_func[id]);
    block(func.body);
  }

  void block(BlockId id) {
    for (ValueId value : m_.blocks[id].arguments) define(value);
    out_ += "{\n";
    for (OpId op = m_.blocks[id].first_op; op.valid(); op = m_.layout[op].next) operation(op);
    out_ += "}\n";
  }

  void operation(OpId id) {
    out_ += std::string(op_name(m_, id));
    for (UseId use : operand_uses(m_, id))
      out_ += " %" + std::to_string(number_[m_.uses[use].value.index]);
    attribute(m_.ops[id].attributes);
    if (m_.ops[id].rule.valid()) out_ += to_string(m_.rules[m_.ops[id].rule]);
    for (BlockId b = m_.ops[id].first_block; b.valid(); b = m_.blocks[b].next_sibling) block(b);
    for (ValueId value : results(m_, id)) define(value);
    location(m_.locations.of_op[id]);
  }

  const Module& m_;
  std::string out_;
  detail::PartWriter parts_;
  std::unordered_map<std::uint32_t, std::size_t> number_;
};

inline std::string meaning_of(const Module& m) { return ModuleMeaning(m).text(); }

// The first line in which two texts differ, with the other one's; empty if they are equal.
inline std::string first_difference(std::string_view a, std::string_view b) {
  if (a == b) return {};
  std::size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  const std::size_t from = at < 60 ? 0 : at - 60;
  return std::string(a.substr(from, 200)) + "\n--- is not ---\n" + std::string(b.substr(from, 200));
}

}  // namespace shardprop::test
