// Wrong uses of the public headers, each in a release build (NDEBUG) under the address and the
// undefined behaviour sanitizer: none may read or write out of bounds. What a use gives instead,
// mostly an error or nothing, is checked where it is promised.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "shardprop/shardprop.hpp"

#ifndef NDEBUG
#error "the misuses are those of a release build"
#endif

namespace {

using namespace shardprop;

int failures = 0;

void expect(bool holds, std::string_view what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "FAILED: %.*s\n", static_cast<int>(what.size()), what.data());
}

template <class T>
bool has(const Result<T>& result, std::string_view code) {
  if (result) return false;
  for (const Diagnostic& error : result.errors())
    if (error.code == code) return true;
  std::fprintf(stderr, "%s", to_string(result.errors()).c_str());
  return false;
}

// Whether `use` stops the program rather than to go on with what is not there.
template <class Use>
bool stops(Use&& use) {
  const pid_t child = fork();
  if (child == 0) {
    use();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

const OpTable kOps = standard_ops();

// y = x w with x split by rows; w and y have no sharding.
struct Program {
  Module m;
  GraphBuilder b{m, kOps};
  ValueId x, w, y;
  OpId dot;

  Program() {
    b.add_mesh("mesh", {{"data", 4}, {"model", 2}});
    const TypeId square = b.tensor("f32", {8, 8});
    const auto args = b.begin_func("main", {{square, b.sharding(R"([{"data"}, {}])")}, {square}});
    x = args[0];
    w = args[1];
    y = b.dot_general(x, w, {.lhs_contracting = {1}, .rhs_contracting = {0}});
    b.end_func({y});
    dot = defining_op(m, y);
  }
  bool verifies() {
    Diagnostics errors;
    verify_module(kOps, m, errors);
    return !has_errors(errors);
  }
};

const ValueId kForeignValue(12345);

void ids_that_name_nothing() {
  Program p;
  const Module& m = p.m;
  for (ValueId v : {ValueId(), kForeignValue}) {
    expect(!sharding_of(m, v), "no sharding of a foreign value");
    expect(!tensor_sharding_of(m, v), "no tensor sharding of a foreign value");
    expect(to_string(sharding_of(m, v)) == "none", "the text of no sharding");
    expect(name_of(m, v).empty(), "no name of a foreign value");
    expect(shape_of(m, v).empty() && rank_of(m, v) == 0, "no shape of a foreign value");
    expect(!type_of(m, v).valid() && !is_scalar(m, v), "no type of a foreign value");
    expect(!has_uses(m, v) && !has_one_use(m, v), "no uses of a foreign value");
    expect(!defining_op(m, v).valid() && !argument_block(m, v).valid(), "no maker");
    expect(place_of_value(m, v) == Place(), "no place of a foreign value");
  }
  for (OpId op : {OpId(), OpId(12345)}) {
    expect(op_name(m, op).empty() && results(m, op).empty(), "no name, no results");
    expect(operand_uses(m, op).empty() && !operand(m, op, 0).valid(), "no operands");
    expect(!attribute(m, op, "value").valid() && !parent_op(m, op).valid(), "no attributes");
    expect(is_erased(m, op) && !block_of(m, op, 3).valid() && block_count(m, op) == 0, "no blocks");
    expect(!to_string(m, op).empty(), "some text");
    place_of(m, op);
  }
  expect(!operand(m, p.dot, 99).valid() && !result(m, p.dot, 99).valid(), "no operand 99");
  expect(!results(m, p.dot)[7].valid(), "no result 7");
  expect(!terminator(m, BlockId(99)).valid() && !enclosing_func(m, BlockId()).valid(), "no block");
  expect(m.shardings[m.value_shardings[p.y]].rank() == 0, "a missing sharding is an empty one");
  expect(m.strings[StringId(99999)].empty() && m.meshes[MeshId(7)].is_empty(), "empty rows");
  expect(m.types.shape(TypeId(99)).empty() && m.rules[RuleId()].factors.empty(), "empty rows");
  expect(m.funcs[FuncId()].results.empty() && !sharding_of(m, FuncId(3), 0), "no function");
  expect(!sharding_of(m, FuncId(0), 5), "no result 5");
  expect(to_string(m, TypeId()).empty(), "no text of a missing type");
  TensorSharding lost;
  lost.dims.resize(2);
  lost.dims[0].axes.push_back(full_axis(Mesh{"m", {{"a", 2}}, {}}, 0));
  expect(!to_string(named(lost, m.meshes)).empty(), "a sharding without mesh has a text");
  expect(!to_string(lost, m.meshes).empty(), "a sharding without mesh has a text");
}

void attributes_of_another_kind() {
  Program p;
  AttrTable& a = p.m.attrs;
  const std::int64_t three[] = {1, 2, 3};
  const AttrEntry entry[] = {{p.m.strings.intern("key"), a.ints(three)}};
  for (AttrId id : {AttrId(), AttrId(9999), a.null(), a.boolean(true), a.integer(7), a.ints(three),
                    a.string(p.m.strings.intern("text")), a.dict(entry), a.number(1.5)}) {
    const AttrKind kind = a.kind(id);
    if (kind != AttrKind::kInts) expect(a.as_ints(id).empty(), "no integers");
    if (kind != AttrKind::kDict) expect(a.entries(id).empty(), "no entries");
    if (kind != AttrKind::kDict) expect(!a.find(id, entry[0].key).valid(), "no entry");
    expect(a.items(id).empty(), "no items");
    expect(slice_text(p.m, a.as_data(id)).empty(), "no data");
    if (kind != AttrKind::kString) expect(p.m.strings[a.as_string(id)].empty(), "no text");
    expect(p.m.shardings[a.as_sharding(id)].rank() == 0, "no sharding");
    (void)a.as_int(id);
    (void)a.as_float(id);
    (void)a.plain(id);
    (void)a.with(id, entry[0].key, AttrId());
  }
}

void edits_with_ids_that_name_nothing() {
  Program p;
  Module& m = p.m;
  const ValueId operands[] = {p.x, kForeignValue, ValueId()};
  const TypeId types[] = {TypeId(777)};
  const TypeId square[] = {type_of(m, p.x)};
  create_op(m, at_end(BlockId(55)),
            {.name = "my.op", .operands = operands, .result_types = square});
  create_op(m, Cursor(), {.name = "my.op"});
  expect(p.verifies(), "operations that stand nowhere do no harm");
  set_operand(m, p.dot, 17, p.x);
  set_operand(m, OpId(), 0, p.x);
  set_name(m, kForeignValue, "%name");
  set_type(m, kForeignValue, TypeId());
  set_attribute(m, OpId(321), "key", AttrId());
  replace_uses(m, kForeignValue, p.x);
  append_block(m, OpId(99), types);
  add_results(m, OpId(99), types);
  add_results(m, p.dot, types);
  erase_op(m, OpId());
  remove_from_block(m, OpId(99));
  insert_op(m, OpId(99), at_end(BlockId(0)));
  expect(to_string(m).size() > 10, "the module is still printed");
  const OpId added = create_op(m, before(m, p.dot), {.name = "my.op"});
  erase_op(m, added);
  erase_op(m, added);
  expect(results(m, p.dot).size() == 1, "the program is as it was");

  Program q;
  create_op(q.m, before(q.m, q.dot),
            {.name = "my.op", .operands = operands, .result_types = types});
  expect(has(propagate_program(q.m, kOps), "ir.unknown_id"), "foreign operands and types");
}

// One module after the other with one row that names nothing, given to propagate_program.
void modules_with_ids_that_name_nothing() {
  const auto refused = [](std::string_view what, auto&& breaks) {
    Program p;
    breaks(p);
    Diagnostics errors;
    verify_module(kOps, p.m, errors);
    expect(has_errors(errors), what);
    expect(!propagate_program(p.m, kOps), what);
  };
  refused("sharding", [](Program& p) { p.m.value_shardings[p.y] = ShardingId(99); });
  refused("sharding of a result",
          [](Program& p) { p.m.funcs[FuncId(0)].results[0].sharding = ShardingId(99); });
  refused("type", [](Program& p) { p.m.values[p.y].type = TypeId(); });
  refused("type of a result", [](Program& p) { p.m.funcs[FuncId(0)].results[0].type = TypeId(); });
  refused("owner", [](Program& p) { p.m.values[p.y].owner = 99; });
  refused("first use", [](Program& p) { p.m.values[p.y].first_use = UseId(99); });
  refused("name", [](Program& p) { p.m.ops[p.dot].name = StringId(); });
  refused("attributes", [](Program& p) { p.m.ops[p.dot].attributes = AttrId(99); });
  refused("no dictionary", [](Program& p) { p.m.ops[p.dot].attributes = p.m.attrs.integer(1); });
  refused("rule", [](Program& p) { p.m.ops[p.dot].rule = RuleId(99); });
  refused("results", [](Program& p) { p.m.ops[p.dot].result_count = 99; });
  refused("operands", [](Program& p) { p.m.ops[p.dot].operand_count = 99; });
  refused("region", [](Program& p) { p.m.ops[p.dot].first_block = BlockId(99); });
  refused("next", [](Program& p) { p.m.layout[p.dot].next = OpId(99); });
  refused("block", [](Program& p) { p.m.layout[p.dot].block = BlockId(99); });
  refused("arguments", [](Program& p) { p.m.blocks[BlockId(0)].arguments.count = 99; });
  refused("body", [](Program& p) { p.m.funcs[FuncId(0)].body = BlockId(); });
  refused("function", [](Program& p) { p.m.func_order.push_back(FuncId(99)); });
  refused("columns", [](Program& p) { p.m.value_shardings.resize(1); });
  refused("ops without places", [](Program& p) { p.m.layout.resize(1); });
  refused("rank", [](Program& p) { p.m.value_shardings[p.y] = p.b.sharding(R"([{"data"}])"); });
  refused("mesh", [](Program& p) {
    TensorSharding s = open_sharding(MeshId(7), 2);
    p.m.value_shardings[p.y] = p.m.shardings.intern(s);
  });
  refused("axis", [](Program& p) {
    TensorSharding s = open_sharding(MeshId(0), 2);
    s.dims[0].axes.push_back({.axis = 17, .is_full = 1, .pre_size = 1, .size = 2});
    p.m.value_shardings[p.y] = p.m.shardings.intern(s);
  });
}

void empty_programs() {
  Module none;
  expect(static_cast<bool>(propagate_program(none, kOps)), "an empty module propagates");
  expect(static_cast<bool>(propagate(none, kOps)), "an empty module propagates");
  expect(to_string(none).empty() && !sharding_of(none, ValueId(0)), "nothing in an empty module");
  const auto session = PropagationSession::start(Module(), kOps);
  expect(static_cast<bool>(session), "a session of an empty module");

  Module bodyless;
  create_func(bodyless, {.name = "main"});
  expect(has(propagate_program(bodyless, kOps), "ir.terminator"), "a function without a body");
  Program p;
  const OpTable no_ops;
  expect(!GraphBuilder(p.m, no_ops).op("stablehlo.add", {p.x, p.x}).valid(), "an empty table");
  expect(static_cast<bool>(propagate_program(p.m, no_ops)), "an empty table knows no operation");
}

void builder_with_what_it_does_not_have() {
  Program p;
  Program other;
  for (int i = 0; i < 50; ++i) other.b.tensor("f32", {i});
  GraphBuilder b(p.m, kOps);
  b.end_func({p.y});
  b.op("stablehlo.add", {p.x, p.x});
  b.reduce(p.x, p.x, {0}, "stablehlo.add");
  b.constrain(p.x, ShardingId());
  b.named(kForeignValue, "%name");
  b.set_sharding(kForeignValue, ShardingId(99));
  b.sharding("[{}]");
  const auto args =
      b.begin_func("f", {{TypeId(), {}, ""}, {other.b.tensor("f32", {49, 49}), ShardingId(99)}});
  const ValueId x = args[0];
  expect(!args[2].valid() && !args[99].valid(), "no argument 99");
  b.add_mesh("", {});
  b.add_mesh("mesh", {{"data", -1}});
  b.sharding("[{", "mesh");
  b.sharding("<@mesh, [{\"x\"", "mesh");
  b.op("stablehlo.add", {x, other.y});
  b.op("stablehlo.add", {x, p.y});
  b.op("stablehlo.add", {});
  b.op("", {x});
  b.op_of_type("stablehlo.reshape", {x}, TypeId(400));
  b.constant(AttrId(), TypeId());
  b.constant(AttrId(4000), b.tensor("f32", {}));
  b.iota(b.tensor("f32", {4}), 17);
  b.convert(kForeignValue, "f32");
  b.reshape(kForeignValue, {-5});
  b.transpose(x, {0, 1, 2, -7});
  b.broadcast_in_dim(x, {2, 2}, {9});
  b.dot_general(x, x, {.lhs_batching = {-1}, .lhs_contracting = {5, 5}, .rhs_contracting = {}});
  b.reduce(x, x, {-9}, "my.unknown");
  b.slice(x, {.start = {1, 2, 3}, .limit = {}, .strides = {0}});
  b.concatenate({}, 3);
  b.concatenate({x, x}, -4);
  b.compare(x, x, "");
  b.while_loop({x, kForeignValue}, {}, {});
  b.while_loop({x}, {}, {});
  b.while_loop(
      {x}, [&](auto at) { return at[5]; },
      [&](auto at) {
        return Values{at[0], at[1]};
      });
  b.if_else(x, {}, {});
  b.case_of(x, {});
  b.case_of(kForeignValue, {GraphBuilder::Branch()});
  b.call("none", {x});
  b.call("main", {});
  b.build("my.op", {x}, {.attributes = AttrId(77), .regions = {{{TypeId(66)}, {}}}});
  b.build("my.op", {x}, {.types = std::vector<TypeId>{TypeId()}, .shardings = {ShardingId(), {}}});
  b.build("sdy.manual_computation", {x}, {.regions = {{}}});
  b.end_func({x, kForeignValue}, {ShardingId(3)});
  b.end_func({x});
  b.begin_func("g", {});
  b.begin_func("h", {});
  expect(b.errors().size() > 30, "each misuse is kept as an error");
  propagate_program(p.m, kOps).ok();
}

AnnotationEdit edit(ValueId value, FuncId func, std::size_t number,
                    std::optional<TensorSharding> sharding = {}) {
  AnnotationEdit made;
  made.value = value;
  made.func = func;
  made.number = number;
  made.sharding = std::move(sharding);
  return made;
}
AnnotationEdit edit(ValueId value, std::optional<TensorSharding> sharding = {}) {
  return edit(value, FuncId(), 0, std::move(sharding));
}

void sessions_after_edits() {
  Program p;
  Result<PropagationSession> session = PropagationSession::start(p.m, kOps);
  expect(static_cast<bool>(session), "a session");
  const TensorSharding good = *parse_sharding(R"(<@mesh, [{}, {"model"}]>)", p.m.meshes);
  expect(has(session->repropagate(edit(kForeignValue)), "propagate.unknown_value"), "value");
  expect(has(session->repropagate(AnnotationEdit()), "propagate.unknown_value"), "nothing");
  expect(has(session->repropagate(edit(ValueId(), FuncId(0), 9)), "propagate.unknown_value"),
         "result 9");
  expect(has(session->repropagate(edit(p.w, open_sharding(MeshId(5), 2))), "sharding.unknown_mesh"),
         "a mesh of another module");
  expect(
      has(session->repropagate(edit(p.w, open_sharding(MeshId(0), 7))), "sharding.rank_mismatch"),
      "a sharding of another rank");
  expect(static_cast<bool>(session->repropagate(edit(p.w, good))), "an edit");
  set_name(p.m, p.x, "%renamed");
  erase_op(p.m, p.dot);
  expect(
      to_string(sharding_of(session->module(), p.y)) == R"(<@mesh, [{"data", ?}, {"model", ?}]>)",
      "the session does not see edits of the module that it was made from");
  expect(static_cast<bool>(session->repropagate(Module())), "an empty program");
  expect(has(session->repropagate(edit(p.w, good)), "propagate.unknown_value"),
         "a value of the program before");
}

void operations_whose_functions_are_wrong() {
  const auto run = [](CustomOp op) {
    op.name = "my.op";
    OpTable ops = standard_ops();
    (void)ops.add(std::move(op));
    Program p;
    const ValueId made[] = {p.x};
    const TypeId types[] = {type_of(p.m, p.x)};
    const OpId at = create_op(p.m, before(p.m, p.dot),
                              {.name = "my.op", .operands = made, .result_types = types});
    set_operand(p.m, p.dot, 0, result(p.m, at, 0));
    Module unverified = p.m;
    propagate(unverified, ops).ok();
    return propagate_program(p.m, ops).ok();
  };
  const auto rule = [&](OpShardingRule gives) {
    CustomOp op;
    op.rule = [gives](const RuleInput&) { return std::optional(gives); };
    return run(std::move(op));
  };
  const OpShardingRule right = *parse_rule("([i, j])->([i, j]) {i=8, j=8}");
  expect(rule(right), "a rule that fits");
  expect(!rule({}), "an empty rule");
  expect(!rule(*parse_rule("([i, j], [i, j])->([i, j]) {i=8, j=8}")), "more operands");
  expect(!rule(*parse_rule("([i])->([i]) {i=8}")), "a lower rank");
  expect(!rule(*parse_rule("([i, j, k])->([i, j, k]) {i=8, j=8, k=1}")), "a higher rank");
  OpShardingRule unknown = right;
  unknown.results[0][1][0] = 9;
  expect(!rule(unknown), "a factor that the rule does not have");
  const auto infer = [&](std::vector<TypeId> gives) {
    CustomOp op;
    op.infer = [gives](const InferInput&) { return std::optional(gives); };
    return run(std::move(op));
  };
  expect(!infer({TypeId(99)}), "a type that the module does not have");
  expect(!infer({}), "no types");
  CustomOp flows;
  flows.data_flow.edges = [](const Module&, OpId, std::vector<DataFlowEdge>& edges) {
    edges.push_back({kForeignValue, {UseId(999)}, {ValueId()}});
  };
  OpTable ops = standard_ops();
  flows.name = "my.op";
  (void)ops.add(std::move(flows));
  Program p;
  create_op(p.m, before(p.m, p.dot), {.name = "my.op"});
  expect(has(propagate_program(p.m, ops), "my.op.data_flow"), "an edge of nothing");
}

void texts_and_steps_that_do_not_fit() {
  Program p;
  for (std::string_view text :
       {"", "<", "<@mesh", "<@other, []>", "<@mesh, [{\"x\"}]>", "<@mesh, [{\"data\":(9)9}]>"})
    expect(!parse_sharding(text, p.m.meshes), text);
  for (std::string_view text :
       {"", "(", "([i])->", "([i])->([j", "([i])->([i]) {i=99999999999999999999}"})
    expect(!parse_rule(text), text);
  expect(!propagate_step(OpShardingRule(), Mesh(), {}), "a step without a rule");
  const OpShardingRule rule = *parse_rule("([i])->([i]) {i=8}");
  const TensorShardings wrong = {NamedSharding{"", {{}, {}, {}}}, std::nullopt};
  expect(!propagate_step(rule, {"mesh", {{"a", 2}}, {}}, wrong), "a step of another rank");
  expect(!propagate_step(rule, {"mesh", {{"a", 2}}, {}}, TensorShardings(9)), "nine shardings");
}

void values_of_failed_results() {
  expect(stops([] { (void)*Result<std::string>(Diagnostic()); }), "the value of an error");
  expect(stops([] { (void)Result<std::string>(Diagnostic())->size(); }), "the value of an error");
  expect(Result<int>(3).errors().empty(), "no errors of a value");
}

// What would keep a reference to a temporary does not compile.
static_assert(!std::is_constructible_v<OpRows, OpTable, Module&>);
static_assert(!std::is_constructible_v<OpRows, const OpTable&, Module>);
static_assert(!std::is_constructible_v<GraphBuilder, Module&, OpTable>);
static_assert(std::is_constructible_v<GraphBuilder, Module&, const OpTable&>);

}  // namespace

int main() {
  ids_that_name_nothing();
  attributes_of_another_kind();
  edits_with_ids_that_name_nothing();
  modules_with_ids_that_name_nothing();
  empty_programs();
  builder_with_what_it_does_not_have();
  sessions_after_edits();
  operations_whose_functions_are_wrong();
  texts_and_steps_that_do_not_fit();
  values_of_failed_results();
  if (failures == 0) std::puts("no misuse reaches other memory");
  return failures == 0 ? 0 : 1;
}
