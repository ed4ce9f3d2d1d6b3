#include "shardprop/ops/stablehlo/windows.hpp"

#include "shardprop/ops/common/window_geometry.hpp"
#include "shardprop/ops/standard_ops.hpp"
#include "tests/catch.hpp"
#include "tests/ops/cases/windows.hpp"
#include "tests/ops/check_op_cases.hpp"

namespace {

constexpr op_test::RuleCase kWindowsRules[] = {
    {kReduceWindow, "{}", "([i, j], [])->([i, j]) {i=4, j=6} permutation={i}"},
    {kReduceWindow, "{}",
     "([i, j], [])->([i, j]) {i=4, j=6} permutation={i} blocked_propagation={i}", true},
    {kReduceWindow, R"({"attributes": {"padding": [[1, 1]]}})", ""},
    {kSelectAndScatter, "{}",
     "([j, k], [i, k], [])->([j, k]) {i=4, j=8, k=6} need_replication={i} permutation={j}"},
    {kSelectAndScatter, "{}",
     "([j, k], [i, k], [])->([j, k]) {i=4, j=8, k=6} need_replication={i} permutation={j} "
     "blocked_propagation={i, j}",
     true},
    {kSelectAndScatter, R"({"operands": ["8x6xf32", "4xf32", "f32"]})", ""},
};

}  // namespace

TEST_CASE("reduce_window and select_and_scatter: verification and inference") {
  op_test::check_op_cases(shardprop::standard_ops(), kWindowCases);
  op_test::check_rows_have_cases(shardprop::kWindowOps, kWindowCases);
}

TEST_CASE("reduce_window and select_and_scatter: rules") {
  op_test::check_rule_cases(shardprop::standard_ops(), kWindowCases, kWindowsRules);
}

TEST_CASE("positions of a window are as many as fit, counted one by one") {
  using namespace shardprop;
  for (std::int64_t base = 0; base < 6; ++base) {
    for (std::int64_t size = 1; size < 4; ++size) {
      for (std::int64_t stride = 1; stride < 4; ++stride) {
        for (std::int64_t dilation = 1; dilation < 3; ++dilation) {
          const WindowDim dim = {size, stride, dilation, dilation, 1, -1};
          const std::int64_t length = base == 0 ? 0 : (base - 1) * dilation + 1;
          const std::int64_t reach = (size - 1) * dilation;
          std::int64_t count = 0;
          for (std::int64_t at = 0; at + reach < length; at += stride) ++count;
          CHECK(window_positions(base, dim) == count);
        }
      }
    }
  }
  CHECK(window_positions(kDynamic, {}) == kDynamic);
}
