// Functions and modules in MLIR text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "shardprop/io/text/write/attribute.hpp"
#include "shardprop/io/text/write/context.hpp"
#include "shardprop/io/text/write/op.hpp"
#include "shardprop/support/text_list.hpp"

namespace shardprop::detail {

// Writes the definitions of location aliases, each after those that it names.
class AliasWriter {
 public:
  explicit AliasWriter(TextWriteContext& c)
      : c_(c), table_(c.m.locations.table), written_(table_.size(), 0) {}

  void run() {
    for (LocId id : table_.ids()) {
      if (table_.is_alias(id)) write_with_needed(id);
    }
  }

 private:
  struct Pending {
    LocId id;
    std::size_t at;  // up to where its text was searched for aliases
  };

  void write_with_needed(LocId first) {
    std::vector<Pending> open;
    begin(first, open);
    while (!open.empty()) {
      const LocId needed = next_alias(open.back());
      if (needed.valid()) {
        begin(needed, open);
        continue;
      }
      const LocId id = open.back().id;
      open.pop_back();
      c_.out.append("#").append(table_.text(id)).append(" = loc(");
      c_.out.append(table_.definition(id)).append(")\n");
    }
  }

  void begin(LocId id, std::vector<Pending>& open) {
    if (written_[id.index] != 0 || !table_.is_defined(id)) return;
    written_[id.index] = 1;
    open.push_back({id, 0});
  }

  // The next alias that the definition of `pending` names, outside of strings.
  LocId next_alias(Pending& pending) const {
    const std::string_view text = table_.definition(pending.id);
    bool quoted = false;
    for (std::size_t& i = pending.at; i < text.size(); ++i) {
      if (text[i] == '\\') {
        ++i;
      } else if (text[i] == '"') {
        quoted = !quoted;
      } else if (text[i] == '#' && !quoted) {
        std::size_t end = i + 1;
        while (end < text.size() && (is_word_char(text[end]) || text[end] == '-')) ++end;
        const LocId found = table_.find_alias(text.substr(i + 1, end - i - 1));
        i = end;
        if (found.valid()) return found;
      }
    }
    return LocId();
  }

  TextWriteContext& c_;
  const LocationTable& table_;
  std::vector<std::uint8_t> written_;
};

// `%arg0: tensor<8xf32> {jax.buffer_donor = true} loc(...)`; of a function without a body the type
// without a name.
inline void write_func_argument(TextWriteContext& c, ValueId value, bool is_declared) {
  if (!is_declared) {
    write_value(c, value);
    c.out.append(": ");
  }
  write_type(c, type_of(c.m, value));
  const auto found = c.m.value_attributes.find(value.index);
  write_value_attributes(c, c.m.value_shardings[value],
                         found == c.m.value_attributes.end() ? AttrId() : found->second);
  write_location(c, c.m.locations.of_value[value]);
}

inline void write_func_results(TextWriteContext& c, const Function& func) {
  if (func.results.empty()) return;
  c.out.append(" -> ");
  const std::size_t begin = c.out.size();
  bool plain = func.results.size() == 1;
  append_list(c.out, func.results, [&](const FuncResult& result) {
    write_type(c, result.type);
    plain = plain && !result.sharding.valid() && !result.attributes.valid();
    write_value_attributes(c, result.sharding, result.attributes);
  });
  if (plain && c.out[begin] != '(') return;
  c.out.insert(begin, 1, '(');
  c.out += ')';
}

inline void write_func_signature(TextWriteContext& c, const Function& func, bool is_declared) {
  write_line_start(c);
  c.out.append(func.is_private ? "func.func private " : "func.func ");
  write_symbol(c, c.m.strings[func.name]);
  c.out += '(';
  append_list(c.out, c.m.blocks[func.body].arguments,
              [&](ValueId value) { write_func_argument(c, value, is_declared); });
  c.out += ')';
  write_func_results(c, func);
  if (!func.attributes.valid()) return;
  c.out.append(" attributes");
  write_value_attributes(c, ShardingId(), func.attributes);
}

// A function whose body has no operations is a declaration.
inline void write_func(TextWriteContext& c, FuncId id) {
  const Function& func = c.m.funcs[id];
  const bool is_declared = !c.m.blocks[func.body].first_op.valid();
  c.names.enter(id);
  write_func_signature(c, func, is_declared);
  if (!is_declared) {
    c.out.append(" {\n");
    c.in_func_body = true;
    write_ops(c, func.body);
    c.in_func_body = false;
    write_line_start(c);
    c.out += '}';
  }
  write_location(c, c.m.locations.of_func[id]);
  c.out += '\n';
  flush(c);
}

inline void write_generic_mesh(TextWriteContext& c, const Mesh& mesh) {
  c.out.append("\"sdy.mesh\"() <{mesh = #sdy.mesh");
  write_mesh(c, mesh);
  c.out.append(", sym_name = ");
  write_string(c, mesh.name);
  c.out.append("}>");
}

inline void write_meshes(TextWriteContext& c) {
  for (MeshId id : c.m.meshes.ids()) {
    const Mesh& mesh = c.m.meshes[id];
    if (mesh.name.empty()) continue;
    write_line_start(c);
    if (c.options.generic) {
      write_generic_mesh(c, mesh);
    } else {
      c.out.append("sdy.mesh ");
      write_symbol(c, mesh.name);
      c.out.append(" = ");
      write_mesh(c, mesh);
    }
    if (const auto at = c.m.mesh_attributes.find(id.index); at != c.m.mesh_attributes.end())
      write_value_attributes(c, ShardingId(), at->second);
    if (c.options.generic) c.out.append(" : () -> ()");
    write_location(c, c.m.locations.of_mesh[id]);
    c.out += '\n';
  }
}

// `module @name attributes {...}`; the name is the attribute `sym_name`.
inline void write_module_head(TextWriteContext& c) {
  c.out.append("module");
  const AttrId dict = c.m.attributes;
  if (!dict.valid()) return;
  const AttrId name = c.m.attrs.find(dict, c.m.strings.find("sym_name"));
  const bool is_symbol = c.m.attrs.kind(name) == AttrKind::kString;
  if (is_symbol) {
    c.out += ' ';
    write_symbol(c, c.m.strings[c.m.attrs.as_string(name)]);
  }
  bool first = true;
  for (const AttrEntry& entry : c.m.attrs.entries(dict)) {
    if (is_symbol && entry.value == name && c.m.strings[entry.key] == "sym_name") continue;
    c.out.append(first ? " attributes {" : ", ");
    first = false;
    write_entry(c, entry);
  }
  if (!first) c.out += '}';
}

inline void write_module(TextWriteContext& c) {
  if (c.options.locations) AliasWriter(c).run();
  write_module_head(c);
  c.out.append(" {\n");
  ++c.indent;
  write_meshes(c);
  for (FuncId func : c.m.func_order) write_func(c, func);
  --c.indent;
  c.out += '}';
  write_location(c, c.m.locations.of_module);
  c.out += '\n';
  for (const SourceSlice& slice : c.m.resources) {
    c.out.append("\n").append(slice_text(c.m, slice)).append("\n");
    flush(c);
  }
  flush(c);
}

}  // namespace shardprop::detail
