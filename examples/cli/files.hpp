// Reading and writing for the commands: '-' is a standard stream, diagnostics go to standard error.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "fmt/core.h"
#include "fmt/format.h"
#include "shardprop/io/json_reader.hpp"
#include "shardprop/io/json_writer.hpp"
#include "shardprop/io/stablehlo_text.hpp"
#include "shardprop/io/text/excerpt.hpp"
#include "shardprop/io/text/file.hpp"
#include "shardprop/ops/infer.hpp"
#include "shardprop/ops/standard_ops.hpp"
#include "shardprop/ops/verify.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop::cli {

constexpr int kOk = 0;
constexpr int kBadInput = 1;
constexpr int kBadUsage = 2;

// With the line that each is about, where `text` is what was read.
inline void print_diagnostics(const Diagnostics& diagnostics, std::string_view text = {}) {
  const bool colour = isatty(STDERR_FILENO) != 0;
  for (const Diagnostic& d : diagnostics) {
    std::string message = to_string(d);
    if (const std::string shown = excerpt(text, d.place); !shown.empty()) {
      const std::size_t help = std::min(message.find("\n  help: "), message.size());
      message.insert(help, "\n" + shown);
    }
    const std::size_t end = message.find('[');
    if (colour && end != std::string::npos) {
      const char* start = d.severity == Severity::kError ? "\033[1;31m" : "\033[1;33m";
      message = start + message.substr(0, end) + "\033[0m" + message.substr(end);
    }
    fmt::print(stderr, "{}\n", message);
  }
}

// Says on a terminal what goes on when it lasts over a second.
class Progress {
 public:
  explicit Progress(std::string what) : what_(std::move(what)) {
    if (isatty(STDERR_FILENO)) thread_ = std::thread([this] { show(); });
  }
  ~Progress() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void show() {
    std::unique_lock lock(mutex_);
    for (int seconds = 1;
         !changed_.wait_for(lock, std::chrono::seconds(1), [this] { return done_; }); ++seconds) {
      fmt::print(stderr, "\r{} ... {} s", what_, seconds);
      std::fflush(stderr);
      shown_ = true;
    }
    if (shown_) fmt::print(stderr, "\r\033[K");
  }

  std::string what_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  bool shown_ = false;
  std::thread thread_;
};

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

inline Result<TextSource> open_input(const std::string& path) {
  if (path == "-") return owned_text(std::string(std::istreambuf_iterator<char>(std::cin), {}));
  return open_text(path);
}

inline Result<Module> read_program(const TextSource& source, Format format, const OpTable& ops) {
  if (format == Format::kMlir) return read_stablehlo_text(source);
  ReadOptions options;
  options.infer_types = [&](Module& m, OpId op, Diagnostics& out) {
    return infer_types(ops, m, op, out);
  };
  return read_json(source.text, options);
}

// The module of a file, JSON or MLIR text by its content, which goes to `format`; its types
// inferred; verified unless told otherwise. Prints what is wrong.
inline std::optional<Module> load(const std::string& path, const OpTable& ops,
                                  Format* format = nullptr, bool verify = true) {
  const Progress progress(fmt::format("reading {}", path));
  const Result<TextSource> source = open_input(path);
  if (!source) {
    print_diagnostics(source.errors());
    return std::nullopt;
  }
  const Format found = format_of_content(source->text);
  if (format) *format = found;
  Result<Module> module = read_program(*source, found, ops);
  if (!module) {
    print_diagnostics(module.errors(), source->text);
    return std::nullopt;
  }
  if (!verify) return std::move(*module);
  Diagnostics errors;
  verify_module(ops, *module, errors);
  print_diagnostics(errors);
  if (has_errors(errors)) return std::nullopt;
  return std::move(*module);
}

// Writes text to standard output; false where that fails.
inline bool print_text(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
         std::fflush(stdout) == 0;
}

inline bool print_module(const Module& m, Format format, const TextWriteOptions& options,
                         const WriteOptions& json_options, Diagnostics& errors) {
  if (format == Format::kJson) return print_text(write_json(m, json_options));
  const auto put = [](void*, std::string_view piece) { return print_text(piece); };
  errors = write_stablehlo_text(m, TextSink{put, nullptr}, options);
  return errors.empty();
}

// Writes the module to a file or, for '-' and "", to standard output. Returns an exit code.
inline int save(const Module& m, const std::string& path, Format format,
                const TextWriteOptions& options = {}, const WriteOptions& json_options = {}) {
  Diagnostics errors;
  if (path.empty() || path == "-") {
    if (print_module(m, format, options, json_options, errors)) return kOk;
    if (errors.empty() || errors.front().code == "text.sink") {
      fmt::print(stderr, "error: cannot write to standard output\n");
      return kBadInput;
    }
  } else if (format == Format::kMlir) {
    errors = write_stablehlo_text_file(m, path, options);
  } else if (const auto written = write_json_file(m, path, json_options); !written) {
    errors = written.errors();
  }
  print_diagnostics(errors);
  return errors.empty() ? kOk : kBadInput;
}

}  // namespace shardprop::cli
