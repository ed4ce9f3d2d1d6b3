// Builds the demo's decoder with the graph builder and writes it as a JSON graph:
// examples/decoder_8b.json is its output, byte for byte.
//
// usage: build_decoder [OUTPUT]     (without OUTPUT: standard output)
#include <cstdio>

#include "examples/models/decoder.hpp"
#include "fmt/core.h"
#include "shardprop/io/json_writer.hpp"
#include "shardprop/ops/standard_ops.hpp"

int main(int argc, char** argv) {
  using namespace shardprop;
  if (argc > 2) {
    fmt::print(stderr, "usage: {} [OUTPUT]\n", argv[0]);
    return 2;
  }
  const Result<Module> decoder = models::decoder(standard_ops());
  if (!decoder) {
    fmt::print(stderr, "{}", to_string(decoder.errors()));
    return 1;
  }
  if (argc == 2) {
    const Result<std::size_t> written = write_json_file(*decoder, argv[1]);
    if (!written) fmt::print(stderr, "{}", to_string(written.errors()));
    return written ? 0 : 1;
  }
  const std::string text = write_json(*decoder);
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  return written && std::fflush(stdout) == 0 ? 0 : 1;
}
