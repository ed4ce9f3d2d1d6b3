// What the JSON writer writes, byte for byte, and how it replaces files.
#include "shardprop/io/json_writer.hpp"
#include "shardprop/io/common/literals.hpp"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "shardprop/io/json_reader.hpp"
#include "shardprop/ir/edit.hpp"
#include "tests/catch.hpp"
#include "tests/io/json_support.hpp"

namespace shardprop {
namespace {

using namespace test;
namespace fs = std::filesystem;

constexpr std::string_view kText = R"({
  "meshes": [
    {"name": "mesh", "axes": [{"name": "a", "size": 2}, {"name": "b", "size": 4}], "device_ids": [1, 0, 2, 3, 4, 5, 6, 7]}
  ],
  "attributes": {"note": "\"quoted\"\n", "none": {}, "empty": []},
  "functions": [
    {
      "name": "main", "private": true,
      "arguments": [
        {"name": "%x", "shape": [8], "dtype": "f32", "sharding": {"mesh": "mesh", "dims": [{"axes": ["b:(2)2"], "open": true, "priority": 0}]}, "attributes": {"k": 1}}
      ],
      "results": [
        {"shape": [8], "dtype": "f32", "sharding": {"mesh": {"axes": [], "device_ids": [3]}, "dims": []}}
      ],
      "attributes": {"big": 18446744073709551615, "one": 1.0, "mixed": [1, 2.5, null]},
      "ops": [
        {"op": "stablehlo.case", "operands": ["%x"], "results": [{"name": "%0", "shape": [8], "dtype": "f32"}], "sharding_rule": "([i])->([i]) {i=8}", "blocks": [
          {"arguments": [], "ops": [
            {"op": "stablehlo.return", "operands": ["%x"]}
          ]}
        ]},
        {"op": "sdy.reshard", "operands": ["%0"], "results": [{"name": "%1", "shape": [8], "dtype": "f32"}], "attributes": {"sharding": {"mesh": "mesh", "dims": [{"axes": ["a"]}], "unreduced": ["b"], "reduction": "max"}}},
        {"op": "stablehlo.custom_call", "operands": ["%1"], "attributes": {"call_target_name": "foo"}, "sharding": [{"mesh": "mesh", "dims": []}]},
        {"op": "func.return", "operands": ["%1"]}
      ]
    }
  ]
}
)";

std::string attribute_text(double value) {
  Module m;
  const AttrEntry entry{m.strings.intern("v"), m.attrs.number(value)};
  m.attributes = m.attrs.dict({&entry, 1});
  return write_json(m, {.compact = true});
}

std::string with_attribute(std::string_view value) {
  return std::string(R"({"meshes": [], "attributes": {"v": )")
      .append(value)
      .append("}, \"functions\": []}\n");
}

// A folder of its own, removed at the end.
struct Folder {
  fs::path path = fs::temp_directory_path() / "shardprop_json_writer_test";
  Folder() {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(path))
      out.push_back(entry.path().filename().string());
    return out;
  }
};

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace

TEST_CASE("json writer: layout, defaults left out", "[io]") {
  const Module m = read_or_fail(kText);
  CHECK(write_json(m) == kText);
  CHECK(write_json(m) == write_json(m));
  const std::string compact = write_json(m, {.compact = true});
  CHECK(compact.find('\n') == compact.size() - 1);
  CHECK(write_json(read_or_fail(compact)) == kText);
}

TEST_CASE("json writer: defaults that were written out are left out", "[io]") {
  const Module m = read_or_fail(module_of_sharding(
      R"({"mesh": "mesh", "dims": [{"axes": [], "open": false}, {}], "replicated": [], "unreduced": [], "reduction": "max"})"));
  CHECK(write_json(m, {.compact = true})
            .find(R"("sharding": {"mesh": "mesh", "dims": [{"axes": []}, {"axes": []}]}})") !=
        std::string::npos);
}

