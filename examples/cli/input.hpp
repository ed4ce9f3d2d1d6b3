// Programs in: a file or, for '-', standard input; JSON or MLIR text by its content.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "examples/cli/diagnostics.hpp"
#include "examples/cli/progress.hpp"
#include "fmt/core.h"
#include "shardprop/io/common/recognise.hpp"
#include "shardprop/io/json_reader.hpp"
#include "shardprop/io/stablehlo_text.hpp"
#include "shardprop/io/text/file.hpp"
#include "shardprop/ops/infer.hpp"
#include "shardprop/ops/standard_ops.hpp"
#include "shardprop/ops/verify.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop::cli {

enum class Format { kJson, kMlir };

// What a text is: JSON begins with a brace, MLIR text does not (but for its `{-# ... #-}`).
inline Format format_of_content(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return Format::kJson;
  const bool brace = text[first] == '{' && !text.substr(first).starts_with("{-#");
  return brace || text[first] == '[' ? Format::kJson : Format::kMlir;
}

// What a file is by its name: .json or .mlir; nothing for any other.
inline std::optional<Format> format_of_name(std::string_view path) {
  if (path.ends_with(".json")) return Format::kJson;
  if (path.ends_with(".mlir")) return Format::kMlir;
  return std::nullopt;
}

// A program that was read, and the texts that diagnostics about it show.
struct Input {
  Module m;
  Format format = Format::kJson;
  std::string path;
  TextSource source;

  SourceTexts texts() const { return {{path, source.text}}; }
};

inline Result<TextSource> open_input(const std::string& path) {
  if (path != "-") return open_text(path);
  std::string text;
  char buffer[1 << 16];
  errno = 0;
  while (const std::size_t got = std::fread(buffer, 1, sizeof(buffer), stdin))
    text.append(buffer, got);
  if (std::ferror(stdin))
    return shardprop::detail::file_error("read", "standard input",
                                         shardprop::detail::system_message(errno));
  return owned_text(std::move(text));
}

inline Result<Module> read_program(const TextSource& source, Format format, const OpTable& ops) {
  if (const auto known = unreadable_form(source.text)) return *known;
  if (format == Format::kMlir) return read_stablehlo_text(source);
  ReadOptions options;
  options.infer_types = [&](Module& m, OpId op, Diagnostics& out) {
    return infer_types(ops, m, op, out);
  };
  return read_json(source.text, options);
}

// Reads, infers types, and verifies unless told otherwise. Prints what is wrong; then there is
// nothing.
inline std::optional<Input> load(const std::string& path, const OpTable& ops, bool verify = true) {
  const Progress progress(fmt::format("reading {}", path));
  Input input;
  input.path = path == "-" ? "<stdin>" : path;
  Result<TextSource> source = open_input(path);
  if (!source) {
    print_diagnostics(source.errors());
    return std::nullopt;
  }
  input.source = *std::move(source);
  input.format = format_of_content(input.source.text);
  Result<Module> module = read_program(input.source, input.format, ops);
  if (!module) {
    print_diagnostics(module.errors(), input.texts());
    return std::nullopt;
  }
  input.m = *std::move(module);
  if (!verify) return input;
  Diagnostics errors;
  verify_module(ops, input.m, errors);
  print_diagnostics(errors, input.texts());
  if (has_errors(errors)) return std::nullopt;
  return input;
}

}  // namespace shardprop::cli
