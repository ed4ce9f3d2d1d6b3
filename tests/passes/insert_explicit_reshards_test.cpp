// insert-explicit-reshards, minimal and full.
#include "fmt/core.h"
#include "tests/passes/golden.hpp"

namespace shardprop::test::insert_explicit_reshards_cases {
namespace {

constexpr std::string_view kFull = "insert-explicit-reshards{enable-full-version=true}";
constexpr std::string_view kMinimal = "insert-explicit-reshards";
// Axes b and a of one size, in an order that is not that of their names; the same devices
// reordered.
constexpr std::string_view kMeshes = R"(
    {"name": "mesh", "axes": [{"name": "x", "size": 2}, {"name": "y", "size": 4}]},
    {"name": "other", "axes": [{"name": "x", "size": 2}, {"name": "y", "size": 4}],
     "device_ids": [7, 6, 5, 4, 3, 2, 1, 0]},
    {"name": "names", "axes": [{"name": "b", "size": 2}, {"name": "a", "size": 2}]},
    {"name": "device", "axes": [], "device_ids": [3]},
    {"name": "device2", "axes": [], "device_ids": [5]})";

// `, "sharding": ...` of a sharding such as `@mesh, [{x}, {}], unreduced={y}`; axes are quoted
// here.
std::string sharded(std::string_view text) {
  if (text.empty()) return "";
  std::string quoted;
  std::string word;
  bool in_axes = false;
  const auto end_word = [&] {
    quoted += word.empty() || !in_axes ? word : "\\\"" + word + "\\\"";
    word.clear();
  };
  for (char c : text) {
    if (c == '{' || c == '}' || c == ',' || c == ' ' || c == ':') {
      const std::string last = word;
      end_word();
      in_axes = c == '{' || (in_axes && c != '}');
      quoted += c;
    } else {
      word += c;
    }
  }
  end_word();
  return fmt::format(R"(, "sharding": "<{}>")", quoted);
}
std::string argument(std::string_view name, std::string_view shape, std::string_view sharding) {
  return fmt::format(R"({{"name": "{}", "shape": {}, "dtype": "f32"{}}})", name, shape,
                     sharded(sharding));
}
std::string of_shape(std::string_view shape, std::string_view sharding = "") {
  return fmt::format(R"({{"shape": {}, "dtype": "f32"{}}})", shape, sharded(sharding));
}

struct Op {
  std::string_view name;
  std::string_view operands;  // quoted
  std::string_view result;
  std::string_view shape;
  std::string_view sharding = "";
  std::string_view attributes = "";
};
std::string text(const Op& op) {
  return fmt::format(R"({{"op": "{}", "operands": [{}], "results": [{}], "attributes": {{{}}}}},)",
                     op.name, op.operands, argument(op.result, op.shape, op.sharding),
                     op.attributes);
}
std::string returns(std::string_view operands) {
  return fmt::format(R"({{"op": "func.return", "operands": [{}]}})", operands);
}

std::string attribute_text(const Module& m, AttrId attr) {
  if (m.attrs.kind(attr) == AttrKind::kString)
    return std::string(m.strings[m.attrs.as_string(attr)]);
  std::string list;
  if (m.attrs.kind(attr) == AttrKind::kList) {
    for (AttrId item : m.attrs.items(attr)) {
      if (!list.empty()) list += ", ";
      list += attribute_text(m, item);
    }
  }
  return "{" + list + "}";
}

// The operations in order, a line each: name, operands, axes, shardings of the results. What the
// pass made is called #1, #2, ...
std::string lines(Module& m) {
  std::size_t made = 0;
  std::string out;
  for (OpId op : preorder(m)) {
    const std::string_view name = op_name(m, op);
    for (ValueId value : results(m, op)) {
      if (name_of(m, value).empty()) set_name(m, value, fmt::format("#{}", ++made));
    }
    if (!out.empty()) out += "\n";
    for (ValueId value : results(m, op)) out += name_of(m, value) + " = ";
    out += name.substr(name.find('.') + 1);
    for (UseId use : operand_uses(m, op)) out += " " + name_of(m, m.uses[use].value);
    for (std::string_view key : {"reduction_axes", "axes"}) {
      if (const AttrId axes = attribute(m, op, key); axes.valid())
        out += " over " + attribute_text(m, axes);
    }
    for (ValueId value : results(m, op)) {
      if (!m.value_shardings[value].valid()) continue;
      std::string sharding = text_of(m, m.value_shardings[value]);
      std::erase(sharding, '"');
      out += " " + sharding;
    }
  }
  return out;
}

std::string after(std::string_view pass, const std::string& program) {
  Module m = read(program);
  const Result<PipelineReport> report = run_text(m, pass);
  if (!report) FAIL(to_string(report.errors()));
  Diagnostics errors;
  verify_module(standard_ops(), m, errors);
  CHECK(to_string(errors) == "");
  return lines(m);
}

std::string main_of(std::string_view arguments, std::string_view results, std::string_view ops) {
  return program(kMeshes, arguments, results, ops);
}

// %c = dot(%a, %b) of 8x32 by 32x16, returned with its own sharding.
std::string dot(std::string_view a, std::string_view b, std::string_view c) {
  return main_of(argument("%a", "[8, 32]", a) + "," + argument("%b", "[32, 16]", b),
                 of_shape("[8, 16]", c),
                 text({"stablehlo.dot", R"("%a", "%b")", "%c", "[8, 16]", c}) + returns(R"("%c")"));
}

// %b = negate(%a) of 8x8.
std::string negate(std::string_view a, std::string_view b, std::string_view returned) {
  return main_of(argument("%a", "[8, 8]", a), of_shape("[8, 8]", returned),
                 text({"stablehlo.negate", R"("%a")", "%b", "[8, 8]", b}) + returns(R"("%b")"));
}

TEST_CASE("the full version resolves a product factor by factor, the most used axes first") {
  // k takes y (both operands), then j takes x from the larger rhs, so i has to give it up.
  CHECK(after(kFull, dot("@mesh, [{x}, {y}]", "@mesh, [{y}, {x}]", "@mesh, [{x}, {}]")) ==
        "#1 = reshard %a <@mesh, [{}, {y}]>\n"
        "%c = dot #1 %b <@mesh, [{}, {x}]>\n"
        "#2 = all_reduce %c over {y} <@mesh, [{}, {x}]>\n"
        "#3 = reshard #2 <@mesh, [{x}, {}]>\n"
        "return #3");
  // Nothing to resolve: only the reduction is made explicit.
  CHECK(after(kFull, dot("@mesh, [{}, {y, x}]", "@mesh, [{y, x}, {}]", "@mesh, [{}, {}]")) ==
        "%c = dot %a %b <@mesh, [{}, {}]>\n"
        "#1 = all_reduce %c over {x, y} <@mesh, [{}, {}]>\n"
        "return #1");
}

TEST_CASE("of two tensors the larger one stays, then the more sharded one, then the operand") {
  CHECK(after(kFull, negate("@mesh, [{x}, {}]", "@mesh, [{y}, {}]", "@mesh, [{y}, {}]")) ==
        "#1 = reshard %a <@mesh, [{y}, {}]>\n"
        "%b = negate #1 <@mesh, [{y}, {}]>\n"
        "return %b");
  CHECK(after(kFull, negate("@mesh, [{x}, {}]", "@mesh, [{}, {x}]", "@mesh, [{}, {x}]")) ==
        "%b = negate %a <@mesh, [{x}, {}]>\n"
        "#1 = reshard %b <@mesh, [{}, {x}]>\n"
        "return #1");
  // A slice of 8 to 4: the operand is larger, whatever shards the result.
  const std::string slice =
      text({"stablehlo.slice", R"("%a")", "%b", "[4, 8]", "@mesh, [{}, {y, x}]",
            R"("start_indices": [0, 0], "limit_indices": [4, 8], "strides": [1, 1])"});
  CHECK(after(kFull,
              main_of(argument("%a", "[8, 8]", "@mesh, [{}, {x}]"),
                      of_shape("[4, 8]", "@mesh, [{}, {y, x}]"), slice + returns(R"("%b")"))) ==
        "%b = slice %a <@mesh, [{}, {x}]>\n"
        "#1 = reshard %b <@mesh, [{}, {y, x}]>\n"
        "return #1");
}

TEST_CASE("the last tie is broken by the names of axes, not by their places in the mesh") {
  const std::string ops =
      text({"stablehlo.add", R"("%a", "%b")", "%c", "[8]", "@names, [{}]"}) + returns(R"("%c")");
  CHECK(after(kFull, main_of(argument("%a", "[8]", "@names, [{a}]") + "," +
                                 argument("%b", "[8]", "@names, [{b}]"),
                             of_shape("[8]"), ops)) ==
        "#1 = reshard %a <@names, [{b}]>\n"
        "%c = add #1 %b <@names, [{b}]>\n"
        "#2 = reshard %c <@names, [{}]>\n"
        "return #2");
}

TEST_CASE("a factor that needs replication hands its axes to batching factors") {
  const std::string ops = text({"stablehlo.cholesky", R"("%a")", "%b", "[4, 8, 8]",
                                "@mesh, [{}, {}, {x}]", R"("lower": true)"}) +
                          returns(R"("%b")");
  CHECK(after(kFull, main_of(argument("%a", "[4, 8, 8]", "@mesh, [{}, {}, {x}]"),
                             of_shape("[4, 8, 8]", "@mesh, [{}, {}, {x}]"), ops)) ==
        "#1 = reshard %a <@mesh, [{x}, {}, {}]>\n"
        "%b = cholesky #1 <@mesh, [{x}, {}, {}]>\n"
        "#2 = reshard %b <@mesh, [{}, {}, {x}]>\n"
        "return #2");
}

TEST_CASE("a reshape that axes do not divide takes those that do") {
  const auto reshaped = [](std::string_view from, std::string_view sharding, std::string_view to) {
    const std::string ops =
        text({"stablehlo.reshape", R"("%a")", "%b", to, "@mesh, [{}, {}]"}) + returns(R"("%b")");
    return after(kFull,
                 main_of(argument("%a", from, sharding), of_shape(to, "@mesh, [{}, {}]"), ops));
  };
  // 6 takes the major half of y; the other half does not divide the 3 that is left.
  CHECK(reshaped("[12]", "@mesh, [{y, x}]", "[6, 2]") ==
        "#1 = reshard %a <@mesh, [{y:(1)2}]>\n"
        "%b = reshape #1 <@mesh, [{y:(1)2}, {}]>\n"
        "#2 = reshard %b <@mesh, [{}, {}]>\n"
        "return #2");
  // y divides nothing of 3, and 2 alone would give a strided view of the operand.
  CHECK(reshaped("[6]", "@mesh, [{y}]", "[3, 2]") ==
        "#1 = reshard %a <@mesh, [{}]>\n"
        "%b = reshape #1 <@mesh, [{}, {}]>\n"
        "return %b");
}

TEST_CASE("meshes that differ in the order of devices: the one of most sharded tensors wins") {
  CHECK(after(kFull, dot("@mesh, [{x}, {}]", "@other, [{}, {y}]", "@other, [{x}, {y}]")) ==
        "#1 = reshard %a <@other, [{x}, {}]>\n"
        "%c = dot #1 %b <@other, [{x}, {y}]>\n"
        "return %c");
  // Other axes: such operations are left alone.
  CHECK(after(kFull, negate("@mesh, [{x}, {}]", "@names, [{b}, {}]", "@names, [{b}, {}]")) ==
        "%b = negate %a <@names, [{b}, {}]>\n"
        "return %b");
}

TEST_CASE("unreduced axes are reduced where they are used otherwise") {
  // Contracted axes that the result leaves unreduced are not reduced at once.
  CHECK(after(kMinimal, negate("@mesh, [{x}, {}], unreduced={y}", "@mesh, [{x}, {}]", "")) ==
        "#1 = all_reduce %a over {y} <@mesh, [{x}, {}]>\n"
        "%b = negate #1 <@mesh, [{x}, {}]>\n"
        "return %b");
  CHECK(after(kFull, dot("@mesh, [{}, {x, y}]", "@mesh, [{x, y}, {}]",
                         "@mesh, [{}, {}], unreduced={x}")) ==
        "%c = dot %a %b <@mesh, [{}, {}], unreduced={x}>\n"
        "#1 = all_reduce %c over {y} <@mesh, [{}, {}], unreduced={x}>\n"
        "return #1");
}

TEST_CASE("unreduced axes come from replicas and from shards") {
  const auto returned_as = [](std::string_view from, std::string_view to) {
    return after(kMinimal, main_of(argument("%a", "[8, 8]", from), of_shape("[8, 8]", to),
                                   returns(R"("%a")")));
  };
  CHECK(returned_as("@mesh, [{x}, {}]", "@mesh, [{x}, {}], unreduced={y}") ==
        "#1 = replicated_to_unreduced %a over {y} <@mesh, [{x}, {}], unreduced={y}>\n"
        "return #1");
  CHECK(returned_as("@mesh, [{x}, {}]", "@mesh, [{}, {}], unreduced={x, y}") ==
        "#1 = replicated_to_unreduced %a over {y} <@mesh, [{x}, {}], unreduced={y}>\n"
        "#2 = sharded_to_unreduced #1 over {{x}, {}} <@mesh, [{}, {}], unreduced={x, y}>\n"
        "return #2");
  CHECK(returned_as("@mesh, [{}, {y}]", "@mesh, [{y}, {}], unreduced={x}") ==
        "#1 = reshard %a <@mesh, [{y}, {}]>\n"
        "#2 = replicated_to_unreduced #1 over {x} <@mesh, [{y}, {}], unreduced={x}>\n"
        "return #2");
  CHECK(returned_as("@mesh, [{}, {}], unreduced={x}", "@mesh, [{}, {}], unreduced={y}") ==
        "#1 = all_reduce %a over {x} <@mesh, [{}, {}]>\n"
        "#2 = replicated_to_unreduced #1 over {y} <@mesh, [{}, {}], unreduced={y}>\n"
        "return #2");
}

TEST_CASE("a reshard to unreduced axes is replaced by what makes them") {
  const std::string ops = text({"sdy.reshard", R"("%a")", "%b", "[8]", "",
                                R"("sharding": "<@mesh, [{}], unreduced={\"x\"}>")"}) +
                          returns(R"("%b")");
  CHECK(after(kMinimal, main_of(argument("%a", "[8]", "@mesh, [{x}]"),
                                of_shape("[8]", "@mesh, [{}], unreduced={x}"), ops)) ==
        "#1 = sharded_to_unreduced %a over {{x}} <@mesh, [{}], unreduced={x}>\n"
        "return #1");
}

TEST_CASE("the minimal version reshards a product whose result is sharded as what it contracts") {
  CHECK(after(kMinimal, dot("@mesh, [{}, {x}]", "@mesh, [{x}, {y}]", "@mesh, [{}, {x}]")) ==
        "%c = dot %a %b <@mesh, [{}, {y}]>\n"
        "#1 = reshard %c <@mesh, [{}, {x}]>\n"
        "return #1");
  // The rhs does not shard that dimension: a reduce-scatter does it.
  check_unchanged(kMinimal, dot("@mesh, [{}, {x}]", "@mesh, [{x}, {}]", "@mesh, [{}, {x}]"));
  // The result is sharded by something else.
  check_unchanged(kMinimal, dot("@mesh, [{}, {}]", "@mesh, [{}, {y}]", "@mesh, [{}, {x}]"));
  check_unchanged(kMinimal, negate("@mesh, [{x}, {}]", "@mesh, [{y}, {}]", ""));
}

TEST_CASE("the minimal version makes the parts of a concatenation agree with the whole") {
  const std::string ops = text({"stablehlo.concatenate", R"("%a", "%b")", "%c", "[8, 8]",
                                "@mesh, [{}, {x}]", R"("dimension": 0)"}) +
                          returns(R"("%c")");
  CHECK(after(kMinimal, main_of(argument("%a", "[4, 8]", "@mesh, [{}, {x}]") + "," +
                                    argument("%b", "[4, 8]", "@mesh, [{}, {y}]"),
                                of_shape("[8, 8]", "@mesh, [{}, {x}]"), ops)) ==
        "#1 = reshard %b <@mesh, [{}, {x}]>\n"
        "%c = concatenate %a #1 <@mesh, [{}, {x}]>\n"
        "return %c");
}

TEST_CASE("values that flow into a loop take its sharding") {
  const std::string ops =
      R"({"op": "stablehlo.while", "operands": ["%a"],
          "results": [{"name": "%r", "shape": [8], "dtype": "f32", "sharding": "<@mesh, [{\"x\"}]>"}],
          "blocks": [
            {"arguments": [{"name": "%c", "shape": [8], "dtype": "f32"}], "ops": [
              {"op": "stablehlo.constant", "results": [{"name": "%t", "shape": [], "dtype": "i1"}], "attributes": {"value": true}},
              {"op": "stablehlo.return", "operands": ["%t"]}]},
            {"arguments": [{"name": "%l", "shape": [8], "dtype": "f32"}], "ops": [
              {"op": "stablehlo.negate", "operands": ["%l"], "results": [{"name": "%n", "sharding": "<@mesh, [{\"y\"}]>"}]},
              {"op": "stablehlo.return", "operands": ["%n"]}]}]},)" +
      returns(R"("%r")");
  const std::string program = main_of(argument("%a", "[8]", ""), of_shape("[8]"), ops);
  CHECK(after(kFull, program) ==
        "#1 = reshard %a <@mesh, [{x}]>\n"
        "%r = while #1 <@mesh, [{x}]>\n"
        "%t = constant\n"
        "return %t\n"
        "#2 = reshard %l <@mesh, [{y}]>\n"
        "%n = negate #2 <@mesh, [{y}]>\n"
        "#3 = reshard %n <@mesh, [{x}]>\n"
        "return #3\n"
        "#4 = reshard %r <@mesh, [{}]>\n"
        "return #4");
  check_unchanged(kMinimal, program);
}

TEST_CASE("operands of calls take the shardings of the function's arguments, in both versions") {
  const std::string call =
      text({"func.call", R"("%a")", "%b", "[8]", "@mesh, [{x}]", R"("callee": "f")"}) +
      returns(R"("%b")");
  const auto program = [&](std::string_view inner) {
    return module_of(
        kMeshes,
        {func("main", argument("%a", "[8]", "@mesh, [{y}]"), of_shape("[8]", "@mesh, [{x}]"), call),
         func("f", argument("%c", "[8]", inner), of_shape("[8]"), returns(R"("%c")"), kPrivate)});
  };
  CHECK(after(kMinimal, program("@mesh, [{x}]")) ==
        "#1 = reshard %a <@mesh, [{x}]>\n"
        "%b = call #1 <@mesh, [{x}]>\n"
        "return %b\n"
        "return %c");
  // A function without shardings takes whole tensors.
  CHECK(after(kMinimal, program("")) ==
        "#1 = reshard %a <@mesh, [{}]>\n"
        "%b = call #1 <@mesh, [{x}]>\n"
        "return %b\n"
        "return %c");
}

TEST_CASE("an operation on one device gets its operands there by way of replicas") {
  const auto program = [](std::string_view from) {
    return main_of(
        argument("%a", "[8]", from), of_shape("[8]", "@mesh, [{}]"),
        text({"stablehlo.negate", R"("%a")", "%b", "[8]", "@device, []"}) + returns(R"("%b")"));
  };
  CHECK(after(kMinimal, program("@mesh, [{x}]")) ==
        "#1 = reshard %a <@mesh, [{}]>\n"
        "#2 = reshard #1 <@device, []>\n"
        "%b = negate #2 <@device, []>\n"
        "#3 = reshard %b <@mesh, [{}]>\n"
        "return #3");
  CHECK(after(kMinimal, program("")) ==
        "#1 = reshard %a <@device, []>\n"
        "%b = negate #1 <@device, []>\n"
        "#2 = reshard %b <@mesh, [{}]>\n"
        "return #2");
}

TEST_CASE("what cannot be resharded is refused") {
  check_refused(kMinimal, negate("@device, []", "", ""), "insert_explicit_reshards.single_device");
  check_refused(kMinimal, negate("", "", "@device, []"), "insert_explicit_reshards.single_device");
  const std::string sink = R"({"op": "my.sink", "operands": ["%a"], "results": []},)";
  check_refused(kMinimal,
                main_of(argument("%a", "[8]", "@mesh, [{}], unreduced={x}"),
                        of_shape("[8]", "@mesh, [{}], unreduced={x}"), sink + returns(R"("%a")")),
                "insert_explicit_reshards.unreduced_operand");
  const std::string both_ways = text({"sdy.reshard", R"("%a")", "%b", "[8]", "",
                                      R"("sharding": "<@mesh, [{}], unreduced={\"y\"}>")"}) +
                                returns(R"("%b")");
  check_refused(kMinimal,
                main_of(argument("%a", "[8]", "@mesh, [{}], unreduced={x}"),
                        of_shape("[8]", "@mesh, [{}], unreduced={y}"), both_ways),
                "insert_explicit_reshards.unreduced_both_ways");
  check_refused(kMinimal,
                dot("@mesh, [{}, {x}]", "@mesh, [{}, {}]", "@mesh, [{}, {}], unreduced={x}"),
                "insert_explicit_reshards.reduction_conflict");
  check_refused(kMinimal,
                main_of(argument("%a", "[8]", "@mesh, [{}], unreduced={x}"),
                        of_shape("[8]", "@other, [{}], unreduced={x}"), returns(R"("%a")")),
                "insert_explicit_reshards.unreduced_meshes");
  const std::string two = R"({"op": "stablehlo.custom_call", "operands": ["%a"],
      "attributes": {"call_target_name": "f", "has_side_effect": true},
      "results": [{"name": "%b", "shape": [8], "dtype": "f32", "sharding": "<@device, []>"},
                  {"name": "%c", "shape": [8], "dtype": "f32", "sharding": "<@device2, []>"}]},)";
  check_refused(kMinimal,
                main_of(argument("%a", "[8]", ""), of_shape("[8]"), two + returns(R"("%b")")),
                "insert_explicit_reshards.several_devices");
}

}  // namespace
}  // namespace shardprop::test::insert_explicit_reshards_cases
