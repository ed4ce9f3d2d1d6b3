// Constraints of custom_call and composite. The specification numbers none for custom_call: what is
// checked is that layouts, aliases and the configuration fit the call, under the names of these
// attributes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/infer_support.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/common/reducer_inputs.hpp"
#include "shardprop/ops/common/type_compatibility.hpp"
#include "shardprop/ops/common/type_text.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

namespace detail {

// The layout of one operand or result: a permutation of its dimensions; empty for what is not a
// tensor.
inline void check_layout(const VerifyInput& in, std::string_view what, TypeId type,
                         std::span<const std::int64_t> layout) {
  if (!in.m.types.is_tensor(type)) {
    if (layout.empty()) return;
    report(in, "layouts",
           fmt::format("{} is not a tensor but {} and must have the empty layout, found {}", what,
                       to_string(in.m, type), to_string(layout)));
    return;
  }
  const std::size_t rank = in.m.types.rank(type);
  if (layout.size() == rank && are_distinct_dims(layout, rank)) return;
  report(in, "layouts",
         fmt::format("the layout of {} must be a permutation of its {} dimensions, found {}", what,
                     rank, to_string(layout)));
}

inline void check_layouts(const VerifyInput& in) {
  AttributeReader reader(in);
  if (reader.has("operand_layouts") != reader.has("result_layouts")) {
    report(in, "layouts", "'operand_layouts' and 'result_layouts' must be given together",
           "give both or none");
    return;
  }
  if (!reader.has("operand_layouts")) return;
  const auto operands = reader.int_lists_or_empty("operand_layouts");
  const auto of_results = reader.int_lists_or_empty("result_layouts");
  if (!reader.ok()) return;
  const Operation& op = in.m.ops[in.op];
  const bool packed =
      op.result_count == 1 && !in.m.types.is_tensor(type_of(in.m, result(in.m, in.op, 0)));
  if (!check_size(in, "layouts", "'operand_layouts'", operands.size(), "the call has operands",
                  op.operand_count))
    return;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    check_layout(in, fmt::format("operand {}", i), operand_type(in.m, in.op, i), operands[i]);
  }
  // The layouts of a single tuple are those of its elements.
  if (packed || !check_size(in, "layouts", "'result_layouts'", of_results.size(),
                            "the call has results", op.result_count)) {
    return;
  }
  for (std::size_t i = 0; i < of_results.size(); ++i) {
    check_layout(in, fmt::format("result {}", i), type_of(in.m, result(in.m, in.op, i)),
                 of_results[i]);
  }
}

// The element of a tuple type that `path` leads to, as text; none where it leads out of the tuple.
inline std::optional<std::string> tuple_part(std::string type, std::span<const std::int64_t> path) {
  for (std::int64_t i : path) {
    const auto elements = types_inside(type, "tuple");
    if (!elements || i < 0 || static_cast<std::size_t>(i) >= elements->size()) return std::nullopt;
    type = std::string((*elements)[static_cast<std::size_t>(i)]);
  }
  return type;
}

inline void check_alias(const VerifyInput& in, AttrId alias) {
  const AttrTable& attrs = in.m.attrs;
  const auto ints = [&](std::string_view key) {
    const AttrId id = attrs.find(alias, in.m.strings.find(key));
    return attrs.kind(id) == AttrKind::kInts ? attrs.as_ints(id) : std::span<const std::int64_t>();
  };
  const AttrId index_id = attrs.find(alias, in.m.strings.find("operand_index"));
  const std::int64_t index = attrs.kind(index_id) == AttrKind::kInt ? attrs.as_int(index_id) : 0;
  const Operation& op = in.m.ops[in.op];
  if (index < 0 || index >= static_cast<std::int64_t>(op.operand_count)) {
    report(in, "output_operand_aliases",
           fmt::format("'operand_index' must be in [0, {}), found {}", op.operand_count, index));
    return;
  }
  std::string all = "tuple<";
  for (ValueId value : results(in.m, in.op))
    all += (all.back() == '<' ? "" : ", ") + text_inside(in.m, type_of(in.m, value));
  const bool single = op.result_count == 1;
  const auto from =
      tuple_part(text_inside(in.m, operand_type(in.m, in.op, static_cast<std::size_t>(index))),
                 ints("operand_tuple_indices"));
  const auto to =
      tuple_part(single ? text_inside(in.m, type_of(in.m, result(in.m, in.op, 0))) : all + ">",
                 ints("output_tuple_indices"));
  if (from && to && *from == *to) return;
  report(in, "output_operand_aliases",
         fmt::format("an operand and the output that shares its memory must have the same type, "
                     "found {} and {}",
                     from.value_or("no such operand part"), to.value_or("no such output part")));
}

inline void check_aliases(const VerifyInput& in) {
  const AttrId id = attribute(in.m, in.op, "output_operand_aliases");
  if (in.m.attrs.kind(id) != AttrKind::kList) return;
  for (AttrId alias : in.m.attrs.items(id)) {
    const bool readable =
        in.m.attrs.kind(alias) == AttrKind::kDict && !in.m.attrs.find(alias, key::kOpaque).valid();
    if (readable) check_alias(in, alias);
  }
}

