// Definitions of json_reader.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "fmt/core.h"
#include "nlohmann/json.hpp"
#include "shardprop/io/common/file.hpp"
#include "shardprop/io/common/literals.hpp"
#include "shardprop/io/common/rounding.hpp"
#include "shardprop/io/json/context.hpp"
#include "shardprop/io/json/options.hpp"
#include "shardprop/io/json/reserve.hpp"
#include "shardprop/io/json/scan.hpp"
#include "shardprop/io/json/stream.hpp"
#include "shardprop/io/json_reader.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

// What nlohmann's parser says is `[json.exception...] parse error at line 1, column 2: what is
// wrong; last read: '...'`, where the last part may be long and not UTF-8.
inline std::string syntax_message(std::string_view what) {
  constexpr std::size_t kEnds = 120;
  if (const std::size_t colon = what.find(": "); colon != std::string_view::npos)
    what.remove_prefix(colon + 2);
  std::string shown(what);
  if (what.size() > 2 * kEnds) shown.replace(kEnds, what.size() - 2 * kEnds, " ... ");
  std::string out;
  append_utf8(out, shown);
  return out;
}

// Hands the events of nlohmann's parser on; the parser fixes the names.
class JsonSax {
 public:
  JsonSax(ReadContext& c, std::string_view text) : c_(c), stream_(c), text_(text) {}

  bool null() { return stream_.scalar(JsonKind::kNull, 0); }
  bool boolean(bool value) { return stream_.scalar(JsonKind::kBool, value ? 1 : 0); }
  bool number_integer(std::int64_t value) {
    return stream_.scalar(JsonKind::kInt, static_cast<std::uint64_t>(value));
  }
  bool number_unsigned(std::uint64_t value) {
    return stream_.scalar(value >> 63 ? JsonKind::kUint : JsonKind::kInt, value);
  }
  bool number_float(double value, const std::string& digits) {
    // The parser turns an integer that does not fit 64 bits into the nearest double.
    if (digits.find_first_of(".eE") == std::string::npos) {
      report(c_, stream_.here(), "json.number_too_large",
             fmt::format("the integer {} does not fit 64 bits", digits), "write it as a string");
    }
    return stream_.scalar(JsonKind::kFloat, std::bit_cast<std::uint64_t>(value));
  }
  bool string(std::string& value) { return stream_.string(value); }
  bool binary(nlohmann::json::binary_t&) { return false; }
  bool start_object(std::size_t) { return stream_.start_object(); }
  bool key(std::string& name) { return stream_.key(name); }
  bool end_object() { return stream_.end_container(); }
  bool start_array(std::size_t) { return stream_.start_list(); }
  bool end_array() { return stream_.end_container(); }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) {
    Diagnostic d{"json.syntax", syntax_message(error.what()), {}, json_place(c_, stream_.here())};
    const std::string_view before = text_.substr(0, position == 0 ? 0 : position - 1);
    const std::size_t line_start = before.rfind('\n') + 1;  // 0 where there is none
    d.place.line = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n') + 1);
    d.place.column = static_cast<std::uint32_t>(before.size() - line_start + 1);
    c_.stopped = true;
    add_diagnostic(c_, std::move(d));
    return false;
  }

 private:
  ReadContext& c_;
  JsonStream stream_;
  std::string_view text_;
};

inline Result<Module> module_or_errors(ReadContext& c) {
  if (c.error_count > 0) return std::move(c.out);
  release_rows(c.m);
  return std::move(c.m);
}

// Reads a document that `JsonScan` takes; none for one that it does not.
inline std::optional<Result<Module>> read_plain_json(std::string_view text,
                                                     const ReadOptions& options) {
  ReadContext c(options);
  reserve_tables(c.m, text);
  JsonStream stream(c);
  if (JsonScan(text, stream).run() == ScanEnd::kGaveUp) return std::nullopt;
  return module_or_errors(c);
}

inline Result<Module> read_any_json(std::string_view text, const ReadOptions& options) {
  ReadContext c(options);
  reserve_tables(c.m, text);
  JsonSax sax(c, text);
  [[maybe_unused]] const bool parsed =
      nlohmann::json::sax_parse(text.data(), text.data() + text.size(), &sax);
  assert(parsed || c.error_count > 0);
  return module_or_errors(c);
}

}  // namespace detail

SHARDPROP_INLINE Result<Module> read_json(std::string_view text, const ReadOptions& options) {
  constexpr std::size_t kMaxBytes = 0xFFFFFFFFu;
  if (text.size() > kMaxBytes) {
    return Diagnostic{"json.too_large", fmt::format("the document has {} bytes", text.size()),
                      "split the module; documents are below 4 GiB"};
  }
  const detail::RoundToNearest rounding;
  std::optional<Result<Module>> module;
  if (options.fast_scan) module = detail::read_plain_json(text, options);
  return module ? std::move(*module) : detail::read_any_json(text, options);
}

SHARDPROP_INLINE Result<Module> read_json_file(const std::string& path,
                                               const ReadOptions& options) {
  const Result<std::string> text = detail::read_file(path);
  if (!text) return text.errors();
  return read_json(*text, options);
}

}  // namespace shardprop
