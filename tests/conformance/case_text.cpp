#include "tests/conformance/case_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "shardprop/io/json_writer.hpp"
#include "shardprop/io/text/reader.hpp"
#include "tests/conformance/compare.hpp"
#include "tests/conformance/mismatch_view.hpp"

namespace shardprop::conformance {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kSeparator = "// -----";
constexpr std::size_t kShown = 3;  // differences of a case

// The reference's programs lie under one of these folders of its repository.
constexpr std::string_view kFolders[] = {"shardy/dialect/sdy", "dialect/sdy", ""};

std::ifstream open_source(const fs::path& repository, std::string_view file) {
  for (std::string_view folder : kFolders) {
    std::ifstream in(repository / folder / file, std::ios::binary);
    if (in.is_open()) return in;
  }
  return std::ifstream();
}

std::string describe(const Comparison& comparison) {
  std::string out;
  for (std::size_t i = 0; i < std::min(kShown, comparison.differences.size()); ++i) {
    const Difference& d = comparison.differences[i];
    out += fmt::format("    {}\n      case {}\n      text {}\n", d.path, show(d.expected),
                       show(d.actual));
  }
  return out;
}

}  // namespace

std::optional<std::string> text_of(const Case& c, const fs::path& repository) {
  const std::size_t colon = c.source.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  std::size_t first = 0;
  std::from_chars(c.source.data() + colon + 1, c.source.data() + c.source.size(), first);
  std::ifstream in = open_source(repository, std::string_view(c.source).substr(0, colon));
  if (!in.is_open()) return std::nullopt;
  std::string text;
  std::string line;
  bool is_split = false;  // the file says so itself, before its first program
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    is_split = is_split || line.find("split-input-file") != std::string::npos;
    if (number < first) continue;
    if (is_split && std::string_view(line).starts_with(kSeparator)) {
      if (number == first) continue;
      break;
    }
    text += line + "\n";
  }
  return text;
}

CaseResult check_text(const Case& c, const fs::path& repository) {
  CaseResult out{.functions = 1};
  const std::optional<std::string> text = text_of(c, repository);
  if (!text) {
    out.outcome = Outcome::kLeftOut;
    return out;
  }
  Result<Module> read = read_stablehlo_text(borrowed_text(*text));
  if (!read && c.expected_error && c.unverified_input) {
    out.outcome = Outcome::kAgrees;
    out.agreeing_functions = 1;
    return out;
  }
  if (!read) {
    out.report = fmt::format("    refused by the reader of text\n      {}\n",
                             to_string(read.errors().front()));
    return out;
  }
  const Json expected = Json::parse(c.input);
  const Json actual = Json::parse(write_json(*read));
  const Comparison comparison = compare(expected, actual);
  out.functions = comparison.functions.size();
  out.agreeing_functions = comparison.agreeing_functions();
  if (comparison.agrees()) {
    out.outcome = Outcome::kAgrees;
  } else {
    out.report = describe(comparison);
  }
  return out;
}

}  // namespace shardprop::conformance
