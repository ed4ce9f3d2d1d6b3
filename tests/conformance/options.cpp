#include "tests/conformance/options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <thread>
#include <vector>

#include "tests/conformance/pattern.hpp"

#ifndef SHARDPROP_SHARED
#define SHARDPROP_SHARED "../shared"
#endif

namespace shardprop::conformance {

namespace {

template <class Number>
bool parse_number(const std::string& text, Number& out) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), out);
  return failure == std::errc() && end == text.data() + text.size();
}

std::string check(const Options& options) {
  const bool some = !options.filter.empty() || !options.case_name.empty();
  if (some && !(options.expect.empty() && options.update.empty())) {
    return "--expect and --update count whole groups: leave out --filter and --case";
  }
  const std::string wrong = Pattern(options.filter).error();
  if (!wrong.empty()) return fmt::format("--filter '{}': {}", options.filter, wrong);
  return "";
}

}  // namespace

std::string usage() {
  return R"(usage: shardprop_conformance [OPTION...] [CASE FILE OR FOLDER...]

Runs the passes of each case and compares the whole graph with what the reference gave. Without files
it runs all cases of the shared folder and the sample that the project holds.

  --shared DIR      folder that holds conformance/ (default: where the build was told it is)
  --jobs N          worker processes (default: one a processor)
  --timeout SECONDS for one case (default 120; 0: none)
  --filter REGEX    only cases whose group, list of passes or name matches
  --case NAME       only this case, with all that differs
  --show N          mismatches shown of a group (default 3)
  --dump DIR        write input, expected and actual graph of each case that differs
  --expect FILE     fail only when less of a group agrees than FILE says
  --update FILE     write to FILE how much agrees; the numbers may only grow
  --no-memo         run each case with the memo of propagation, without it, and without passing settled
                    operations by, and compare the bytes, not the reference
  --texts DIR       instead of running passes, read the text of each case's program in DIR, a copy
                    of the reference's repository, and compare it with the case's input
  --compare EXPECTED.json ACTUAL.json
                    compare two graphs and print every difference

Exit status: 0 all agree (or as many as expected), 1 not so, 2 wrong arguments or unreadable cases,
77 the shared folder is missing (the sample was run, and is as it should be).
)";
}

std::string parse_options(const std::vector<std::string>& arguments, Options& options) {
  options.shared = SHARDPROP_SHARED;
  options.jobs = std::max(1u, std::thread::hardware_concurrency());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--help" || word == "-h") {
      options.help = true;
      continue;
    }
    if (word == "--no-memo") {
      options.no_memo = true;
      continue;
    }
    if (!word.starts_with("--")) {
      options.paths.push_back(word);
      continue;
    }
    const std::size_t values = word == "--compare" ? 2 : 1;
    if (i + values >= arguments.size())
      return fmt::format("{}: unknown, or its value is missing", word);
    const std::string& value = arguments[i + 1];
    i += values;
    bool good = true;
    if (word == "--shared") {
      options.shared = value;
    } else if (word == "--filter") {
      options.filter = value;
    } else if (word == "--case") {
      options.case_name = value;
    } else if (word == "--dump") {
      options.dump = value;
    } else if (word == "--expect") {
      options.expect = value;
    } else if (word == "--update") {
      options.update = value;
    } else if (word == "--texts") {
      options.texts = value;
    } else if (word == "--compare") {
      options.compare = {value, arguments[i]};
    } else if (word == "--jobs") {
      good = parse_number(value, options.jobs) && options.jobs > 0;
    } else if (word == "--show") {
      good = parse_number(value, options.show);
    } else if (word == "--timeout") {
      good = parse_number(value, options.timeout);
    } else {
      return fmt::format("unknown option {}", word);
    }
    if (!good) return fmt::format("{}: '{}' is no number that it can have", word, value);
  }
  return check(options);
}

}  // namespace shardprop::conformance
