// Numbers and tensor constants in MLIR text.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "shardprop/io/common/literals.hpp"
#include "shardprop/io/text/numbers/float_format.hpp"
#include "shardprop/io/text/write/context.hpp"
#include "shardprop/io/text/write/type.hpp"
#include "shardprop/support/text_list.hpp"

namespace shardprop::detail {

inline bool is_complex_dtype(std::string_view dtype) { return dtype.starts_with("complex<"); }

// Six digits after the point where these give the number exactly, as in 1.250000e-01; else as few
// as say it. MLIR wants a point in every number with a fraction or an exponent. Infinities and NaNs
// have no digits: they are written by the bits that they have in `dtype`.
inline void append_text_float(std::string& out, double number, std::string_view dtype) {
  if (!std::isfinite(number)) {
    dtype = complex_part(dtype);
    const FloatFormat* const format = find_float_format(dtype);
    const FloatFormat& known = format ? *format : *find_float_format("f64");
    out.append(hexadecimal(round_to_format(number, known)));
    return;
  }
  char digits[40];
  char* end = digits;
  end = std::to_chars(digits, digits + sizeof digits, number, std::chars_format::scientific, 6).ptr;
  double read = 0;
  std::from_chars(digits, end, read);
  if (read == number) {
    out.append(digits, end);
    return;
  }
  end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  const std::string_view text(digits, static_cast<std::size_t>(end - digits));
  const std::size_t exponent = text.find('e');
  out.append(text.substr(0, exponent));
  if (text.find('.') == std::string_view::npos) out.append(".0");
  if (exponent != std::string_view::npos) out.append(text.substr(exponent));
}

// Whether MLIR wants numbers with a point for elements of `dtype`: floats, complex ones too.
inline bool is_float_dtype(std::string_view dtype) {
  return find_float_format(complex_part(dtype)) != nullptr;
}

inline void append_int_element(std::string& out, std::int64_t number, std::string_view dtype) {
  if (is_float_dtype(dtype)) return append_text_float(out, static_cast<double>(number), dtype);
  if (dtype != "i1") return append_integer(out, number);
  out.append(number != 0 ? "true" : "false");
}

// The number `attribute` as an element of a constant of `dtype`.
inline void append_element(std::string& out, const Module& m, AttrId attribute,
                           std::string_view dtype) {
  const AttrId plain = m.attrs.plain(attribute);
  switch (m.attrs.kind(plain)) {
    case AttrKind::kBool:
      out.append(m.attrs.as_bool(plain) ? "true" : "false");
      return;
    case AttrKind::kInt:
      return append_int_element(out, m.attrs.as_int(plain), dtype);
    case AttrKind::kUint:
      return append_integer(out, m.attrs.as_uint(plain));
    case AttrKind::kFloat:
      return append_text_float(out, m.attrs.as_float(plain), dtype);
    case AttrKind::kString: {
      // The bits of a float stand for themselves; a tensor of strings has any other.
      const std::string_view text = m.strings[m.attrs.as_string(plain)];
      if (is_float_dtype(dtype) && text.starts_with("0x")) {
        out.append(text);
      } else {
        append_text_string(out, text);
      }
      return;
    }
    default:
      out.append("unit");
  }
}

// The elements, lists within lists. Below `dims_left` lists a list of two numbers is one complex
// number.
inline void write_dense_level(TextWriteContext& c, AttrId value, std::string_view dtype,
                              std::size_t dims_left) {
  const AttrKind kind = c.m.attrs.kind(value);
  const bool is_list = kind == AttrKind::kList || kind == AttrKind::kInts;
  if (!is_list) return append_element(c.out, c.m, value, dtype);
  WriteDepth depth(c);
  if (!depth.check()) return;
  const bool is_pair = is_complex_dtype(dtype) && dims_left == 0;
  c.out += is_pair ? '(' : '[';
  const std::string_view comma = is_pair ? "," : ", ";
  if (kind == AttrKind::kInts) {
    const auto write = [&](std::int64_t number) { append_int_element(c.out, number, dtype); };
    append_list(c.out, c.m.attrs.as_ints(value), write, comma);
  } else {
    const auto write = [&](AttrId item) {
      write_dense_level(c, item, dtype, dims_left == 0 ? 0 : dims_left - 1);
    };
    append_list(c.out, c.m.attrs.items(value), write, comma);
  }
  c.out += is_pair ? ')' : ']';
}

// A complex splat is a pair at any rank: a list of two numbers that are not lists.
inline bool is_complex_splat(const Module& m, AttrId value) {
  if (m.attrs.kind(value) == AttrKind::kInts) return m.attrs.as_ints(value).size() == 2;
  if (m.attrs.kind(value) != AttrKind::kList || m.attrs.items(value).size() != 2) return false;
  const AttrKind first = m.attrs.kind(m.attrs.items(value)[0]);
  return first != AttrKind::kList && first != AttrKind::kInts;
}

// Whether `value` says that the elements were left out of the JSON graph.
inline bool is_elided(const Module& m, AttrId value) {
  return m.attrs.find(value, key::kElided).valid();
}

inline bool is_empty_tensor(const Module& m, TypeId type) {
  const auto shape = m.types.shape(type);
  return std::find(shape.begin(), shape.end(), 0) != shape.end();
}

// A constant whose result has the type `type`. A quantized one stores elements of another type.
inline void write_dense(TextWriteContext& c, AttrId value, TypeId type) {
  // Data and resources stand there with their type.
  if (c.m.attrs.kind(value) == AttrKind::kData) {
    write_slice(c, slice_text(c.m, c.m.attrs.as_data(value)));
    return;
  }
  if (c.m.attrs.kind(value) == AttrKind::kTyped) {
    c.out.append(c.m.strings[c.m.attrs.typed_text(value)]);
    return;
  }
  const std::string_view own = c.m.strings[c.m.types.dtype(type)];
  const std::string stored = quantized_storage(own);
  const std::string_view dtype = stored.empty() ? own : std::string_view(stored);
  if (is_elided(c.m, value)) {
    c.out.append("dense_resource<__elided__");
  } else {
    c.out.append("dense<");
    const bool is_list =
        c.m.attrs.kind(value) == AttrKind::kList || c.m.attrs.kind(value) == AttrKind::kInts;
    const bool is_splat = !is_list || (is_complex_dtype(dtype) && is_complex_splat(c.m, value));
    if (is_splat || !is_empty_tensor(c.m, type))
      write_dense_level(c, value, dtype, is_splat ? 0 : c.m.types.rank(type));
  }
  c.out.append("> : ");
  if (stored.empty()) return write_type(c, type);
  append_tensor_head(c.out, c.m, type);
  c.out.append(stored) += '>';
}

}  // namespace shardprop::detail
