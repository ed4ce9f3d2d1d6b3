// Tensors as NumPy files: .npy, one array, and .npz, a stored zip of such files (NumPy's "NEP 1"
// format). What NumPy does not have (bf16, the types of 8 bits and less) is written as bytes of
// that width, type V1 or V2, as the package ml_dtypes does; integers of less than a byte as bytes.
//
// Arrays are in the byte order of this machine, which must be little-endian.
#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/run/tensor.hpp"
#include "shardprop/run/tensor_text.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

static_assert(std::endian::native == std::endian::little);

namespace detail {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

// The type of an element as NumPy writes it.
inline std::string npy_type(Element element) {
  const std::size_t bytes = bytes_of(element);
  const char order = bytes == 1 ? '|' : '<';
  switch (domain_of(element)) {
    case Domain::kBoolean:
      return "|b1";
    case Domain::kSigned:
    case Domain::kExact:
      return fmt::format("{}i{}", order, bytes);
    case Domain::kUnsigned:
      return fmt::format("{}u{}", order, bytes);
    case Domain::kPair:
      return fmt::format("<c{}", bytes);
    default: {
      const bool is_known = element == Element::kF16 || element == Element::kF32 ||
                            element == Element::kF64 || element == Element::kTf32;
      return is_known ? fmt::format("<f{}", bytes) : fmt::format("|V{}", bytes);
    }
  }
}

inline Diagnostic npy_error(std::string message) {
  return {"npy.format", std::move(message), "write the array with numpy.save"};
}

// What stands after `'key':` in the header, up to the next comma that is not in brackets.
inline std::string_view npy_field(std::string_view header, std::string_view key) {
  const std::string quoted = fmt::format("'{}':", key);
  const std::size_t at = header.find(quoted);
  if (at == std::string_view::npos) return {};
  std::string_view rest = header.substr(at + quoted.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const char end = rest.starts_with('(') ? ')' : rest.starts_with('\'') ? '\'' : ',';
  const std::size_t stop = rest.find(end, 1);
  return stop == std::string_view::npos ? rest : rest.substr(0, stop);
}

struct NpyHeader {
  std::string_view type;
  bool fortran_order = false;
  Shape shape;
  std::string_view data;
};

inline Result<NpyHeader> read_npy_header(std::string_view file) {
  constexpr std::size_t kPrefix = 10;
  if (!file.starts_with(kNpyMagic) || file.size() < kPrefix + 2)
    return npy_error("not a .npy file");
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(file[i]); };
  const bool is_long = byte(6) > 1;  // version 1 has two bytes of length, later ones four
  std::size_t length = byte(8) | std::size_t{byte(9)} << 8;
  if (is_long) length |= std::size_t{byte(10)} << 16 | std::size_t{byte(11)} << 24;
  const std::size_t start = is_long ? 12 : kPrefix;
  if (file.size() - start < length) return npy_error("the header of the .npy file is cut off");
  const std::string_view header = file.substr(start, length);
  NpyHeader out;
  out.type = npy_field(header, "descr");
  out.type.remove_prefix(out.type.empty() ? 0 : 1);
  out.fortran_order = npy_field(header, "fortran_order").starts_with("True");
  out.data = file.substr(start + length);
  std::string_view sizes = npy_field(header, "shape");
  if (out.type.empty() || !sizes.starts_with('('))
    return npy_error("the header of the .npy file has no type or no shape");
  for (std::size_t at = 0;
       (at = sizes.find_first_of("0123456789", at)) != std::string_view::npos;) {
    std::int64_t size = 0;
    const auto [stop, error] =
        std::from_chars(sizes.data() + at, sizes.data() + sizes.size(), size);
    if (error != std::errc()) return npy_error("a size in the .npy file is too large");
    out.shape.push_back(size);
    at = static_cast<std::size_t>(stop - sizes.data());
  }
  return out;
}

template <class Integer>
void append_little(std::string& out, Integer number) {
  for (std::size_t i = 0; i < sizeof(Integer); ++i)
    out += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i) & 255);
}

// The checksum of zip files (CRC-32, polynomial 0xEDB88320).
inline std::uint32_t crc32_of(std::string_view data) {
  static constexpr std::array<std::uint32_t, 256> kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? c >> 1 ^ 0xEDB88320u : c >> 1;
      table[i] = c;
    }
    return table;
  }();
  std::uint32_t crc = ~0u;
  for (char c : data) crc = crc >> 8 ^ kTable[(crc ^ static_cast<unsigned char>(c)) & 255];
  return ~crc;
}

}  // namespace detail

