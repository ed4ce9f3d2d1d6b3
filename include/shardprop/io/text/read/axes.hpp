// Axis lists of sdy operations, and the dimension numbers of convolutions, inside of MLIR text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fmt/core.h"
#include "shardprop/io/text/forms/attribute_rows.hpp"
#include "shardprop/io/text/read/context.hpp"

namespace shardprop::detail {

// `"x"` or `"x":(1)2`; JSON has `x` or `x:(1)2`.
inline bool read_axis(TextReadContext& c, AttrId& out) {
  StringId name;
  if (!read_string(c, name)) return false;
  if (!c.in.accept(':')) {
    out = c.m.attrs.string(name);
    return true;
  }
  std::int64_t before = 0;
  std::int64_t size = 0;
  if (!expect(c, '(') || !read_integer(c, before) || !expect(c, ')') || !read_integer(c, size))
    return false;
  const std::string text = fmt::format("{}:({}){}", c.m.strings[name], before, size);
  out = c.m.attrs.string(c.m.strings.intern(text));
  return true;
}

// `{"x", "y"}`
inline bool read_text_axes(TextReadContext& c, AttrId& out) {
  return read_attribute_list(c, read_axis, out, "{}");
}

// `{"x"}: 0->1`; JSON has `{"axes": ["x"], "source_dimension": 0, "target_dimension": 1}`.
inline bool read_axes_move(TextReadContext& c, AttrId& out) {
  AttrId axes;
  std::int64_t source = 0;
  std::int64_t target = 0;
  if (!read_text_axes(c, axes) || !expect(c, ':') || !read_integer(c, source) || !expect(c, "->") ||
      !read_integer(c, target))
    return false;
  const std::array<AttrEntry, 3> entries = {{
      {key::kAxes, axes},
      {c.m.strings.intern("source_dimension"), c.m.attrs.integer(source)},
      {c.m.strings.intern("target_dimension"), c.m.attrs.integer(target)},
  }};
  out = c.m.attrs.dict(entries);
  return true;
}

// Where the dimensions of one side of a convolution are.
struct ConvSide {
  std::int64_t first = -1;
  std::int64_t second = -1;
  SmallVector<std::int64_t, 8> spatial;
};

// One entry of `[b, 0, f]` at `position`.
inline bool read_conv_dim(TextReadContext& c, std::string_view letters, std::int64_t position,
                          ConvSide& out) {
  constexpr std::int64_t kMost = 64;
  const char* const at = c.in.here();
  const std::string_view word = c.in.word();
  std::int64_t* place = nullptr;
  if (word.size() == 1 && (word[0] == letters[0] || word[0] == letters[1])) {
    place = word[0] == letters[0] ? &out.first : &out.second;
  } else if (std::int64_t number = -1;
             word.empty() && c.in.integer(number) && number >= 0 && number < kMost) {
    const std::size_t index = static_cast<std::size_t>(number);
    if (out.spatial.size() <= index) out.spatial.resize(index + 1, -1);
    place = &out.spatial[index];
  }
  if (place == nullptr || *place != -1) {
    c.in.go_to(at);
    return fail_expected(c, fmt::format("{}, {} or the number of a spatial dimension, each once",
                                        letters.substr(0, 1), letters.substr(1, 1)));
  }
  *place = position;
  return true;
}

// `[b, 0, f]`, or `[0, i, o]` where `letters` are `oi`.
inline bool read_conv_side(TextReadContext& c, std::string_view letters, ConvSide& out) {
  if (!expect(c, '[')) return false;
  std::int64_t position = 0;
  do {
    if (!read_conv_dim(c, letters, position++, out)) return false;
  } while (c.in.accept(','));
  bool complete = out.first >= 0 && out.second >= 0;
  for (std::int64_t place : out.spatial) complete = complete && place >= 0;
  return complete ? expect(c, ']')
                  : fail_expected(c, "all of the dimensions of the convolution",
                                  "write them as [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]");
}

// `[b, 0, f]x[0, i, o]->[b, 0, f]`
inline bool read_conv_dims(TextReadContext& c, AttrId& out) {
  std::array<ConvSide, 3> sides;
  if (!read_conv_side(c, "bf", sides[0]) || !expect_word(c, "x") ||
      !read_conv_side(c, "oi", sides[1]) || !expect(c, "->") || !read_conv_side(c, "bf", sides[2]))
    return false;
  std::array<AttrEntry, 9> entries;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const ConvSide& side = sides[i / 3];
    entries[i].key = c.m.strings.intern(kConvFields[i].name);
    entries[i].value = i % 3 == 2 ? c.m.attrs.ints({side.spatial.data(), side.spatial.size()})
                                  : c.m.attrs.integer(i % 3 == 0 ? side.first : side.second);
  }
  out = c.m.attrs.dict(entries);
  return true;
}

}  // namespace shardprop::detail
