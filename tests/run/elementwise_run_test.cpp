// Element-wise operations on tensors: what each gives where it is easy to get wrong.
#include <algorithm>
#include <cmath>
#include <complex>
#include <string_view>

#include "tests/run/run_case.hpp"

namespace shardprop::test::elementwise_run_cases {

constexpr RunCase kCases[] = {
    {"a sum of i8 wraps around", R"(
  %a = stablehlo.constant dense<[127, -128, 3]> : tensor<3xi8>
  %b = stablehlo.constant dense<[1, -1, 4]> : tensor<3xi8>
  %r = stablehlo.add %a, %b : tensor<3xi8>
  return %r : tensor<3xi8>)",
     "[-128, 127, 7] : tensor<3xi8>"},
    {"a product of i4 keeps four bits with their sign", R"(
  %a = stablehlo.constant dense<[7, -8, 3]> : tensor<3xi4>
  %b = stablehlo.constant dense<[7, 2, 3]> : tensor<3xi4>
  %r = stablehlo.multiply %a, %b : tensor<3xi4>
  return %r : tensor<3xi4>)",
     "[1, 0, -7] : tensor<3xi4>"},
    {"a sum of booleans is or", R"(
  %a = stablehlo.constant dense<[true, true, false]> : tensor<3xi1>
  %b = stablehlo.constant dense<[true, false, false]> : tensor<3xi1>
  %r = stablehlo.add %a, %b : tensor<3xi1>
  return %r : tensor<3xi1>)",
     "[true, true, false] : tensor<3xi1>"},
    {"division by zero gives all bits, the smallest by -1 itself", R"(
  %a = stablehlo.constant dense<[5, -9223372036854775808, -7]> : tensor<3xi64>
  %b = stablehlo.constant dense<[0, -1, 2]> : tensor<3xi64>
  %r = stablehlo.divide %a, %b : tensor<3xi64>
  %s = stablehlo.remainder %a, %b : tensor<3xi64>
  return %r, %s : tensor<3xi64>, tensor<3xi64>)",
     "[-1, -9223372036854775808, -3] : tensor<3xi64>\n[5, 0, -1] : tensor<3xi64>"},
    {"bf16 is rounded after each operation", R"(
  %a = stablehlo.constant dense<256.0> : tensor<bf16>
  %b = stablehlo.constant dense<1.0> : tensor<bf16>
  %c = stablehlo.add %a, %b : tensor<bf16>
  %r = stablehlo.add %c, %b : tensor<bf16>
  return %r : tensor<bf16>)",
     "256 : tensor<bf16>"},
    {"NaN wins in maximum and minimum, and 0 is larger than -0", R"(
  %a = stablehlo.constant dense<[0x7FC00000, 1.0, -0.0]> : tensor<3xf32>
  %b = stablehlo.constant dense<[1.0, 2.0, 0.0]> : tensor<3xf32>
  %r = stablehlo.maximum %a, %b : tensor<3xf32>
  %s = stablehlo.minimum %b, %a : tensor<3xf32>
  return %r, %s : tensor<3xf32>, tensor<3xf32>)",
     "[nan, 2, 0] : tensor<3xf32>\n[nan, 1, -0] : tensor<3xf32>"},
    {"shifts by more bits than there are leave nothing or the sign", R"(
  %a = stablehlo.constant dense<[-16, -16, 7]> : tensor<3xi8>
  %b = stablehlo.constant dense<[2, 9, -1]> : tensor<3xi8>
  %r = stablehlo.shift_left %a, %b : tensor<3xi8>
  %s = stablehlo.shift_right_logical %a, %b : tensor<3xi8>
  %t = stablehlo.shift_right_arithmetic %a, %b : tensor<3xi8>
  return %r, %s, %t : tensor<3xi8>, tensor<3xi8>, tensor<3xi8>)",
     "[-64, 0, 0] : tensor<3xi8>\n[60, 0, 0] : tensor<3xi8>\n[-4, -1, 0] : tensor<3xi8>"},
    {"bits are counted within the type", R"(
  %a = stablehlo.constant dense<[-1, 1, 0]> : tensor<3xi16>
  %r = stablehlo.popcnt %a : tensor<3xi16>
  %s = stablehlo.count_leading_zeros %a : tensor<3xi16>
  return %r, %s : tensor<3xi16>, tensor<3xi16>)",
     "[16, 1, 0] : tensor<3xi16>\n[0, 15, 16] : tensor<3xi16>"},
    {"powers of integers wrap, and negative exponents give 0", R"(
  %a = stablehlo.constant dense<[3, 2, -1, 5]> : tensor<4xi8>
  %b = stablehlo.constant dense<[5, -1, -3, 0]> : tensor<4xi8>
  %r = stablehlo.power %a, %b : tensor<4xi8>
  return %r : tensor<4xi8>)",
     "[-13, 0, -1, 1] : tensor<4xi8>"},
    {"NaN is neither less nor equal nor greater, but different", R"(
  %a = stablehlo.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %r = stablehlo.compare EQ, %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %s = stablehlo.compare NE, %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %t = stablehlo.compare GE, %a, %a, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return %r, %s, %t : tensor<2xi1>, tensor<2xi1>, tensor<2xi1>)",
     "[false, true] : tensor<2xi1>\n[true, false] : tensor<2xi1>\n[true, true] : tensor<2xi1>"},
    {"the total order tells -0 from 0", R"(
  %a = stablehlo.constant dense<-0.0> : tensor<f32>
  %b = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %r : tensor<i1>)",
     "true : tensor<i1>"},
    {"a float beyond the range becomes the largest integer, NaN becomes 0", R"(
  %a = stablehlo.constant dense<[300.0, -300.0, 0x7FC00000, -1.7]> : tensor<4xf32>
  %r = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xi8>
  %s = stablehlo.convert %a : (tensor<4xf32>) -> tensor<4xui8>
  return %r, %s : tensor<4xi8>, tensor<4xui8>)",
     "[127, -128, 0, -1] : tensor<4xi8>\n[255, 0, 0, 0] : tensor<4xui8>"},
    {"a large integer is rounded once on its way to f32", R"(
  %a = stablehlo.constant dense<9007199791611905> : tensor<i64>
  %r = stablehlo.convert %a : (tensor<i64>) -> tensor<f32>
  %s = stablehlo.convert %r : (tensor<f32>) -> tensor<i64>
  return %s : tensor<i64>)",
     "9007200328482816 : tensor<i64>"},
    {"overflow is infinite, or NaN where there is no infinity", R"(
  %a = stablehlo.constant dense<1.0e6> : tensor<f32>
  %r = stablehlo.convert %a : (tensor<f32>) -> tensor<f16>
  %s = stablehlo.convert %a : (tensor<f32>) -> tensor<f8E4M3FN>
  return %r, %s : tensor<f16>, tensor<f8E4M3FN>)",
     "inf : tensor<f16>\nnan : tensor<f8E4M3FN>"},
    {"complex numbers multiply and have parts", R"(
  %a = stablehlo.constant dense<(1.0, 2.0)> : tensor<complex<f32>>
  %b = stablehlo.multiply %a, %a : tensor<complex<f32>>
  %r = stablehlo.real %b : (tensor<complex<f32>>) -> tensor<f32>
  %i = stablehlo.imag %b : (tensor<complex<f32>>) -> tensor<f32>
  %c = stablehlo.complex %i, %r : tensor<complex<f32>>
  return %c : tensor<complex<f32>>)",
     "(4, -3) : tensor<complex<f32>>"},
    {"select and clamp take scalars for all elements", R"(
  %p = stablehlo.constant dense<false> : tensor<i1>
  %a = stablehlo.constant dense<[1, 5, 9]> : tensor<3xi32>
  %b = stablehlo.constant dense<[7, 8, 9]> : tensor<3xi32>
  %low = stablehlo.constant dense<2> : tensor<i32>
  %high = stablehlo.constant dense<6> : tensor<i32>
  %r = stablehlo.select %p, %a, %b : tensor<i1>, tensor<3xi32>
  %s = stablehlo.clamp %low, %a, %high : (tensor<i32>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  return %r, %s : tensor<3xi32>, tensor<3xi32>)",
     "[7, 8, 9] : tensor<3xi32>\n[2, 5, 6] : tensor<3xi32>"},
    {"reduce_precision rounds to the given bits", R"(
  %a = stablehlo.constant dense<[1.0625, 1.1, 70000.0]> : tensor<3xf32>
  %r = stablehlo.reduce_precision %a, format = e5m3 : tensor<3xf32>
  return %r : tensor<3xf32>)",
     "[1, 1.125, inf] : tensor<3xf32>"},
    {"numbers are rounded away from zero or to even", R"(
  %a = stablehlo.constant dense<[2.5, -2.5, 3.5]> : tensor<3xf32>
  %r = stablehlo.round_nearest_afz %a : tensor<3xf32>
  %s = stablehlo.round_nearest_even %a : tensor<3xf32>
  return %r, %s : tensor<3xf32>, tensor<3xf32>)",
     "[3, -3, 4] : tensor<3xf32>\n[2, -2, 4] : tensor<3xf32>"},
    {"functions of chlo", R"(
  %a = stablehlo.constant dense<[0.5, 1.0]> : tensor<2xf32>
  %r = chlo.erf_inv %a : tensor<2xf32> -> tensor<2xf32>
  %s = chlo.digamma %a : tensor<2xf32> -> tensor<2xf32>
  %n = stablehlo.constant dense<1.0> : tensor<2xf32>
  %t = chlo.polygamma %n, %a : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return %r, %s, %t : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)",
     "[0.47693628, inf] : tensor<2xf32>\n"
     "[-1.96351, -0.5772157] : tensor<2xf32>\n"
     "[4.934802, 1.644934] : tensor<2xf32>"},
    {"the next number of a narrow type", R"(
  %a = stablehlo.constant dense<[1.0, 1.0, 0.0]> : tensor<3xbf16>
  %b = stablehlo.constant dense<[2.0, -2.0, -1.0]> : tensor<3xbf16>
  %r = chlo.next_after %a, %b : tensor<3xbf16>, tensor<3xbf16> -> tensor<3xbf16>
  return %r : tensor<3xbf16>)",
     "[1.0078125, 0.99609375, -9.1835e-41] : tensor<3xbf16>"},
    {"operands of chlo.broadcast_add are matched from the last dimension", R"(
  %a = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %b = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %r = chlo.broadcast_add %a, %b : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>)",
     "[[11, 21, 31], [12, 22, 32]] : tensor<2x3xi32>"},
    {"the high half of a product of 64 bits", R"(
  %a = stablehlo.constant dense<[-1, 9223372036854775807]> : tensor<2xi64>
  %b = stablehlo.constant dense<[5, 9223372036854775807]> : tensor<2xi64>
  %r = chlo.mulhi %a, %b : tensor<2xi64>, tensor<2xi64> -> tensor<2xi64>
  return %r : tensor<2xi64>)",
     "[-1, 4611686018427387903] : tensor<2xi64>"},
};

