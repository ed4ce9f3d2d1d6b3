// Element-wise operations on tensors: what each gives where it is easy to get wrong.
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
