// Whole files in and out.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "fmt/core.h"
#include "shardprop/support/result.hpp"

namespace shardprop::detail {

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

// `verb` is read or write; `why` may be empty.
inline Diagnostic file_error(std::string_view verb, std::string_view path, std::string_view why) {
  return {"json.file", fmt::format("cannot {} {}{}{}", verb, path, why.empty() ? "" : ": ", why)};
}

inline std::string system_message(int code) {
  return std::error_code(code, std::generic_category()).message();
}

inline constexpr std::size_t kReadChunk = std::size_t{1} << 16;

inline Result<std::string> read_file(const std::string& path) {
  errno = 0;
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file) return file_error("read", path, system_message(errno));
  std::string text;
  std::error_code unknown;  // a pipe has no size
  if (const std::uintmax_t size = std::filesystem::file_size(path, unknown); !unknown) {
    text.reserve(static_cast<std::size_t>(size) + kReadChunk);
  }
  for (std::size_t got = kReadChunk; got == kReadChunk;) {
    const std::size_t size = text.size();
    text.resize(size + kReadChunk);
    got = std::fread(text.data() + size, 1, kReadChunk, file.get());
    text.resize(size + got);
  }
  if (std::ferror(file.get())) return file_error("read", path, system_message(errno));
  return text;
}

// What fills a file; false where it fails.
struct FileContent {
  bool (*write)(void* state, std::FILE* file) = nullptr;
  void* state = nullptr;
};

inline bool write_and_close(File file, const FileContent& content) {
  const bool written = content.write(content.state, file.get());
  return (std::fclose(file.release()) == 0) && written;
}

// A new file beside `target`; its name goes to `path`.
inline File create_beside(const std::filesystem::path& target, std::filesystem::path& path) {
  constexpr int kTries = 1000;
  for (int i = 0; i < kTries; ++i) {
    path = target;
    path += fmt::format(".tmp{}", i);
    errno = 0;
    if (File file{std::fopen(path.string().c_str(), "wbx")}) return file;
    if (errno != EEXIST) break;
  }
  return nullptr;
}

// Makes `path` a file of `content`; gives errors, or none. The content goes to a new file that then
// takes the place of the old one, so that a reader sees the old or the new file, never half of one.
// What is not a regular file (a device, a pipe) is written to directly.
inline Diagnostics replace_file(const std::string& path, const FileContent& content) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    errno = 0;
    File file(std::fopen(path.c_str(), "wb"));
    if (file && write_and_close(std::move(file), content)) return {};
    return {file_error("write", path, system_message(errno))};
  }
  // A symbolic link stays one: what it points to is replaced.
  fs::path target = fs::is_regular_file(status) ? fs::canonical(path, error) : fs::path(path);
  if (error && fs::is_regular_file(status)) {
    return {file_error("write", path, error.message())};
  }
  fs::path temporary;
  File file = create_beside(target, temporary);
  if (!file) return {file_error("write", path, system_message(errno))};
  const bool written = write_and_close(std::move(file), content);
  const int why = errno;
  error.clear();
  if (written) {
    if (fs::is_regular_file(status)) fs::permissions(temporary, status.permissions(), error);
    if (!error) fs::rename(temporary, target, error);
    if (!error) return {};
  }
  std::error_code ignored;
  fs::remove(temporary, ignored);
  return {file_error("write", path, written ? error.message() : system_message(why))};
}

// The same with a text that is there as a whole; gives its size in bytes.
inline Result<std::size_t> replace_file(const std::string& path, std::string_view text) {
  const auto write = [](void* state, std::FILE* file) {
    const std::string_view all = *static_cast<const std::string_view*>(state);
    return std::fwrite(all.data(), 1, all.size(), file) == all.size();
  };
  Diagnostics errors = replace_file(path, FileContent{write, &text});
  if (!errors.empty()) return errors;
  return text.size();
}

}  // namespace shardprop::detail
