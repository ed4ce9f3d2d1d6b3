// Checks of a program by itself: the custom calls @check.* and the operations of the check dialect.
// One that does not hold ends the run with `run.check_failed`, which names the first element that
// differs and both values.
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/run/constant_value.hpp"
#include "shardprop/run/eval_table.hpp"
#include "shardprop/run/tensor_text.hpp"

namespace shardprop {

namespace detail {

// A sum that stops at the largest number.
inline std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  return a > ~b ? ~std::uint64_t{0} : a + b;
}

// How many numbers of the type lie between two floats: 0 for the same bits or two NaNs, the largest
// number where only one of them is a number.
inline std::uint64_t ulp_distance(double a, double b, Element element) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  const auto size_of = [&](double number) -> std::uint64_t {
    std::byte raw[8] = {};
    const double size = std::fabs(number);
    store_elements(element, &size, 1, raw);
    std::uint64_t bits = 0;
    for (std::size_t i = bytes_of(element); i-- > 0;)
      bits = bits << 8 | static_cast<std::uint64_t>(raw[i]);
    return bits;
  };
  const std::uint64_t size_a = size_of(a);
  const std::uint64_t size_b = size_of(b);
  const bool same_sign = std::signbit(a) == std::signbit(b);
  if (same_sign && size_a == size_b) return 0;
  if (!std::isfinite(a) || !std::isfinite(b)) return ~std::uint64_t{0};
  if (!same_sign) return saturating_sum(size_a, size_b);
  return size_a > size_b ? size_a - size_b : size_b - size_a;
}

// Whether the floats `a` and `b`, elements of the two tensors or parts of them, are equal enough.
struct Tolerance {
  enum class Kind { kSame, kUlps, kAbsolute } kind = Kind::kSame;
  std::uint64_t min_ulps = 0;
  std::uint64_t max_ulps = 0;
  double absolute = 0;

  bool holds(double a, double b, Element element) const {
    switch (kind) {
      case Kind::kSame:
        return a == b;
      case Kind::kUlps: {
        const std::uint64_t distance = ulp_distance(a, b, element);
        return distance >= min_ulps && distance <= max_ulps;
      }
      default:
        return (std::isnan(a) && std::isnan(b)) || a == b || std::fabs(a - b) <= absolute;
    }
  }
};

// The first element that differs.
inline std::optional<std::size_t> first_difference(const Tensor& actual, const Tensor& expected,
                                                   const Tolerance& tolerance) {
  const Element element = actual.element();
  const std::size_t width = bytes_of(element);
  const Domain domain = domain_of(element);
  const bool is_float = domain == Domain::kReal || domain == Domain::kPair;
  const std::size_t parts = domain == Domain::kPair ? 2 : 1;
  const Element part = part_of(element);
  for (std::size_t i = 0; i < actual.count(); ++i) {
    const std::byte* a = actual.read() + i * width;
    const std::byte* b = expected.read() + i * width;
    if (!is_float) {
      if (!std::equal(a, a + width, b)) return i;
      continue;
    }
    double of_a[2] = {};
    double of_b[2] = {};
    load_elements(part, a, parts, of_a);
    load_elements(part, b, parts, of_b);
    for (std::size_t p = 0; p < parts; ++p) {
      if (!tolerance.holds(of_a[p], of_b[p], part)) return i;
    }
  }
  return std::nullopt;
}

inline Result<Tensors> check_tensors(const EvalInput& in, const Tensor& actual,
                                     const Tensor& expected, const Tolerance& tolerance) {
  if (actual.element() != expected.element() || actual.shape() != expected.shape()) {
    return eval_error(
        in, "check_failed",
        fmt::format("the types differ: {} and {}", type_text(actual), type_text(expected)));
  }
  const auto at = first_difference(actual, expected, tolerance);
  if (!at) return Tensors();
  return eval_error(
      in, "check_failed",
      fmt::format("element {} is {}, expected {}", to_string(index_of(actual.shape(), *at)),
                  element_text(actual, *at), element_text(expected, *at)));
}

// `Expected` is operand 1, or attribute `value` of the operations `..._const`.
inline Result<Tensors> check_operands(EvalInput& in, const Tolerance& tolerance) {
  if (in.operands.size() > 1) return check_tensors(in, in.operands[0], in.operands[1], tolerance);
  const auto expected = constant_value(in.m, attribute(in.m, in.op, key::kValue),
                                       type_of(in.m, operand(in.m, in.op, 0)), in.options);
  if (!expected) return eval_error(in, "constant", "the expected value is not known");
  return check_tensors(in, in.operands[0], *expected, tolerance);
}

// The check that a float is within so many units in the last place, if the program does not say
// other limits.
template <std::int64_t max_ulps>
Result<Tensors> evaluate_expect_close(EvalInput& in) {
  AttributeReader reader(in.m, in.op, nullptr);
  Tolerance tolerance;
  tolerance.kind = Tolerance::Kind::kUlps;
  tolerance.min_ulps = static_cast<std::uint64_t>(reader.integer_or("min_ulp_difference", 0));
  tolerance.max_ulps =
      static_cast<std::uint64_t>(reader.integer_or("max_ulp_difference", max_ulps));
  return check_operands(in, tolerance);
}

// In ten-thousandths where the program does not say it.
template <int ten_thousandths>
Result<Tensors> evaluate_expect_almost_eq(EvalInput& in) {
  AttributeReader reader(in.m, in.op, nullptr);
  Tolerance tolerance;
  tolerance.kind = Tolerance::Kind::kAbsolute;
  tolerance.absolute = reader.has("tolerance") ? reader.number("tolerance") : ten_thousandths / 1e4;
  return check_operands(in, tolerance);
}

inline Result<Tensors> evaluate_expect_eq(EvalInput& in) { return check_operands(in, {}); }

}  // namespace detail

inline constexpr EvalDef kCheckEvaluators[] = {
    {"stablehlo.custom_call @check.expect_eq", nullptr, detail::evaluate_expect_eq},
    {"stablehlo.custom_call @check.expect_close", nullptr, detail::evaluate_expect_close<3>},
    {"stablehlo.custom_call @check.expect_almost_eq", nullptr,
     detail::evaluate_expect_almost_eq<10>},
    {"check.expect_eq", nullptr, detail::evaluate_expect_eq},
    {"check.expect_eq_const", nullptr, detail::evaluate_expect_eq},
    {"check.expect_close", nullptr, detail::evaluate_expect_close<1>},
    {"check.expect_almost_eq", nullptr, detail::evaluate_expect_almost_eq<1>},
    {"check.expect_almost_eq_const", nullptr, detail::evaluate_expect_almost_eq<1>},
};

}  // namespace shardprop
