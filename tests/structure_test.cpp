// Checks what the compiler does not: the order of the rooms, where nlohmann/json may be used, the
// length and the opening lines of each header, that the umbrella leaves nothing out, that fwd.hpp
// declares only what exists, and that docs/design.md names each folder.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.hpp"

namespace {

// Path below include/ -> text, as in "shardprop/ir/module.hpp".
using HeaderTree = std::map<std::string, std::string>;
using Complaints = std::vector<std::string>;

constexpr std::string_view kUmbrella = "shardprop/shardprop.hpp";

// A header includes only headers of its own room or of rooms before it.
constexpr std::array<std::string_view, 11> kRooms = {
    "support",  "sharding", "ir",    "ops", "propagate", "passes",
    "pipeline", "analysis", "embed", "run", "io"};

constexpr std::size_t kMaxLines = 400;
constexpr std::size_t kMaxHeadersOfFolder = 40;
constexpr std::size_t kMaxColumns = 100;  // of documentation

struct LongHeader {
  std::string_view path;
  std::string_view reason;
};

// Headers that may have more lines than kMaxLines, and why.
const std::vector<LongHeader> kLongHeaders = {};

bool is_json_header(std::string_view path) { return path.starts_with("shardprop/io/json"); }

// Programs that build their graphs themselves do without readers and writers, and most do not run
// theirs, so the umbrella leaves both out.
bool is_left_out(std::string_view path) {
  return path.starts_with("shardprop/io/") || path.starts_with("shardprop/run/");
}

// X_inl.hpp defines what X.hpp declares. Only X.hpp includes it, unless the library is compiled.
bool is_definitions(std::string_view path) { return path.ends_with("_inl.hpp"); }

std::string declared_in(std::string_view definitions) {
  constexpr std::string_view kEnd = "_inl.hpp";
  return std::string(definitions.substr(0, definitions.size() - kEnd.size())) + ".hpp";
}

// The level of a header: 0 for version.hpp and fwd.hpp, then the rooms, then the umbrella; -1 for
// a header that is in no room.
int level_of(std::string_view path) {
  if (path == "shardprop/version.hpp" || path == "shardprop/fwd.hpp") return 0;
  if (path == kUmbrella) return static_cast<int>(kRooms.size()) + 1;
  for (std::size_t i = 0; i < kRooms.size(); ++i) {
    const std::string folder = "shardprop/" + std::string(kRooms[i]) + "/";
    if (path.starts_with(folder)) return static_cast<int>(i) + 1;
  }
  return -1;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// What the #include lines of a header name, with their quotes or angle brackets.
std::vector<std::string> includes_of(const std::string& text) {
  std::vector<std::string> names;
  for (const std::string& line : lines_of(text)) {
    const std::size_t hash = line.find_first_not_of(' ');
    if (hash == std::string::npos || line.compare(hash, 8, "#include") != 0) continue;
    const std::size_t open = line.find_first_of("\"<", hash);
    if (open == std::string::npos) continue;
    const std::size_t close = line.find_first_of("\">", open + 1);
    if (close == std::string::npos) continue;
    names.push_back(line.substr(open, close - open + 1));
  }
  return names;
}

std::string unquoted(std::string_view name) { return std::string(name.substr(1, name.size() - 2)); }

void check_include(const HeaderTree& tree, const std::string& path, const std::string& name,
                   Complaints& complaints) {
  const std::string included = unquoted(name);
  if (name.front() == '<' || included.starts_with("fmt/") || included.starts_with("nlohmann/")) {
    return;
  } else if (!tree.contains(included)) {
    complaints.push_back(path + " includes " + name +
                         ", which is not the full path of a header here");
  } else if (level_of(included) > level_of(path)) {
    complaints.push_back(path + " includes " + name + " of a later room");
  } else if (path == kUmbrella && is_left_out(included)) {
    complaints.push_back("the umbrella includes " + name);
  } else if (is_definitions(included) && declared_in(included) != path) {
    complaints.push_back(path + " includes " + name + ", which is for " + declared_in(included));
  } else if (is_definitions(included)) {
    const std::string end = "\n#ifndef SHARDPROP_COMPILED\n#include " + name + "\n#endif\n";
    if (!tree.at(path).ends_with(end))
      complaints.push_back(path + " does not end with the include of " + name);
  }
}

void check_text(const std::string& path, const std::string& text, Complaints& complaints) {
  const std::vector<std::string> lines = lines_of(text);
  if (lines.empty() || !lines.front().starts_with("//")) {
    complaints.push_back(path + " does not open with a comment");
  }
  if (std::find(lines.begin(), lines.end(), "#pragma once") == lines.end()) {
    complaints.push_back(path + " has no #pragma once");
  }
  const bool may_be_long = std::any_of(kLongHeaders.begin(), kLongHeaders.end(),
                                       [&](const LongHeader& row) { return row.path == path; });
  if (lines.size() > kMaxLines && !may_be_long) {
    complaints.push_back(path + " has " + std::to_string(lines.size()) + " lines");
  }
  if (is_json_header(path)) return;
  for (const std::string& line : lines) {
    if (line.substr(0, line.find("//")).find("nlohmann") != std::string::npos) {
      complaints.push_back(path + " uses nlohmann outside io/json*");
      return;
    }
  }
}

// The headers that including `path` brings in, `path` too.
std::set<std::string> reachable_from(const HeaderTree& tree, std::string_view path) {
  std::set<std::string> seen;
  std::vector<std::string> to_visit = {std::string(path)};
  while (!to_visit.empty()) {
    const std::string current = to_visit.back();
    to_visit.pop_back();
    const auto header = tree.find(current);
    if (header == tree.end() || !seen.insert(current).second) continue;
    for (const std::string& name : includes_of(header->second)) to_visit.push_back(unquoted(name));
  }
  return seen;
}

Complaints check(const HeaderTree& tree) {
  Complaints complaints;
  const std::set<std::string> in_umbrella = reachable_from(tree, kUmbrella);
  for (const auto& [path, text] : tree) {
    if (level_of(path) < 0) complaints.push_back(path + " is in no room");
    for (const std::string& name : includes_of(text)) check_include(tree, path, name, complaints);
    check_text(path, text, complaints);
    if (!is_left_out(path) && !in_umbrella.contains(path)) {
      complaints.push_back("the umbrella leaves out " + path);
    }
  }
  return complaints;
}

// `struct Module;` and `class OpTable;` give Module and OpTable. The tags of ids have no
// definition.
Complaints check_forward_declarations(const HeaderTree& tree) {
  const std::regex declaration("(struct|class) ([A-Za-z]+);");
  Complaints complaints;
  for (const std::string& line : lines_of(tree.at("shardprop/fwd.hpp"))) {
    std::smatch match;
    if (!std::regex_match(line, match, declaration) || match[2].str().ends_with("Tag")) continue;
    const std::regex definition("^" + match[1].str() + R"( (\[\[nodiscard\]\] )?)" +
                                match[2].str() + "( final)?( : public [A-Za-z]+)? \\{$");
    const bool is_defined = std::any_of(tree.begin(), tree.end(), [&](const auto& header) {
      const std::vector<std::string> lines = lines_of(header.second);
      return std::any_of(lines.begin(), lines.end(), [&](const std::string& other) {
        return std::regex_match(other, definition);
      });
    });
    if (!is_defined) complaints.push_back("fwd.hpp: no header defines " + match[2].str());
  }
  return complaints;
}

// --- Folders and pages ---------------------------------------------------------------------------

// Folders below include/shardprop, as in "ops/stablehlo/", with the number of their headers.
std::map<std::string, std::size_t> folders_of(const HeaderTree& tree) {
  std::map<std::string, std::size_t> folders;
  const std::string_view root = "shardprop/";
  for (const auto& [path, text] : tree) {
    const std::string below = path.substr(root.size());
    for (std::size_t at = below.find('/'); at != std::string::npos; at = below.find('/', at + 1)) {
      folders.try_emplace(below.substr(0, at + 1), 0);
    }
    const std::size_t last = below.rfind('/');
    if (last != std::string::npos) ++folders[below.substr(0, last + 1)];
  }
  return folders;
}

// Folders that the map of a page names: "| `ops/stablehlo/` | what is there |".
std::set<std::string> folders_named_in(const std::string& page) {
  const std::regex row(R"(\| `([a-z_/]+/)` \|.*)");
  std::set<std::string> folders;
  for (const std::string& line : lines_of(page)) {
    std::smatch match;
    if (std::regex_match(line, match, row)) folders.insert(match[1].str());
  }
  return folders;
}

Complaints check_folders(const HeaderTree& tree, const std::string& map) {
  Complaints complaints;
  const std::map<std::string, std::size_t> folders = folders_of(tree);
  const std::set<std::string> named = folders_named_in(map);
  for (const auto& [folder, count] : folders) {
    if (!named.contains(folder)) complaints.push_back("the map leaves out " + folder);
    if (count > kMaxHeadersOfFolder) {
      complaints.push_back(folder + " has " + std::to_string(count) + " headers");
    }
  }
  for (const std::string& folder : named) {
    if (!folders.contains(folder)) complaints.push_back("the map names " + folder);
  }
  return complaints;
}

// Rows of tables may be longer, since Markdown has no way to break them, and so may what a test
// generates (docs/ops.md), since it has a line per fact.
Complaints check_columns(const std::string& page, const std::string& text) {
  Complaints complaints;
  std::size_t number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    if (line.starts_with("<!-- Generated from here on")) break;
    const auto columns = std::count_if(line.begin(), line.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;  // UTF-8: first bytes only
    });
    if (line.starts_with("|") || static_cast<std::size_t>(columns) <= kMaxColumns) continue;
    complaints.push_back(page + ":" + std::to_string(number) + " is too long");
  }
  return complaints;
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

HeaderTree read_headers() {
  namespace fs = std::filesystem;
  const fs::path root = fs::path(SHARDPROP_SOURCE_DIR) / "include";
  HeaderTree tree;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    tree[entry.path().lexically_relative(root).generic_string()] = read_text(entry.path());
  }
  return tree;
}

