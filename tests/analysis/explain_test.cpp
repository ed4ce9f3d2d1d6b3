// Explanations in the terms of the program: through calls, loops, manual computations and groups,
// and why an axis is not there.
#include <string>
#include <string_view>
#include <vector>

#include "shardprop/analysis/explain/explainer.hpp"
#include "shardprop/analysis/explain/folded_steps.hpp"
#include "shardprop/ir/place.hpp"
#include "tests/support/program.hpp"

namespace shardprop::test::explain_cases {
namespace {

// A program with its explainer.
struct Explained {
  explicit Explained(std::string_view text)
      : m(program(on_mesh(text))), copy(propagated()), explainer(m, copy, ops, {}) {}

  PropagatedCopy propagated() {
    PropagateProgramOptions options;
    options.propagation.trace = true;
    Result<PropagatedCopy> out = propagate_copy(m, ops, options);
    if (!out) FAIL(to_string(out.errors()));
    return *std::move(out);
  }

  // `x on 0 of %b from %a: %a>%b`
  std::string way(std::string_view name) {
    std::string out;
    for (const AxisExplanation& e : explainer.axes({value(m, name)})) {
      out += fmt::format("{}{} on {} from {}:", out.empty() ? "" : "; ", e.axis, e.dim,
                         e.origin ? name_of(m, ValueRef{e.origin->value, e.origin->func,
                                                        std::uint32_t(e.origin->number)})
                                  : "?");
      for (const ExplainedStep& step : e.steps)
        out += fmt::format(" {}>{}", name_of(m, step.from.value), name_of(m, step.to.value));
    }
    return out;
  }

  // The codes of the reasons, of each stop.
  std::string why_not(std::string_view name, std::string_view axis) {
    std::string out;
    for (const MissingAxis& missing : explainer.missing({value(m, name)}, axis)) {
      if (!out.empty()) out += "; ";
      for (std::size_t i = 0; i < missing.reasons.size(); ++i)
        out += (i == 0 ? "" : ", ") + std::string(missing.reasons[i].code);
    }
    return out;
  }

  OpTable ops = standard_ops();
  Module m;
  PropagatedCopy copy;
  Explainer explainer;
};

TEST_CASE("a chain leads from an annotation through a call, into the function and out again") {
  Explained e(R"(
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %b = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %c = stablehlo.sine %b : tensor<8xf32>
  return %c : tensor<8xf32>
}
func.func private @f(%p: tensor<8xf32>) -> tensor<8xf32> {
  %q = stablehlo.tanh %p : tensor<8xf32>
  return %q : tensor<8xf32>
})");
  CHECK(e.way("%q") == "x on 0 from %a: %a>%p %p>%q");
  CHECK(e.way("%c") == "x on 0 from %a: %a>%p %p>%q %q>%b %b>%c");
}

TEST_CASE("a chain goes through a loop") {
  Explained e(R"(
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %r = stablehlo.while(%b = %a) : tensor<8xf32>
  cond {
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %d = stablehlo.tanh %b : tensor<8xf32>
    stablehlo.return %d : tensor<8xf32>
  }
  return %r : tensor<8xf32>
})");
  // The edge of the loop joins the operand, what the body returns, and the result.
  CHECK(e.way("%d") == "x on 0 from %a: %a>%d");
  CHECK(e.way("%r") == "x on 0 from %a: %a>%r");
  const auto axes = e.explainer.axes({value(e.m, "%d")});
  REQUIRE(axes.size() == 1);
  REQUIRE(axes[0].steps.size() == 1);
  CHECK(axes[0].steps[0].kind == HopKind::kEdge);
  CHECK(axes[0].steps[0].operation == "stablehlo.while");
}

