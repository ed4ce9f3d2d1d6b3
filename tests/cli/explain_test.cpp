// `explain` and `report` as a user types them.
#include <string>

#include "nlohmann/json.hpp"
#include "tests/cli/shell.hpp"

namespace shardprop::test::cli_explain_cases {
namespace {

constexpr const char* kProgram = R"(module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>} loc("train.py":3:1),
                  %b: tensor<16x8xf32>, %c: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
      -> tensor<8x8xf32> {
    %0 = stablehlo.dot %a, %b : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32> loc("train.py":7:5)
    %1 = call @f(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = stablehlo.add %1, %c : tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
  func.func private @f(%0: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %1 = stablehlo.tanh %0 : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
})";

TEST_CASE("explain names dimensions, places in the source and annotations") {
  const Folder folder;
  const std::string in = folder.write("in.mlir", kProgram);
  const Outcome way = shell(fmt::format("$P explain '{}' %b", in));
  INFO(way.text);
  CHECK(way.code == 0);
  CHECK(has(way, "x on dimension 0: you gave it on %a (train.py:3:1)"));
  CHECK(has(way,
            "%a -> %b: across through stablehlo.dot (train.py:7:5), dimension 1 of the left "
            "operand to dimension 0 of the right operand"));
}

TEST_CASE("values of one name in two functions do not mix") {
  const Folder folder;
  const std::string in = folder.write("in.mlir", kProgram);
  const std::string shard = "--shard '%b=x,y'";
  const Outcome both = shell(fmt::format("$P explain {} '{}' %1", shard, in));
  CHECK(has(both, "\n@f %1 <@mesh"));
  CHECK(has(both, "y on dimension 1: you gave it on %b"));
  CHECK(has(both, "@f %0 -> @f %1: forward through stablehlo.tanh"));
  const Outcome one = shell(fmt::format("$P explain {} '{}' '@f %1'", shard, in));
  CHECK(one.text.starts_with("@f %1 <@mesh"));
  CHECK_FALSE(has(one, "\n%1 "));
  CHECK(shell(fmt::format("$P explain '{}' '@g %1'", in)).code == 1);
}

TEST_CASE("a function without a value is an error that tells how to name one") {
  const Folder folder;
  const std::string in = folder.write("in.mlir", kProgram);
  const Outcome out = shell(fmt::format("$P explain '{}' @f %0", in));
  INFO(out.text);
  CHECK(out.code == 1);
  CHECK(has(out, "@f names a function: name a value of it too, as in '@f %0'"));
}

TEST_CASE("explain tells why an axis is not there") {
  const Folder folder;
  const std::string in = folder.write("in.mlir", kProgram);
  const Outcome closed = shell(fmt::format("$P explain --shard '%b=x,y' '{}' %c --axis y", in));
  INFO(closed.text);
  CHECK(has(closed, "dimension 1 of %c is closed"));
  const Outcome never = shell(fmt::format("$P explain '{}' %c --axis y", in));
  CHECK(has(never, "no sharding that you gave has the axis y"));
  CHECK(has(shell(fmt::format("$P explain '{}' %c --axis z", in)), "no mesh has an axis 'z'"));
}

TEST_CASE("explain and report give JSON") {
  const Folder folder;
  const std::string in = folder.write("in.mlir", kProgram);
  const auto explained = nlohmann::json::parse(
      shell(fmt::format("$P explain --json '{}' %b '@main result 0'", in)).text);
  REQUIRE(explained.at("values").size() == 2);
  const auto& axis = explained["values"][0].at("axes").at(0);
  CHECK(axis.at("origin").at("location") == "train.py:3:1");
  CHECK(axis.at("steps").at(0).at("to").at("words") == "dimension 0 of the right operand");
  CHECK(explained["values"][1].at("missing").size() > 0);
  const auto all =
      nlohmann::json::parse(shell(fmt::format("$P explain --json --all '{}'", in)).text);
  CHECK(all.at("values").size() == 10);
  const auto report = nlohmann::json::parse(shell(fmt::format("$P report --json '{}'", in)).text);
  const auto cost =
      nlohmann::json::parse(shell(fmt::format("$P cost --json '{}' 2>/dev/null", in)).text);
  CHECK(report.at("total") == cost.at("total"));
  double bytes = 0;
  for (const auto& f : report.at("findings")) {
    if (f.at("measure") == "communication") bytes += f.at("bytes").get<double>();
  }
  CHECK(bytes == cost["total"].at("bytes_sent").get<double>());
  CHECK(report["findings"][0].at("places").at(0).at("location") == "train.py:7:5");
}

}  // namespace
}  // namespace shardprop::test::cli_explain_cases
