// Reading and writing for the commands: '-' is a standard stream, diagnostics go to standard error.
#pragma once

#include <unistd.h>

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

#include "fmt/format.h"
#include "shardprop/io/json_reader.hpp"
#include "shardprop/io/json_writer.hpp"
#include "shardprop/ops/infer.hpp"
#include "shardprop/ops/standard_ops.hpp"
#include "shardprop/ops/verify.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop::cli {

constexpr int kOk = 0;
constexpr int kBadInput = 1;
constexpr int kBadUsage = 2;

inline void print_diagnostics(const Diagnostics& diagnostics) {
  const bool colour = isatty(STDERR_FILENO) != 0;
  for (const Diagnostic& d : diagnostics) {
    std::string text = to_string(d);
    const std::size_t end = text.find('[');
    if (colour && end != std::string::npos) {
      const char* start = d.severity == Severity::kError ? "\033[1;31m" : "\033[1;33m";
      text = start + text.substr(0, end) + "\033[0m" + text.substr(end);
    }
    fmt::print(stderr, "{}\n", text);
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

// The module of a file, its types inferred; verified unless told otherwise. Prints what is wrong.
inline std::optional<Module> load(const std::string& path, const OpTable& ops, bool verify = true) {
  const Progress progress(fmt::format("reading {}", path));
  ReadOptions options;
  options.infer_types = [&](Module& m, OpId op, Diagnostics& out) {
    return infer_types(ops, m, op, out);
  };
  Result<Module> module =
      path == "-" ? read_json(std::string(std::istreambuf_iterator<char>(std::cin), {}), options)
                  : read_json_file(path, options);
  if (!module) {
    print_diagnostics(module.errors());
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

// Writes the module to a file or, for '-' and "", to standard output. Returns an exit code.
inline int save(const Module& m, const std::string& path) {
  if (path.empty() || path == "-") {
    if (print_text(write_json(m))) return kOk;
    fmt::print(stderr, "error: cannot write to standard output\n");
    return kBadInput;
  }
  const auto written = write_json_file(m, path);
  if (written) return kOk;
  print_diagnostics(written.errors());
  return kBadInput;
}

}  // namespace shardprop::cli