TEST_CASE("a chain may begin at a constraint, a function's result or a manual computation") {
  Explained constraint(R"(
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %b = stablehlo.tanh %a : tensor<8xf32>
  %c = sdy.sharding_constraint %b <@mesh, [{"x"}]> : tensor<8xf32>
  return %c : tensor<8xf32>
})");
  CHECK(constraint.way("%a") == "x on 0 from %c: %c>%b %b>%a");
  Explained result(R"(
func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %b = stablehlo.tanh %a : tensor<8xf32>
  return %b : tensor<8xf32>
})");
  CHECK(result.way("%a") == "x on 0 from result 0: result 0>%b %b>%a");
  Explained manual(R"(
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %b = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x", ?}]>] out_shardings=[<@mesh, [{"x", ?}]>] manual_axes={"x"} (%p: tensor<4xf32>) {
    %q = stablehlo.tanh %p : tensor<4xf32>
    sdy.return %q : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %b : tensor<8xf32>
})");
  const auto axes = manual.explainer.axes({value(manual.m, "%a")});
  REQUIRE(axes.size() == 1);
  REQUIRE(axes[0].origin);
  CHECK(axes[0].origin->kind == AnnotationKind::kManualInput);
}

struct WhyNotCase {
  std::string_view argument;  // the sharding of %b
  std::string_view reasons;   // why x is not on it
};

TEST_CASE("what stops an axis is told, and without it the axis arrives") {
  const std::string text = R"(
func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, $sharding>}) -> tensor<8x4xf32> {
  %c = stablehlo.add %a, %b : tensor<8x4xf32>
  return %c : tensor<8x4xf32>
})";
  const WhyNotCase cases[] = {
      {"[{}, {?}]", "closed_dimension"},
      {"[{?}, {?}], replicated={\"x\"}", "replicated_axis"},
      {"[{\"y\", ?}, {?}]", "different_axes"},
      {"[{?}, {\"x\"}]", "axis_in_use"},
  };
  for (const WhyNotCase& c : cases) {
    INFO(c.argument);
    Explained e(with({{"$sharding", c.argument}}, text));
    CHECK(e.why_not("%b", "x").starts_with(c.reasons));
  }
  Explained without(with({{"$sharding", "[{?}, {?}]"}}, text));
  CHECK(without.way("%b") == "x on 0 from %a: %a>%b");
}

TEST_CASE("stops that are alike are told once, with their number") {
  std::string uses;
  for (int i = 0; i < 5; ++i)
    uses += fmt::format("  %d{} = stablehlo.add %a, %b : tensor<8xf32>\n", i);
  Explained e(R"(
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<8xf32> {
)" + uses + "  return %d0 : tensor<8xf32>\n}");
  const auto missing = e.explainer.missing({value(e.m, "%b")}, "x");
  REQUIRE(missing.size() == 1);
  CHECK(missing[0].others == 4);
  CHECK(reason_text(e.m, missing[0].reasons[0]) == "dimension 0 of %b is closed");
}

TEST_CASE("a manual axis stays where the computation has it") {
  Explained e(R"(
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8x8xf32> {
  %b = sdy.manual_computation(%a) in_shardings=[<@mesh, [{}, {?}], replicated={"x"}>] out_shardings=[<@mesh, [{}, {?}], replicated={"x"}>] manual_axes={"x"} (%p: tensor<8x8xf32>) {
    %q = stablehlo.tanh %p : tensor<8x8xf32>
    sdy.return %q : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %b : tensor<8x8xf32>
})");
  CHECK(e.why_not("%p", "x") == "manual_axis");
  CHECK(e.why_not("%q", "x") == "manual_axis");
  // From outside, the edge of the computation does not let the axis pass.
  CHECK(e.why_not("%b", "x") == "manual_axis");
}

TEST_CASE("an axis that came later for its priority arrives when the priorities are turned round") {
  const std::string text = R"(
func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p$one, {?}]>},
                %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}p$other, {?}]>}) -> tensor<8x4xf32> {
  %c = stablehlo.add %a, %b : tensor<8x4xf32>
  return %c : tensor<8x4xf32>
})";
  Explained late(with({{"$one", "1"}, {"$other", "0"}}, text));
  const auto missing = late.explainer.missing({value(late.m, "%c")}, "x");
  REQUIRE(missing.size() == 1);
  CHECK(missing[0].reasons[0].won == "priority");
  Explained early(with({{"$one", "0"}, {"$other", "1"}}, text));
  CHECK(early.way("%c") == "x on 0 from %a: %a>%c");
}

