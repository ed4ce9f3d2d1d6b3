#include "tests/conformance/case_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include "tests/conformance/raw_json.hpp"

namespace shardprop::conformance {

namespace fs = std::filesystem;

namespace {

std::string group_of(const fs::path& file) {
  return (file.parent_path().filename() / file.stem()).generic_string();
}

// Fills `c` from one line; false when the line is not a case.
bool parse_case(std::string_view line, Case& c) {
  const auto members = split_members(line);
  if (!members) return false;
  c.passes = Json::array();
  for (const RawMember& m : *members) {
    if (m.key == "input") {
      c.input = m.value;
    } else if (m.key == "expected") {
      c.expected = m.value;
    } else if (m.key == "name" || m.key == "source" || m.key == "passes" ||
               m.key == "expected_error" || m.key == "unverified_input" ||
               m.key == "upstream_bug") {
      const Json value = Json::parse(m.value, nullptr, false);
      if (value.is_discarded()) return false;
      if (m.key == "name") c.name = value.get<std::string>();
      if (m.key == "source") c.source = value.get<std::string>();
      if (m.key == "passes") c.passes = value;
      if (m.key == "expected_error") c.expected_error = value.get<std::string>();
      if (m.key == "unverified_input") c.unverified_input = value.get<bool>();
      if (m.key == "upstream_bug") c.left_out = value.get<bool>();
    }
  }
  return !c.name.empty() && !c.input.empty();
}

bool load_file(const fs::path& path, CaseSet& set) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    set.error = fmt::format("cannot read {}", path.string());
    return false;
  }
  const std::string& text =
      set.texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  std::string_view rest = text;
  for (std::size_t line = 1; !rest.empty(); ++line) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view one = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (one.empty()) continue;
    Case c;
    c.group = group_of(path);
    if (!parse_case(one, c)) {
      set.error =
          fmt::format("{}:{}: no case (a JSON object with name and input)", path.string(), line);
      return false;
    }
    set.cases.push_back(std::move(c));
  }
  return true;
}

}  // namespace

std::string pass_list(const Case& c) {
  std::string out;
  for (const Json& pass : c.passes)
    out += (out.empty() ? "" : ",") + pass.at("pass").get<std::string>();
  return out.empty() ? "verify" : out;
}

bool load_cases(const fs::path& path, CaseSet& set) {
  std::error_code failure;
  if (!fs::is_directory(path, failure)) return load_file(path, set);
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator it(path, failure), end; it != end; it.increment(failure)) {
    if (it->path().extension() == ".jsonl") files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  return std::all_of(files.begin(), files.end(),
                     [&](const fs::path& file) { return load_file(file, set); });
}

}  // namespace shardprop::conformance
