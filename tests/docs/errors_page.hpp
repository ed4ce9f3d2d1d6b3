// docs/errors.md as a list: each code with its example.
#pragma once

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.hpp"

namespace shardprop::test {

struct ErrorExample {
  std::string code;
  std::string kind;  // of the fence: mlir, json, sh, cpp
  std::string text;  // lines, each with its end
};

// The page, and the program that its commands use.
struct ErrorsPage {
  std::vector<ErrorExample> examples;
  std::string good;
  std::string text;
};

inline ErrorsPage read_errors_page() {
  std::ifstream file(std::string(SHARDPROP_SOURCE_DIR) + "/docs/errors.md");
  REQUIRE(file.good());
  ErrorsPage page;
  std::string* into = nullptr;  // the block that the line is in
  std::string unused;
  for (std::string line; std::getline(file, line);) {
    page.text += line + "\n";
    if (line.starts_with("```")) {
      if (into) {
        into = nullptr;
      } else if (page.examples.empty()) {
        into = line == "```mlir" ? &page.good : &unused;
      } else {
        INFO("one example for " << page.examples.back().code);
        REQUIRE(page.examples.back().kind.empty());
        page.examples.back().kind = line.substr(3);
        into = &page.examples.back().text;
      }
    } else if (into) {
      *into += line + "\n";
    } else if (line.starts_with("### ")) {
      page.examples.push_back({line.substr(4), "", ""});
    }
  }
  return page;
}

}  // namespace shardprop::test
