// Options of the MLIR text reader, and the text that it reads.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace shardprop {

// A text and what keeps it alive. A module keeps the owner, and by it the text, only if something
// of it was left there, such as a large constant. Without an owner the caller must keep the text
// alive as long as the module.
struct TextSource {
  std::shared_ptr<const void> owner;
  std::string_view text;
};

// A source that owns its text.
inline TextSource owned_text(std::string text) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  const std::string_view view = *owner;
  return {std::move(owner), view};
}

// A source that somebody else keeps alive, longer than the module.
inline TextSource borrowed_text(std::string_view text) { return {nullptr, text}; }

// Offsets in the tables of a module have 32 bits.
inline constexpr std::size_t kMaxTextBytes = 0xFFFFFFFFu;
// Regions and attributes within one another are read and written by recursion, which this bounds.
inline constexpr std::size_t kMaxTextDepth = 2048;

struct TextReadOptions {
  std::size_t max_depth = 512;  // nesting of regions, attributes and types; at most `kMaxTextDepth`
  std::size_t max_bytes = kMaxTextBytes;  // of the whole text; at most `kMaxTextBytes`
  std::size_t max_operations = 0xFFFFFFF0u;
  std::size_t max_diagnostics = 100;  // reading stops after this many errors, at least 1
  // A dense constant of more elements is left where it is, as attribute kind kData.
  std::size_t max_listed_elements = 64;
  bool keep_locations = true;
};

// Options of the MLIR text writer, and where the text goes.

struct TextWriteOptions {
  bool locations = true;  // write what was read inside `loc(...)`
  bool generic = false;   // operations as "dialect.op"(...) and meshes so; functions are func.func
  std::size_t max_depth = 2048;  // nesting of regions and attributes
};

// Takes the text piece by piece, in order. False where it cannot be written, which ends the
// writing.
struct TextSink {
  bool (*write)(void* state, std::string_view piece) = nullptr;
  void* state = nullptr;
};

}  // namespace shardprop
