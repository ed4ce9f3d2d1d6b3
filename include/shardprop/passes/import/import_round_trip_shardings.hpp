// Pass `import-round-trip-shardings`: reads the shardings from the strings in which a program
// carried them through HLO, which has no sdy dialect.
//
// Such a program has its shardings, as text, in `mhlo.frontend_attributes`: of the module
// `xla.sdy.meshes = "{mesh = #sdy.mesh<["x"=2]>}"`, of arguments and results of functions
// `xla.sdy.sharding = "#sdy.sharding<@mesh, [{"x"}]>"`, of operations the same with
// `#sdy.sharding_per_value<[...]>`, and `xla.sdy.sharding_rule`. Two custom calls carry one for a
// value: `@Sharding`, which is a sharding constraint, and `@xla.sdy.FuncResultSharding` (also with
// `local_` in front), which is the sharding of the result of the function that returns it.
//
// The strings that were read are removed, the rest of the attributes stays. Manual computations
// (`@xla.sdy.GlobalToLocalShape` and the like) stay as they are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/stablehlo/custom_call_rules.hpp"
#include "shardprop/sharding/mesh_text.hpp"
#include "shardprop/sharding/rule_text.hpp"
#include "shardprop/sharding/sharding_text.hpp"
#include "shardprop/sharding/verify_sharding.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

inline constexpr std::string_view kRoundTripMeshes = "xla.sdy.meshes";
inline constexpr std::string_view kRoundTripSharding = "xla.sdy.sharding";
inline constexpr std::string_view kRoundTripRule = "xla.sdy.sharding_rule";

// The string under `key` of the frontend attributes in `dict`; empty if there is none.
inline std::string_view frontend_string(const Module& m, AttrId dict, std::string_view key) {
  const AttrId all = m.attrs.find(dict, key::kFrontendAttributes);
  if (m.attrs.kind(all) != AttrKind::kDict) return {};
  return text_of(m, m.attrs.find(all, m.strings.find(key)));
}

// `dict` without `key` among its frontend attributes, and without these if none is left.
inline AttrId without_frontend(Module& m, AttrId dict, std::string_view key) {
  const AttrId all = m.attrs.find(dict, key::kFrontendAttributes);
  return m.attrs.with(dict, key::kFrontendAttributes,
                      m.attrs.with(all, m.strings.find(key), AttrId()));
}

// The parts of `<...>, <...>` between the brackets of `#sdy.sharding_per_value<[...]>`; nothing if
// the text does not have that form.
inline std::vector<std::string> sharding_texts(std::string_view text) {
  constexpr std::string_view kOpen = "#sdy.sharding_per_value<[";
  constexpr std::string_view kClose = "]>";
  if (!text.starts_with(kOpen) || !text.ends_with(kClose)) return {};
  text = text.substr(kOpen.size(), text.size() - kOpen.size() - kClose.size());
  std::vector<std::string> parts;
  std::size_t open = 0;
  bool quoted = false;
  for (char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted && c == '<' && open++ == 0) parts.emplace_back();
    if (open > 0) parts.back() += c;
    if (!quoted && c == '>' && open > 0) --open;
  }
  return parts;
}

// Reads all strings first, so that nothing changes if one of them cannot be read.
class RoundTripImport {
 public:
  explicit RoundTripImport(Module& m) : m_(m), meshes_(m.meshes) {}

  Result<bool> run() {
    read_meshes();
    for (FuncId func : m_.func_order) read_func(func);
    if (!errors_.empty()) return std::move(errors_);
    const bool has_meshes = meshes_.size() != m_.meshes.size();
    if (!has_meshes && found_.empty() && rules_.empty()) return false;
    m_.meshes = std::move(meshes_);
    if (has_meshes) m_.attributes = without_frontend(m_, m_.attributes, kRoundTripMeshes);
    for (const Found& found : found_) apply(found);
    for (const auto& [op, rule] : rules_) {
      m_.ops[op].rule = m_.rules.intern(rule);
      m_.ops[op].attributes = without_frontend(m_, m_.ops[op].attributes, kRoundTripRule);
    }
    return true;
  }

 private:
  // Shardings that were read, of an argument, of a result of a function, or of the results of an
  // operation.
  struct Found {
    ValueId argument;
    FuncId func;
    std::size_t result = 0;
    OpId op;
    std::vector<TensorSharding> shardings;
  };

  void read_meshes() {
    const std::string text(frontend_string(m_, m_.attributes, kRoundTripMeshes));
    if (text.empty()) return;
    TextScanner in(text, "round_trip.syntax", R"(write meshes as {mesh = #sdy.mesh<["x"=2]>})");
    bool read = in.expect("{");
    do {
      Mesh mesh;
      if (!read || in.next_is("}")) break;
      read = in.next_is("\"") ? in.string(mesh.name) : !(mesh.name = in.word()).empty();
      if (mesh.name.empty()) read = in.fail("the name of a mesh");
      read = read && in.expect("=") && in.expect("#sdy.mesh") && scan_mesh(in, mesh);
      if (!read || !in.errors().empty()) break;
      if (meshes_.find(mesh.name).valid()) {
        in.fail(fmt::format("another name than {}, which is a mesh already", mesh.name));
        break;
      }
      meshes_.add(std::move(mesh));
    } while (in.accept(","));
    if (read && in.errors().empty() && in.expect("}")) in.expect_end();
    take(in.errors(), Place());
  }