// A small tree without fault, to which the cases below add one.
HeaderTree clean_tree() {
  return {
      {"shardprop/version.hpp", "// Version.\n#pragma once\n"},
      {"shardprop/support/id.hpp", "// Ids.\n#pragma once\n"},
      {"shardprop/ir/module.hpp",
       "// Module; nlohmann/json stays out.\n#pragma once\n#include "
       "\"shardprop/support/id.hpp\"\n"},
      {"shardprop/io/json.hpp", "// JSON.\n#pragma once\n#include <nlohmann/json.hpp>\n"},
      {"shardprop/shardprop.hpp",
       "// Umbrella.\n#pragma once\n#include \"shardprop/ir/module.hpp\"\n"
       "#include \"shardprop/version.hpp\"\n"},
  };
}

Complaints check_with(const std::string& path, const std::string& added) {
  HeaderTree tree = clean_tree();
  tree[path] += added;
  return check(tree);
}

}  // namespace

TEST_CASE("the headers keep the order of rooms and the rules of form", "[structure]") {
  const HeaderTree tree = read_headers();
  REQUIRE(tree.contains(std::string(kUmbrella)));
  for (const std::string& complaint : check(tree)) FAIL_CHECK(complaint);
  for (const std::string& complaint : check_forward_declarations(tree)) FAIL_CHECK(complaint);
}

