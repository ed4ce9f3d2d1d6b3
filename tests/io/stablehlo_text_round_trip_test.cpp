// Programs survive MLIR text: a module that is written and read again is the same module, with its
// locations and constants; real programs give the JSON that stands beside them.
#include <cfenv>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "nlohmann/json.hpp"
#include "shardprop/io/json_reader.hpp"
#include "shardprop/io/json_writer.hpp"
#include "shardprop/io/stablehlo_text.hpp"
#include "shardprop/io/text/excerpt.hpp"
#include "shardprop/io/text/file.hpp"
#include "tests/catch.hpp"
#include "tests/support/conformance_cases.hpp"
#include "tests/support/shared_data.hpp"

namespace shardprop::test::stablehlo_text_round_trip_cases {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string file_text(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Renames the values of a function in the order of their definition, so that graphs compare
// whatever their names are.
class Renamer {
 public:
  void func(Json& func) {
    names_.clear();
    for (Json& argument : func["arguments"]) define(argument);
    ops(func["ops"]);
  }

 private:
  void define(Json& value) {
    const std::string name = "v" + std::to_string(names_.size());
    names_[value["name"].get<std::string>()] = name;
    value["name"] = name;
  }
  void ops(Json& list) {
    for (Json& op : list) {
      if (op.contains("operands")) {
        for (Json& operand : op["operands"]) use(operand);
      }
      if (op.contains("results")) {
        for (Json& value : op["results"]) define(value);
      }
      if (!op.contains("blocks")) continue;
      for (Json& block : op["blocks"]) {
        for (Json& argument : block["arguments"]) define(argument);
        ops(block["ops"]);
      }
    }
  }
  void use(Json& operand) {
    const auto at = names_.find(operand.get<std::string>());
    if (at != names_.end()) operand = at->second;
  }

  std::unordered_map<std::string, std::string> names_;
};

void drop_if_empty(Json& object, const char* key) {
  if (object.contains(key) && object[key].empty()) object.erase(key);
}

// An attribute of fields leaves empty lists and numbers that are 0 out.
void normalise_fields(Json& attributes) {
  for (auto& [key, value] : attributes.items()) {
    if (!key.ends_with("dimension_numbers")) continue;
    for (auto field = value.begin(); field != value.end();) {
      const bool drop = field->is_array() ? field->empty() : *field == 0;
      field = drop ? value.erase(field) : std::next(field);
    }
  }
}

// An axis of a mesh that groups carry is an object or, in some graphs, its text.
void normalise_groups(Json& attributes) {
  const auto groups = attributes.find("replica_groups");
  if (groups == attributes.end() || !groups->is_object() || !(*groups)["mesh"].is_object()) return;
  for (Json& axis : (*groups)["mesh"]["axes"]) {
    if (!axis.contains("name")) continue;
    axis = {{"opaque", "<name = " + axis["name"].dump() + ", size = " + axis["size"].dump() + ">"}};
  }
}

void normalise_ops(Json& ops) {
  for (Json& op : ops) {
    for (const char* key : {"operands", "results", "blocks", "attributes"}) drop_if_empty(op, key);
    if (op.contains("attributes")) normalise_fields(op["attributes"]);
    if (op.contains("attributes")) normalise_groups(op["attributes"]);
    if (!op.contains("blocks")) continue;
    for (Json& block : op["blocks"]) normalise_ops(block["ops"]);
  }
}

Json without_names(Json graph) {
  drop_if_empty(graph, "attributes");
  Renamer renamer;
  for (Json& func : graph["functions"]) {
    renamer.func(func);
    if (func.contains("private") && !func["private"].get<bool>()) func.erase("private");
    normalise_ops(func["ops"]);
  }
  return graph;
}

// The JSON whatever the order of attributes and the names of values: the pretty form of a loop has
// one name for two arguments.
Json json_of(const Module& m, const WriteOptions& options = {}) {
  return without_names(Json::parse(write_json(m, options)));
}

// What is wrong when `m` goes through text and back; empty if nothing is.
std::string round_trip(const Module& m, const TextWriteOptions& options) {
  const Result<std::string> text = write_stablehlo_text(m, options);
  if (!text) return "not written: " + to_string(text.errors());
  const Result<Module> again = read_stablehlo_text(borrowed_text(*text));
  if (!again) {
    const Diagnostic& error = again.errors().front();
    return "not read: " + to_string(error) + "\n" + excerpt(*text, error.place);
  }
  if (json_of(m) != json_of(*again)) return "another JSON";
  const Result<std::string> second = write_stablehlo_text(*again, options);
  return second && *second == *text ? "" : "another text";
}

struct Outcome {
  std::size_t graphs = 0;
  std::vector<std::string> failures;
};

void check_module(const std::string& name, const Module& m, Outcome& outcome) {
  ++outcome.graphs;
  for (const bool generic : {false, true}) {
    TextWriteOptions options;
    options.generic = generic;
    const std::string wrong = round_trip(m, options);
    if (!wrong.empty())
      outcome.failures.push_back(name + (generic ? " (generic): " : ": ") + wrong);
  }
}

void check_cases(const fs::path& path, Outcome& outcome) {
  for_each_case(path, 1, [&](std::size_t, const Json& test) {
    for (const char* field : {"input", "expected"}) {
      if (!test.contains(field) || !test[field].is_object()) continue;
      const Result<Module> m = read_json(test[field].dump());
      const std::string name = path.filename().string() + " " + test["name"].get<std::string>();
      if (m) check_module(name + " " + field, *m, outcome);
    }
  });
}

TEST_CASE("text: the sample of conformance cases survives text", "[io]") {
  Outcome outcome;
  for (const auto& entry : fs::directory_iterator(sample_folder()))
    check_cases(entry.path(), outcome);
  CHECK(outcome.failures == std::vector<std::string>());
  CHECK(outcome.graphs >= 50);
}

TEST_CASE("text: all conformance cases survive text", "[io][shared]") {
  for (const char* folder : {"generated", "upstream", "real", "stablehlo"}) {
    const fs::path path = fs::path(SHARDPROP_SHARED) / "conformance" / folder;
    if (!is_shared(path)) continue;
    Outcome outcome;
    for (const auto& entry : fs::directory_iterator(path)) {
      if (entry.path().extension() == ".jsonl") check_cases(entry.path(), outcome);
    }
    INFO(folder);
    CHECK(outcome.failures == std::vector<std::string>());
    CHECK(outcome.graphs >= 10);
  }
}

TEST_CASE("text: the rounding mode of the host has no say") {
  const std::string numbers =
      "[0.1, 1.0e23, 8.41e21, 9007199254740993.0, -0.3, 1.7e-310, 1234.5678901, 3.3333333333]";
  std::string text = "func.func @f() {\n";
  for (const std::string_view type : {"f64", "f32", "bf16", "f8E4M3FN"})
    text += "  stablehlo.constant dense<" + numbers + "> : tensor<8x" + std::string(type) + ">\n";
  text += "  stablehlo.constant {a = 0.7 : f16, b = 0.7} dense<0.1> : tensor<8xf32>\n  return\n}";
  const auto all = [&] {
    const Result<Module> m = read_stablehlo_text(borrowed_text(text));
    REQUIRE(m);
    const std::string json = write_json(*m);
    std::string out = json + *write_stablehlo_text(*m);
    for (const bool fast_scan : {false, true}) {
      const Result<Module> again = read_json(json, {.fast_scan = fast_scan});
      REQUIRE(again);
      out += write_json(*again) + *write_stablehlo_text(*again);
    }
    return out;
  };
  const std::string expected = all();
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);
    const std::string found = all();
    CHECK(std::fegetround() == mode);
    std::fesetround(FE_TONEAREST);
    CHECK(found == expected);
  }
}