// The interface of version 4 takes a dictionary, the older ones a string.
inline void check_backend_config(const VerifyInput& in) {
  constexpr std::int64_t kTypedInterface = 4;
  AttributeReader reader(in);
  const std::int64_t version = reader.integer_or("api_version", 1);
  const AttrId config = attribute(in.m, in.op, "backend_config");
  if (!reader.ok() || !config.valid()) return;
  const AttrKind kind = in.m.attrs.kind(config);
  if (in.m.attrs.find(config, key::kOpaque).valid()) return;
  if (kind == (version == kTypedInterface ? AttrKind::kDict : AttrKind::kString)) return;
  report(in, "backend_config",
         fmt::format("'backend_config' of 'api_version' {} must be {}", version,
                     version == kTypedInterface ? "an object" : "a string"));
}

// Calls that turn tensors into buffers and back: operands and results by the kind of type, and the
// same contents.
struct BufferCall {
  std::string_view target;
  std::string_view operand;  // empty: takes none
  std::string_view result;
};
inline constexpr BufferCall kBufferCalls[] = {
    {"CreateBuffer", "", "memref"}, {"Pin", "tensor", "memref"}, {"Unpin", "memref", "tensor"}};

inline void check_buffer_call(const VerifyInput& in, const BufferCall& call) {
  const Operation& op = in.m.ops[in.op];
  const auto contents = [&](TypeId type, std::string_view kind) -> std::optional<std::string> {
    const std::string text = to_string(in.m, type);
    if (!text.starts_with(kind) || !text.substr(kind.size()).starts_with("<")) return std::nullopt;
    return text.substr(kind.size());
  };
  const std::size_t operands = call.operand.empty() ? 0 : 1;
  bool fits = op.operand_count == operands && op.result_count == 1;
  if (fits) {
    const auto out = contents(type_of(in.m, result(in.m, in.op, 0)), call.result);
    const auto from = operands == 1 ? contents(operand_type(in.m, in.op, 0), call.operand) : out;
    fits = out && from && *out == *from;
  }
  if (fits) return;
  report(in, "buffer",
         fmt::format("{} must take {} and return one {} of the same contents", call.target,
                     operands == 0 ? "nothing" : fmt::format("one {}", call.operand), call.result));
}

}  // namespace detail

inline void verify_custom_call(const VerifyInput& in) {
  AttributeReader reader(in);
  const std::string_view target = reader.text("call_target_name");
  reader.boolean_or("has_side_effect", false);
  detail::check_layouts(in);
  detail::check_aliases(in);
  detail::check_backend_config(in);
  for (const detail::BufferCall& call : detail::kBufferCalls) {
    if (call.target == target) detail::check_buffer_call(in, call);
  }
}

namespace detail {

inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_name_character(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; }

// `namespace.operation`, with further parts; `$` may stand in all parts but the first, which begins
// with a letter.
inline bool is_namespaced_name(std::string_view name) {
  if (name.empty() || !is_letter(name[0]) || name.back() == '.') return false;
  std::size_t dots = 0;
  for (std::size_t i = 1; i < name.size(); ++i) {
    if (name[i] == '.') {
      if (name[i - 1] == '.') return false;
      ++dots;
    } else if (!is_name_character(name[i]) && !(name[i] == '$' && dots > 0)) {
      return false;
    }
  }
  return dots > 0;
}

// C3 and C4: the types on both sides of the call.
inline void check_decomposition_types(const VerifyInput& in, std::string_view constraint,
                                      std::string_view what, const std::vector<TypeId>& own,
                                      const std::vector<TypeId>& of_function) {
  if (!check_size(in, constraint, fmt::format("the {}s", what), own.size(),
                  "those of the decomposition", of_function.size())) {
    return;
  }
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i] == of_function[i]) continue;
    report(in, constraint,
           fmt::format("{} {} must be {} as in the decomposition, found {}", what, i,
                       to_string(in.m, of_function[i]), to_string(in.m, own[i])));
    return;
  }
}

}  // namespace detail

inline void verify_composite(const VerifyInput& in) {
  AttributeReader reader(in);
  const std::string_view name = reader.text("name");
  const std::string_view decomposition = reader.text("decomposition");
  reader.integer_or("version", 0);
  if (!reader.ok()) return;
  if (!detail::is_namespaced_name(name)) {
    report(in, "c1", fmt::format("'name' must be like my_namespace.my_op, found {}", name));
  }
  const FuncId id = find_func(in, decomposition);
  if (!id.valid()) {
    report(
        in, "c2",
        fmt::format("'decomposition' must name a function of the module, found {}", decomposition));
    return;
  }
  const Function& func = in.m.funcs[id];
  std::vector<TypeId> arguments;
  std::vector<TypeId> returned;
  std::vector<TypeId> own_results;
  for (ValueId value : in.m.blocks[func.body].arguments) arguments.push_back(type_of(in.m, value));
  for (const FuncResult& entry : func.results) returned.push_back(entry.type);
  for (ValueId value : results(in.m, in.op)) own_results.push_back(type_of(in.m, value));
  const std::size_t operands = in.m.ops[in.op].operand_count;
  detail::check_decomposition_types(in, "c3", "operand",
                                    detail::operand_types(in.m, in.op, 0, operands), arguments);
  detail::check_decomposition_types(in, "c4", "result", own_results, returned);
}

}  // namespace shardprop
