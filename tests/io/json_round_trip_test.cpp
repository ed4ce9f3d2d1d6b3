// Every graph of the shared folders survives reading and writing: what is written equals what was
// read as JSON, defaults aside, and reading it again gives the same bytes.
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "nlohmann/json.hpp"
#include "shardprop/io/json_reader.hpp"
#include "shardprop/io/json_writer.hpp"
#include "tests/catch.hpp"
#include "tests/io/json_support.hpp"
#include "tests/support/conformance_cases.hpp"
#include "tests/support/shared_data.hpp"

namespace shardprop {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

void erase_if_empty(Json& object, std::string_view key) {
  const auto at = object.find(std::string(key));
  if (at != object.end() && at->empty()) object.erase(at);
}

void normalise_sharding(Json& sharding) {
  for (Json& dim : sharding["dims"]) {
    if (!dim.contains("axes")) dim["axes"] = Json::array();
    if (!dim.value("open", false)) dim.erase("open");
  }
  erase_if_empty(sharding, "replicated");
  erase_if_empty(sharding, "unreduced");
  if (sharding.value("reduction", "sum") == "sum") sharding.erase("reduction");
}

void normalise_values(Json& object, const char* key) {
  if (!object.contains(key)) object[key] = Json::array();
  for (Json& value : object[key]) {
    if (value.contains("sharding")) normalise_sharding(value["sharding"]);
    erase_if_empty(value, "attributes");
  }
}

void normalise_ops(Json& ops) {
  for (Json& op : ops) {
    normalise_values(op, "results");
    for (std::string_view key : {"operands", "blocks", "results"}) erase_if_empty(op, key);
    if (op.contains("sharding")) {
      for (Json& sharding : op["sharding"]) normalise_sharding(sharding);
    }
    erase_if_empty(op, "attributes");
    if (op.contains("attributes") && op["op"].get<std::string>().starts_with("sdy.")) {
      for (auto& [key, value] : op["attributes"].items()) {
        if (key == "sharding" || key == "out_sharding") normalise_sharding(value);
        if (key != "in_shardings" && key != "out_shardings") continue;
        for (Json& sharding : value) normalise_sharding(sharding);
      }
    }
    if (!op.contains("blocks")) continue;
    for (Json& block : op["blocks"]) {
      normalise_values(block, "arguments");
      normalise_ops(block["ops"]);
    }
  }
}

// Brings a graph to one form of its defaults.
Json normalised(Json graph) {
  erase_if_empty(graph, "attributes");
  for (Json& func : graph["functions"]) {
    erase_if_empty(func, "attributes");
    if (!func.value("private", false)) func.erase("private");
    normalise_values(func, "arguments");
    normalise_values(func, "results");
    normalise_ops(func["ops"]);
  }
  return graph;
}

struct Outcome {
  std::size_t cases = 0;
  std::size_t graphs = 0;
  std::size_t refused = 0;  // as a case expects, or for want of types
  std::unordered_set<std::size_t> hashes;
  std::vector<std::string> failures;
};

struct Graph {
  std::string name;
  const Json& json;
  bool may_be_refused = false;
};

void check_graph(const Graph& graph, Outcome& outcome) {
  ++outcome.graphs;
  const std::string text = graph.json.dump();
  if (!outcome.hashes.insert(std::hash<std::string>()(text)).second) return;
  const Result<Module> read = test::read_both_ways(text);
  if (!read) {
    const bool lacks_types = read.errors().front().code == "json.missing_type";
    if (!graph.may_be_refused && !lacks_types) {
      outcome.failures.push_back(graph.name + ": " + to_string(read.errors()));
    }
    ++outcome.refused;
    return;
  }
  const std::string written = write_json(*read);
  if (normalised(Json::parse(written)) != normalised(graph.json)) {
    outcome.failures.push_back(graph.name + ": the JSON differs");
  }
  const Result<Module> again = test::read_both_ways(written);
  if (!again || write_json(*again) != written)
    outcome.failures.push_back(graph.name + ": not stable");
}

void check_case_file(const fs::path& path, Outcome& outcome) {
  test::for_each_case(path, 1, [&](std::size_t, const Json& test) {
    ++outcome.cases;
    for (const char* field : {"input", "expected"}) {
      if (!test.contains(field)) continue;
      const std::string name =
          path.filename().string() + " " + test["name"].get<std::string>() + " " + field;
      check_graph({name, test[field], test.contains("expected_error")}, outcome);
    }
  });
}

}  // namespace

TEST_CASE("json: the sample of conformance cases survives reading and writing", "[io]") {
  Outcome outcome;
  for (const auto& entry : fs::directory_iterator(test::sample_folder()))
    check_case_file(entry.path(), outcome);
  CHECK(outcome.failures == std::vector<std::string>());
  CHECK(outcome.graphs >= 50);
}

TEST_CASE("json: the conformance graphs survive reading and writing", "[io][shared]") {
  struct Folder {
    const char* name;
    std::size_t cases;  // at least that many
  };
  for (const Folder& folder : {Folder{"generated", 4034}, Folder{"upstream", 1151},
                               Folder{"real", 72}, Folder{"stablehlo", 1984}}) {
    const fs::path path = fs::path(SHARDPROP_SHARED) / "conformance" / folder.name;
    if (!test::is_shared(path)) continue;
    Outcome outcome;
    for (const auto& entry : fs::directory_iterator(path)) check_case_file(entry.path(), outcome);
    INFO(folder.name);
    CHECK(outcome.failures == std::vector<std::string>());
    REQUIRE(outcome.cases >= folder.cases);
    CHECK(outcome.graphs >= outcome.cases);
    CHECK(outcome.refused <= outcome.graphs / 2);
  }
}

TEST_CASE("json: real programs survive reading and writing", "[io][shared]") {
  const fs::path path = fs::path(SHARDPROP_SHARED) / "data" / "json";
  if (!test::is_shared(path)) return;
  Outcome outcome;
  for (const auto& entry : fs::directory_iterator(path)) {
    std::ifstream in(entry.path());
    check_graph({entry.path().filename().string(), Json::parse(in)}, outcome);
  }
  CHECK(outcome.failures == std::vector<std::string>());
  CHECK(outcome.graphs >= 14);
}

}  // namespace shardprop
