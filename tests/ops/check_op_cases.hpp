// Runs tables of operation tests. The program of a case is StableHLO text or, where a case differs
// from another in a word or two, or could not be read as text, the operation alone in JSON:
//
//   {"operands": ["2x3xf32", {"type": "2xi64", "value": [1, 2]}], "results": ["2xf32"],
//    "attributes": {...}, "blocks": [{"takes": ["f32", "f32"], "returns": ["f32"]}]}
//
// Operands become arguments of a function, with a sharding as in {"type": "8x8xf32", "sharding":
// "<@m, [{}, {?}]>"}, or constants where they have a value; "meshes" are those of the module, which
// operations of sdy have anyway; a block returns values of unknown make. A short case that is not
// the operation's first one is a merge patch (RFC 7396) of the operation's first case, if that is
// short, so that it says only what is different: {"attributes": {"dimensions": [2]}}; a null drops
// a field.
//
// "ok" must verify. "infer" must give the types of `results` to results that say none. Anything
// else must be refused with that constraint at the operation.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "shardprop/io/json_reader.hpp"
#include "shardprop/io/json_writer.hpp"
#include "shardprop/io/stablehlo_text.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/common/type_text.hpp"
#include "shardprop/ops/infer.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/ops/rules.hpp"
#include "shardprop/ops/verify.hpp"
#include "shardprop/sharding/rule_text.hpp"
#include "tests/catch.hpp"
#include "tests/ops/cases/op_case.hpp"

