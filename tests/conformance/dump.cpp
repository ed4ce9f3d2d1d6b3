#include "tests/conformance/dump.hpp"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace shardprop::conformance {

namespace {

std::string file_name(const Case& c) {
  std::string out = c.group + "." + c.name;
  for (char& letter : out) {
    if (!std::isalnum(static_cast<unsigned char>(letter)) && letter != '.' && letter != '-')
      letter = '_';
  }
  return out;
}

}  // namespace

void dump_graphs(const std::string& folder, const Case& c, std::string_view actual) {
  if (folder.empty()) return;
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  const std::string base = (std::filesystem::path(folder) / file_name(c)).string();
  const auto write = [&](const char* what, std::string_view text) {
    if (!text.empty()) std::ofstream(base + "." + what + ".json", std::ios::binary) << text << '\n';
  };
  write("input", c.input);
  write("expected", c.expected);
  write("actual", actual);
}

}  // namespace shardprop::conformance
