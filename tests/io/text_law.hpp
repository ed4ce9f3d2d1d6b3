// The law of the text reader and writer, for the fuzzer and for the test that replays its corpus.
#pragma once

#include <string>
#include <string_view>

#include "shardprop/io/stablehlo_text.hpp"
#include "tests/io/text_support.hpp"

namespace shardprop::test {

// Whatever reads must write, and what is written must read as the same module. Gives what is wrong,
// or nothing. Text that does not read is fine. The second text need not equal the first: names that
// the writer had to make up, and aliases that a damaged location names, may differ.
inline std::string text_law_broken(std::string_view text) {
  const TextReadOptions options{.max_depth = 64};
  const Result<Module> first = read_stablehlo_text(borrowed_text(text), options);
  if (!first) return first.errors().empty() ? "refused without an error" : "";
  const Result<std::string> written = write_stablehlo_text(*first);
  if (!written) return "read, but not written: " + to_string(written.errors());
  const Result<Module> second = read_stablehlo_text(borrowed_text(*written), {});
  if (!second) return "written, but not read: " + to_string(second.errors()) + *written;
  const std::string difference = first_difference(meaning_of(*first), meaning_of(*second));
  if (!difference.empty()) return "another module: " + difference + "\nwritten as\n" + *written;
  return "";
}

}  // namespace shardprop::test