namespace op_test {

using nlohmann::json;
using namespace shardprop;

// `2x?xf32` is a tensor; what has no size and no known element is kept by its text.
inline json type_of_text(std::string_view text) {
  if (text.starts_with("!")) return {{"dtype", std::string(text.substr(1))}};
  json shape = json::array();
  while (!text.empty() && (text[0] == '?' || (text[0] >= '0' && text[0] <= '9'))) {
    const std::size_t end = text.find('x');
    shape.push_back(text[0] == '?' ? -1 : std::stoll(std::string(text.substr(0, end))));
    text.remove_prefix(end + 1);
  }
  return {{"shape", shape}, {"dtype", std::string(text)}};
}

inline json named_value(const std::string& name, std::string_view type) {
  json value = type_of_text(type);
  value["name"] = name;
  return value;
}

inline json block_of_short(const json& block, const std::string& prefix, const char* terminator) {
  json arguments = json::array();
  json made = json::array();
  json names = json::array();
  for (const json& type : block.value("takes", json::array())) {
    arguments.push_back(
        named_value(prefix + "a" + std::to_string(arguments.size()), type.get<std::string>()));
  }
  for (const json& type : block.value("returns", json::array())) {
    names.push_back(prefix + "r" + std::to_string(names.size()));
    made.push_back(named_value(names.back(), type.get<std::string>()));
  }
  json ops = json::array();
  if (!made.empty()) ops.push_back({{"op", "test.make"}, {"results", made}});
  ops.push_back({{"op", terminator}, {"operands", names}});
  return {{"arguments", arguments}, {"ops", ops}};
}

// The function that holds the operation of a short case; `typed`: whether the operation's results
// say their types.
inline json function_of_short(const std::string& name, const json& program, bool typed) {
  json arguments = json::array();
  json ops = json::array();
  json op = {{"op", name}, {"operands", json::array()}, {"results", json::array()}};
  for (const json& operand : program.value("operands", json::array())) {
    const std::string value = "%" + std::to_string(op["operands"].size());
    op["operands"].push_back(value);
    if (operand.is_string()) {
      arguments.push_back(named_value(value, operand.get<std::string>()));
    } else if (!operand.contains("value")) {
      arguments.push_back(named_value(value, operand["type"].get<std::string>()));
      arguments.back()["sharding"] = operand["sharding"];
    } else {
      ops.push_back({{"op", "stablehlo.constant"},
                     {"results", {named_value(value, operand["type"].get<std::string>())}},
                     {"attributes", {{"value", operand["value"]}}}});
    }
  }
  json returned = json::array();
  json types = json::array();
  for (const json& type : program.value("results", json::array())) {
    returned.push_back("%r" + std::to_string(returned.size()));
    types.push_back(type_of_text(type.get<std::string>()));
    op["results"].push_back(typed ? named_value(returned.back(), type.get<std::string>())
                                  : json{{"name", returned.back()}});
  }
  if (program.contains("attributes")) op["attributes"] = program["attributes"];
  for (const json& block : program.value("blocks", json::array())) {
    op["blocks"].push_back(
        block_of_short(block, "%b" + std::to_string(op.value("blocks", json::array()).size()),
                       name.starts_with("sdy.") ? "sdy.return" : "stablehlo.return"));
  }
  ops.push_back(op);
  ops.push_back({{"op", "func.return"}, {"operands", returned}});
  return {{"name", "main"}, {"arguments", arguments}, {"results", types}, {"ops", ops}};
}

inline bool is_text(const OpCase& test) { return !test.json.starts_with('{'); }

inline std::string json_of_text(std::string_view text) {
  const Result<Module> m = read_stablehlo_text(borrowed_text(text));
  if (!m) FAIL(to_string(m.errors()) << "\n" << text);
  return write_json(*m);
}

// Takes the types of results away from every operation called `name`.
inline void drop_types(json& ops, const std::string& name) {
  for (json& op : ops) {
    for (json& result : op["op"] == name ? op["results"] : json::array()) {
      result.erase("shape");
      result.erase("dtype");
    }
    if (!op.contains("blocks")) continue;
    for (json& block : op["blocks"]) drop_types(block["ops"], name);
  }
}

// The meshes of sdy cases.
inline json sdy_meshes() {
  return json::parse(json_of_text(R"(
sdy.mesh @m = <["a"=2, "b"=4, "c"=8]>
sdy.mesh @n = <["x"=2]>
sdy.mesh @p = <["a"=2, "b"=4, "c"=8]>
func.func @main() {
  return
})"))["meshes"];
}

// The module of a case as JSON; `first` is the operation's first case.
inline std::string module_of(const OpCase& test, const OpCase& first) {
  const bool infers = std::string_view(test.what) == "infer";
  if (is_text(test)) {
    json module = json::parse(json_of_text(test.json));
    for (json& function : module["functions"]) {
      if (infers) drop_types(function["ops"], test.op);
    }
    return module.dump();
  }
  json program = json::parse(is_text(first) ? "{}" : first.json);
  if (&test != &first) program.merge_patch(json::parse(test.json));
  json meshes = program.value("meshes", json::array());
  if (meshes.empty() && std::string_view(test.op).starts_with("sdy.")) meshes = sdy_meshes();
  const json function = function_of_short(test.op, program, !infers);
  return json{{"meshes", meshes}, {"functions", {function}}}.dump();
}

inline std::string code_of(const OpCase& test) {
  const std::string what = test.what;
  return what.find('.') == std::string::npos ? std::string(test.op) + "." + what : what;
}

// All errors of reading and verifying `text`, and, where `returns_match` is wanted, of returned
// values that are not of the function's result types.
inline Diagnostics errors_of(const OpTable& table, const std::string& text, bool returns_match) {
  ReadOptions options;
  options.infer_types = [&](Module& m, OpId op, Diagnostics& out) {
    return infer_types(table, m, op, out);
  };
  Result<Module> read = read_json(text, options);
  if (!read) return read.errors();
  Module& m = *read;
  Diagnostics out;
  for (OpId op : preorder(m)) verify_op(table, m, op, out);
  for (FuncId f : m.func_order) {
    const OpId end = terminator(m, m.funcs[f].body);
    const std::size_t count = m.ops[end].operand_count;
    for (std::size_t i = 0; returns_match && i < count && i < m.funcs[f].results.size(); ++i) {
      const TypeId found = type_of(m, operand(m, end, i));
      if (found == m.funcs[f].results[i].type) continue;
      out.push_back({"test.inferred", "expected " + to_string(m, m.funcs[f].results[i].type) +
                                          ", found " + to_string(m, found)});
    }
  }
  return out;
}

inline void check_op_cases(const OpTable& table, std::span<const OpCase> cases) {
  std::map<std::string, const OpCase*> first;
  for (const OpCase& test : cases) {
    const OpCase& base = *first.emplace(test.op, &test).first->second;
    const std::string text = module_of(test, base);
    const bool inferred = std::string_view(test.what) == "infer";
    const Diagnostics errors = errors_of(table, text, inferred);
    INFO(test.op << " " << test.what << " " << test.json << "\n"
                 << text << "\n"
                 << to_string(errors));
    if (inferred || std::string_view(test.what) == "ok") {
      CHECK(errors.empty());
      continue;
    }
    bool reported = false;
    for (const Diagnostic& d : errors) reported = reported || d.code == code_of(test);
    CHECK(reported);
  }
}

// The rule of the operation `op` of a program as text: empty for none.
inline std::string rule_of(const OpTable& table, const Module& m, std::string_view op,
                           bool conservative = false) {
  for (OpId id : preorder(m)) {
    if (op_name(m, id) != op) continue;
    const auto rule = create_rule(*table.find(op), {m, id, conservative});
    return rule ? to_string(*rule) : std::string();
  }
  FAIL("no operation " << op);
  return {};
}

// A program, as the patch of the first case of its operation in a table, and the rule that it must
// give: empty for none.
struct RuleCase {
  const char* op;
  const char* json;
  const char* rule;
  bool conservative = false;
};

inline void check_rule_cases(const OpTable& table, std::span<const OpCase> cases,
                             std::span<const RuleCase> rules) {
  for (const RuleCase& test : rules) {
    const OpCase* first = nullptr;
    for (const OpCase& c : cases) {
      if (!first && std::string_view(c.op) == test.op) first = &c;
    }
    REQUIRE(first);
    const OpCase patched = {test.op, "ok", test.json};
    Result<Module> read = read_json(module_of(patched, *first));
    INFO(test.op << " " << test.json);
    REQUIRE(read.ok());
    CHECK(rule_of(table, *read, test.op, test.conservative) == test.rule);
  }
}

// Whether each row has a case that verifies and, where it infers, one of inference.
inline void check_rows_have_cases(std::span<const OpDef> rows, std::span<const OpCase> cases) {
  const auto has = [&](std::string_view op, std::string_view what) {
    for (const OpCase& test : cases) {
      if (op == test.op && what == test.what) return true;
    }
    return false;
  };
  for (const OpDef& row : rows) {
    INFO(row.name);
    CHECK(has(row.name, "ok"));
    CHECK((!row.infer || has(row.name, "infer")));
  }
}

}  // namespace op_test
