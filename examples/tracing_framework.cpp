// A tensor framework with a representation of its own, which traces what functions do, and the
// adapter that lets this library shard its programs.
//
// The traced program repeats x = tanh(smooth(x) w). `tiny.smooth` averages neighbouring columns;
// StableHLO does not know it, so that its sharding rule is registered. The loop has regions.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "shardprop/embed/adapted_program.hpp"
#include "shardprop/ops/common/text_rule.hpp"
#include "shardprop/shardprop.hpp"

// --- The framework: it knows nothing of this library but the type of a sharding -------------------

namespace tiny {

using Id = std::size_t;
using Ids = std::vector<Id>;
using Shape = std::vector<std::int64_t>;
using Sharding = std::optional<shardprop::NamedSharding>;

struct Tensor {
  Shape shape;
  std::string type;
  std::string name;
  Sharding sharding;
};

// What an operation does, its tensors by number, and the blocks of a loop.
struct Node {
  std::string does;
  Ids takes, makes;
  Ids blocks = {};
  double number = 0;
};

struct Block {
  Ids arguments, nodes, gives;
};

class Trace {
 public:
  std::vector<Tensor> tensors;
  std::vector<Node> nodes;
  std::vector<Block> blocks{1};  // the first is the program

  Id tensor(Shape shape, std::string type, std::string name = {}, Sharding sharding = {}) {
    tensors.push_back({std::move(shape), std::move(type), std::move(name), std::move(sharding)});
    return tensors.size() - 1;
  }
  Id input(Shape shape, std::string name, Sharding sharding) {
    const Id made = tensor(std::move(shape), "f32", std::move(name), std::move(sharding));
    blocks[0].arguments.push_back(made);
    return made;
  }
  Ids add(Node node) {
    nodes.push_back(node);
    at().nodes.push_back(nodes.size() - 1);
    return node.makes;
  }
  Id apply(std::string does, Ids takes, Shape shape, std::string type) {
    return add({std::move(does), std::move(takes), {tensor(std::move(shape), std::move(type))}})[0];
  }

  Id tanh(Id x) { return apply("tanh", {x}, tensors[x].shape, "f32"); }
  Id smooth(Id x) { return apply("smooth", {x}, tensors[x].shape, "f32"); }
  Id plus(Id x, Id y) { return apply("plus", {x, y}, tensors[x].shape, tensors[x].type); }
  Id less(Id x, Id y) { return apply("less", {x, y}, {}, "i1"); }
  Id matmul(Id x, Id y) {
    return apply("matmul", {x, y}, {tensors[x].shape[0], tensors[y].shape[1]}, "f32");
  }
  Id number(double n) { return add({"number", {}, {tensor({}, "i32")}, {}, n})[0]; }

  Id repeat(int times, Id x, const std::function<Id(Id)>& body) {
    const Id zero = number(0), one = number(1), limit = number(times);
    const auto like = [&](Id t) { return tensor(tensors[t].shape, tensors[t].type); };
    const Id test =
        block({like(zero), like(x)}, [&](const Ids& in) { return Ids{less(in[0], limit)}; });
    const Id step = block({like(zero), like(x)}, [&](const Ids& in) {
      return Ids{plus(in[0], one), body(in[1])};
    });
    return add({"repeat", {zero, x}, {like(zero), like(x)}, {test, step}})[1];
  }

 private:
  using MakeBlock = std::function<Ids(const Ids&)>;
  Block& at() { return blocks[open_]; }
  Id block(const Ids& arguments, const MakeBlock& make) {
    const Id around = open_;
    open_ = blocks.size();
    blocks.push_back({arguments, {}, {}});
    Ids gives = make(arguments);
    at().gives = std::move(gives);
    return std::exchange(open_, around);
  }
  Id open_ = 0;
};

}  // namespace tiny

// --- The adapter ---------------------------------------------------------------------------------

namespace {

using namespace shardprop;

struct Adapter {
  using Value = tiny::Id;
  using Op = tiny::Id;
  using Region = tiny::Id;
  tiny::Trace& trace;

