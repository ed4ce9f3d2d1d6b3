// The reader gives the same module for any order of fields, infers types through the caller, and
// keeps program order.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nlohmann/json.hpp"
#include "shardprop/io/json_reader.hpp"
#include "shardprop/io/json_writer.hpp"
#include "shardprop/ir/place.hpp"
#include "tests/catch.hpp"
#include "tests/io/json_support.hpp"

namespace shardprop {
namespace {

using namespace test;

constexpr std::string_view kNested = R"({
  "meshes": [{"name": "mesh", "axes": [{"name": "a", "size": 2}]}],
  "functions": [{"name": "main", "arguments": [{"name": "%x", "shape": [4], "dtype": "f32",
                                                "sharding": {"mesh": "mesh", "dims": [{"axes": ["a"]}]}}],
    "results": [{"shape": [4], "dtype": "f32", "attributes": {"k": 1}}], "attributes": {"f": true},
    "ops": [
      {"op": "stablehlo.while", "operands": ["%x"], "results": [{"name": "%0", "shape": [4], "dtype": "f32"}],
       "attributes": {"u": {}},
       "blocks": [
         {"arguments": [{"name": "%c", "shape": [4], "dtype": "f32"}],
          "ops": [{"op": "test.pred", "operands": ["%c"], "results": [{"name": "%p", "shape": [], "dtype": "i1"}]},
                  {"op": "stablehlo.return", "operands": ["%p"]}]},
         {"arguments": [{"name": "%b", "shape": [4], "dtype": "f32"}],
          "ops": [{"op": "stablehlo.add", "operands": ["%b", "%x"],
                   "results": [{"name": "%1", "shape": [4], "dtype": "f32"}]},
                  {"op": "stablehlo.return", "operands": ["%1"]}]}]},
      {"op": "func.return", "operands": ["%0"]}]}],
  "attributes": {"m": "x"}})";

// The text of `value` with the fields of all objects but attributes turned by `turn` places.
template <class Json>
std::string turned(const Json& value, std::size_t turn) {
  std::string out;
  if (value.is_array()) {
    for (const auto& item : value) out += (out.empty() ? "" : ", ") + turned(item, turn);
    return "[" + out + "]";
  }
  if (!value.is_object() || value.empty()) return value.dump();
  std::vector<std::string> keys;
  for (const auto& [key, item] : value.items()) keys.push_back(key);
  std::rotate(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(turn % keys.size()),
              keys.end());
  for (const std::string& key : keys) {
    out += (out.empty() ? "" : ", ") + ("\"" + key + "\": ") + turned(value[key], turn);
  }
  return "{" + out + "}";
}

// Names of the users of `value`, last made first.
std::vector<std::string> users(const Module& m, ValueId value) {
  std::vector<std::string> out;
  for (UseId use = m.values[value].first_use; use.valid(); use = m.uses[use].next) {
    out.emplace_back(op_name(m, m.uses[use].user));
  }
  return out;
}

}  // namespace

TEST_CASE("json reader: any order of fields gives the same module", "[io]") {
  const std::string expected = write_json(read_or_fail(kNested));
  const auto usual = nlohmann::ordered_json::parse(kNested);
  const auto sorted = nlohmann::json::parse(kNested);
  for (std::size_t turn = 0; turn < 12; ++turn) {
    INFO(turn);
    CHECK(write_json(read_or_fail(turned(usual, turn))) == expected);
    CHECK(write_json(read_or_fail(turned(sorted, turn))) == expected);
  }
}

TEST_CASE("json reader: uses and rows are in program order", "[io]") {
  for (std::size_t turn : {0u, 3u}) {
    const Module m = read_or_fail(turned(nlohmann::ordered_json::parse(kNested), turn));
    const ValueId x = m.blocks[m.funcs[m.func_order[0]].body].arguments[0];
    CHECK(users(m, x) == std::vector<std::string>{"stablehlo.add", "stablehlo.while"});
    std::vector<std::string> rows;
    for (OpId op : m.ops.ids()) rows.emplace_back(op_name(m, op));
    CHECK(rows == std::vector<std::string>{"stablehlo.while", "test.pred", "stablehlo.return",
                                           "stablehlo.add", "stablehlo.return", "func.return"});
  }
}

TEST_CASE("json reader: pointers hold in any order of fields", "[io]") {
  std::string text(kNested);
  const std::string_view good = R"("%b", "%x")";
  text.replace(text.find(good), good.size(), R"("%b", "%z")");
  const std::vector<std::string> expected = {
      "json.unknown_value /functions/0/ops/0/blocks/1/ops/0/operands/1"};
  for (std::size_t turn = 0; turn < 12; ++turn) {
    INFO(turn);
    CHECK(read_errors(turned(nlohmann::ordered_json::parse(text), turn)) == expected);
  }
}

TEST_CASE("json reader: types that results leave out come from the caller", "[io]") {
  const std::string text = module_of_ops(
      R"({"op": "stablehlo.abs", "operands": ["%x"], "results": [{"name": "%0", "sharding":
          {"mesh": "mesh", "dims": [{"axes": ["a"]}, {}]}}]},
         {"op": "stablehlo.abs", "operands": ["%0"], "results": [{"name": "%1"}]},
         {"op": "func.return", "operands": ["%1"]})");
  const InferTypes like_operand = [](Module& m, OpId op, Diagnostics&) {
    return std::optional<std::vector<TypeId>>({type_of(m, operand(m, op, 0))});
  };
  const Module m = read_or_fail(text, {.infer_types = like_operand});
  for (ValueId value : m.values.ids()) CHECK(type_of(m, value) == type_of(m, ValueId(0)));

  CHECK(read_errors(text) == std::vector<std::string>{"json.missing_type /functions/0/ops/0"});

  const InferTypes refuse = [](Module& in, OpId op, Diagnostics& out) {
    out.push_back({"op.x", "no", "", place_of(in, op)});
    return std::optional<std::vector<TypeId>>();
  };
  CHECK(read_errors(text, {.infer_types = refuse}) ==
        std::vector<std::string>{"op.x /functions/0/ops/0"});

  const InferTypes scalar = [](Module& in, OpId, Diagnostics&) {
    return std::optional<std::vector<TypeId>>({in.types.tensor(in.strings.intern("f32"), {})});
  };
  CHECK(read_errors(text, {.infer_types = scalar}) ==
        std::vector<std::string>{"sharding.rank_mismatch /functions/0/ops/0"});

  const InferTypes nothing = [](Module&, OpId, Diagnostics&) {
    return std::optional<std::vector<TypeId>>(std::vector<TypeId>());
  };
  CHECK(read_errors(text, {.infer_types = nothing}) ==
        std::vector<std::string>{"json.missing_type /functions/0/ops/0"});
}

TEST_CASE("json reader: a function's result takes the type of what is returned", "[io]") {
  const Module m = read_or_fail(
      R"({"functions": [{"name": "f", "arguments": [{"name": "%a", "shape": [4], "dtype": "i8"}],
      "results": [{}], "ops": [{"op": "func.return", "operands": ["%a"]}]}]})");
  CHECK(m.funcs[m.func_order[0]].results[0].type == type_of(m, ValueId(0)));
}

}  // namespace shardprop
