// What a text is when it is not a program that can be read: other forms of programs that users have at
// hand, and files that are packed or empty.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "shardprop/support/diagnostic.hpp"

namespace shardprop {

// What `bytes` is and what to do, where it is something that is known and cannot be read: an empty
// file (`input.empty`), HLO text, MLIR bytecode, gzip, UTF-16, protobuf (`input.form`). None for
// anything else. O(leading blanks).
inline std::optional<Diagnostic> unreadable_form(std::string_view bytes) {
  using namespace std::string_view_literals;
  const auto error = [](std::string what, std::string cure) {
    return Diagnostic{"input.form", std::move(what), std::move(cure)};
  };
  if (bytes.starts_with("\x1F\x8B"))
    return error("this is a file compressed by gzip", "unpack it first: gunzip -c FILE");
  if (bytes.starts_with("\x28\xB5\x2F\xFD"))
    return error("this is a file compressed by zstd", "unpack it first: zstd -dc FILE");
  if (bytes.starts_with("ML\xEFR")) {
    return error("this is MLIR bytecode, not text",
                 "print it as text: stablehlo-translate --deserialize or mlir-opt FILE; in JAX, "
                 "jax.jit(f).lower(...).as_text()");
  }
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
    return error("this is text in UTF-16, UTF-8 is read",
                 "convert it: iconv -f UTF-16 -t UTF-8 FILE");
  }
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) {
    return Diagnostic{"input.empty",
                      bytes.empty() ? "the file is empty" : "the file holds nothing but blanks",
                      "give a program: StableHLO text (MLIR) or the JSON graph"};
  }
  if (bytes.substr(first).starts_with("HloModule")) {
    return error(
        "this is HLO text, StableHLO is read",
        "print the program before it becomes HLO: in JAX, jax.jit(f).lower(...).as_text()");
  }
  if (bytes.substr(0, 64).find("\0"sv) != std::string_view::npos)
    return error("this is a binary file, not text",
                 "a program is StableHLO text (MLIR) or the JSON graph");
  return std::nullopt;
}

}  // namespace shardprop
