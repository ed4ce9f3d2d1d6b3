// Answers out: to standard output or to a file, which is replaced as a whole or left alone. What
// cannot be written is told. An interrupt while a file is written removes the temporary file.
#pragma once

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include "examples/cli/arguments.hpp"
#include "examples/cli/diagnostics.hpp"
#include "examples/cli/input.hpp"
#include "shardprop/io/common/file.hpp"
#include "shardprop/io/json_writer.hpp"
#include "shardprop/io/stablehlo_text.hpp"

namespace shardprop::cli {

struct SaveOptions {
  TextWriteOptions text;
  WriteOptions json;
};

namespace detail {

inline volatile std::sig_atomic_t interrupted_by = 0;

// While it lives, SIGINT, SIGTERM and SIGHUP are only noted, so that a writer can clean up; at its
// end the signal does what it did before.
class InterruptGuard {
 public:
  InterruptGuard() {
    struct sigaction note {};
    note.sa_handler = [](int signal) { interrupted_by = signal; };
    sigemptyset(&note.sa_mask);
    for (std::size_t i = 0; i < 3; ++i) {
      sigaction(kSignals[i], nullptr, &old_[i]);
      if (old_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &note, nullptr);
    }
  }
  ~InterruptGuard() {
    for (std::size_t i = 0; i < 3; ++i) sigaction(kSignals[i], &old_[i], nullptr);
    if (interrupted_by != 0) std::raise(interrupted_by);
  }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction old_[3] = {};
};

// A megabyte at most at once, so that an interrupt does not wait for the whole.
inline bool write_all(std::FILE* file, std::string_view text) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  while (!text.empty() && interrupted_by == 0) {
    const std::string_view piece = text.substr(0, kPiece);
    if (std::fwrite(piece.data(), 1, piece.size(), file) != piece.size()) return false;
    text.remove_prefix(piece.size());
  }
  return interrupted_by == 0;
}

struct ModuleWriter {
  const Module& m;
  Format format;
  const SaveOptions& options;
  Diagnostics errors = {};  // of the module, not of the file

  bool write(std::FILE* file) {
    if (format == Format::kJson) return write_all(file, write_json(m, options.json));
    const auto put = [](void* to, std::string_view piece) {
      return write_all(static_cast<std::FILE*>(to), piece);
    };
    errors = write_stablehlo_text(m, TextSink{put, file}, options.text);
    if (errors.empty()) return true;
    if (errors.front().code == "text.sink") errors.clear();
    return false;
  }
};

}  // namespace detail

// True if all that was printed so far reached standard output; says so where it did not.
inline bool flush_output(bool written = true) {
  if (std::fflush(stdout) == 0 && written) return true;
  print_diagnostics({{"output.write", fmt::format("cannot write to standard output: {}",
                                                  shardprop::detail::system_message(errno))}});
  return false;
}

// Writes text to standard output. Returns an exit code.
inline int print_text(std::string_view text) {
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  return flush_output(written) ? kOk : kBadInput;
}

// Writes the module to a file or, for '-' and "", to standard output. Returns an exit code.
inline int save(const Module& m, const std::string& path, Format format,
                const SaveOptions& options = {}) {
  detail::ModuleWriter writer{m, format, options};
  if (path.empty() || path == "-") {
    errno = 0;
    const bool written = writer.write(stdout);
    print_diagnostics(writer.errors);
    if (!writer.errors.empty()) return kBadInput;
    return flush_output(written) ? kOk : kBadInput;
  }
  const detail::InterruptGuard guard;
  const auto write = [](void* state, std::FILE* file) {
    return static_cast<detail::ModuleWriter*>(state)->write(file);
  };
  const Diagnostics errors = shardprop::detail::replace_file(path, {write, &writer});
  if (detail::interrupted_by == 0)
    print_diagnostics(writer.errors.empty() ? errors : writer.errors);
  return errors.empty() ? kOk : kBadInput;
}

}  // namespace shardprop::cli