TEST_CASE("json writer: the text of a sharding and its object are the same", "[io]") {
  const Module object = read_or_fail(module_of_sharding(
      R"({"mesh": "mesh", "dims": [{"axes": ["a"], "open": true, "priority": 1}, {"axes": ["b:(1)2"]}], "replicated": ["b:(2)2"]})"));
  const Module text = read_or_fail(
      module_of_sharding(R"("<@mesh, [{\"a\", ?}p1, {\"b\":(1)2}], replicated={\"b\":(2)2}>")"));
  CHECK(write_json(object) == write_json(text));
}

TEST_CASE("json writer: an sdy operation's sharding is that of its result", "[io]") {
  const std::string attribute =
      R"("attributes": {"sharding": {"mesh": "mesh", "dims": [{"axes": ["a"]}, {"axes": []}]}})";
  const std::string result = R"("results": [{"name": "%0", "shape": [8, 32], "dtype": "f32"}])";
  const std::string end = R"(}, {"op": "func.return"})";
  const std::string text =
      module_of_ops(R"({"op": "sdy.sharding_constraint", "operands": ["%x"], )" + result + ", " +
                    attribute + end);
  const Module m = read_or_fail(text);
  const ValueId value = ValueId(1);
  REQUIRE(m.value_shardings[value].valid());
  CHECK_FALSE(m.ops[OpId(0)].attributes.valid());
  CHECK(write_json(m).find(attribute) != std::string::npos);

  // Another operation's attribute of that name is plain JSON.
  const Module other = read_or_fail(
      module_of_ops(R"({"op": "my.op", "operands": ["%x"], )" + result + ", " + attribute + end));
  CHECK_FALSE(other.value_shardings[value].valid());
  CHECK(write_json(other).find(attribute) != std::string::npos);
}

TEST_CASE("json writer: numbers read back as what they were", "[io]") {
  for (double value :
       {0.0, -0.0, 1.0, -1.5, 0.1, 1e22, 1e-7, 1.0 / 3, 123456789012345680.0,
        std::numeric_limits<double>::max(), std::numeric_limits<double>::denorm_min()}) {
    const std::string text = attribute_text(value);
    INFO(text);
    const Module m = read_or_fail(text);
    const AttrId back = m.attrs.find(m.attributes, m.strings.find("v"));
    REQUIRE(m.attrs.kind(back) == AttrKind::kFloat);
    CHECK(m.attrs.as_float(back) == value);
    CHECK(std::signbit(m.attrs.as_float(back)) == std::signbit(value));
  }
  CHECK(attribute_text(1.0) == with_attribute("1.0"));
  CHECK(attribute_text(0.1) == with_attribute("0.1"));
  CHECK(attribute_text(std::numeric_limits<double>::infinity()) ==
        with_attribute(R"({"opaque": "inf"})"));
}

TEST_CASE("json writer: plain JSON is kept as it came", "[io]") {
  for (std::string_view value :
       {"null", "true", "0", "-9223372036854775808", "18446744073709551615", "[]", "{}", "[[]]",
        "[1, 2]", "[1, 2.0]", R"({"b": 1, "a": [{}]})", R"("")", R"("\u0001\"\\\b\f\n\r\t")",
        "\"\xC3\xA9\xF0\x9F\x98\x80\"", "[18446744073709551615, 1]"}) {
    CHECK(write_json(read_or_fail(with_attribute(value)), {.compact = true}) ==
          with_attribute(value));
  }
}

TEST_CASE("json writer: bytes that are not UTF-8 are replaced", "[io]") {
  for (std::string_view bytes :
       {"\xFF", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82"}) {
    std::string out;
    detail::append_string(out, bytes);
    std::string expected = "\"";
    for (std::size_t i = 0; i < bytes.size(); ++i) expected += "\xEF\xBF\xBD";
    CHECK(out == expected + "\"");
  }
}

TEST_CASE("json writer: values without a name of their own get one", "[io]") {
  Module m;
  const TypeId type = tensor_type(m, "f32", {});
  const std::vector<TypeId> two = {type, type};
  const FuncId func = create_func(m, {.name = "f", .argument_types = two});
  const BlockId body = m.funcs[func].body;
  set_name(m, m.blocks[body].arguments[1], "%arg0");
  std::vector<OpId> ops;
  for (int i = 0; i < 4; ++i)
    ops.push_back(create_op(m, at_end(body), {.name = "a.b", .result_types = {&type, 1}}));
  set_name(m, result(m, ops[1], 0), "%0");
  set_name(m, result(m, ops[2], 0), "%0");
  const std::vector<ValueId> all = {m.blocks[body].arguments[0], m.blocks[body].arguments[1],
                                    result(m, ops[0], 0),        result(m, ops[1], 0),
                                    result(m, ops[2], 0),        result(m, ops[3], 0)};
  create_op(m, at_end(body), {.name = "func.return", .operands = all});
  const std::string text = write_json(m, {.compact = true});
  CHECK(text.find(R"("operands": ["%arg1", "%arg0", "%1", "%0", "%2", "%3"])") !=
        std::string::npos);
  CHECK(write_json(read_or_fail(text), {.compact = true}) == text);
}

TEST_CASE("json writer: a file is replaced as a whole", "[io]") {
  const Folder folder;
  const Module m = read_or_fail(kText);
  const std::string path = (folder.path / "out.json").string();
  const Result<std::size_t> written = write_json_file(m, path);
  REQUIRE(written.ok());
  CHECK(*written == kText.size());
  CHECK(contents(path) == kText);

  REQUIRE(write_json_file(Module(), path).ok());
  CHECK(contents(path) == write_json(Module()));
  CHECK(folder.names() == std::vector<std::string>{"out.json"});

  // A file that is in the way of the temporary one is left alone.
  { std::ofstream(path + ".tmp0") << "mine"; }
  REQUIRE(write_json_file(m, path).ok());
  CHECK(contents(path) == kText);
  CHECK(contents(path + ".tmp0") == "mine");
  REQUIRE(read_json_file(path).ok());
}

TEST_CASE("json writer: a writer that fails leaves no trace", "[io]") {
  const Folder folder;
  const Result<std::size_t> missing =
      write_json_file(Module(), (folder.path / "no" / "out.json").string());
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.errors().front().code == "json.file");
  CHECK(folder.names().empty());

  fs::create_directory(folder.path / "out.json");
  CHECK_FALSE(write_json_file(Module(), (folder.path / "out.json").string()).ok());
  CHECK(fs::is_directory(folder.path / "out.json"));
  CHECK(folder.names() == std::vector<std::string>{"out.json"});
}

TEST_CASE("json writer: a symbolic link keeps pointing to the file", "[io]") {
  const Folder folder;
  std::error_code error;
  { std::ofstream(folder.path / "file.json") << "old"; }
  fs::create_symlink("file.json", folder.path / "link.json", error);
  if (error) return;
  REQUIRE(write_json_file(Module(), (folder.path / "link.json").string()).ok());
  CHECK(fs::is_symlink(folder.path / "link.json"));
  CHECK(contents(folder.path / "file.json") == write_json(Module()));
}

}  // namespace shardprop
