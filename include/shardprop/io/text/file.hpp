// MLIR text and other programs in files. A regular file is mapped into memory, not read: its pages
// come when they are used, and constants that stay in the text cost no memory of the process.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#if defined(__unix__) || defined(__APPLE__)
#define SHARDPROP_HAS_MMAP 1
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "shardprop/io/common/file.hpp"
#include "shardprop/io/text/options.hpp"
#include "shardprop/io/text/writer.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

#ifdef SHARDPROP_HAS_MMAP

// A file of some size as memory, or no owner where it cannot be mapped (a pipe, an empty file).
inline TextSource map_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  struct stat status {};
  void* memory = MAP_FAILED;
  std::size_t size = 0;
  if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    size = static_cast<std::size_t>(status.st_size);
    memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  }
  ::close(file);
  if (memory == MAP_FAILED) return {};
  std::shared_ptr<const void> owner(
      memory, [size](const void* at) { ::munmap(const_cast<void*>(at), size); });
  return {std::move(owner), {static_cast<const char*>(memory), size}};
}

#else

inline TextSource map_file(const std::string&) { return {}; }

#endif

}  // namespace detail

// The content of a file, mapped where that can be done, else read. A program that changes the file
// while it is mapped changes the text; one that replaces it does not. Error: `text.file`.
inline Result<TextSource> open_text(const std::string& path) {
  TextSource mapped = detail::map_file(path);
  if (mapped.owner) return mapped;
  Result<std::string> text = detail::read_file(path);
  if (text) return owned_text(std::move(*text));
  text.errors().front().code = "text.file";
  return text.errors();
}

// Writes the module as MLIR text to a file, piece by piece. A regular file is replaced as a whole
// or, where that fails, left as it was. Errors: `text.file` and those of `write_stablehlo_text`.
inline Diagnostics write_stablehlo_text_file(const Module& m, const std::string& path,
                                             const TextWriteOptions& options = {}) {
  struct State {
    const Module& m;
    const TextWriteOptions& options;
    Diagnostics errors;
  };
  State state{m, options, {}};
  const auto write = [](void* to, std::FILE* file) {
    const auto put = [](void* at, std::string_view piece) {
      return std::fwrite(piece.data(), 1, piece.size(), static_cast<std::FILE*>(at)) ==
             piece.size();
    };
    State& s = *static_cast<State*>(to);
    s.errors = write_stablehlo_text(s.m, TextSink{put, file}, s.options);
    return s.errors.empty();
  };
  Diagnostics errors = detail::replace_file(path, detail::FileContent{write, &state});
  for (Diagnostic& error : errors) error.code = "text.file";
  const bool is_own = !state.errors.empty() && state.errors.front().code != "text.sink";
  return is_own ? std::move(state.errors) : std::move(errors);
}

}  // namespace shardprop