TEST_CASE("why-nots of all values of a long program take one walk over it for each axis") {
  std::string text = R"(
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %v0 = sdy.propagation_barrier %a allowed_direction=NONE : tensor<8xf32>
)";
  constexpr int kCount = 4000;
  for (int i = 0; i < kCount; ++i)
    text += fmt::format("  %v{} = stablehlo.tanh %v{} : tensor<8xf32>\n", i + 1, i);
  Explained e(text + fmt::format("  return %v{} : tensor<8xf32>\n}}", kCount));
  for (int i = 0; i <= kCount; ++i) {
    const auto missing = e.explainer.missing({value(e.m, fmt::format("%v{}", i))}, "x");
    REQUIRE(missing.size() == 1);
    REQUIRE(missing[0].distance == static_cast<std::size_t>(i));
    REQUIRE(missing[0].reasons[0].code == "barrier");
  }
}

TEST_CASE("where an axis stops further out, the nearest stop is told") {
  Explained e(R"(
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %b = sdy.propagation_barrier %a allowed_direction=NONE : tensor<8xf32>
  %c = stablehlo.tanh %b : tensor<8xf32>
  %d = stablehlo.sine %c : tensor<8xf32>
  %u = stablehlo.custom_call @unknown(%d) : (tensor<8xf32>) -> tensor<8xf32>
  return %u : tensor<8xf32>
})");
  const auto missing = e.explainer.missing({value(e.m, "%d")}, "x");
  REQUIRE(missing.size() == 1);
  CHECK(missing[0].reasons[0].code == "barrier");
  CHECK(name_of(e.m, missing[0].at->value) == "%b");
  CHECK(missing[0].distance == 2);
  CHECK(e.why_not("%d", "y") == "never_given");
}

TEST_CASE("an operation without a rule is named") {
  Explained e(R"(
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %u = stablehlo.custom_call @unknown(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %u : tensor<8xf32>
})");
  CHECK(e.why_not("%u", "x") == "no_rule");
}

TEST_CASE("calls, loops and returns are not taken for operations without a rule") {
  Explained e(R"(
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %n: tensor<i32>) -> tensor<8xf32> {
  %b = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %r:2 = stablehlo.while(%i = %n, %c = %b) : tensor<i32>, tensor<8xf32>
  cond {
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %d = stablehlo.tanh %c : tensor<8xf32>
    stablehlo.return %i, %d : tensor<i32>, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}
func.func private @f(%p: tensor<8xf32>) -> tensor<8xf32> {
  %q = stablehlo.custom_call @unknown(%p) : (tensor<8xf32>) -> tensor<8xf32>
  return %q : tensor<8xf32>
})");
  for (const char* name : {"%q", "%b", "%c", "%d", "%r#1"}) {
    const auto missing = e.explainer.missing({value(e.m, name)}, "x");
    INFO(name);
    REQUIRE(missing.size() == 1);
    CHECK(missing[0].reasons[0].code == "no_rule");
    CHECK(missing[0].operation == "stablehlo.custom_call");
  }
  CHECK(e.why_not("%i", "x") == "no_dimension");
}

TEST_CASE("steps of equal layers are folded") {
  std::string layers;
  for (int i = 0; i < 6; ++i) {
    layers += fmt::format("  %t{} = stablehlo.tanh %s{} : tensor<8xf32>\n", i, i);
    layers += fmt::format("  %s{} = stablehlo.sine %t{} : tensor<8xf32>\n", i + 1, i);
  }
  Explained e(R"(
func.func @main(%s0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
)" + layers + "  return %s6 : tensor<8xf32>\n}");
  const auto axes = e.explainer.axes({value(e.m, "%s6")});
  REQUIRE(axes.size() == 1);
  CHECK(axes[0].steps.size() == 12);
  const std::vector<StepFold> folds = fold_steps(axes[0].steps);
  REQUIRE(folds.size() == 1);
  CHECK(folds[0].begin == 0);
  CHECK(folds[0].length == 2);
  CHECK(folds[0].times == 6);
}

}  // namespace
}  // namespace shardprop::test::explain_cases