TEST_CASE("element-wise operations give what the specification says", "[run]") {
  for (const RunCase& c : kCases) check_run_case(c);
}

TEST_CASE("every pattern of a narrow float type is read and rounded to itself", "[run]") {
  for (Element element :
       {Element::kF4E2M1FN, Element::kF6E2M3FN, Element::kF6E3M2FN, Element::kF8E3M4,
        Element::kF8E4M3, Element::kF8E4M3B11FNUZ, Element::kF8E4M3FN, Element::kF8E4M3FNUZ,
        Element::kF8E5M2, Element::kF8E5M2FNUZ, Element::kF8E8M0FNU, Element::kBf16,
        Element::kF16}) {
    INFO(row_of(element).name);
    std::size_t wrong = 0;
    for (std::uint32_t pattern = 0; pattern < 1u << row_of(element).bits; ++pattern) {
      std::byte raw[2] = {static_cast<std::byte>(pattern & 255),
                          static_cast<std::byte>(pattern >> 8)};
      double number = 0;
      load_elements(element, raw, 1, &number);
      std::byte back[2] = {};
      store_elements(element, &number, 1, back);
      double again = 0;
      load_elements(element, back, 1, &again);
      const bool same = std::equal(raw, raw + bytes_of(element), back);
      // All NaNs are one.
      if (std::isnan(number) ? !std::isnan(again) : !same) ++wrong;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("a double between two numbers of a type goes to the nearer, in the middle to the even",
          "[run]") {
  for (Element element : {Element::kF8E5M2, Element::kF8E4M3FN, Element::kF16, Element::kBf16}) {
    INFO(row_of(element).name);
    const std::uint64_t largest = detail::format_of(element).largest();
    std::size_t wrong = 0;
    for (std::uint64_t low = 0; low < largest; ++low) {
      const double a = detail::decode_float(low, detail::format_of(element));
      const double b = detail::decode_float(low + 1, detail::format_of(element));
      const double middle = a / 2 + b / 2;
      const auto rounded = [&](double x) {
        return detail::encode_float(x, detail::format_of(element));
      };
      if (rounded(middle) != (low % 2 == 0 ? low : low + 1)) ++wrong;
      if (rounded(std::nextafter(middle, 0)) != low) ++wrong;
      if (rounded(std::nextafter(middle, 1e300)) != low + 1) ++wrong;
    }
    CHECK(wrong == 0);
  }
}

// Functions of 0.5, and of the complex number 0.5 - 0.25i.
struct FunctionValue {
  std::string_view name;
  double real;
  double imaginary;
};
constexpr FunctionValue kRealValues[] = {
    {"stablehlo.cbrt", 0.7937005259840998, 0},
    {"stablehlo.ceil", 1.0, 0},
    {"stablehlo.cosine", 0.8775825618903728, 0},
    {"stablehlo.exponential", 1.6487212707001282, 0},
    {"stablehlo.exponential_minus_one", 0.6487212707001282, 0},
    {"stablehlo.floor", 0.0, 0},
    {"stablehlo.log", -0.6931471805599453, 0},
    {"stablehlo.log_plus_one", 0.4054651081081644, 0},
    {"stablehlo.logistic", 0.6224593312018546, 0},
    {"stablehlo.rsqrt", 1.414213562373095, 0},
    {"stablehlo.sign", 1.0, 0},
    {"stablehlo.sine", 0.479425538604203, 0},
    {"stablehlo.sqrt", 0.7071067811865476, 0},
    {"stablehlo.tan", 0.5463024898437905, 0},
    {"stablehlo.tanh", 0.46211715726000974, 0},
    {"stablehlo.abs", 0.5, 0},
    {"stablehlo.negate", -0.5, 0},
    {"chlo.acos", 1.0471975511965979, 0},
    {"chlo.asin", 0.5235987755982989, 0},
    {"chlo.asinh", 0.48121182505960347, 0},
    {"chlo.atan", 0.4636476090008061, 0},
    {"chlo.atanh", 0.5493061443340548, 0},
    {"chlo.cosh", 1.1276259652063807, 0},
    {"chlo.sinh", 0.5210953054937474, 0},
    {"chlo.erf", 0.5204998778130465, 0},
    {"chlo.erfc", 0.4795001221869535, 0},
    {"chlo.lgamma", 0.5723649429247004, 0},
    {"chlo.square", 0.25, 0},
    {"chlo.tan", 0.5463024898437905, 0},
    {"chlo.conj", 0.5, 0},
    {"chlo.bessel_i1e", 0.15642080318487167, 0},
};
constexpr FunctionValue kComplexValues[] = {
    {"stablehlo.cosine", 0.9051501505596068, 0.12110879604381165},
    {"stablehlo.exponential", 1.5974665191199127, -0.4079001700783598},
    {"stablehlo.exponential_minus_one", 0.5974665191199127, -0.4079001700783598},
    {"stablehlo.log", -0.5815754049028404, -0.4636476090008061},
    {"stablehlo.log_plus_one", 0.4191645952022216, -0.16514867741462683},
    {"stablehlo.logistic", 0.6242751644199613, -0.05900296431450803},
    {"stablehlo.rsqrt", 1.3017016520692888, 0.3072900763121319},
    {"stablehlo.sine", 0.494485780933195, -0.22168816414957482},
    {"stablehlo.sqrt", 0.7276733451126774, -0.17178037486125622},
    {"stablehlo.tan", 0.504500702698564, -0.31242069250258875},
    {"stablehlo.tanh", 0.4854872810241353, -0.19805544995134958},
    {"stablehlo.sign", 0.8944271909999159, -0.4472135954999579},
    {"stablehlo.negate", -0.5, 0.25},
    {"stablehlo.cbrt", 0.8139559382747513, -0.1268074709786297},
    {"chlo.acos", 1.069187473519396, 0.28139605624529274},
    {"chlo.acosh", 0.28139605624529274, -1.069187473519396},
    {"chlo.asin", 0.5016088532755008, -0.28139605624529274},
    {"chlo.asinh", 0.4926756834207706, -0.2243284526346675},
    {"chlo.atan", 0.4842544903299662, -0.20058661813123432},
    {"chlo.atanh", 0.5003700000525311, -0.3143981432077165},
    {"chlo.cosh", 1.0925708047319176, -0.12892104172809826},
    {"chlo.sinh", 0.504895714387995, -0.2789791283502615},
    {"chlo.square", 0.1875, -0.25},
    {"chlo.conj", 0.5, 0.25},
};

// What `name` gives for a number that is written so.
std::complex<double> value_of(std::string_view name, std::string_view number,
                              std::string_view type) {
  const Module m = program(run_case_text(fmt::format(R"(
  %a = stablehlo.constant dense<{1}> : tensor<{2}>
  %r = "{0}"(%a) : (tensor<{2}>) -> tensor<{2}>
  return %r : tensor<{2}>)",
                                                     name, number, type)));
  const Result<Tensors> results = evaluate(m, standard_evaluators(), find_func(m, "main"), {});
  if (!results) FAIL(to_string(results.errors()));
  const Tensor& tensor = (*results)[0];
  return domain_of(tensor.element()) == Domain::kPair ? numbers_of<std::complex<double>>(tensor)[0]
                                                      : numbers_of<double>(tensor)[0];
}

TEST_CASE("functions of one number", "[run]") {
  constexpr double kClose = 1e-14;
  for (const FunctionValue& f : kRealValues) {
    INFO(f.name);
    const double found = value_of(f.name, "0.5", "f64").real();
    CHECK(std::fabs(found - f.real) <= kClose * std::fabs(f.real));
    const double narrow = value_of(f.name, "0.5", "f32").real();
    CHECK(std::fabs(narrow - f.real) <= 2e-7 * std::fabs(f.real));
  }
  for (const FunctionValue& f : kComplexValues) {
    INFO(f.name);
    const std::complex<double> expected(f.real, f.imaginary);
    const std::complex<double> found = value_of(f.name, "(0.5, -0.25)", "complex<f64>");
    CHECK(std::abs(found - expected) <= kClose * std::abs(expected));
  }
}

TEST_CASE("in the exact mode sums are exact and functions mix", "[run]") {
  EvalOptions exact;
  exact.exact = true;
  check_run_case({"sums and products wrap", R"(
  %a = stablehlo.constant dense<[3.0, -4.0]> : tensor<2xf32>
  %b = stablehlo.multiply %a, %a : tensor<2xf32>
  %c = stablehlo.add %b, %a : tensor<2xf32>
  return %c : tensor<2xf32>)",
                  "[12, 12] : tensor<2xexact>"},
                 exact);
  const Module m = program(run_case_text(R"(
  %a = stablehlo.constant dense<[3.0, 5.0]> : tensor<2xf32>
  %b = stablehlo.tanh %a : tensor<2xf32>
  %c = stablehlo.sine %a : tensor<2xf32>
  return %b, %c : tensor<2xf32>, tensor<2xf32>)"));
  const EvalTable table = standard_evaluators();
  const Result<Tensors> results = evaluate(m, table, find_func(m, "main"), {}, exact);
  REQUIRE(results);
  const auto tanh = numbers_of<std::uint64_t>((*results)[0]);
  const auto sine = numbers_of<std::uint64_t>((*results)[1]);
  CHECK(tanh[0] != tanh[1]);
  CHECK(tanh[0] != sine[0]);
}

}  // namespace shardprop::test::elementwise_run_cases
