// Layout, use lists, walks and edits of a module.
#include <vector>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/print.hpp"
#include "shardprop/ir/walk.hpp"
#include "tests/catch.hpp"

namespace shardprop {
namespace {

// `main(%a) { %b = p(%a); %c = q(%a, %b) { inner } ; return %c }` with one region in q.
struct Sample {
  Sample() {
    const TypeId types[] = {tensor_type(m, "f32", std::vector<std::int64_t>{8})};
    const FuncId f = create_func(m, {"main", types, types, false});
    body = m.funcs[f].body;
    a = m.blocks[body].arguments[0];
    p = create_op(m, at_end(body), {"p", std::vector<ValueId>{a}, types, {}});
    q = create_op(m, at_end(body), {"q", std::vector<ValueId>{a, result(m, p, 0)}, types, {}});
    region = append_block(m, q, types);
    inner = create_op(m, at_end(region), {"inner", std::vector<ValueId>{a}, {}, {}});
    end =
        create_op(m, at_end(body), {"func.return", std::vector<ValueId>{result(m, q, 0)}, {}, {}});
  }
  // The users of a value, first of the list first.
  std::string users(ValueId value) const {
    std::string names;
    for (UseId use = m.values[value].first_use; use.valid(); use = m.uses[use].next) {
      names += std::string(op_name(m, m.uses[use].user)) + " ";
    }
    return names;
  }
  std::string walk() const {
    std::string names;
    walk_ops(m, [&](OpId op) { names += std::string(op_name(m, op)) + " "; });
    return names;
  }

  Module m;
  BlockId body;
  BlockId region;
  ValueId a;
  OpId p;
  OpId q;
  OpId inner;
  OpId end;
};

TEST_CASE("uses are seen last made first") {
  const Sample s;
  CHECK(s.users(s.a) == "inner q p ");
  CHECK(has_one_use(s.m, result(s.m, s.p, 0)));
  CHECK(operand_number(s.m, s.m.values[result(s.m, s.p, 0)].first_use) == 1);
}

TEST_CASE("replacing uses moves them one by one, but those of one operation") {
  Sample s;
  const ValueId b = result(s.m, s.p, 0);
  replace_uses(s.m, s.a, b, s.p);
  CHECK(s.users(s.a) == "p ");
  CHECK(s.users(b) == "q inner q ");
  set_operand(s.m, s.inner, 0, s.a);
  CHECK(s.users(s.a) == "inner p ");
  CHECK(s.users(b) == "q q ");
}

TEST_CASE("walks: an operation before what its regions hold, or after") {
  const Sample s;
  CHECK(s.walk() == "p q inner func.return ");
  std::string post;
  for (OpId op : postorder(s.m)) post += std::string(op_name(s.m, op)) + " ";
  CHECK(post == "p inner q func.return ");
}

TEST_CASE("operations are inserted, moved and erased") {
  Sample s;
  const OpId r = create_op(s.m, before(s.m, s.q), {"r"});
  CHECK(s.walk() == "p r q inner func.return ");
  remove_from_block(s.m, r);
  insert_op(s.m, r, at_start(s.m, s.body));
  CHECK(s.walk() == "r p q inner func.return ");
  set_operand(s.m, s.end, 0, s.a);
  erase_op(s.m, s.q);
  CHECK(s.walk() == "r p func.return ");
  CHECK(s.users(s.a) == "func.return p ");
  CHECK_FALSE(has_uses(s.m, result(s.m, s.p, 0)));
  CHECK(is_erased(s.m, s.inner));
}

TEST_CASE("what stands around a value or an operation") {
  const Sample s;
  CHECK(defining_op(s.m, result(s.m, s.p, 0)) == s.p);
  CHECK_FALSE(defining_op(s.m, s.a).valid());
  CHECK(argument_block(s.m, s.a) == s.body);
  CHECK(parent_op(s.m, s.inner) == s.q);
  CHECK(enclosing_func(s.m, s.region) == s.m.func_order[0]);
  CHECK(terminator(s.m, s.body) == s.end);
  CHECK(find_func(s.m, "main") == s.m.func_order[0]);
  CHECK_FALSE(find_func(s.m, "other").valid());
}

TEST_CASE("equal types and attributes have equal ids; a list of integers is one kind") {
  Module m;
  const std::int64_t dims[] = {2, kDynamic};
  CHECK(tensor_type(m, "f32", dims) == tensor_type(m, "f32", dims));
  CHECK(tensor_type(m, "f32", dims) != tensor_type(m, "i32", dims));
  CHECK_FALSE(m.types.is_static_tensor(tensor_type(m, "f32", dims)));
  const AttrId items[] = {m.attrs.integer(1), m.attrs.integer(2)};
  const std::int64_t values[] = {1, 2};
  CHECK(m.attrs.list(items) == m.attrs.ints(values));
  const StringId key = m.strings.intern("key");
  const AttrId dict = m.attrs.with(AttrId(), key, items[0]);
  CHECK(m.attrs.find(dict, key) == items[0]);
  CHECK_FALSE(m.attrs.with(dict, key, AttrId()).valid());
}

TEST_CASE("names: numbers in four bytes, anything else as text") {
  StringTable strings;
  for (const char* name : {"%0", "%12", "%999999999", "%1000000000", "%007", "%arg0", "x", ""}) {
    CHECK(to_string(strings, make_value_name(strings, name)) == name);
  }
  CHECK(strings.size() == 5);
}

TEST_CASE("a copied module is whole by itself") {
  Sample s;
  Module copy = s.m;
  erase_op(s.m, s.end);
  CHECK(tensor_type(copy, "f32", std::vector<std::int64_t>{8}) == type_of(copy, s.a));
  CHECK(to_string(copy).find("func.return") != std::string::npos);
}

}  // namespace
}  // namespace shardprop