TEST_CASE("text: a constant of many elements survives text") {
  std::string list = "[[0.5, -2.0, 9.99999974e-06]";
  for (int i = 1; i < 100; ++i) list += ", [" + std::to_string(i) + ".0, 1e+10, \"0x7F800000\"]";
  const Result<Module> m = read_json(
      R"({"functions": [{"name": "f", "ops": [{"op": "stablehlo.constant", "results": [{"name": "%0",)"
      R"("shape": [100, 3], "dtype": "f32"}], "attributes": {"value": )" +
      list + R"(]}}, {"op": "func.return", "operands": ["%0"]}]}]})");
  REQUIRE(m);
  for (const bool generic : {false, true}) CHECK(round_trip(*m, {.generic = generic}).empty());
}

TEST_CASE("text: real programs give the JSON beside them, and survive text", "[io][shared]") {
  const fs::path data = fs::path(SHARDPROP_SHARED) / "data";
  if (!is_shared(data / "mlir")) return;
  std::size_t programs = 0;
  for (const auto& entry : fs::directory_iterator(data / "mlir")) {
    INFO(entry.path().filename().string());
    const Result<TextSource> source = open_text(entry.path().string());
    REQUIRE(source);
    const Result<Module> m = read_stablehlo_text(*source);
    if (!m) FAIL_CHECK(to_string(m.errors()) << excerpt(source->text, m.errors().front().place));
    if (!m) continue;
    ++programs;
    const fs::path json = data / "json" / entry.path().filename().replace_extension(".json");
    // As bools: a difference of megabytes is of no use.
    const WriteOptions few{.max_elements = 64};  // what that JSON was made with
    CHECK((json_of(*m, few) == without_names(Json::parse(file_text(json)))));
    Outcome outcome;
    check_module("", *m, outcome);
    CHECK(outcome.failures == std::vector<std::string>());
  }
  CHECK(programs >= 7);
}

TEST_CASE("text: what JAX prints is written byte for byte, but for a word", "[io]") {
  std::string text = file_text(fs::path(SHARDPROP_SOURCE_DIR) / "examples/jax_mlp.mlir");
  const Result<Module> m = read_stablehlo_text(borrowed_text(text));
  if (!m) FAIL(to_string(m.errors()) << excerpt(text, m.errors().front().place));
  const Result<std::string> written = write_stablehlo_text(*m);
  REQUIRE(written);
  // Functions are public unless they say otherwise.
  constexpr std::string_view kPublic = "public ";
  text.erase(text.find(kPublic), kPublic.size());
  CHECK(*written == text);
}

}  // namespace
}  // namespace shardprop::test::stablehlo_text_round_trip_cases
