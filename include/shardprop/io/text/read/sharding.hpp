// Shardings, sharding rules and meshes inside of MLIR text, by the readers of sharding/.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "shardprop/io/text/read/context.hpp"
#include "shardprop/sharding/mesh_text.hpp"
#include "shardprop/sharding/rule_text.hpp"
#include "shardprop/sharding/sharding_text.hpp"

namespace shardprop::detail {

// Passes brackets that are closed, and what is in them; empty after an error.
inline std::string_view take_brackets(TextReadContext& c, std::string_view what) {
  const char* const at = c.in.here();
  if (!c.in.skip_brackets(depth_left(c))) {
    fail_expected(c, what, "each bracket must be closed");
    return {};
  }
  return c.in.since(at);
}

// Takes over the errors of a reader of sharding/ that read `text`: their places count from there.
inline bool take_inner_errors(TextReadContext& c, std::string_view text, const Diagnostics& all) {
  for (const Diagnostic& d : all) {
    const char* at = text.data();
    for (std::uint32_t line = 1; line < d.place.line; ++line) {
      const void* const end =
          std::memchr(at, '\n', text.size() - static_cast<std::size_t>(at - text.data()));
      if (end == nullptr) break;
      at = static_cast<const char*>(end) + 1;
    }
    if (d.place.column > 1) at = std::min(at + (d.place.column - 1), text.data() + text.size());
    note_error(c, at, d.code, d.message, d.hint);
  }
  return false;
}

// Whether reading may go on after these errors: none of them is of syntax.
inline bool may_go_on(const Diagnostics& all) {
  return std::ranges::none_of(all, [](const Diagnostic& d) { return d.code.ends_with(".syntax"); });
}

// The name and the content of a mesh, after `sdy.mesh`: `@name = <["x"=4]>`.
inline bool read_mesh_content(TextReadContext& c, Mesh& out) {
  StringId name;
  if (!read_symbol(c, name) || !expect(c, '=')) return false;
  c.in.accept("#sdy.mesh");
  if (c.in.peek() != '<') return fail_expected(c, "a mesh, such as <[\"x\"=4]>");
  const std::string_view text = take_brackets(c, "a mesh, such as <[\"x\"=4]>");
  if (text.empty()) return false;
  Result<Mesh> mesh = parse_mesh(text);
  if (!mesh) return take_inner_errors(c, text, mesh.errors());
  out = *std::move(mesh);
  out.name = std::string(c.m.strings[name]);
  return true;
}

// Adds the meshes that are defined later in the text: a mesh may follow its first use. Done
// once, and only if a mesh is not known. O(text).
inline void declare_meshes_ahead(TextReadContext& c) {
  constexpr std::string_view kName = "sdy.mesh @";
  const std::string_view text = c.in.text();
  const char* const back = c.in.raw();
  c.meshes_are_ahead = true;
  for (std::size_t at = text.find(kName, c.in.offset_of(back)); at != std::string_view::npos;
       at = text.find(kName, at + 1)) {
    const std::size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    if (!trimmed(text.substr(line, at - line)).empty()) continue;  // in a comment
    c.in.go_to(text.data() + at + kName.size() - 1);
    const std::size_t errors = c.out.size();
    const std::size_t count = c.error_count;
    Mesh mesh;
    const bool read = read_mesh_content(c, mesh);
    c.out.resize(errors);  // they are found again where the mesh is read
    c.error_count = count;
    if (read && !c.m.meshes.find(mesh.name).valid()) c.m.meshes.add(std::move(mesh));
  }
  c.in.go_to(back);
}

// `<@mesh, [{"x"}, {}]>`, also with `#sdy.sharding` in front. Errors are those of `parse_sharding`,
// at their places.
inline bool read_sharding_body(TextReadContext& c, ShardingId& out) {
  c.in.accept("#sdy.sharding");
  if (c.in.peek() != '<') return fail_expected(c, "a sharding, such as <@mesh, [{\"x\"}, {}]>");
  const std::string_view text = take_brackets(c, "a sharding, such as <@mesh, [{\"x\"}, {}]>");
  if (text.empty()) return false;
  const std::uint64_t hash = hash_text(text);
  if (const ShardingId* const known = c.shardings.find(text, hash)) {
    out = *known;
    return true;
  }
  Result<TensorSharding> sharding = parse_sharding(text, c.m.meshes);
  if (!sharding && !c.meshes_are_ahead &&
      sharding.errors().front().code == "sharding.unknown_mesh") {
    declare_meshes_ahead(c);
    sharding = parse_sharding(text, c.m.meshes);
  }
  if (!sharding) {
    // A name that is unknown leaves the value without a sharding: there may be more to tell.
    take_inner_errors(c, text, sharding.errors());
    return may_go_on(sharding.errors());
  }
  out = c.m.shardings.intern(*sharding);
  c.shardings.add(text, hash, out);
  return true;
}

// `[<@mesh, [...]>, <@mesh, [...]>]` as a list of shardings.
inline bool read_sharding_list(TextReadContext& c, AttrId& out) {
  const auto read_item = [](TextReadContext& in, AttrId& item) {
    ShardingId sharding;
    if (!read_sharding_body(in, sharding)) return false;
    item = in.m.attrs.sharding(sharding);
    return true;
  };
  return read_attribute_list(c, read_item, out);
}

// Checks that `sharding` suits a value of `type`; `at` is where it is said. Errors of meaning:
// reading may go on.
inline void check_sharding(TextReadContext& c, ShardingId sharding, TypeId type, const char* at) {
  take_errors(c, at, c.sharding_check.errors(c.m, sharding, type));
}

// The rule that `text` says: `#sdy.op_sharding_rule<([i])->([i]) {i=8}>`; `at` is where its
// operation stands.
inline bool read_rule(TextReadContext& c, StringId text, const char* at, RuleId& out) {
  c.rules.resize(c.m.strings.size());
  RuleId& known = c.rules[text.index];
  if (!known.valid()) {
    const Result<OpShardingRule> rule = parse_rule(c.m.strings[text]);
    if (!rule) return take_errors(c, at, rule.errors());
    known = c.m.rules.intern(*rule);
  }
  out = known;
  return true;
}

}  // namespace shardprop::detail
