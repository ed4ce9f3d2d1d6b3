// Every row of the table of operations has its tests: one that verifies, one of inference or a
// reason why there is none, and one for each constraint that the row checks. Which constraints
// those are is found by making programs wrong in all small ways and looking at what is reported.
#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "shardprop/ops/standard_ops.hpp"
#include "tests/catch.hpp"
#include "tests/ops/cases/all_cases.hpp"
#include "tests/ops/check_op_cases.hpp"
#include "tests/ops/mutations.hpp"

using namespace shardprop;

namespace {

struct NotInferred {
  const char* op;
  const char* reason;
};

constexpr NotInferred kNotInferred[] = {
    {"stablehlo.all_gather", "the number of processes of a group is not in the module"},
    {"stablehlo.bitcast_convert", "the element type is the program's choice"},
    {"stablehlo.broadcast_in_dim", "the sizes are the program's choice"},
    {"stablehlo.composite", "the program says what the composite gives"},
    {"stablehlo.constant", "the data does not say its element type"},
    {"arith.constant", "the data does not say its element type"},
    {"stablehlo.convert", "the element type is the program's choice"},
    {"stablehlo.custom_call", "what a custom call gives is not known"},
    {"stablehlo.dynamic_broadcast_in_dim", "the sizes are values of an operand"},
    {"stablehlo.dynamic_iota", "the sizes are values of an operand"},
    {"stablehlo.dynamic_pad", "the sizes are values of operands"},
    {"stablehlo.dynamic_reshape", "the sizes are values of an operand"},
    {"stablehlo.einsum",
     "a form older than dot_general, which the specification does not describe"},
    {"stablehlo.infeed", "what comes from the host is not known"},
    {"stablehlo.iota", "the sizes are the program's choice"},
    {"stablehlo.real_dynamic_slice", "the sizes are values of operands"},
    {"stablehlo.recv", "what another process sends is not known"},
    {"stablehlo.reduce_scatter", "the number of processes of a group is not in the module"},
    {"stablehlo.reshape", "the sizes are the program's choice"},
    {"stablehlo.return", "no results"},
    {"stablehlo.rng_bit_generator", "the sizes are the program's choice"},
    {"stablehlo.torch_index_select",
     "a form older than gather, which the specification does not describe"},
    {"stablehlo.unary_einsum",
     "a form older than reduce, which the specification does not describe"},
    {"stablehlo.uniform_quantize", "scales and zero points are the program's choice"},
    {"func.return", "no results"},
    {"sdy.constant", "the data does not say its element type"},
    {"sdy.manual_computation",
     "the global sizes do not follow from the local ones where they are dynamic"},
    {"sdy.return", "no results"},
    {"sdy.sharding_group", "no results"},
};

using CodesByOp = std::map<std::string, std::set<std::string>>;

// What each operation's cases expect, as whole codes or "ok" and "infer".
CodesByOp expected_codes() {
  CodesByOp codes;
  for (const OpCase& test : all_cases()) {
    const std::string what = test.what;
    codes[test.op].insert(what == "ok" || what == "infer" ? what : op_test::code_of(test));
  }
  return codes;
}

// Whether the driver reports `constraint` from what the row declares: such checks are tested once
// for all rows.
bool is_declared(const OpDef& row, std::string_view constraint) {
  for (std::string_view generic : {"same_shape", "same_element_type", "result_type"}) {
    if (constraint == generic) return true;
  }
  const Signature& signature = row.signature;
  std::size_t inputs = static_cast<std::size_t>(std::max<int>(signature.max_operands, 1));
  if (signature.max_operands == kVariadic) {
    for (std::size_t i = 1; i < signature.operand_classes.size(); ++i)
      inputs += signature.operand_classes[i] != 0 ? 1 : 0;
  }
  const auto commas = std::count(row.inputs.begin(), row.inputs.end(), ',');
  inputs = std::max(inputs, static_cast<std::size_t>(commas) + 1);
  for (std::size_t i = 1; i <= inputs; ++i) {
    if (constraint == "i" + std::to_string(i)) return true;
  }
  return false;
}

// Whether `d` is of an attribute that is not an input of the specification.
bool is_of_other_attribute(const Diagnostic& d) {
  return d.code == "op.missing_attribute" || d.code == "op.attribute_kind";
}

// A program with its shardings as JSON objects, so that each part of them is changed.
op_test::json with_parts(const std::string& module) {
  const Result<Module> m = read_json(module);
  REQUIRE(m);
  return op_test::json::parse(write_json(*m));
}

// The constraints that wrong programs broke, by operation; with the codes of attributes that are not
// inputs.
CodesByOp reported_codes(const OpTable& table) {
  CodesByOp codes;
  std::map<std::string, const OpCase*> first;
  const auto cases = all_cases();
  for (const OpCase& test : cases) {
    const OpCase& base = *first.emplace(test.op, &test).first->second;
    if (std::string_view(test.what) != "ok") continue;
    op_test::Mutator mutator(
        with_parts(op_test::module_of(test, base)), [&](const op_test::json& wrong) {
          for (const Diagnostic& d : op_test::errors_of(table, wrong.dump(), false)) {
            const bool own = d.place.operation == test.op && is_of_other_attribute(d);
            if (own || d.code.starts_with(std::string(test.op) + "."))
              codes[test.op].insert(own ? d.code + ": " + d.message : d.code);
          }
        });
    mutator.run(test.op);
  }
  return codes;
}

}  // namespace

TEST_CASE("every row has a case that verifies and one of inference", "[ops]") {
  const OpTable table = standard_ops();
  CodesByOp expected = expected_codes();
  std::set<std::string> not_inferred;
  for (const NotInferred& row : kNotInferred) not_inferred.insert(row.op);
  for (const OpRow& row : table.rows()) {
    const std::string name(row.def.name);
    INFO(name);
    CHECK(expected[name].contains("ok"));
    if (row.def.infer) CHECK(expected[name].contains("infer"));
    CHECK((row.def.infer != nullptr) != not_inferred.contains(name));
  }
}

TEST_CASE("every case is of a row", "[ops]") {
  const OpTable table = standard_ops();
  for (const auto& [op, codes] : expected_codes()) {
    INFO(op);
    CHECK(table.find(op) != nullptr);
  }
  for (const NotInferred& row : kNotInferred) CHECK(table.find(row.op) != nullptr);
}

TEST_CASE("every constraint that a row checks has a case", "[ops]") {
  const OpTable table = standard_ops();
  CodesByOp expected = expected_codes();
  for (const auto& [op, codes] : reported_codes(table)) {
    const OpDef& row = table.find(op)->def;
    for (const std::string& code : codes) {
      INFO(op << " " << code);
      if (!code.starts_with(op)) {
        CHECK(row.inputs.empty());
      } else if (!is_declared(row, code.substr(op.size() + 1))) {
        CHECK(expected[op].contains(code));
      }
    }
  }
}
