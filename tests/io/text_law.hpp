// The law of the text reader and writer, for the fuzzer and for the test that replays its corpus.
#pragma once

#include <string>
#include <string_view>

#include "shardprop/io/stablehlo_text.hpp"
#include "tests/io/text_support.hpp"

namespace shardprop::test {

// Whatever reads must write, and what is written must read as the same module and write as the same
// text. Gives what is wrong, or nothing. Text that does not read is fine.
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
  const Result<std::string> again = write_stablehlo_text(*second);
  if (!again) return "not written again";
  const std::string text_difference = first_difference(*written, *again);
  return text_difference.empty() ? "" : "another text: " + text_difference;
}

}  // namespace shardprop::test
