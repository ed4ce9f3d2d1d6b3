// What the JSON reader refuses: the code and the JSON pointer of each kind of error.
#include "shardprop/io/json_reader.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.hpp"
#include "tests/io/json_support.hpp"

namespace shardprop {
namespace {

using namespace test;

using Errors = std::vector<std::string>;

struct Malformed {
  std::string text;
  std::string error;  // code and pointer
};

constexpr std::string_view kOp = "/functions/0/ops/0";

std::string at_op(std::string_view code, std::string_view below) {
  return std::string(code).append(" ").append(kOp).append(below);
}

void check_each(const std::vector<Malformed>& cases) {
  for (const Malformed& c : cases) {
    INFO(c.text);
    CHECK(read_errors(c.text) == Errors{c.error});
  }
}

}  // namespace

TEST_CASE("json reader: the document", "[io]") {
  check_each({
      {"[]", "json.wrong_kind "},
      {"3", "json.wrong_kind "},
      {"{}", "json.missing_field "},
      {R"({"functions": 3})", "json.wrong_kind /functions"},
      {R"({"meshes": [], "functions": 3})", "json.wrong_kind /functions"},
      {R"({"meshes": [], "functions": [], "function": []})", "json.unknown_field /function"},
      {R"({"meshes": [], "functions": [], "a/b~c": []})", "json.unknown_field /a~1b~0c"},
      {R"({"meshes": [], "functions": [], "meshes": []})", "json.duplicate_key /meshes"},
      {R"({"meshes": [], "functions": [], "attributes": []})", "json.wrong_kind /attributes"},
      {R"({"meshes": [], "functions": [], "attributes": {"a": {"b": 1, "b": 2}}})",
       "json.duplicate_key /attributes/a/b"},
  });
  CHECK(read_errors(R"({"functions": []})").empty());
  CHECK(read_errors("\xEF\xBB\xBF {\"functions\": []}\n").empty());
}

TEST_CASE("json reader: syntax errors have line and column", "[io]") {
  const Result<Module> m = read_both_ways("{\"meshes\": [],\n \"functions\": [1,,]}");
  REQUIRE_FALSE(m.ok());
  const Diagnostic& last = m.errors().back();
  CHECK(last.code == "json.syntax");
  CHECK(last.place.line == 2);
  CHECK(last.place.column == 18);
  CHECK(last.place.pointer == "/functions");
  for (std::string_view text :
       {"", " ", "{", "{\"functions\": []} x", "{\"functions\": [}", "{'functions': []}", "nul",
        "{\"functions\": [\"\xFF\"]}", "{\"functions\": \"\\x\"}", "{\"a\": 1e999}", "\"abc"}) {
    INFO(text);
    const Result<Module> bad = read_both_ways(text);
    REQUIRE_FALSE(bad.ok());
    CHECK(bad.errors().back().code == "json.syntax");
    CHECK(bad.errors().back().place.line == 1);
  }
}

TEST_CASE("json reader: the message of a syntax error is short UTF-8", "[io]") {
  const Result<Module> m = read_both_ways("{\"a\": \"" + std::string(100000, 'x') + "\xFF\"}");
  REQUIRE_FALSE(m.ok());
  CHECK(m.errors().front().message.size() < 300);
  CHECK(m.errors().front().message.find('\xFF') == std::string::npos);
}

TEST_CASE("json reader: meshes", "[io]") {
  const auto meshes = [](std::string_view list) {
    return std::string(R"({"meshes": )").append(list).append(R"(, "functions": []})");
  };
  check_each({
      {meshes("{}"), "json.wrong_kind /meshes"},
      {meshes(R"([3])"), "json.wrong_kind /meshes/0"},
      {meshes(R"([{"axes": []}])"), "json.missing_field /meshes/0"},
      {meshes(R"([{"name": "", "axes": []}])"), "json.empty_name /meshes/0/name"},
      {meshes(R"([{"name": "m", "axes": [{"name": "a"}]}])"),
       "json.missing_field /meshes/0/axes/0"},
      {meshes(R"([{"name": "m", "axes": [{"name": "a", "size": 2.0}]}])"),
       "json.wrong_kind /meshes/0/axes/0/size"},
      {meshes(R"([{"name": "m", "axes": [{"name": "a", "size": 0}]}])"),
       "mesh.axis_size /meshes/0"},
      {meshes(R"([{"name": "m", "axes": [{"name": "a", "size": 3000000000}]}])"),
       "mesh.too_many_devices /meshes/0"},
      {meshes(R"([{"name": "m", "axes": [{"name": "a", "size": 2}, {"name": "a", "size": 2}]}])"),
       "mesh.duplicate_axis /meshes/0"},
      {meshes(R"([{"name": "m", "axes": []}, {"name": "m", "axes": []}])"),
       "json.duplicate_mesh /meshes/1"},
      {meshes(R"([{"name": "m", "axes": [{"name": "a", "size": 2}], "device_ids": [1, 1]}])"),
       "mesh.not_a_permutation /meshes/0"},
      {meshes(R"([{"name": "m", "axes": [{"name": "a", "size": 2}], "device_ids": [0]}])"),
       "mesh.device_count /meshes/0"},
      {meshes(R"([{"name": "m", "axes": [], "device_ids": [-1]}])"),
       "mesh.negative_device_id /meshes/0"},
      {meshes(R"([{"name": "m", "axes": [], "device_ids": ["0"]}])"),
       "json.wrong_kind /meshes/0/device_ids/0"},
      {meshes(R"([{"name": "m", "axes": [], "devices": []}])"),
       "json.unknown_field /meshes/0/devices"},
  });
}

TEST_CASE("json reader: functions", "[io]") {
  const auto functions = [](std::string_view list) {
    return std::string(R"({"meshes": [], "functions": )").append(list).append("}");
  };
  const std::string body = R"("ops": [{"op": "func.return"}])";
  check_each({
      {functions("[[]]"), "json.wrong_kind /functions/0"},
      {functions("[{" + body + "}]"), "json.missing_field /functions/0"},
      {functions(R"([{"name": "f", "arguments": [], )" + body + "}, 3]"),
       "json.wrong_kind /functions/1"},
      {functions(R"([{"name": "f"}])"), "json.missing_field /functions/0"},
      {functions(R"([{"name": "", "arguments": [], )" + body + "}]"),
       "json.empty_name /functions/0/name"},
      {functions(R"([{"name": "f", "arguments": [], "private": 1, )" + body + "}]"),
       "json.wrong_kind /functions/0/private"},
      {functions(R"([{"name": "f", "arguments": {}, )" + body + "}]"),
       "json.wrong_kind /functions/0/arguments"},
      {functions(R"([{"name": "f", "arguments": [{"shape": [], "dtype": "f32"}], )" + body + "}]"),
       "json.missing_field /functions/0/arguments/0"},
      {functions(R"([{"name": "f", "arguments": [{"name": "%a"}], )" + body + "}]"),
       "json.missing_type /functions/0/arguments/0"},
      {functions(R"([{"name": "f", "arguments": [{"name": "%a", "shape": []}], )" + body + "}]"),
       "json.missing_field /functions/0/arguments/0"},
      {functions(R"([{"name": "f", "arguments": [], "results": [{}], )" + body + "}]"),
       "json.missing_type /functions/0/results/0"},
      {functions(R"([{"name": "f", "arguments": [], "results": [{"name": "%r", "dtype": "x"}], )" +
                 body + "}]"),
       "json.unknown_field /functions/0/results/0/name"},
      {functions(R"([{"name": "f", "arguments": [], "ops": []}])"),
       "json.missing_terminator /functions/0"},
      {functions(R"([{"name": "f", "ops": []}])"), "json.missing_terminator /functions/0"},
      {functions(R"([{"name": "f", "ops": 1}])"), "json.wrong_kind /functions/0/ops"},
      {functions(R"([{"name": "f", "arguments": [], "ops": [1]}])"),
       "json.wrong_kind /functions/0/ops/0"},
      {functions(R"([{"name": "f", "arguments": [], )" + body +
                 R"(}, {"name": "f", "arguments": [], )" + body + "}]"),
       "json.duplicate_function /functions/1"},
      {functions(R"([{"name": "f", "arguments": [], "sharding": 1, )" + body + "}]"),
       "json.unknown_field /functions/0/sharding"},
      {functions(
           R"([{"name": "f", "arguments": [{"name": "%a", "dtype": "x", "attributes": {"sdy.sharding": 1}}], )" +
           body + "}]"),
       "json.hidden_sharding /functions/0/arguments/0/attributes/sdy.sharding"},
  });
}

TEST_CASE("json reader: operations and values", "[io]") {
  const std::string type = R"("shape": [8, 32], "dtype": "f32")";
  check_each({
      {module_of_ops(R"({"operands": []}, {"op": "func.return"})"),
       at_op("json.missing_field", "")},
      {module_of_ops(R"({"op": ""}, {"op": "func.return"})"), at_op("json.empty_name", "/op")},
      {module_of_ops(R"({"op": 1}, {"op": "func.return"})"), at_op("json.wrong_kind", "/op")},
      {module_of_ops(R"([], {"op": "func.return"})"), at_op("json.wrong_kind", "")},
      {module_of_ops(R"({"op": "stablehlo.abs", "operands": ["%x"], "results": [{"name": "%0", )" +
                     type + "}]}"),
       "json.missing_terminator /functions/0"},
      {module_of_op(R"("operand": [])"), at_op("json.unknown_field", "/operand")},
      {module_of_op(R"("operands": "%x")"), at_op("json.wrong_kind", "/operands")},
      {module_of_op(R"("operands": ["%x", 1])"), at_op("json.wrong_kind", "/operands/1")},
      {module_of_op(R"("operands": ["%x", "%y"])"), at_op("json.unknown_value", "/operands/1")},
      {module_of_op(R"("operands": ["%0"], "results": [{"name": "%0", )" + type + "}]"),
       at_op("json.unknown_value", "/operands/0")},
      {module_of_op(R"("results": [{"name": "%x", )" + type + "}]"),
       at_op("json.duplicate_value", "/results/0")},
      {module_of_op(R"("results": [{"name": "%0", )" + type + R"(}, {"name": "%0", )" + type +
                    "}]"),
       at_op("json.duplicate_value", "/results/1")},
      {module_of_op(R"("results": [{"name": "%0"}])"), at_op("json.missing_type", "")},
      {module_of_op(R"("results": [{"name": "", )" + type + "}]"),
       at_op("json.empty_name", "/results/0/name")},
      {module_of_op(R"("results": [{"name": "%0", "shape": [8, -2], "dtype": "f32"}])"),
       at_op("json.bad_shape", "/results/0/shape/1")},
      {module_of_op(R"("results": [{"name": "%0", "shape": [8, 1.0], "dtype": "f32"}])"),
       at_op("json.wrong_kind", "/results/0/shape/1")},
      {module_of_op(
           R"("results": [{"name": "%0", "shape": [9223372036854775808], "dtype": "f32"}])"),
       at_op("json.number_too_large", "/results/0/shape/0")},
      {module_of_op(R"("results": [{"name": "%0", "shape": [1], "dtype": ""}])"),
       at_op("json.empty_name", "/results/0/dtype")},
      {module_of_op(R"("attributes": 1)"), at_op("json.wrong_kind", "/attributes")},
      {module_of_op(R"("attributes": {"a": 100000000000000000000})"),
       at_op("json.number_too_large", "/attributes")},
      {module_of_op(R"("attributes": {"sdy.sharding": []})"),
       at_op("json.hidden_sharding", "/attributes/sdy.sharding")},
      {module_of_op(R"("attributes": {"a": 1, "b": [{"c": 1, "c": 2}]})"),
       at_op("json.duplicate_key", "/attributes/b/0/c")},
      {module_of_op(R"("sharding_rule": 1)"), at_op("json.wrong_kind", "/sharding_rule")},
      {module_of_op(R"("sharding_rule": "([i])->")"), at_op("rule.syntax", "/sharding_rule")},
      {module_of_op(R"("results": [{"name": "%0", )" + type + R"(}], "sharding": [])"),
       at_op("json.misplaced_sharding", "/sharding")},
      {module_of_op(R"("blocks": {})"), at_op("json.wrong_kind", "/blocks")},
      {module_of_op(R"("blocks": [1])"), at_op("json.wrong_kind", "/blocks/0")},
      {module_of_op(R"("blocks": [{"arguments": []}])"), at_op("json.missing_field", "/blocks/0")},
      {module_of_op(R"("blocks": [{"arguments": [], "ops": []}])"),
       at_op("json.missing_terminator", "/blocks/0")},
      {module_of_op(R"("operands": [], "results": [], "blocks": [{"arguments": [], "ops": []}])"),
       at_op("json.missing_terminator", "/blocks/0")},
      {module_of_op(R"("operands": [], "results": [], "blocks": [{"arguments": []}])"),
       at_op("json.missing_field", "/blocks/0")},
      {module_of_op(R"("operands": [], "results": [], "blocks": [7])"),
       at_op("json.wrong_kind", "/blocks/0")},
  });
}

TEST_CASE("json reader: what a block can see", "[io]") {
  const std::string type = R"("shape": [], "dtype": "f32")";
  const auto with_block = [&](std::string_view inner, std::string_view operands) {
    return module_of_ops(
        std::string(R"({"op": "stablehlo.case", "operands": ["%x"], "results": [{"name": "%r", )" +
                    type + R"(}], "blocks": [{"arguments": [{"name": "%b", )" + type +
                    R"(}], "ops": [)")
            .append(inner)
            .append(R"({"op": "stablehlo.return", "operands": ["%b", "%x"]}]}]}, )")
            .append(R"({"op": "func.return", "operands": [)")
            .append(operands)
            .append("]}"));
  };
  const std::string inner =
      R"({"op": "stablehlo.abs", "operands": [], "results": [{"name": "%i", )" + type + "}]}, ";
  CHECK(read_errors(with_block(inner, R"("%r")")).empty());
  CHECK(read_errors(with_block(inner, R"("%i")")) ==
        Errors{"json.unknown_value /functions/0/ops/1/operands/0"});
  CHECK(read_errors(with_block(inner, R"("%b")")) ==
        Errors{"json.unknown_value /functions/0/ops/1/operands/0"});
  CHECK(read_errors(with_block(R"({"op": "a.b", "operands": ["%r"]}, )", R"("%r")")) ==
        Errors{"json.unknown_value /functions/0/ops/0/blocks/0/ops/0/operands/0"});
  CHECK(read_errors(with_block(R"({"op": "a.b", "results": [{"name": "%x", )" + type + "}]}, ",
                               R"("%r")")) ==
        Errors{"json.duplicate_value /functions/0/ops/0/blocks/0/ops/0/results/0"});
}

TEST_CASE("json reader: shardings", "[io]") {
  const auto at = [](std::string_view code, std::string_view below) {
    return at_op(code, std::string("/results/0/sharding").append(below));
  };
  const auto dims = [](std::string_view two) {
    return module_of_sharding(
        std::string(R"({"mesh": "mesh", "dims": [)").append(two).append("]}"));
  };
  check_each({
      {module_of_sharding("3"), at("json.wrong_kind", "")},
      {module_of_sharding(R"({"mesh": "mesh"})"), at("json.missing_field", "")},
      {module_of_sharding(R"({"mesh": "mash", "dims": [{}, {}]})"),
       at("json.unknown_mesh", "/mesh")},
      {module_of_sharding(R"({"mesh": 1, "dims": [{}, {}]})"), at("json.wrong_kind", "/mesh")},
      {module_of_sharding(R"({"mesh": {"axes": [{"name": "z", "size": -1}]}, "dims": [{}, {}]})"),
       at("mesh.axis_size", "/mesh")},
      {module_of_sharding(R"({"mesh": {"name": "z", "axes": []}, "dims": [{}, {}]})"),
       at("json.unknown_field", "/mesh/name")},
      {dims("{}"), at("sharding.rank_mismatch", "")},
      {dims(R"({"axes": ["z"]}, {})"), at("sharding.unknown_axis", "/dims/0/axes/0")},
      {dims(R"({"axes": ["b:(1)3"]}, {})"), at("sharding.sub_axis_not_dividing", "/dims/0/axes/0")},
      {dims(R"({"axes": ["b:1"]}, {})"), at("sharding.unknown_axis", "/dims/0/axes/0")},
      {dims(R"({"axes": ["b"]}, {"axes": ["b"]})"), at("sharding.duplicate_axis", "")},
      {dims(R"({"axes": ["b"]}, {"axes": ["b:(1)2"]})"), at("sharding.full_and_sub_axis", "")},
      {dims(R"({"axes": "b"}, {})"), at("json.wrong_kind", "/dims/0/axes")},
      {dims(R"({"axes": [1]}, {})"), at("json.wrong_kind", "/dims/0/axes/0")},
      {dims(R"({"axes": ["a"], "open": 1}, {})"), at("json.wrong_kind", "/dims/0/open")},
      {dims(R"({"axes": ["a"], "priority": -1}, {})"), at("sharding.priority", "/dims/0/priority")},
      {dims(R"({"axes": ["a"], "priority": 4294967296}, {})"),
       at("sharding.priority", "/dims/0/priority")},
      {dims(R"({"axes": ["a"], "is_closed": true}, {})"),
       at("json.unknown_field", "/dims/0/is_closed")},
      {module_of_sharding(
           R"({"mesh": "mesh", "dims": [{}, {}], "unreduced": ["a"], "reduction": "mul"})"),
       at("json.unknown_keyword", "/reduction")},
      {module_of_sharding(R"({"mesh": "mesh", "dims": [{}, {}], "replicated": ["b", "a"]})"),
       at("sharding.unsorted_axes", "")},
      {module_of_sharding(R"("<@mesh, [{\"z\"}, {}]>")"), at("sharding.unknown_axis", "")},
      {module_of_sharding(R"("<@mesh, [{}, {}")"), at("sharding.syntax", "")},
  });
  CHECK(
      read_errors(module_of_op(
          R"("results": [{"name": "%0", "dtype": "token", "sharding": {"mesh": "mesh", "dims": [{}]}}])")) ==
      Errors{at("sharding.not_a_tensor", "")});
}

TEST_CASE("json reader: errors of one document are collected", "[io]") {
  const std::string bad =
      R"({"op": "a.b", "operands": ["%u", "%v"], "extra": 1, "results": [{"name": "%0", "dtype": 3}]}, )";
  const std::string end = R"({"op": "func.return", "operands": ["%0"]})";
  CHECK(read_errors(module_of_ops(bad + end)) ==
        Errors{at_op("json.unknown_field", "/extra"), at_op("json.unknown_value", "/operands/0"),
               at_op("json.unknown_value", "/operands/1"),
               at_op("json.wrong_kind", "/results/0/dtype")});
  std::string many;
  for (int i = 0; i < 500; ++i) many += R"({"op": "a.b", "operands": ["%u"]}, )";
  CHECK(read_errors(module_of_ops(many + end)).size() == 100);
  CHECK(read_errors(module_of_ops(many + end), {.max_diagnostics = 3}).size() == 3);
  CHECK(read_errors(module_of_ops(many + end), {.max_diagnostics = 0}).size() == 1);
}

TEST_CASE("json reader: places and hints", "[io]") {
  const Result<Module> m = read_both_ways(module_of_op(R"("operands": ["%xx"], "operandz": [])"));
  REQUIRE_FALSE(m.ok());
  REQUIRE(m.errors().size() == 2);
  CHECK(m.errors()[0].hint.starts_with("did you mean operands?"));
  CHECK(m.errors()[1].hint == "did you mean %x?");
  CHECK(m.errors()[1].place.function == "main");
  CHECK(m.errors()[1].place.operation == "stablehlo.abs");
}

TEST_CASE("json reader: deep nesting is refused, not crashed on", "[io]") {
  const auto nested = [](std::size_t depth) {
    return R"({"functions": [], "attributes": {"a": )" + std::string(depth, '[') +
           std::string(depth, ']') + "}}";
  };
  CHECK(read_errors(nested(510)).empty());
  CHECK(read_errors(nested(511)).front().starts_with("json.too_deep /attributes/a/0/0"));
  CHECK(read_errors(nested(1000), {.max_depth = 2000}).empty());
  CHECK(read_errors(nested(2040), {.max_depth = 1000000}).empty());
  CHECK(read_errors(nested(1000000), {.max_depth = 2000000}).front().starts_with("json.too_deep"));
  CHECK(read_errors(std::string(1000000, '[')) == Errors{"json.too_deep "});
}

// Every prefix of a document, and the document with each byte replaced, is read or refused.
TEST_CASE("json reader: damaged documents never crash", "[io]") {
  const std::string text = module_of_op(
      R"("operands": ["%x"], "results": [{"name": "%0", "shape": [8, 32], "dtype": "f32", "sharding":
         {"mesh": "mesh", "dims": [{"axes": ["b:(2)2"]}, {"axes": [], "open": true, "priority": 1}]}}],
         "attributes": {"k": [1, 2.5, null, "\u00e9"]}, "sharding_rule": "([i, j])->([i, j]) {i=8, j=32}",
         "blocks": [{"arguments": [], "ops": [{"op": "stablehlo.return"}]}])");
  REQUIRE(read_errors(text).empty());
  for (std::size_t i = 0; i < text.size(); ++i) CHECK_FALSE(read_errors(text.substr(0, i)).empty());
  std::size_t refused = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (char c : {'"', '[', '}', '0', 'x', '\0'}) {
      std::string damaged = text;
      damaged[i] = c;
      refused += read_errors(damaged).empty() ? 0 : 1;
    }
  }
  CHECK(refused > text.size());
}

TEST_CASE("json reader: a file that cannot be read", "[io]") {
  const Result<Module> m = read_json_file("no/such/file.json");
  REQUIRE_FALSE(m.ok());
  CHECK(m.errors().front().code == "json.file");
}

}  // namespace shardprop