TEST_CASE("docs/design.md names each folder, and no folder is large", "[structure]") {
  const std::filesystem::path root = SHARDPROP_SOURCE_DIR;
  const std::string map = read_text(root / "docs" / "design.md");
  REQUIRE_FALSE(map.empty());
  for (const std::string& complaint : check_folders(read_headers(), map)) FAIL_CHECK(complaint);
}

TEST_CASE("the lines of the documentation are at most 100 characters long", "[structure]") {
  namespace fs = std::filesystem;
  const fs::path root = SHARDPROP_SOURCE_DIR;
  std::vector<fs::path> pages = {root / "README.md", root / "CONTRIBUTING.md",
                                 root / "CHANGELOG.md"};
  for (const fs::directory_entry& entry : fs::directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  for (const fs::path& page : pages) {
    const std::string text = read_text(page);
    REQUIRE_FALSE(text.empty());
    for (const std::string& complaint : check_columns(page.filename().string(), text)) {
      FAIL_CHECK(complaint);
    }
  }
}

TEST_CASE("each entry of the list of long headers is still needed", "[structure]") {
  const HeaderTree tree = read_headers();
  for (const LongHeader& row : kLongHeaders) {
    INFO(row.path << ": " << row.reason);
    const auto header = tree.find(std::string(row.path));
    REQUIRE(header != tree.end());
    CHECK(lines_of(header->second).size() > kMaxLines);
    CHECK_FALSE(row.reason.empty());
  }
}

TEST_CASE("the structure check finds each kind of fault", "[structure]") {
  const std::string id = "shardprop/support/id.hpp";
  const std::string module = "shardprop/ir/module.hpp";
  const std::string umbrella = "shardprop/shardprop.hpp";
  CHECK(check(clean_tree()).empty());
  CHECK(check_with(id, "#include \"shardprop/ir/module.hpp\"\n") ==
        Complaints{id + " includes \"shardprop/ir/module.hpp\" of a later room"});
  CHECK(
      check_with(module, "#include \"module.hpp\"\n") ==
      Complaints{module + " includes \"module.hpp\", which is not the full path of a header here"});
  CHECK(check_with(module, "nlohmann::json document;\n") ==
        Complaints{module + " uses nlohmann outside io/json*"});
  CHECK(check_with(module, std::string(kMaxLines, '\n')).size() == 1);
  CHECK(check_with(umbrella, "#include \"shardprop/io/json.hpp\"\n") ==
        Complaints{"the umbrella includes \"shardprop/io/json.hpp\""});
  CHECK(check_with("shardprop/ir/walk.hpp", "// Walk.\n#pragma once\n") ==
        Complaints{"the umbrella leaves out shardprop/ir/walk.hpp"});
  const std::string definitions = "// Definitions.\n#pragma once\n";
  HeaderTree split = clean_tree();
  split["shardprop/ir/module_inl.hpp"] = definitions;
  CHECK(check(split) == Complaints{"the umbrella leaves out shardprop/ir/module_inl.hpp"});
  split[umbrella] += "#include \"shardprop/ir/module_inl.hpp\"\n";
  CHECK(check(split) ==
        Complaints{umbrella + " includes \"shardprop/ir/module_inl.hpp\", which is for " + module});
  split[umbrella] = clean_tree()[umbrella];
  split[module] += "#include \"shardprop/ir/module_inl.hpp\"\n";
  CHECK(check(split) ==
        Complaints{module + " does not end with the include of \"shardprop/ir/module_inl.hpp\""});
  split[module] =
      clean_tree()[module] +
      "\n#ifndef SHARDPROP_COMPILED\n#include \"shardprop/ir/module_inl.hpp\"\n#endif\n";
  CHECK(check(split).empty());
  CHECK(check_with("shardprop/io/json_bare.hpp", "int x;\n") ==
        Complaints{"shardprop/io/json_bare.hpp does not open with a comment",
                   "shardprop/io/json_bare.hpp has no #pragma once"});
  CHECK(check_with("shardprop/other/x.hpp", "// X.\n#pragma once\n").size() == 2);
}

TEST_CASE("the checks of folders, pages and fwd.hpp find each kind of fault", "[structure]") {
  HeaderTree tree = clean_tree();
  const std::string map = "| `support/` | ids |\n| `ir/` | modules |\n| `io/` | JSON |\n";
  CHECK(check_folders(tree, map).empty());
  CHECK(check_folders(tree, map + "| `ops/` | operations |\n") == Complaints{"the map names ops/"});
  tree["shardprop/ir/text/print.hpp"] = "// Printer.\n#pragma once\n";
  CHECK(check_folders(tree, map) == Complaints{"the map leaves out ir/text/"});
  for (std::size_t i = 0; i < kMaxHeadersOfFolder; ++i) {
    tree["shardprop/io/" + std::to_string(i) + ".hpp"] = "";
  }
  CHECK(check_folders(tree, map + "| `ir/text/` | printer |\n") ==
        Complaints{"io/ has 41 headers"});

  const std::string long_line(kMaxColumns + 1, 'x');
  CHECK(check_columns("page.md", "short\n| " + long_line + " |\n").empty());
  CHECK(check_columns("page.md", "short\n" + long_line) == Complaints{"page.md:2 is too long"});
  CHECK(check_columns("page.md", std::string(kMaxColumns - 1, 'x') + "\u00b7").empty());

  tree["shardprop/fwd.hpp"] = "struct OpTag;\nstruct Module;\nclass OpTable;\n";
  tree["shardprop/ir/module.hpp"] = "struct Module {\n};\n";
  CHECK(check_forward_declarations(tree) == Complaints{"fwd.hpp: no header defines OpTable"});
}
