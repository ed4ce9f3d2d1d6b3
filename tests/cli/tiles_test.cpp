// `show --tiles`: tensors over the mesh as text.
#include <string>

#include "tests/cli/shell.hpp"

namespace shardprop::test::tiles_cases {
namespace {

// The drawings of `names` in a program whose argument %a has this type and sharding.
Outcome drawn(const Folder& folder, const std::string& mesh, const std::string& type,
              const std::string& sharding, const std::string& names = "--tiles %a") {
  const std::string in = folder.write(
      "in.mlir", fmt::format("sdy.mesh @mesh = {0}\nfunc.func @main(%a: tensor<{1}> {{sdy.sharding "
                             "= #sdy.sharding<@mesh, {2}>}}) -> tensor<{1}> {{\n"
                             "  return %a : tensor<{1}>\n}}\n",
                             mesh, type, sharding));
  return shell(fmt::format("$P show '{}' {}", in, names));
}

TEST_CASE("a tensor is drawn as boxes with the devices that hold them and the indices they cover") {
  const Folder folder;
  const Outcome out = drawn(folder, R"(<["x"=2, "y"=4]>)", "8x16xf32", R"([{"x"}, {"y":(1)2}])");
  CHECK(out.code == 0);
  CHECK(out.text ==
        R"(@main %a  tensor<8x16xf32>  <@mesh, [{"x"}, {"y":(1)2}]>
x=2, y=4, 8 devices; each holds 4 x 8, 128 B

     dimension 1, by y:(1)2
       0:8   8:16
    ┌──────┬──────┐
0:4 │ 0,1  │ 2,3  │
    ├──────┼──────┤
4:8 │ 4,5  │ 6,7  │
    └──────┴──────┘
dimension 0, by x
)");
}

TEST_CASE("the order of the devices of a mesh and the order of axes are respected") {
  const Folder folder;
  const Outcome listed =
      drawn(folder, R"(<["x"=4], device_ids=[3, 2, 1, 0]>)", "8xf32", R"([{"x"}])");
  INFO(listed.text);
  CHECK(has(listed, "│  3  │  2  │  1  │  0  │"));
  CHECK(has(listed, "0:2   2:4   4:6   6:8"));
  const Outcome swapped = drawn(folder, R"(<["x"=2, "y"=2]>)", "8xf32", R"([{"y", "x"}])");
  INFO(swapped.text);
  CHECK(has(swapped, "│  0  │  2  │  1  │  3  │"));
}

TEST_CASE("a scalar is one box, and a value without sharding says so") {
  const Folder folder;
  const Outcome scalar = drawn(folder, R"(<["x"=2]>)", "f32", "[]");
  INFO(scalar.text);
  CHECK(has(scalar, "│ 0,1 │"));
  const std::string in = folder.write("plain.mlir", "func.func @f(%a: tensor<8xf32>) { return }");
  CHECK(has(shell(fmt::format("$P show '{}' --tiles %a", in)), "no sharding: "));
}

TEST_CASE("dimensions that are not drawn are named, and no line is wider than 80 columns") {
  const Folder folder;
  const Outcome out = drawn(folder, R"(<["d"=16, "m"=32, "r"=2]>)", "64x128x4xf32",
                            R"([{"d"}, {"m":(4)8}, {"m":(1)4}])");
  INFO(out.text);
  CHECK(has(out, "dimension 2, by m:(1)4; its part 0:1 is drawn"));
  CHECK(has(out, "   ..    │"));
  std::size_t columns = 0;
  for (const char c : out.text) {
    if (c == '\n') columns = 0;
    if ((static_cast<unsigned char>(c) & 0xC0u) != 0x80u) ++columns;
    CHECK(columns <= 81);
  }
}

TEST_CASE("values to draw are results, patterns and those of a function; a wrong name is told") {
  const Folder folder;
  const std::string mesh = R"(<["x"=2]>)";
  const auto names = [&](const std::string& text) {
    return drawn(folder, mesh, "8xf32", R"([{"x"}])", text);
  };
  CHECK(has(names("--tiles 'result 0'"), "@main result 0  tensor<8xf32>"));
  CHECK(has(names("--tiles '@main %*'"), "@main %a  tensor<8xf32>"));
  CHECK(has(names("--tiles '%a' --tiles 'result 0'"), "\n\n@main result 0"));
  const Outcome wrong = names("--tiles %b");
  CHECK(wrong.code == 1);
  CHECK(has(wrong, "error: the program has no value '%b'; did you mean '%a'?"));
}

}  // namespace
}  // namespace shardprop::test::tiles_cases