  std::vector<Mesh> meshes() { return {{"mesh", {{"data", 4}, {"model", 2}}, {}}}; }
  Region body() { return 0; }
  const tiny::Ids& arguments(Region r) { return trace.blocks[r].arguments; }
  const tiny::Ids& ops(Region r) { return trace.blocks[r].nodes; }
  const tiny::Ids& returned(Region r) { return trace.blocks[r].gives; }
  const tiny::Ids& operands(Op op) { return trace.nodes[op].takes; }
  const tiny::Ids& results(Op op) { return trace.nodes[op].makes; }
  const tiny::Ids& regions(Op op) { return trace.nodes[op].blocks; }
  const tiny::Shape& shape(Value v) { return trace.tensors[v].shape; }
  const std::string& dtype(Value v) { return trace.tensors[v].type; }
  const std::string& label(Value v) { return trace.tensors[v].name; }
  const tiny::Sharding& sharding(Value v) { return trace.tensors[v].sharding; }
  void set_sharding(Value v, const std::optional<ShardingView>& s) {
    trace.tensors[v].sharding = s;
  }

  std::string name(Op op) {
    const std::string& does = trace.nodes[op].does;
    if (does == "smooth") return "tiny.smooth";
    if (does == "matmul") return "stablehlo.dot_general";
    if (does == "plus") return "stablehlo.add";
    if (does == "less") return "stablehlo.compare";
    if (does == "number") return "stablehlo.constant";
    if (does == "repeat") return "stablehlo.while";
    return "stablehlo." + does;
  }
  std::vector<NamedAttribute> attributes(Op op) {
    using Ints = std::vector<std::int64_t>;
    using Fields = std::vector<NamedAttribute>;
    const tiny::Node& node = trace.nodes[op];
    if (node.does == "number") return {{"value", node.number}};
    if (node.does == "less") return {{"comparison_direction", "LT"}};
    if (node.does != "matmul") return {};
    return {{"dot_dimension_numbers", Fields{{"lhs_contracting_dimensions", Ints{1}},
                                             {"rhs_contracting_dimensions", Ints{0}}}}};
  }
};

Result<OpTable> tiny_ops() {
  OpTable ops = standard_ops();
  const Diagnostics errors =
      ops.add({.name = "tiny.smooth", .rule = rule<"([i, j]) -> ([i, j]) permutation={j}">});
  if (!errors.empty()) return errors;
  return ops;
}

void print(const tiny::Trace& trace) {
  for (const tiny::Tensor& t : trace.tensors)
    if (!t.name.empty())
      fmt::print("{} {}\n", t.name, t.sharding ? to_string(*t.sharding) : "none");
}

bool failed(const auto& result) {
  if (!result) fmt::print(stderr, "{}", to_string(result.errors()));
  return !result;
}

}  // namespace

int main() {
  tiny::Trace trace;
  const tiny::Id x = trace.input({8, 16}, "x", NamedSharding{"mesh", {{{"data"}}, {{}, true}}});
  const tiny::Id w = trace.input({16, 16}, "w", NamedSharding{"mesh", {{{}, true}, {{"model"}}}});
  const tiny::Id y = trace.repeat(3, x, [&](tiny::Id at) {
    const tiny::Id next = trace.tanh(trace.matmul(trace.smooth(at), w));
    trace.tensors[next].name = "next";
    return next;
  });
  trace.tensors[y].name = "y";
  trace.blocks[0].gives = {y};

  const Result<OpTable> ops = tiny_ops();
  if (failed(ops)) return 1;
  Adapter adapter{trace};
  auto program = AdaptedProgram<Adapter>::read(adapter, *ops);
  if (failed(program) || failed(program->propagate())) return 1;
  print(trace);

  trace.tensors[w].sharding.reset();  // the framework changes one and asks again
  if (failed(program->propagate())) return 1;
  fmt::print("without a sharding of w:\n");
  print(trace);
}
