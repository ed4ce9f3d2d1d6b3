// --mesh, --shard, --shard-file, and programs that carry GSPMD strings.
#include <string>

#include "tests/cli/shell.hpp"

namespace shardprop::test::shardings_cases {
namespace {

// What `command` says of kBare, with a mesh.
Outcome on_bare(const Folder& folder, const std::string& command) {
  const std::string in = folder.write("bare.mlir", kBare);
  return shell(fmt::format("$P {} --mesh data=4,model=2 '{}'", command, in));
}

TEST_CASE("a mesh and shardings from the command line are propagated") {
  const Folder folder;
  const Outcome out = on_bare(folder, "propagate --shard '%arg0=data,-' --shard '%arg1=-,model'");
  INFO(out.text);
  CHECK(out.code == 0);
  CHECK(has(out, R"(sdy.mesh @mesh = <["data"=4, "model"=2]>)"));
  CHECK(
      has(out, R"(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>)"));
  CHECK(has(
      out,
      R"(%0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data")"));
}

TEST_CASE("every command that propagates takes shardings, and so do convert, check and run") {
  const Folder folder;
  const std::string shard = "--shard '%arg0=data,-' --shard '%arg1=-,model'";
  CHECK(has(on_bare(folder, "show " + shard), "[data, model]"));
  CHECK(has(on_bare(folder, "cost " + shard), "all_reduce"));
  const std::string in = folder.write("bare.mlir", kBare);
  CHECK(has(shell(fmt::format("$P explain --mesh data=4,model=2 {} '{}' %0", shard, in)),
            "data on dimension 0: you gave it on %arg0"));
  CHECK(has(on_bare(folder, "convert --to mlir " + shard), R"([{}, {"model"}])"));
  CHECK(has(on_bare(folder, "run --passes=basic-propagate " + shard), R"({"model", ?})"));
  CHECK(on_bare(folder, "check " + shard).code == 0);
}

TEST_CASE("shardings are told by number, pattern, framework's name, result, and in all spellings") {
  const Folder folder;
  struct Case {
    std::string shard;
    std::string found;
  };
  const Case cases[] = {
      {"%arg{1-2}=-,model",
       R"(%arg1: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>)"},
      {"layers.*.weight=model,-",
       R"(%arg2: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>)"},
      {"layers.0.weight=?,data?p1", R"([{?}, {"data", ?}p1])"},
      {"result 0=[data*model, ?]",
       R"(-> (tensor<8x16xf32> {jax.result_info = "out", sdy.sharding = #sdy.sharding<@mesh, [{"data", "model"}, {?}]>)"},
      {"result out=data,-",
       R"(-> (tensor<8x16xf32> {jax.result_info = "out", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>)"},
      {"@main %0=data:(1)2:p2,-", R"([{"data":(1)2}p2, {}])"},
      {"%arg0=PartitionSpec('\\''data'\\'', None)", R"([{"data"}, {}])"},
      {"%arg0=P(('\\''data'\\'', \"model\"))", R"([{"data", "model"}, {}])"},
      {"%arg0=P(None, P.UNCONSTRAINED)", R"([{}, {?}])"},
      {"%arg0=[{\"data\", ?}p1, {}]", R"([{"data", ?}p1, {}])"},
      {"%arg0=<@mesh, [{\"data\"}, {}], replicated={\"model\"}>",
       R"([{"data"}, {}], replicated={"model"}>)"},
  };
  for (const Case& c : cases) {
    const Outcome out = on_bare(folder, fmt::format("convert --to mlir --shard '{}'", c.shard));
    INFO(c.shard << "\n" << out.text);
    CHECK(out.code == 0);
    CHECK(has(out, c.found));
  }
}

TEST_CASE("a file of shardings has one a line, with comments; the later one holds") {
  const Folder folder;
  const std::string file = folder.write(
      "shards.txt", "# two of them\n%arg0=data,-   # the batch\n\nlayers.*.weight=-,model\r\n");
  const Outcome out = on_bare(
      folder, fmt::format("convert --to mlir --shard-file '{}' --shard '%arg2=data,-'", file));
  INFO(out.text);
  CHECK(has(out,
            R"(%arg1: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>)"));
  CHECK(
      has(out, R"(%arg2: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>)"));
  const std::string wrong = folder.write("wrong.txt", "# one\n%arg0=data,modle\n");
  const Outcome bad = on_bare(folder, fmt::format("convert --shard-file '{}'", wrong));
  CHECK(bad.code == 1);
  CHECK(has(bad, "wrong.txt:2:12: error[sharding.unknown_axis]"));
}

TEST_CASE("a wrong sharding names its column, what is wrong, and the nearest name") {
  struct Case {
    std::string shard;
    int code;
    std::string place;
    std::string says;
  };
  const Case cases[] = {
      {"%arg0=dta,-", 1, "--shard:1:7: error[sharding.unknown_axis]", "did you mean 'data'?"},
      {"%argO=data,-", 1, "--shard:1:1: error[annotation.no_match]", "did you mean '%arg0'?"},
      {"layers.9.weight=-,-", 1, "--shard:1:1: error[annotation.no_match]",
       "did you mean 'layers.0.weight'?"},
      {"%arg*=data", 1, "--shard:1:7: error[annotation.rank]",
       "%arg0 is tensor<8x16xf32> and has 2 dimensions, the sharding has 1"},
      {"%arg0=data,data", 1, "--shard:1:7: error[sharding.duplicate_axis]", "%arg0"},
      {"result 4=data,-", 1, "--shard:1:8: error[annotation.no_match]", "@main has 1 results"},
      {"@layer %x=data", 1, "--shard:1:8: error[annotation.unknown_function]",
       "no function @layer"},
      {"%arg0=@pod data,-", 1, "--shard:1:7: error[sharding.unknown_mesh]", "@pod"},
      {"%arg0", 2, "--shard:1:6: error[annotation.syntax]", "expected '='"},
      {"%arg0=data,", 2, "--shard:1:12: error[annotation.syntax]", "the end of the text"},
      {"%arg0=data:p-1,-", 2, "--shard:1:12: error[annotation.syntax]", "priority"},
  };
  const Folder folder;
  for (const Case& c : cases) {
    const Outcome out = on_bare(folder, fmt::format("propagate --shard '{}'", c.shard));
    INFO(c.shard << "\n" << out.text);
    CHECK(out.code == c.code);
    CHECK(has(out, c.place));
    CHECK(has(out, c.says));
    CHECK(has(out, "    1 | " + c.shard + "\n"));
  }
  const Outcome both = on_bare(folder, "propagate --shard '%arg0=dta,-' --shard '%arg1=-,modle'");
  CHECK(has(both, "--shard:1:7"));
  CHECK(has(both, "--shard:2:9"));
}

TEST_CASE("a mesh that is wrong, or another than the program's, is told") {
  const Folder folder;
  const std::string in = folder.write("in.mlir", kText);
  const Outcome syntax = shell(fmt::format("$P propagate --mesh data:4 '{}'", in));
  CHECK(syntax.code == 2);
  CHECK(has(syntax, "--mesh:1:7: error[mesh.syntax]"));
  const Outcome other = shell(fmt::format("$P propagate --mesh x=4 '{}'", in));
  CHECK(other.code == 1);
  CHECK(has(other,
            R"(error[annotation.mesh_exists]: the program has another mesh @mesh, <["x"=2]>)"));
  CHECK(shell(fmt::format("$P propagate --mesh x=2 '{}'", in)).code == 0);
  CHECK(has(shell(fmt::format("$P convert --to mlir --mesh pod:p=2 --shard '%arg0=p' '{}'", in)),
            R"(#sdy.sharding<@pod, [{"p"}]>)"));
  const Outcome none = shell(
      fmt::format("$P propagate --shard '%arg0=data,-' '{}'", folder.write("bare.mlir", kBare)));
  CHECK(none.code == 1);
  CHECK(has(none, "error[annotation.no_mesh]"));
}

TEST_CASE("a program without mesh or sharding is propagated with a warning") {
  const Folder folder;
  const std::string in = folder.write("bare.mlir", kBare);
  for (const char* command : {"propagate", "show", "cost"}) {
    const Outcome none = shell(fmt::format("$P {} '{}'", command, in));
    INFO(command << "\n" << none.text);
    CHECK(none.code == 0);
    CHECK(has(none, "warning[propagate.nothing_given]: the program has no mesh"));
    CHECK(has(none, "--mesh data=4,model=2"));
  }
  CHECK(has(on_bare(folder, "propagate"), "no value of the program has a sharding"));
  CHECK(has(on_bare(folder, "propagate --shard '%arg0=-,-'"),
            "no sharding of the program has an axis"));
  CHECK_FALSE(has(on_bare(folder, "propagate --shard '%arg0=data,-'"), "nothing_given"));
}

const std::string kGspmd = R"(module @jit_f {
  func.func public @main(%arg0: tensor<8x16xf32> {mhlo.sharding = "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"}, %arg1: tensor<16x32xf32> {mhlo.sharding = "{devices=[1,2,4]<=[4,2]T(1,0) last_tile_dim_replicate}"}) -> (tensor<8x32xf32> {mhlo.sharding = "{replicated}"}) {
    %0 = stablehlo.dot %arg0, %arg1 : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %1 = stablehlo.custom_call @Sharding(%0) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[4,1,2]<=[8] last_tile_dim_replicate}"} : (tensor<8x32xf32>) -> tensor<8x32xf32>
    return %1 : tensor<8x32xf32>
  }
}
)";

