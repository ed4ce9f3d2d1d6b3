// Options of the MLIR text writer, and where the text goes.
#pragma once

#include <cstddef>
#include <string_view>

namespace shardprop {

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
