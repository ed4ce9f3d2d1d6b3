// MLIR text of modules: names, types, attributes, shardings, constants, locations, the generic
// form, sinks and files.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>

#include "shardprop/io/json_reader.hpp"
#include "shardprop/io/stablehlo_text.hpp"
#include "shardprop/io/text/excerpt.hpp"
#include "shardprop/io/text/file.hpp"
#include "shardprop/ir/edit.hpp"
#include "tests/catch.hpp"
#include "tests/io/json_support.hpp"

namespace shardprop::test::stablehlo_text_writer_cases {
namespace {

namespace fs = std::filesystem;

std::string text_of(const Module& m, const TextWriteOptions& options = {}) {
  Result<std::string> text = write_stablehlo_text(m, options);
  if (!text) throw std::runtime_error(to_string(text.errors()));
  return std::move(*text);
}

std::string text_of_json(std::string_view json, const TextWriteOptions& options = {}) {
  return text_of(read_or_fail(json), options);
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

constexpr TextWriteOptions kGeneric{.generic = true};

// The text of `any.op` with the given attributes, from its name on.
std::string attributes_text(std::string_view attributes) {
  const std::string text = text_of_json(module_of_ops(
      std::string(R"({"op": "any.op", "attributes": )").append(attributes).append("}")));
  const std::size_t begin = text.find("\"any.op\"");
  REQUIRE(begin != std::string::npos);
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST_CASE("text: an operation that nobody knows is written in the generic form") {
  const std::string text = text_of_json(module_of_ops(
      R"({"op": "my.op", "operands": ["%x", "%x"],
          "results": [{"name": "%a#0", "shape": [2, -1], "dtype": "f32"}, {"name": "%a#1", "dtype": "stablehlo.token"}],
          "attributes": {"note": "say \"hi\"\n", "count": 3},
          "blocks": [{"arguments": [{"name": "%b", "shape": [], "dtype": "i1"}],
                      "ops": [{"op": "my.end", "operands": ["%b"]}]},
                     {"arguments": [], "ops": [{"op": "my.end"}]}]},
         {"op": "my.use", "operands": ["%a#1"]})"));
  CHECK(has(text, R"(
    %a:2 = "my.op"(%x, %x) ({
    ^bb0(%b: tensor<i1>):
      "my.end"(%b) : (tensor<i1>) -> ()
    }, {
      "my.end"() : () -> ()
    }) {note = "say \22hi\22\0A", count = 3 : i64} : (tensor<8x32xf32>, tensor<8x32xf32>) -> (tensor<2x?xf32>, !stablehlo.token)
    "my.use"(%a#1) : (!stablehlo.token) -> ()
)"));
}

TEST_CASE("text: attributes are written by what they are") {
  CHECK(attributes_text(R"({"a": 1, "b": 2.5, "c": true, "d": null, "e": "x"})") ==
        R"("any.op"() {a = 1 : i64, b = 2.500000e+00 : f64, c = true, d, e = "x"} : () -> ())");
  CHECK(attributes_text(R"({"a": [1, 2], "b": [], "c": [1, "x", [true]], "d": {"k": -1}})") ==
        R"("any.op"() {a = [1, 2], b = [], c = [1, "x", [true]], d = {k = -1 : i64}} : () -> ())");
  CHECK(attributes_text(R"({"a": 18446744073709551615})") ==
        R"("any.op"() {a = 18446744073709551615 : ui64} : () -> ())");
  CHECK(attributes_text(R"({"a": {"opaque": "#my.kind<\"x\", 1>"}})") ==
        R"("any.op"() {a = #my.kind<"x", 1>} : () -> ())");
  // A name that is none of MLIR's needs quotes, and what looks opaque must be opaque alone.
  CHECK(attributes_text(R"({"x:(1)2": "self", "my.name": {"opaque": 1}})") ==
        R"("any.op"() {"x:(1)2" = "self", my.name = {opaque = 1 : i64}} : () -> ())");
}

TEST_CASE("text: an attribute read from text keeps that text") {
  Module m = read_or_fail(module_of_ops(R"({"op": "any.op"})"));
  const OpId op = m.blocks[m.funcs[FuncId(0)].body].first_op;
  set_attribute(m, op, "a", m.attrs.typed(m.attrs.integer(1), m.strings.intern("1 : i32")));
  set_attribute(m, op, "b", m.attrs.typed(m.attrs.boolean(true), m.strings.intern("unit")));
  m.sources.push_back({nullptr, "xx dense<1> : tensor<99xi8> yy"});
  set_attribute(m, op, "c", m.attrs.data({0, 3, 24}));
  CHECK(has(text_of(m), R"("any.op"() {a = 1 : i32, b, c = dense<1> : tensor<99xi8>} : () -> ())"));
}

TEST_CASE("text: numbers have a point, and as many digits as they need") {
  CHECK(has(attributes_text(R"({"a": 1.0, "b": 9.99999974e-06, "c": 1e300, "d": -0.0})"),
            "{a = 1.000000e+00 : f64, b = 9.99999974e-06 : f64, c = 1.000000e+300 : f64, "
            "d = -0.000000e+00 : f64}"));
  CHECK(has(attributes_text(R"({"a": 5e-324})"), "{a = 4.940656e-324 : f64}"));
  Module m = read_or_fail(module_of_ops(R"({"op": "any.op"})"));
  const OpId op = m.blocks[m.funcs[FuncId(0)].body].first_op;
  set_attribute(m, op, "a", m.attrs.number(-std::numeric_limits<double>::infinity()));
  CHECK(has(text_of(m), "{a = 0xFFF0000000000000 : f64}"));
}

// The text of a constant from `dense` on.
std::string constant_text(std::string_view type, std::string_view value) {
  std::string op = R"({"op": "stablehlo.constant", "results": [{"name": "%c", )";
  op.append(type)
      .append(R"(}], "attributes": {"value": )")
      .append(value)
      .append(R"(}}, {"op": "any.end"})");
  const std::string text = text_of_json(module_of_ops(op));
  const std::size_t begin = text.find("dense");
  REQUIRE(begin != std::string::npos);
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST_CASE("text: constants are written as tensors of their type") {
  CHECK(constant_text(R"("shape": [], "dtype": "f32")", "1") ==
        "dense<1.000000e+00> : tensor<f32>");
  CHECK(constant_text(R"("shape": [2], "dtype": "i1")", "[true, false]") ==
        "dense<[true, false]> : tensor<2xi1>");
  CHECK(constant_text(R"("shape": [2, 2], "dtype": "i32")", "[[1, -2], [3, 4]]") ==
        "dense<[[1, -2], [3, 4]]> : tensor<2x2xi32>");
  CHECK(constant_text(R"("shape": [2], "dtype": "bf16")", R"(["0xFF80", 0.5])") ==
        "dense<[0xFF80, 5.000000e-01]> : tensor<2xbf16>");
  CHECK(constant_text(R"("shape": [0, 2], "dtype": "i8")", "[]") == "dense<> : tensor<0x2xi8>");
  CHECK(constant_text(R"("shape": [9], "dtype": "f32")", R"({"elided": true})") ==
        "dense_resource<__elided__> : tensor<9xf32>");
  // A pair is a complex number where the lists are as deep as the tensor, or a splat.
  CHECK(constant_text(R"("shape": [], "dtype": "complex<f32>")", "[3.0, 4.0]") ==
        "dense<(3.000000e+00,4.000000e+00)> : tensor<complex<f32>>");
  CHECK(constant_text(R"("shape": [2], "dtype": "complex<f32>")", "[3.0, 4.0]") ==
        "dense<(3.000000e+00,4.000000e+00)> : tensor<2xcomplex<f32>>");
  CHECK(constant_text(R"("shape": [2], "dtype": "complex<f32>")", "[[1, 2], [3.0, 4.0]]") ==
        "dense<[(1.000000e+00,2.000000e+00), (3.000000e+00,4.000000e+00)]> : "
        "tensor<2xcomplex<f32>>");
}

TEST_CASE("text: names stay where MLIR can read them, and become so where not") {
  const std::string text = text_of_json(module_of_ops(
      R"({"op": "a.a", "results": [{"name": "plain", "shape": [], "dtype": "f32"}]},
         {"op": "a.b", "results": [{"name": "%has space", "shape": [], "dtype": "f32"}]},
         {"op": "a.c", "results": [{"name": "%has_space", "shape": [], "dtype": "f32"}]},
         {"op": "a.d", "results": [{"name": "%5", "shape": [], "dtype": "f32"},
                                   {"name": "%y.1-z", "shape": [], "dtype": "f32"}]},
         {"op": "a.e", "results": [{"name": "%7x", "shape": [], "dtype": "f32"}]},
         {"op": "a.f", "results": [{"name": "%", "shape": [], "dtype": "f32"}]},
         {"op": "a.g", "operands": ["plain", "%has space", "%has_space", "%7x", "%"]})"));
  CHECK(has(text, "%plain = \"a.a\""));
  CHECK(has(text, "%has_space = \"a.b\""));
  CHECK(has(text, "%has_space_0 = \"a.c\""));
  CHECK(has(text, "%5, %y.1-z = \"a.d\""));
  CHECK(has(text, "%_7x = \"a.e\""));
  CHECK(has(text, "\"a.g\"(%plain, %has_space, %has_space_0, %_7x, %_)"));
}

TEST_CASE("text: values without a name get one that the function does not use") {
  Module m;
  const TypeId f32 = tensor_type(m, "f32", {});
  const TypeId two[] = {f32, f32};
  const FuncId func = create_func(m, {.name = "main", .argument_types = two});
  const BlockId body = m.funcs[func].body;
  set_name(m, m.blocks[body].arguments[1], "%arg0");
  const OpId pair = create_op(m, at_end(body), {"a.pair", {}, two, {}});
  const OpId one = create_op(m, at_end(body), {"a.one", {}, {two, 1}, {}});
  set_name(m, result(m, one, 0), "%0");
  // A region may use a name of the region beside it, not one of those around it.
  const BlockId inner = append_block(m, pair, {two, 1});
  set_name(m, m.blocks[inner].arguments[0], "%arg0");
  const OpId last = create_op(m, at_end(inner), {"a.last", {}, {two, 1}, {}});
  set_name(m, result(m, last, 0), "%0");
  const std::string text = text_of(m);
  CHECK(has(text, "@main(%arg1: tensor<f32>, %arg0: tensor<f32>)"));
  CHECK(has(text, "%1:2 = \"a.pair\""));
  CHECK(has(text, "^bb0(%arg0_0: tensor<f32>)"));
  CHECK(has(text, "      %0 = \"a.last\""));
  CHECK(has(text, "\n    %0 = \"a.one\""));
}

TEST_CASE("text: meshes, functions and their shardings") {
  const std::string text = text_of_json(R"({
    "meshes": [{"name": "m", "axes": [{"name": "x", "size": 2}], "device_ids": [1, 0]},
               {"name": "one more", "axes": [], "device_ids": [3]}],
    "attributes": {"sym_name": "jit_f", "mhlo.num_replicas": 1},
    "functions": [
      {"name": "main", "arguments": [{"name": "%a", "shape": [4], "dtype": "f32", "attributes": {"a.z": 1, "t.z": 2},
          "sharding": {"mesh": "m", "dims": [{"axes": ["x"]}]}}],
       "results": [{"shape": [4], "dtype": "f32", "sharding": {"mesh": {"axes": [{"name": "y", "size": 4}]}, "dims": [{"axes": ["y"], "open": true}]}}],
       "attributes": {"k": true}, "ops": [{"op": "any.end", "operands": ["%a"]}]},
      {"name": "own", "private": true, "arguments": [],
       "results": [{"shape": [], "dtype": "f32"}, {"shape": [4], "dtype": "i32"}], "ops": [{"op": "any.end"}]},
      {"name": "$odd", "arguments": [], "results": [{"shape": [], "dtype": "f32"}], "ops": [{"op": "any.end"}]}]})");
  CHECK(text == R"(module @jit_f attributes {mhlo.num_replicas = 1 : i64} {
  sdy.mesh @m = <["x"=2], device_ids=[1, 0]>
  sdy.mesh @"one more" = <[], device_ids=[3]>
  func.func @main(%a: tensor<4xf32> {a.z = 1 : i64, sdy.sharding = #sdy.sharding<@m, [{"x"}]>, t.z = 2 : i64}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<mesh<["y"=4]>, [{"y", ?}]>}) attributes {k = true} {
    "any.end"(%a) : (tensor<4xf32>) -> ()
  }
  func.func private @own() -> (tensor<f32>, tensor<4xi32>) {
    "any.end"() : () -> ()
  }
  func.func @"$odd"() -> tensor<f32> {
    "any.end"() : () -> ()
  }
}
)");
}

TEST_CASE("text: a function without operations is a declaration, an empty region has two braces") {
  Module m;
  const TypeId type[] = {tensor_type(m, "f32", {})};
  create_func(m, {.name = "f", .argument_types = type, .result_types = type, .is_private = true});
  const FuncId main = create_func(m, {.name = "main"});
  append_block(m, create_op(m, at_end(m.funcs[main].body), {"any.op"}), {});
  CHECK(text_of(m) ==
        "module {\n  func.func private @f(tensor<f32>) -> tensor<f32>\n"
        "  func.func @main() {\n    \"any.op\"() ({\n    }) : () -> ()\n  }\n}\n");
}

TEST_CASE("text: the shardings of an operation are one attribute, its rule another") {
  const std::string text =
      text_of_json(module_of_ops(
                       R"({"op": "any.op", "results": [{"name": "%0", "shape": [8], "dtype": "f32"},
            {"name": "%1", "shape": [8], "dtype": "f32", "sharding": "<@mesh, [{\"a\"}]>"}],
          "attributes": {"k": 1, "zz": 2}, "sharding_rule": "()->([i], [i]) {i=8}"},
         {"op": "any.end", "sharding": ["<@mesh, []>"]},
         {"op": "sdy.reshard", "operands": ["%1"], "results": [{"name": "%2", "shape": [8], "dtype": "f32"}],
          "attributes": {"sharding": "<@mesh, [{\"b\"}]>"}},
         {"op": "func.return"})"),
                   kGeneric);
  // Open dimensions stand for the sharding that is not there.
  CHECK(has(
      text,
      R"({k = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>, <@mesh, [{"a"}]>]>, )"
      R"(sdy.sharding_rule = #sdy.op_sharding_rule<()->([i], [i]) {i=8}>, zz = 2 : i64})"));
  CHECK(has(text,
            R"("any.end"() {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>} : () -> ())"));
  CHECK(has(text, R"("sdy.reshard"(%1) <{sharding = #sdy.sharding<@mesh, [{"b"}]>}> : )"));
}

TEST_CASE("text: locations come with their aliases, each after those that it names") {
  Module m = read_or_fail(module_of_ops(R"({"op": "any.op"}, {"op": "any.end"})"));
  LocationTable& table = m.locations.table;
  const LocId outer = table.alias("loc2");
  const LocId inner = table.alias("loc");
  const LocId never = table.alias("gone");
  table.define(outer, R"(callsite("#loc3" at #loc))");
  table.define(inner, "unknown");
  const BlockId body = m.funcs[FuncId(0)].body;
  m.locations.of_op.set(m.blocks[body].first_op, outer);
  m.locations.of_op.set(m.blocks[body].last_op, table.inline_text(R"("a.py":1:2)"));
  m.locations.of_value.set(m.blocks[body].arguments[0], inner);
  m.locations.of_func.set(FuncId(0), never);
  m.locations.of_module = inner;
  const std::string text = text_of(m);
  CHECK(
      text.starts_with("#loc = loc(unknown)\n#loc2 = loc(callsite(\"#loc3\" at #loc))\nmodule {"));
  CHECK(has(text, "%x: tensor<8x32xf32> loc(#loc))"));
  CHECK(has(text, "\"any.op\"() : () -> () loc(#loc2)\n"));
  CHECK(has(text, "\"any.end\"() : () -> () loc(\"a.py\":1:2)\n  }\n} loc(#loc)\n"));
  CHECK_FALSE(has(text_of(m, {.locations = false}), "loc("));
}

struct Pieces {
  std::string text;
  std::size_t count = 0;
  std::size_t accepted = 1000;
};
bool put_piece(void* state, std::string_view piece) {
  Pieces& pieces = *static_cast<Pieces*>(state);
  if (++pieces.count > pieces.accepted) return false;
  pieces.text.append(piece);
  return true;
}

TEST_CASE("text: a sink gets the same text piece by piece, long constants as they stand") {
  std::string ops;
  for (int i = 0; i < 2000; ++i) ops += R"({"op": "any.operation", "attributes": {"number": 1}},)";
  Module m = read_or_fail(module_of_ops(ops + R"({"op": "stablehlo.constant",
      "results": [{"name": "%c", "shape": [70000], "dtype": "i8"}], "attributes": {"value": 0}}, {"op": "any.end"})"));
  const std::string data = "dense<\"0x" + std::string(140000, '1') + "\"> : tensor<70000xi8>";
  m.sources.push_back({nullptr, data});
  OpId constant = m.blocks[m.funcs[FuncId(0)].body].last_op;
  constant = m.layout[constant].prev;
  set_attribute(m, constant, "value", m.attrs.data({0, 0, data.size()}));
  Pieces all;
  CHECK(write_stablehlo_text(m, TextSink{put_piece, &all}).empty());
  CHECK(all.text == text_of(m));
  CHECK(has(all.text, data));
  CHECK(all.count >= 3);
  Pieces some;
  some.accepted = 1;
  const Diagnostics errors = write_stablehlo_text(m, TextSink{put_piece, &some});
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].code == "text.sink");
}

TEST_CASE("text: what cannot be written is an error, and a file stays as it was") {
  Module m = read_or_fail(module_of_ops(R"({"op": "any.op", "attributes": {"a": [["x"]]}})"));
  const auto code = [&](const TextWriteOptions& options) {
    const Result<std::string> text = write_stablehlo_text(m, options);
    return text ? "" : text.errors().front().code;
  };
  CHECK(code({}) == "");
  CHECK(code({.max_depth = 2}) == "text.too_deep");
  const TypeId none[] = {TypeId()};
  create_op(m, at_end(m.funcs[FuncId(0)].body), {"any.typeless", {}, none, {}});
  CHECK(code({}) == "text.no_type");

  const fs::path path = fs::temp_directory_path() / "shardprop_text_writer_test.mlir";
  std::ofstream(path) << "precious";
  const auto content = [&] {
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const Diagnostics errors = write_stablehlo_text_file(m, path.string());
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].code == "text.no_type");
  CHECK(content() == "precious");
  const Module good = read_or_fail(module_of_ops(R"({"op": "any.op"})"));
  CHECK(write_stablehlo_text_file(good, path.string()).empty());
  CHECK(content() == text_of(good));
  const Result<TextSource> opened = open_text(path.string());
  REQUIRE(opened);
  CHECK(opened->text == text_of(good));
  fs::remove(path);
  CHECK(open_text(path.string()).errors().front().code == "text.file");
  CHECK(write_stablehlo_text_file(good, "/nowhere/at/all.mlir").front().code == "text.file");
}

std::string excerpt_at(std::string_view text, std::uint32_t line, std::uint32_t column) {
  Place place;
  place.line = line;
  place.column = column;
  return excerpt(text, place);
}

TEST_CASE("text: an excerpt shows the line with a caret") {
  CHECK(excerpt_at("one\n\ttwo three\r\n", 2, 6) == "    2 | \ttwo three\n      | \t    ^");
  CHECK(excerpt_at("one", 1, 4) == "    1 | one\n      |    ^");
  CHECK(excerpt_at("one", 1, 99) == "    1 | one\n      |    ^");
  CHECK(excerpt_at("one", 2, 1) == "");
  CHECK(excerpt_at("one", 0, 0) == "");
  // Two bytes of one letter are one column; other bytes do not reach the terminal.
  CHECK(excerpt_at("\xC3\xA9 x\x1B", 1, 4) == "    1 | \xC3\xA9 x?\n      |   ^");
  const std::string long_line = std::string(300, 'a') + "B" + std::string(300, 'c');
  const std::string shown = excerpt_at(long_line, 1, 301);
  CHECK(shown.size() < 300);
  CHECK(shown.substr(shown.find('\n')).find('^') == shown.find('B') + 1);
}

}  // namespace
}  // namespace shardprop::test::stablehlo_text_writer_cases