TEST_CASE("GSPMD strings are read where a command propagates, over a mesh of their tile sizes") {
  const Folder folder;
  const std::string in = folder.write("gspmd.mlir", kGspmd);
  const Outcome out = shell(fmt::format("$P propagate '{}'", in));
  INFO(out.text);
  CHECK(out.code == 0);
  CHECK(has(out, R"(note: 4 GSPMD shardings were read over the mesh <["axis_0"=4, "axis_1"=2]>)"));
  CHECK(has(out, R"(sdy.sharding_constraint %0 <@mesh, [{"axis_0"}, {"axis_1")"));
  CHECK_FALSE(has(out, "mhlo.sharding"));
  const Outcome named = shell(fmt::format("$P propagate --mesh data=4,model=2 '{}'", in));
  CHECK(has(named, R"(sdy.sharding_constraint %0 <@mesh, [{"data"}, {"model")"));
  CHECK(has(shell(fmt::format("$P convert --to mlir '{}'", in)), "mhlo.sharding"));
}

TEST_CASE("GSPMD strings that do not map are told with the cure") {
  const Folder folder;
  const Outcome odd = shell(fmt::format(
      "$P propagate '{}'",
      folder.write("odd.mlir", replaced(kGspmd, "{replicated}",
                                        "{devices=[3,1,2]<=[6] last_tile_dim_replicate}"))));
  INFO(odd.text);
  CHECK(odd.code == 0);
  CHECK(has(odd, "odd.mlir: warning[gspmd.not_mapped]: @main, result 0: "));
  CHECK(has(odd, "jax_use_shardy_partitioner"));
  const Outcome nothing = shell(fmt::format(
      "$P propagate '{}'",
      folder.write(
          "none.mlir",
          R"(func.func @main(%arg0: tensor<8xf32> {mhlo.sharding = "{replicated}"}) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
})")));
  CHECK(has(nothing, "none.mlir:1:17: warning[gspmd.nothing_split]: @main, %arg0: "));
}

TEST_CASE("partial sums that nothing adds up are a warning with the option that helps") {
  const Folder folder;
  const std::string in = folder.write("bare.mlir", kBare);
  const auto run = [&](const std::string& pass) {
    return shell(
        fmt::format("$P run --mesh d=2 --shard '%arg0=-,d' --shard '%arg1=d,-' "
                    "--passes='user-priority-propagate,close-shardings,{}' '{}'",
                    pass, in));
  };
  const Outcome left = run("insert-explicit-reshards,reshard-to-collectives");
  INFO(left.text);
  CHECK(left.code == 0);
  CHECK(has(left, "bare.mlir:3:5: warning[reshards.partial_sums]: @main, stablehlo.dot %0: 1 "));
  CHECK(has(left, "insert-explicit-reshards{enable-full-version=true}"));
  CHECK_FALSE(has(run("insert-explicit-reshards{enable-full-version=true}"), "partial_sums"));
}

}  // namespace
}  // namespace shardprop::test::shardings_cases
