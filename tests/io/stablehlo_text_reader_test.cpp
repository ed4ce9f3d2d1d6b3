// What the text reader makes of every kind of type, attribute, constant and location, and what it
// says of texts that it cannot read.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/io/json_reader.hpp"
#include "shardprop/io/json_writer.hpp"
#include "shardprop/io/stablehlo_text.hpp"
#include "shardprop/io/text/excerpt.hpp"
#include "shardprop/ir/print.hpp"
#include "tests/catch.hpp"
#include "tests/io/text_support.hpp"

namespace shardprop::test::stablehlo_text_reader_cases {
namespace {

Module read(std::string_view text, const TextReadOptions& options = {}) {
  Result<Module> m = read_stablehlo_text(owned_text(std::string(text)), options);
  if (!m) FAIL(to_string(m.errors()));
  return *std::move(m);
}

// `code line:column` of the first error.
std::string error(std::string_view text, const TextReadOptions& options = {}) {
  const Result<Module> m = read_stablehlo_text(borrowed_text(text), options);
  if (m) return "none";
  const Diagnostic& d = m.errors().front();
  return d.code + " " + std::to_string(d.place.line) + ":" + std::to_string(d.place.column);
}

// JSON of the attribute `a` of the module.
std::string attribute_json(std::string_view value) {
  const Module m = read("module attributes {a = " + std::string(value) + "} {}");
  std::string out;
  detail::PartWriter(m, out).attribute(m.attrs.find(m.attributes, m.strings.find("a")));
  return out;
}

Module read_constant(std::string_view value) {
  return read("func.func @f() {\n %0 = stablehlo.constant " + std::string(value) + "\n return\n}");
}

// JSON of the value of the constant that comes first in the first function.
std::string value_json(const Module& m, const WriteOptions& options = {}) {
  const OpId op = m.blocks[m.funcs[m.func_order[0]].body].first_op;
  std::string out;
  detail::PartWriter(m, out, options).attribute(attribute(m, op, "value"));
  return out;
}

std::string constant_json(std::string_view value, const WriteOptions& options = {}) {
  return value_json(read_constant(value), options);
}

TEST_CASE("attributes have the plain values of JSON") {
  CHECK(attribute_json("1") == "1");
  CHECK(attribute_json("1 : i32") == "1");
  CHECK(attribute_json("255 : i8") == "-1");
  CHECK(attribute_json("18446744073709551615 : ui64") == "18446744073709551615");
  CHECK(attribute_json("-0x10 : i32") == "-16");
  CHECK(attribute_json("true") == "true");
  CHECK(attribute_json("unit") == "true");
  CHECK(attribute_json("\"a\\22\\0A\"") == R"("a\"\n")");
  CHECK(attribute_json("@name") == "\"name\"");
  CHECK(attribute_json("[1, \"x\", {k = 2 : i8}]") == R"([1, "x", {"k": 2}])");
  CHECK(attribute_json("array<i64: 1, 2>") == "[1, 2]");
  CHECK(attribute_json("array<i1: true, false>") == "[true, false]");
  CHECK(attribute_json("array<i32>") == "[]");
  CHECK(attribute_json("dense<7> : tensor<2x2xi64>") == "[[7, 7], [7, 7]]");
  CHECK(attribute_json("#other.attr<a -> {b}>") == R"({"opaque": "#other.attr<a -> {b}>"})");
  CHECK(attribute_json("tensor<2xf32>") == R"({"opaque": "tensor<2xf32>"})");
  CHECK(attribute_json("affine_map<(d0) -> (d0)>") == R"({"opaque": "affine_map<(d0) -> (d0)>"})");
}

TEST_CASE("floats are rounded to their type and have the digits that MLIR prints") {
  CHECK(attribute_json("0.1 : bf16") == "0.100098");
  CHECK(attribute_json("1.0e-5 : f32") == "9.99999974e-06");
  CHECK(attribute_json("1.0e-5") == "1e-05");
  CHECK(attribute_json("1.703125 : bf16") == "1.70313");
  CHECK(attribute_json("1234567.0 : f32") == "\"0x4996B438\"");
  CHECK(attribute_json("1000000.0 : f32") == "1e+06");
  CHECK(attribute_json("0x7F800000 : f32") == "\"0x7F800000\"");
  CHECK(attribute_json("0x3F800000 : f32") == "1.0");
  CHECK(attribute_json("-0.0 : f16") == "-0.0");
  CHECK(attribute_json("5.0e-324") == "5e-324");
}

TEST_CASE("constants are numbers for a splat, lists for a few elements, data for many") {
  CHECK(constant_json("dense<2.5> : tensor<4x4xf32>") == "2.5");
  CHECK(constant_json("dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>") == "[[1, 2], [3, 4]]");
  CHECK(constant_json("dense<[5]> : tensor<1xi64>") == "5");
  CHECK(constant_json("dense<> : tensor<0x2xi8>") == "[]");
  CHECK(constant_json("dense<[true, false]> : tensor<2xi1>") == "[true, false]");
  CHECK(constant_json("dense<(1.0, -2.0)> : tensor<3xcomplex<f32>>") == "[1.0, -2.0]");
  CHECK(constant_json("dense<\"0x0100FFFF\"> : tensor<2xi16>") == "[1, -1]");
  CHECK(constant_json("dense<\"0x0000C03F\"> : tensor<9xf32>") == "1.5");
  CHECK(constant_json("dense_resource<w> : tensor<9xf32>") == "{\"elided\": true}");
}

// `dense<[0, 1, ...]>` of `size` elements, and its JSON.
std::pair<std::string, std::string> many_elements(int size) {
  std::string list = "[0";
  for (int i = 1; i < size; ++i) list += ", " + std::to_string(i);
  list += "]";
  return {"dense<" + list + "> : tensor<" + std::to_string(size) + "xi32>", list};
}

TEST_CASE("JSON has the elements of a large constant that stays in the text") {
  const auto [text, json] = many_elements(65);
  CHECK(constant_json(text) == json);
  CHECK(attribute_json(text) == json);
  CHECK(constant_json(text, {.max_elements = 64}) == "{\"elided\": true}");
  CHECK(constant_json(text, {.max_elements = 65}) == json);
  // Two bits for each, the lowest first: 0x55 is true, false, true, false, ...
  const std::string bits(24, '5');
  std::string booleans = "[true, false";
  for (int i = 1; i < 48; ++i) booleans += ", true, false";
  CHECK(constant_json("dense<\"0x" + bits + "\"> : tensor<96xi1>") == booleans + "]");
  CHECK(constant_json("dense<\"0x05\"> : tensor<3xi1>") == "[true, false, true]");
  CHECK(constant_json("dense<\"0xFF\"> : tensor<999xi1>") == "true");
  CHECK(constant_json("dense<\"0x0000803F00000040\"> : tensor<99xcomplex<f32>>") == "[1.0, 2.0]");
  CHECK(constant_json("dense<\"0x0000803F0000004000000000000080BF\"> : tensor<2xcomplex<f32>>") ==
        "[[1.0, 2.0], [0.0, -1.0]]");
}

TEST_CASE("elements that cannot be decoded are opaque in JSON, and come back") {
  for (const std::string text :
       {"dense<\"0x010203\"> : tensor<2xi16>", "dense<\"0xZZZZZZZZ\"> : tensor<4xi8>"}) {
    const std::string json = write_json(read_constant(text));
    CHECK(json.find("{\"opaque\": \"dense<") != std::string::npos);
    const Result<Module> again = read_json(json);
    REQUIRE(again);
    const Result<std::string> written = write_stablehlo_text(*again);
    REQUIRE(written);
    CHECK(written->find(text) != std::string::npos);
  }
}

TEST_CASE("JSON has the elements of a resource where the text has its bytes") {
  const auto json = [](std::string_view resource, const WriteOptions& options = {}) {
    const Module m =
        read("func.func @f() {\n %0 = stablehlo.constant dense_resource<" + std::string(resource) +
             "> : tensor<2x1xf32>\n return\n}\n{-#\n  dialect_resources: {\n    builtin: {\n"
             "      a.b_1: \"0x040000000000803F00000040\",\n      \"c d\": \"0x04000000\"\n    }\n "
             " }\n#-}");
    return value_json(m, options);
  };
  CHECK(json("a.b_1") == "[[1.0], [2.0]]");
  CHECK(json("a.b_1", {.max_elements = 1}) == "{\"elided\": true}");
  CHECK(json("\"c d\"") == "{\"elided\": true}");
  CHECK(json("__elided__") == "{\"elided\": true}");
}

TEST_CASE("a large constant stays where it is, and its text is kept alive") {
  std::string text = "func.func @f() {\n %0 = stablehlo.constant dense<\"0x";
  text.append(2000, 'A');
  text += "\"> : tensor<1000xi8>\n return\n}";
  const std::string constant =
      text.substr(text.find("dense"), text.find("\n return") - text.find("dense"));
  const char* const before = text.data();
  Result<Module> m = read_stablehlo_text(owned_text(std::move(text)));
  REQUIRE(m.ok());
  REQUIRE(m->sources.size() == 1);
  CHECK(m->sources[0].text.data() == before);
  const OpId op = m->blocks[m->funcs[m->func_order[0]].body].first_op;
  const AttrId value = attribute(*m, op, "value");
  REQUIRE(m->attrs.kind(value) == AttrKind::kData);
  CHECK(slice_text(*m, m->attrs.as_data(value)) == constant);
  CHECK(read("func.func @f() {\n %0 = stablehlo.constant dense<1> : tensor<99xi8>\n return\n}")
            .sources.empty());
}

TEST_CASE("types: tensors, encodings, aliases, what is no tensor") {
  const Module m = read(
      "!t = tensor<2x?xf32>\n"
      "func.func @f(%a: !t, %b: tensor<f8E4M3FN>, %c: !stablehlo.token, %d: tensor<*xf32>,\n"
      "  %e: tensor<?xf32, #stablehlo.bounds<4>>, %f: tuple<tensor<f32>,\n  i32>) { return }");
  const auto arguments = m.blocks[m.funcs[m.func_order[0]].body].arguments;
  const auto text = [&](std::size_t i) { return to_string(m, type_of(m, arguments[i])); };
  CHECK(text(0) == "tensor<2x?xf32>");
  CHECK(text(1) == "tensor<f8E4M3FN>");
  CHECK(text(2) == "stablehlo.token");
  CHECK(text(3) == "tensor<*xf32>");
  CHECK(text(4) == "tensor<?xf32>");
  CHECK(m.strings[m.types.encoding(type_of(m, arguments[4]))] == "#stablehlo.bounds<4>");
  CHECK(text(5) == "tuple<tensor<f32>, i32>");
}

TEST_CASE("locations are kept as they are written") {
  constexpr std::string_view kText =
      "#loc1 = loc(\"x\")\n"
      "func.func @f(%a: i32 loc(\"arg\")) { return loc(#loc2) } loc(fused[#loc1])\n"
      "#loc2 = loc(\"f.py\":3:4)\n";
  const Module m = read(kText);
  const LocationTable& table = m.locations.table;
  const BlockId body = m.funcs[m.func_order[0]].body;
  const LocId of_op = m.locations.of_op[m.blocks[body].first_op];
  REQUIRE(of_op.valid());
  CHECK(table.is_alias(of_op));
  CHECK(table.definition(of_op) == "\"f.py\":3:4");
  CHECK(table.text(m.locations.of_func[m.func_order[0]]) == "fused[#loc1]");
  CHECK(table.text(m.locations.of_value[m.blocks[body].arguments[0]]) == "\"arg\"");
  CHECK(read(kText, {.keep_locations = false}).locations.table.size() == 0);
  CHECK(error("func.func @f() { return loc(#none) }") == "text.alias 1:29");
}

TEST_CASE("shardings of arguments, results and operations become those of values") {
  const Module m = read(
      "func.func @f(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@late, [{\"x\"}]>, k = 1}) -> "
      "(tensor<4xf32> {sdy.sharding = #sdy.sharding<@late, [{?}]>}) {\n"
      "  %0 = stablehlo.abs %a {sdy.sharding = #sdy.sharding_per_value<[<@late, [{\"x\"}]>]>} : "
      "tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\nsdy.mesh @late = <[\"x\"=2]>\n");
  const Function& func = m.funcs[m.func_order[0]];
  const ValueId argument = m.blocks[func.body].arguments[0];
  const ValueId result_value = result(m, m.blocks[func.body].first_op, 0);
  CHECK(m.value_shardings[argument].valid());
  CHECK(m.value_shardings[argument] == m.value_shardings[result_value]);
  CHECK(func.results[0].sharding.valid());
  CHECK(m.attrs.entries(m.value_attributes.at(argument.index)).size() == 1);
  CHECK_FALSE(m.ops[m.blocks[func.body].first_op].attributes.valid());
  CHECK(m.meshes.size() == 1);
}

TEST_CASE("names may be used again in other regions, and results are known by number") {
  const Module m = read(
      "func.func @f(%a: i32) {\n"
      "  %0:2 = \"x.y\"(%a) ({\n  ^bb0(%a: i32):\n    \"x.z\"(%a) : (i32) -> ()\n  }, {\n"
      "    %0 = \"x.w\"() : () -> i32\n  }) : (i32) -> (i32, i32)\n"
      "  \"x.v\"(%0#1) : (i32) -> ()\n  \"x.u\"(%a) : (i32) -> i32\n  return\n}");
  const BlockId body = m.funcs[m.func_order[0]].body;
  const OpId first = m.blocks[body].first_op;
  const OpId second = m.layout[first].next;
  CHECK(operand(m, second, 0) == result(m, first, 1));
  CHECK(block_count(m, first) == 2);
  const BlockId region = block_of(m, first, 0);
  CHECK(operand(m, m.blocks[region].first_op, 0) == m.blocks[region].arguments[0]);
  CHECK(m.ops[m.layout[second].next].result_count == 1);
}

TEST_CASE("errors say where they are and what was expected") {
  CHECK(error("module {") == "text.syntax 1:9");
  CHECK(error("func.func @f(%a: tensor<2xf32>) {\n  %0 = stablehlo.abs %b : tensor<2xf32>\n}") ==
        "text.unknown_value 2:22");
  CHECK(error("func.func @f(%a: i32, %a: i32) { return }") == "text.duplicate_value 1:23");
  CHECK(error("func.func @f() { return }\nfunc.func @f() { return }") ==
        "text.duplicate_function 2:1");
  CHECK(error("func.func @f() {\n  foo.bar %0\n}") == "text.unknown_form 2:3");
  CHECK(error("func.func @f() {\n  return\n  return }") == "text.after_return 3:3");
  CHECK(error("func.func @f() {\n}") == "text.func 2:1");
  CHECK(error("func.func @f() {\n  %0 = stablehlo.constant dense<[true, 2.0]> : tensor<2xf32>\n"
              "  return }") == "text.number 2:34");
  CHECK(error("func.func @f() {\n  %0 = \"func.return\"() : () -> i32\n}") ==
        "text.result_count 2:3");
  CHECK(error("func.func @f() {\n^bb0:\n  return\n^bb1:\n  return }") == "text.several_blocks 4:1");
  CHECK(error("func.func @f(%a: tensor<2yf32>) { return }") == "text.type 1:18");
  CHECK(error("module { module {} }") == "text.module_op 1:10");
  CHECK(error("module attributes {a = 1, a = 2} {}") == "text.duplicate_key 1:27");
  CHECK(error("module attributes {a = #none} {}") == "text.alias 1:24");
  CHECK(error("func.func @f(%a: i32) {\n  \"a.b\"(%a) : (i64) -> ()\n}") ==
        "text.operand_types 2:15");
  CHECK(error("func.func @f() {\n  %0:2 = \"a.b\"() : () -> i32\n}") == "text.result_count 2:3");
  CHECK(error("func.func @f(%a: tensor<2xf32> {sdy.sharding = #sdy.sharding<@m, [{}]>})") ==
        "sharding.unknown_mesh 1:62");
  CHECK(error("sdy.mesh @m = <[\"x\"=0]>") == "mesh.axis_size 1:15");
  CHECK(error("func.func @f() {\n %0 = stablehlo.constant dense<[1]> : tensor<2xi32>\n}") ==
        "text.syntax 2:34");
}

TEST_CASE("a constant in generic form has elements of the type of its result") {
  const auto constant = [](std::string_view value) {
    return "func.func @f() {\n %0 = \"stablehlo.constant\"() <{value = " + std::string(value) +
           "}> : () -> tensor<2xi8>\n return\n}";
  };
  CHECK(error(constant("dense<1> : tensor<2xi8>")) == "none");
  CHECK(error(constant("dense<1> : tensor<3xi8>")) == "text.constant 2:2");
  CHECK(error(constant("true")) == "text.constant 2:2");
}

TEST_CASE("the two short forms of a constant are checked as the generic one is") {
  const auto constant = [](std::string_view text) {
    return "func.func @f() {\n %0 = " + std::string(text) + "\n return\n}";
  };
  CHECK(error(constant("stablehlo.constant() {value = dense<1> : tensor<2xi8>} : () -> "
                       "tensor<2xi8>")) == "none");
  CHECK(error(constant("stablehlo.constant() {value = dense<1> : tensor<2xi8>} : () -> "
                       "tensor<3xi8>")) == "text.constant 2:2");
  CHECK(error(constant("stablehlo.constant() {value = dense<1> : tensor<2xi8>} : () -> "
                       "tensor<2x!quant.uniform<u8:f32, 1.0>>")) == "none");
  CHECK(error(constant("stablehlo.constant() {value = dense<1> : tensor<2xi4>} : () -> "
                       "tensor<2x!quant.uniform<u8:f32, 1.0>>")) == "text.constant 2:2");
  CHECK(error(constant("arith.constant 1 : tensor<2xi8>")) == "text.constant 2:22");
  CHECK(error(constant("stablehlo.constant dense<-0x1> : tensor<f32>")) == "text.number 2:32");
  CHECK(error(constant("stablehlo.constant dense<[1] 2> : tensor<1xi8>")) == "text.syntax 2:36");
}

TEST_CASE("an attribute that is said in two places is an error") {
  CHECK(error("module @m attributes {sym_name = \"m\"} {}") == "text.duplicate_key 1:8");
  CHECK(error("func.func nested @f() attributes {sym_visibility = \"nested\"}") ==
        "text.duplicate_key 1:1");
  CHECK(error("\"builtin.module\"() <{a = 1}> ({}) {a = 2} : () -> ()") ==
        "text.duplicate_key 1:17");
}

TEST_CASE("what is kept as text names no alias and has no comment") {
  const Module m = read(
      "!t = i32\n#a = #x.y<!t>\nmodule attributes {a = 1 : !t, b = #x.z<#a // c\n>} {\n"
      "  func.func private @f(tensor<2xf32, #a // c\n>)\n}");
  const auto value = [&](std::string_view key) {
    return m.attrs.find(m.attributes, m.strings.find(key));
  };
  CHECK(m.strings[m.attrs.typed_text(value("a"))] == "1 : i32");
  const AttrId text = m.attrs.find(value("b"), m.strings.find("opaque"));
  CHECK(m.strings[m.attrs.as_string(text)] == "#x.z<#x.y<i32> >");
  const ValueId argument = m.blocks[m.funcs[m.func_order[0]].body].arguments[0];
  CHECK(m.strings[m.types.encoding(type_of(m, argument))] == "#x.y<i32>");
}

TEST_CASE("the excerpt shows the line with a caret") {
  constexpr std::string_view kText = "func.func @f() {\n  return %x : i32\n}";
  const Result<Module> m = read_stablehlo_text(borrowed_text(kText));
  REQUIRE_FALSE(m.ok());
  CHECK(m.errors()[0].place.function == "f");
  CHECK(excerpt(kText, m.errors()[0].place) == "    2 |   return %x : i32\n      |          ^");
}

TEST_CASE("limits are errors that say so") {
  std::string deep = "module attributes {a = ";
  deep.append(600, '[').append(600, ']').append("} {}");
  CHECK(error(deep) != "none");
  CHECK(error("module attributes {a = [[1]]} {}", {.max_depth = 2}) != "none");
  CHECK(error("module attributes {a = [[1]]} {}", {.max_depth = 8}) == "none");
  CHECK(error("module {}", {.max_bytes = 4}) == "text.too_large 0:0");
  CHECK(error("func.func @f() { \"a.b\"() : () -> ()\n return }", {.max_operations = 1}) ==
        "text.too_many_operations 2:2");
  CHECK(error("func.func @f() {\n %a:1000000 = \"a.b\"() ({}) : () -> ()\n return }") ==
        "text.result_count 2:2");
  // Each alias stands for twice the text of the one before.
  std::string aliases = "#a0 = [1]\n";
  for (int i = 0; i < 60; ++i)
    aliases += "#a" + std::to_string(i + 1) + " = [#a" + std::to_string(i) + ", #a" +
               std::to_string(i) + "]\n";
  CHECK(error(aliases).rfind("text.alias", 0) == 0);
  std::string regions = "func.func @f() {";
  for (int i = 0; i < 5000; ++i) regions += "\"a.b\"() ({";
  CHECK(error(regions).rfind("text.too_deep", 0) == 0);
}

TEST_CASE("declarations, visibility, module names and comments") {
  const Module m = read(
      "// first\nmodule @m attributes {k} { // here\n"
      "  func.func private @d(tensor<2xf32> {a.b}) -> i32\n"
      "  func.func public @e() { return } // \"\n}\n// last");
  CHECK(m.funcs[m.func_order[0]].is_private);
  CHECK_FALSE(m.blocks[m.funcs[m.func_order[0]].body].first_op.valid());
  CHECK(m.blocks[m.funcs[m.func_order[0]].body].arguments.size() == 1);
  CHECK_FALSE(m.funcs[m.func_order[1]].is_private);
  CHECK(m.attrs.entries(m.attributes).size() == 2);
}

TEST_CASE("a name of one function stands for nothing in the next, whatever its number") {
  const Module m = read(R"(module {
    func.func @a(%100: tensor<f32>, %50: tensor<f32>, %120: tensor<f32>) {
      return
    }
    func.func @b(%200: tensor<f32>, %100: tensor<f32>) {
      return
    }
  })");
  CHECK(m.func_order.size() == 2);
  CHECK(error("module {\n"
              "func.func @a(%100: tensor<f32>, %50: tensor<f32>, %120: tensor<f32>) {\n"
              "return\n"
              "}\n"
              "func.func @b(%200: tensor<f32>) -> tensor<f32> {\n"
              "return %100 : tensor<f32>\n"
              "}\n"
              "}") == "text.unknown_value 6:8");
}

}  // namespace
}  // namespace shardprop::test::stablehlo_text_reader_cases
