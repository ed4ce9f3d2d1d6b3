// The elements of constants that a module keeps as text: those that stay in its source (kData), and
// those of `dense_resource<name>`, whose bytes are in a section `{-# ... #-}`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shardprop/io/text/read/context.hpp"
#include "shardprop/io/text/read/dense.hpp"
#include "shardprop/ir/module.hpp"

namespace shardprop::detail {

// The bytes in the resources of a module, as hexadecimal digits, by name.
class TextResources {
 public:
  // O(size of the resources).
  explicit TextResources(const Module& m) {
    for (const SourceSlice& slice : m.resources) collect(TextCursor(slice_text(m, slice)));
  }

  // The digits of the elements; empty where there are none.
  std::string_view find(std::string_view name) const {
    constexpr std::size_t kHead = 10;  // "0x", and four bytes that say the alignment
    const auto found = by_name_.find(name);
    const bool is_blob =
        found != by_name_.end() && found->second.starts_with("0x") && found->second.size() > kHead;
    return is_blob ? found->second.substr(kHead) : std::string_view();
  }

 private:
  // Every `name: "text"`.
  void collect(TextCursor in) {
    std::string_view name;
    std::string_view text;
    bool has_escapes = false;
    while (!in.at_end()) {
      if (!in.string_raw(name, has_escapes)) name = in.word();
      if (name.empty()) in.advance();
      if (!name.empty() && in.accept(':') && in.string_raw(text, has_escapes))
        by_name_.emplace(name, text);
    }
  }

  std::unordered_map<std::string_view, std::string_view> by_name_;
};

// The value of the constant that is the text of `c`: a number, lists, or `{"elided": true}` where
// it has more elements than `c.options` allows or its resource is missing. None where the elements
// cannot be decoded. O(size of the text).
inline AttrId read_kept_elements(TextReadContext& c, const TextResources& resources) {
  TextElements elements;
  if (!read_tensor_elements(c, elements)) return AttrId();
  const std::uint64_t count = c.m.types.is_tensor(elements.type)
                                  ? element_count(c.m.types.shape(elements.type)).value_or(0)
                                  : 0;
  if (count > c.options.max_listed_elements) return elided(c);
  if (c.m.attrs.kind(elements.value) == AttrKind::kData) return AttrId();
  if (c.m.attrs.kind(elements.value) != AttrKind::kTyped) return elements.value;
  c.in.go_to(elements.text.data());
  c.in.accept_word("dense_resource");
  c.in.accept('<');
  std::string_view name;
  bool has_escapes = false;
  if (!c.in.string_raw(name, has_escapes)) name = c.in.word();
  const std::string_view digits = resources.find(name);
  if (digits.empty() || count == 0) return elided(c);
  const std::string dtype(c.m.strings[c.m.types.dtype(elements.type)]);
  const auto dims = c.m.types.shape(elements.type);
  return decode_elements(c, digits, dtype, std::vector<std::int64_t>(dims.begin(), dims.end()),
                         count);
}

}  // namespace shardprop::detail
