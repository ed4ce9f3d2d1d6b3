// Types inside of tuples and futures, which a module keeps as text: `tuple<tensor<8x8xf32>,
// !stablehlo.token>`.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"

namespace shardprop {

// The comma-separated types between the brackets of `name<...>`; none if `text` has another form.
inline std::optional<std::vector<std::string_view>> types_inside(std::string_view text,
                                                                 std::string_view name) {
  if (!text.starts_with(name) || text.size() < name.size() + 2) return std::nullopt;
  text.remove_prefix(name.size());
  if (text.front() != '<' || text.back() != '>') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  std::vector<std::string_view> types;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (text[i] == '<' || text[i] == '{')) ++depth;
    if (i < text.size() && (text[i] == '>' || text[i] == '}')) --depth;
    if (i < text.size() && (depth != 0 || text[i] != ',')) continue;
    std::string_view type = text.substr(begin, i - begin);
    while (type.starts_with(' ')) type.remove_prefix(1);
    if (!type.empty()) types.push_back(type);
    begin = i + 1;
  }
  return types;
}

// The type that `text` writes: `tensor<2x?xf32>` is a tensor; anything else is kept by its text,
// without a leading `!`.
inline TypeId type_from_text(Module& m, std::string_view text) {
  if (text.starts_with('!')) text.remove_prefix(1);
  if (!text.starts_with("tensor<") || text.starts_with("tensor<*"))
    return m.types.non_tensor(m.strings.intern(text));
  std::string_view rest = text.substr(7, text.size() - 8);
  std::vector<std::int64_t> shape;
  while (true) {
    const std::size_t end = rest.find('x');
    if (end == std::string_view::npos) break;
    const std::string_view dim = rest.substr(0, end);
    std::int64_t size = kDynamic;
    if (dim != "?") {
      const auto [stop, error] = std::from_chars(dim.data(), dim.data() + dim.size(), size);
      if (error != std::errc() || stop != dim.data() + dim.size()) break;
    }
    shape.push_back(size);
    rest.remove_prefix(end + 1);
  }
  return m.types.tensor(m.strings.intern(std::string(rest)), shape);
}

// The text of a type inside of another.
inline std::string text_inside(const Module& m, TypeId type) {
  const std::string text = to_string(m, type);
  return text.starts_with("stablehlo.") ? "!" + text : text;
}

}  // namespace shardprop
