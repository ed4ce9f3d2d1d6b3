// The form of a module: each diagnostic of it once, and what is well-formed.
#include "shardprop/ir/verify_form.hpp"

#include <vector>

#include "shardprop/ir/clone.hpp"
#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/walk.hpp"
#include "tests/support/program.hpp"

namespace shardprop::test::verify_form_cases {
namespace {

// A region that sees what is around it, and one that does not.
Module well_formed() {
  return unverified(R"(
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = "test.map"(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %b = "test.region"(%a) ({
    %c = "test.map"(%a) : (tensor<8xf32>) -> tensor<8xf32>
    "test.return"(%c) : (tensor<8xf32>) -> ()
  }) : (tensor<8xf32>) -> tensor<8xf32>
  %d = "test.isolated"(%b) ({
  ^bb0(%e: tensor<8xf32>):
    %f = "test.map"(%e) : (tensor<8xf32>) -> tensor<8xf32>
    "test.return"(%f) : (tensor<8xf32>) -> ()
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %d : tensor<8xf32>
})");
}

Diagnostics errors_of(const Module& m) {
  const auto form_of = [&](OpId op) {
    const bool returns = op_name(m, op).ends_with("return");
    return OpForm{.may_end_block = returns,
                  .must_end_block = returns,
                  .isolated = op_name(m, op) == "test.isolated"};
  };
  Diagnostics out;
  verify_form(m, form_of, out);
  return out;
}

// The code of the only error, and where it is.
std::string error_of(const Module& m) {
  const Diagnostics errors = errors_of(m);
  if (errors.size() != 1) return to_string(errors);
  return errors[0].code + " at " + to_string(errors[0].place);
}

BlockId main_body(const Module& m) { return m.funcs[m.func_order[0]].body; }

// The operation that makes a value.
OpId maker(const Module& m, std::string_view name) { return defining_op(m, value(m, name)); }

TEST_CASE("a module whose blocks end with terminators and use what they see is well-formed") {
  CHECK(to_string(errors_of(well_formed())) == "");
}

TEST_CASE("ir.terminator: a block is empty") {
  Module m = well_formed();
  append_block(m, maker(m, "%a"), {});
  CHECK(error_of(m) == "ir.terminator at @main, test.map %a");
}

TEST_CASE("ir.terminator: the body of a function is empty") {
  Module m = well_formed();
  create_func(m, {.name = "empty"});
  CHECK(error_of(m) == "ir.terminator at @empty");
}

TEST_CASE("ir.terminator: the last operation does not end a block") {
  Module m = well_formed();
  erase_op(m, terminator(m, main_body(m)));
  CHECK(error_of(m) == "ir.terminator at @main, test.isolated %d");
}

TEST_CASE("ir.terminator: an operation follows a terminator") {
  Module m = well_formed();
  const ValueId x[] = {value(m, "%x")};
  create_op(m, before(m, maker(m, "%a")), {"test.return", x, {}, {}});
  CHECK(error_of(m) == "ir.terminator at @main, test.return");
}

TEST_CASE("ir.dominance: a value is used before its definition") {
  Module m = well_formed();
  set_operand(m, maker(m, "%a"), 0, value(m, "%b"));
  CHECK(error_of(m) == "ir.dominance at @main, test.map %a");
}

TEST_CASE("ir.dominance: a value of a region is used after it") {
  Module m = well_formed();
  set_operand(m, maker(m, "%d"), 0, value(m, "%c"));
  CHECK(error_of(m) == "ir.dominance at @main, test.isolated %d");
}

TEST_CASE("ir.dominance: an isolated region uses a value from around it") {
  Module m = well_formed();
  set_operand(m, maker(m, "%f"), 0, value(m, "%a"));
  CHECK(error_of(m) == "ir.dominance at @main, test.map %f");
}

TEST_CASE("ir.dominance: a function uses a value of another") {
  Module m = well_formed();
  const FuncId other = clone_func(m, m.func_order[0]);
  m.funcs[other].name = m.strings.intern("other");
  if (m.func_order.size() == 1) m.func_order.push_back(other);
  const OpId first = m.blocks[m.funcs[other].body].first_op;
  set_operand(m, first, 0, value(m, "%x"));
  const Diagnostics errors = errors_of(m);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].code == "ir.dominance");
  CHECK(errors[0].place.function == "other");
}

TEST_CASE("ir.return_types: a function returns other values than it declares") {
  Module m = well_formed();
  m.funcs[m.func_order[0]].results.clear();
  CHECK(error_of(m) == "ir.return_types at @main, func.return");
  m = well_formed();
  m.funcs[m.func_order[0]].results[0].type = tensor_type(m, "f32", std::vector<std::int64_t>{9});
  CHECK(error_of(m) == "ir.return_types at @main, func.return");
}

TEST_CASE("ir.duplicate_function: two functions have one name") {
  Module m = well_formed();
  const FuncId other = create_func(m, {.name = "main"});
  create_op(m, at_end(m.funcs[other].body), {"func.return", {}, {}, {}});
  CHECK(error_of(m) == "ir.duplicate_function at @main");
}

}  // namespace
}  // namespace shardprop::test::verify_form_cases
