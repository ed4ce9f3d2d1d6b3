// The module and what stands around it: aliases, meshes, functions, resources.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "fmt/core.h"
#include "shardprop/io/text/read/attribute.hpp"
#include "shardprop/io/text/read/context.hpp"
#include "shardprop/io/text/read/func.hpp"
#include "shardprop/io/text/read/location.hpp"
#include "shardprop/io/text/read/sharding.hpp"

namespace shardprop::detail {

// --- meshes ---

inline bool add_mesh(TextReadContext& c, Mesh mesh, AttrId attributes, const char* at) {
  MeshId id = c.m.meshes.find(mesh.name);
  c.mesh_defined.resize(c.m.meshes.size(), 0);
  if (id.valid() && c.mesh_defined[id.index]) {
    return fail(c, at, "text.duplicate_mesh", fmt::format("two meshes are called {}", mesh.name),
                "give each mesh a name of its own");
  }
  if (!id.valid()) id = c.m.meshes.add(std::move(mesh));
  c.mesh_defined.resize(c.m.meshes.size(), 0);
  c.mesh_defined[id.index] = 1;
  if (attributes.valid() && !c.m.attrs.entries(attributes).empty())
    c.m.mesh_attributes[id.index] = attributes;
  LocId location;
  if (!read_optional_location(c, location)) return false;
  if (location.valid()) c.m.locations.of_mesh.set(id, location);
  return true;
}

// `@mesh = <["x"=4]> {...}`; `sdy.mesh` is read.
inline bool read_mesh(TextReadContext& c, const char* at) {
  Mesh mesh;
  AttrId attributes;
  if (!read_mesh_content(c, mesh)) return false;
  if (c.in.peek() == '{' && !read_dictionary(c, attributes)) return false;
  return add_mesh(c, std::move(mesh), attributes, at);
}

// `"sdy.mesh"() <{mesh = #sdy.mesh<...>, sym_name = "mesh"}> : () -> ()`; the name is read.
inline bool read_generic_mesh(TextReadContext& c, const char* at) {
  TextOp op;
  if (!expect(c, '(') || !expect(c, ')') || !read_properties(c, op) ||
      !read_optional_attributes(c, op.attributes))
    return false;
  std::string name;
  std::string content;
  TextAttributes rest;
  for (const AttrEntry& entry : op.attributes) {
    const std::string_view key = c.m.strings[entry.key];
    AttrId value = c.m.attrs.plain(entry.value);
    if (key == "mesh" && c.m.attrs.kind(value) == AttrKind::kDict)
      value = c.m.attrs.find(value, key::kOpaque);
    const bool is_text = c.m.attrs.kind(value) == AttrKind::kString;
    if ((key == "sym_name" || key == "mesh") && is_text) {
      (key == "mesh" ? content : name) = std::string(c.m.strings[c.m.attrs.as_string(value)]);
    } else {
      rest.push_back(entry);
    }
  }
  if (name.empty() || content.empty()) {
    return fail(c, at, "text.mesh", "a mesh has no name or no content",
                R"(write it as sdy.mesh @mesh = <["x"=4]>)");
  }
  if (!check_keys(c, at, rest)) return false;
  Result<Mesh> mesh = parse_mesh(content);
  if (!mesh) return take_errors(c, at, mesh.errors());
  mesh->name = name;
  if (!expect(c, ':') || !expect(c, '(') || !expect(c, ')') || !expect(c, "->") ||
      !expect(c, '(') || !expect(c, ')'))
    return false;
  return add_mesh(c, *std::move(mesh), c.m.attrs.dict({rest.data(), rest.size()}), at);
}

// --- what a module holds ---

inline bool refuse_module_op(TextReadContext& c, const char* at, std::string_view name) {
  const bool is_module = name == "module" || name == "builtin.module";
  return fail(c, at, "text.module_op",
              fmt::format("{} cannot stand in a module here", quoted(name)),
              is_module ? "only one module can be read; take the functions out of the inner one"
                        : "a module holds functions (func.func) and meshes (sdy.mesh)");
}

// One function or mesh.
inline bool read_module_op(TextReadContext& c) {
  const char* const at = c.in.here();
  c.op_name = StringId();
  c.func_name = StringId();
  if (c.in.peek() == '"') {
    StringId name;
    if (!read_string(c, name)) return false;
    if (c.m.strings[name] == "func.func") return read_generic_func(c, at);
    if (c.m.strings[name] == "sdy.mesh") return read_generic_mesh(c, at);
    return refuse_module_op(c, at, std::string(c.m.strings[name]));
  }
  const std::string_view word = c.in.word();
  if (word == "func.func" || word == "func") return read_func(c, at);
  if (word == "sdy.mesh") return read_mesh(c, at);
  if (word.empty()) return fail_expected(c, "a function, func.func, or a mesh, sdy.mesh");
  return refuse_module_op(c, at, word);
}

inline bool read_module_body(TextReadContext& c) {
  TextBlockArguments none;
  if (!expect(c, '{') || !read_label(c, none)) return false;
  while (!c.in.accept('}')) {
    if (c.in.at_end()) return fail_expected(c, "a function, a mesh or '}'");
    if (!read_module_op(c)) return false;
  }
  return true;
}

inline bool set_module_attributes(TextReadContext& c, const char* at,
                                  const TextAttributes& entries) {
  if (entries.empty()) return true;
  if (!check_keys(c, at, entries)) return false;
  c.m.attributes = plain_sdy_attributes(c, c.m.attrs.dict({entries.data(), entries.size()}));
  return true;
}

// `@name attributes {...} { ... } loc(...)`; `module` is read.
inline bool read_module(TextReadContext& c) {
  const char* const at = c.in.here();
  TextAttributes entries;
  if (c.in.peek() == '@') {
    StringId name;
    if (!read_symbol(c, name)) return false;
    entries.push_back({c.m.strings.intern("sym_name"), c.m.attrs.string(name)});
  }
  if (c.in.accept_word("attributes") && !read_optional_attributes(c, entries)) return false;
  return set_module_attributes(c, at, entries) && read_module_body(c) &&
         read_optional_location(c, c.m.locations.of_module);
}

// `"builtin.module"() <{sym_name = "m"}> ({ ... }) {...} : () -> ()`; the name is read.
inline bool read_generic_module(TextReadContext& c) {
  TextOp op;
  op.at = c.in.here();
  if (!expect(c, '(') || !expect(c, ')') || !read_properties(c, op)) return false;
  if (!expect(c, '(') || !read_module_body(c) || !expect(c, ')')) return false;
  if (!read_optional_attributes(c, op.attributes)) return false;
  if (!set_module_attributes(c, op.at, op.attributes)) return false;
  if (!expect(c, ':') || !expect(c, '(') || !expect(c, ')') || !expect(c, "->") ||
      !expect(c, '(') || !expect(c, ')'))
    return false;
  return read_optional_location(c, c.m.locations.of_module);
}

// --- what stands around it ---

// Notes an alias whose meaning, from `alias.at` on, was read.
inline void add_alias(TextReadContext& c, std::string_view name, TextAlias alias) {
  const std::string text = kept_text(c, trimmed(c.in.since(alias.at)), alias.at);
  alias.text = c.m.strings.intern(text);
  c.aliases.add(name, hash_text(name), alias);
}

// `#name = attribute`, `#name = loc(...)`, `!name = type`.
inline bool read_alias(TextReadContext& c) {
  const char* const at = c.in.here();
  const bool is_type = c.in.peek() == '!';
  c.in.advance();
  if (c.in.suffix().empty()) return fail_expected(c, "the name of an alias");
  const std::string_view name = c.in.since(at);
  const std::uint64_t hash = hash_text(name);
  if (!expect(c, '=')) return false;
  bool is_new = true;
  TextAlias alias;
  alias.at = c.in.here();
  if (is_type) {
    TypeId type;
    is_new = c.types.find(name, hash) == nullptr;
    if (is_new && !read_type(c, type)) return false;
    if (is_new) c.types.add(name, hash, type);
    if (is_new) add_alias(c, name, alias);
  } else if (c.in.accept_word("loc")) {
    const std::string_view text = read_location_text(c);
    if (text.empty()) return false;
    if (!c.options.keep_locations) return true;
    LocationTable& table = c.m.locations.table;
    std::string line;
    const std::string_view kept = kept_location(c, text, line);
    if (kept.empty()) return false;
    is_new = table.define(table.alias(name.substr(1)), kept);
  } else {
    is_new = c.aliases.find(name, hash) == nullptr;
    if (is_new && !read_attribute(c, alias.value)) return false;
    if (is_new) add_alias(c, name, alias);
  }
  return is_new || fail(c, at, "text.alias", fmt::format("{} is defined twice", name),
                        "give each alias a name of its own");
}

// `{-# ... #-}`, kept where it is.
inline bool read_resources(TextReadContext& c) {
  const char* const at = c.in.here();
  const std::string_view text = c.in.text();
  const std::size_t begin = c.in.offset_of(at);
  const std::size_t end = text.find("#-}", begin);
  if (end == std::string_view::npos)
    return fail(c, at, "text.syntax", "the resources, '{-#', are not closed",
                "close them with '#-}'");
  const std::string_view resources = text.substr(begin, end + 3 - begin);
  c.m.resources.push_back(keep_in_source(c, resources));
  c.in.go_to(resources.data() + resources.size());
  return true;
}

// The whole text.
inline bool read_text(TextReadContext& c) {
  bool has_module = false;
  while (!c.in.at_end()) {
    const char next = c.in.peek();
    const char* const at = c.in.here();
    if (next == '#' || next == '!') {
      if (!read_alias(c)) return false;
    } else if (c.in.next_is("{-#")) {
      if (!read_resources(c)) return false;
    } else if (c.in.accept_word("module") || c.in.accept_word("builtin.module")) {
      if (has_module || !c.m.func_order.empty()) return refuse_module_op(c, at, "module");
      has_module = true;
      if (!read_module(c)) return false;
    } else if (c.in.accept("\"builtin.module\"")) {
      if (has_module || !c.m.func_order.empty()) return refuse_module_op(c, at, "module");
      has_module = true;
      if (!read_generic_module(c)) return false;
    } else if (has_module) {
      return fail_expected(c, "the end of the text, or an alias");
    } else if (!read_module_op(c)) {
      return false;
    }
  }
  return true;
}

}  // namespace shardprop::detail
