// A coverage-guided fuzzer of the text reader and writer, for libFuzzer. Not part of the build:
//
//   clang++ -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined
//       -Iinclude -I. tests/fuzz/stablehlo_text_fuzz.cpp -o stablehlo_text_fuzz
//   ./stablehlo_text_fuzz -max_len=4096 -dict=tests/fuzz/stablehlo_text.dict CORPUS
//       tests/data/fuzz/stablehlo_text
//
// CORPUS is an empty folder for what it finds. tests/io/stablehlo_text_fuzz_test.cpp replays
// tests/data/fuzz/stablehlo_text in every build: put inputs that found something there.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tests/io/text_law.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string broken = shardprop::test::text_law_broken(text);
  if (!broken.empty()) {
    std::fprintf(stderr, "%s\n", broken.c_str());
    std::abort();
  }
  return 0;
}