  void read_func(FuncId func) {
    Place place;
    place.function = std::string(m_.strings[m_.funcs[func].name]);
    for (ValueId value : m_.blocks[m_.funcs[func].body].arguments) {
      const auto at = m_.value_attributes.find(value.index);
      if (at == m_.value_attributes.end()) continue;
      const std::string text(frontend_string(m_, at->second, kRoundTripSharding));
      Found found;
      found.argument = value;
      if (!text.empty() && read_one(text, type_of(m_, value), place_of_value(m_, value), found))
        found_.push_back(std::move(found));
    }
    for (std::size_t i = 0; i < m_.funcs[func].results.size(); ++i) {
      const FuncResult& result = m_.funcs[func].results[i];
      const std::string text(frontend_string(m_, result.attributes, kRoundTripSharding));
      Found found;
      found.func = func;
      found.result = i;
      if (!text.empty() && read_one(text, result.type, place, found))
        found_.push_back(std::move(found));
    }
    walk_block(m_, m_.funcs[func].body, [&](OpId op) { read_op(op); });
  }

  void read_op(OpId op) {
    const AttrId dict = m_.ops[op].attributes;
    if (const std::string rule(frontend_string(m_, dict, kRoundTripRule)); !rule.empty()) {
      Result<OpShardingRule> read = parse_rule(rule);
      if (read) {
        rules_.emplace_back(op, std::move(*read));
      } else {
        take(read.errors(), place_of(m_, op));
      }
    }
    const std::string text(frontend_string(m_, dict, kRoundTripSharding));
    if (text.empty()) return;
    const std::vector<std::string> parts = sharding_texts(text);
    if (parts.size() != m_.ops[op].result_count) {
      errors_.push_back({"round_trip.results",
                         fmt::format("{} shardings for {} results: {}", parts.size(),
                                     m_.ops[op].result_count, text),
                         "write #sdy.sharding_per_value<[...]> with a sharding for each result",
                         place_of(m_, op)});
      return;
    }
    Found found;
    found.op = op;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const ValueId value = result(m_, op, i);
      if (!read_one(parts[i], type_of(m_, value), place_of(m_, op), found)) return;
    }
    found_.push_back(std::move(found));
  }

  bool read_one(std::string_view text, TypeId type, const Place& place, Found& found) {
    Result<TensorSharding> read = parse_sharding(text, meshes_);
    if (!read) return take(read.errors(), place);
    const ShardedShape shape = sharded_shape(type);
    Diagnostics wrong;
    verify_sharding(*read, meshes_, shape, place, wrong);
    if (has_errors(wrong)) return take(wrong, place);
    found.shardings.push_back(std::move(*read));
    return true;
  }

  ShardedShape sharded_shape(TypeId type) const {
    ShardedShape shape;
    shape.is_tensor = m_.types.is_tensor(type);
    shape.shape = m_.types.shape(type);
    return shape;
  }

  bool take(const Diagnostics& all, const Place& place) {
    for (Diagnostic d : all) {
      d.place = place;
      errors_.push_back(std::move(d));
    }
    return false;
  }

  void apply(const Found& found) {
    if (found.op.valid()) return apply_to_op(found);
    const ShardingId sharding = m_.shardings.intern(found.shardings[0]);
    if (found.argument.valid()) {
      AttrId& dict = m_.value_attributes[found.argument.index];
      dict = without_frontend(m_, dict, kRoundTripSharding);
      if (!dict.valid()) m_.value_attributes.erase(found.argument.index);
      m_.value_shardings[found.argument] = sharding;
      return;
    }
    FuncResult& to = m_.funcs[found.func].results[found.result];
    to.sharding = sharding;
    to.attributes = without_frontend(m_, to.attributes, kRoundTripSharding);
  }

  void apply_to_op(const Found& found) {
    const OpId op = found.op;
    m_.ops[op].attributes = without_frontend(m_, m_.ops[op].attributes, kRoundTripSharding);
    for (std::size_t i = 0; i < found.shardings.size(); ++i) {
      m_.value_shardings[result(m_, op, i)] = m_.shardings.intern(found.shardings[i]);
    }
    if (is_func_result(op)) return return_with(op);
    if (is_sharding_call(m_, op)) replace_by_constraint(m_, op);
  }

  bool is_func_result(OpId op) const {
    return m_.ops[op].name == known::kCustomCall &&
           custom_call_target(m_, op).ends_with("xla.sdy.FuncResultSharding") &&
           m_.ops[op].operand_count == 1 && m_.ops[op].result_count == 1;
  }

  // Gives the sharding of `op` to the results of the function that it makes, and erases `op`.
  void return_with(OpId op) {
    const ValueId value = result(m_, op, 0);
    const FuncId func = enclosing_func(m_, m_.layout[op].block);
    const OpId end = terminator(m_, m_.funcs[func].body);
    for (UseId use = m_.values[value].first_use; use.valid(); use = m_.uses[use].next) {
      const std::size_t number = operand_number(m_, use);
      if (m_.uses[use].user == end && number < m_.funcs[func].results.size())
        m_.funcs[func].results[number].sharding = m_.value_shardings[value];
    }
    replace_uses(m_, value, operand(m_, op, 0));
    erase_op(m_, op);
  }

  Module& m_;
  MeshTable meshes_;
  std::vector<Found> found_;
  std::vector<std::pair<OpId, OpShardingRule>> rules_;
  Diagnostics errors_;
};

}  // namespace detail

// Whether the module has shardings in strings and no others: then they are to be imported.
inline bool has_only_round_trip_shardings(const Module& m) {
  if (detail::frontend_string(m, m.attributes, detail::kRoundTripMeshes).empty()) return false;
  for (ShardingId sharding : m.value_shardings) {
    if (sharding.valid()) return false;
  }
  return true;
}

// True if there was anything to import. Errors, with function and operation: `round_trip.syntax`,
// `round_trip.results`, and those of meshes, shardings and rules.
inline Result<bool> import_round_trip_shardings(Module& m) {
  return detail::RoundTripImport(m).run();
}

}  // namespace shardprop