// The array of a .npy file as a tensor of `element`. Errors: `npy.format`, and `npy.type` where the
// file has other elements.
inline Result<Tensor> read_npy(std::string_view file, Element element) {
  const Result<detail::NpyHeader> header = detail::read_npy_header(file);
  if (!header) return header.errors();
  if (header->type != detail::npy_type(element)) {
    return Diagnostic{"npy.type",
                      fmt::format("the array has elements of type '{}', expected '{}' for {}",
                                  header->type, detail::npy_type(element), row_of(element).name)};
  }
  // The sizes come from a file: their product must be what is there.
  std::uint64_t count = 1;
  for (std::int64_t size : header->shape) {
    if (size != 0 && count > header->data.size() / static_cast<std::uint64_t>(size)) {
      return detail::npy_error("the .npy file has fewer elements than its shape says");
    }
    count *= static_cast<std::uint64_t>(size);
  }
  if (count * bytes_of(element) > header->data.size())
    return detail::npy_error("the .npy file has fewer elements than its shape says");
  Shape shape = header->shape;
  if (header->fortran_order) std::reverse(shape.begin(), shape.end());
  Tensor out(element, std::move(shape));
  if (out.bytes() != 0) std::memcpy(out.write(), header->data.data(), out.bytes());
  if (!header->fortran_order) return out;
  Shape order(out.rank());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = static_cast<std::int64_t>(order.size() - 1 - i);
  return transposed(out, order);
}

inline std::string write_npy(const Tensor& tensor) {
  std::string shape;
  for (std::int64_t size : tensor.shape()) shape += fmt::format("{}, ", size);
  if (tensor.rank() > 1) shape.resize(shape.size() - 2);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                   detail::npy_type(tensor.element()), shape);
  constexpr std::size_t kAlignment = 64;
  const std::size_t prefix = detail::kNpyMagic.size() + 4;
  header.append(kAlignment - 1 - (prefix + header.size()) % kAlignment, ' ');
  header += '\n';
  std::string out(detail::kNpyMagic);
  out += "\x01";
  out += '\0';
  detail::append_little(out, static_cast<std::uint16_t>(header.size()));
  out += header;
  if (tensor.bytes() != 0) out.append(reinterpret_cast<const char*>(tensor.read()), tensor.bytes());
  return out;
}

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

// A .npz file, which numpy.load reads as a dictionary. Error `npy.too_large`: a zip file of this
// form has less than 4 GB.
inline Result<std::string> write_npz(const std::vector<NamedTensor>& tensors) {
  constexpr std::uint64_t kMost = 0xFFFFFFFFu;
  constexpr std::size_t kMostEntries = 0xFFFFu;
  constexpr std::uint64_t kHeaders = 1024;  // more than those of an entry without its name
  std::uint64_t total = 0;
  for (const NamedTensor& named : tensors)
    total += named.tensor.bytes() + 2 * named.name.size() + kHeaders;
  if (total > kMost || tensors.size() > kMostEntries) {
    return Diagnostic{"npy.too_large", "the results do not fit a .npz file of 4 GB",
                      "write fewer results"};
  }
  std::string out;
  std::string directory;
  for (const NamedTensor& named : tensors) {
    const std::string file = write_npy(named.tensor);
    const std::string name = named.name + ".npy";
    // What the entry and the directory have in common: version, flags, method, time, date,
    // checksum, sizes and the length of the name.
    std::string common;
    for (int field : {20, 0, 0, 0, 0x21})
      detail::append_little(common, static_cast<std::uint16_t>(field));
    detail::append_little(common, detail::crc32_of(file));
    detail::append_little(common, static_cast<std::uint32_t>(file.size()));
    detail::append_little(common, static_cast<std::uint32_t>(file.size()));
    detail::append_little(common, static_cast<std::uint16_t>(name.size()));
    detail::append_little(common, std::uint16_t{0});
    directory += "PK\x01\x02";
    detail::append_little(directory, std::uint16_t{20});
    directory += common;
    directory.append(10, '\0');  // comment, disk and attributes
    detail::append_little(directory, static_cast<std::uint32_t>(out.size()));
    directory += name;
    out += "PK\x03\x04" + common + name + file;
  }
  const auto count = static_cast<std::uint16_t>(tensors.size());
  const auto offset = static_cast<std::uint32_t>(out.size());
  out += directory + "PK\x05\x06" + std::string(4, '\0');
  detail::append_little(out, count);
  detail::append_little(out, count);
  detail::append_little(out, static_cast<std::uint32_t>(directory.size()));
  detail::append_little(out, offset);
  detail::append_little(out, std::uint16_t{0});
  return out;
}

}  // namespace shardprop
