// Reports: each collective with its reason, the sum of all, and suggestions that were tried.
#include "shardprop/analysis/report/report.hpp"
#include "shardprop/analysis/communication.hpp"

#include <filesystem>
#include <string>

#include "shardprop/io/text/file.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/pipeline/run_passes.hpp"
#include "tests/support/program.hpp"
#include "tests/support/shared_data.hpp"

namespace shardprop::test::report_cases {
namespace {

Report report_of(const Module& m, const ReportOptions& options = {}) {
  const OpTable ops = standard_ops();
  Result<Report> report = make_report(m, ops, options);
  if (!report) FAIL(to_string(report.errors()));
  return *std::move(report);
}

double sum_of(const Report& report) {
  double bytes = 0;
  for (const Finding& f : report.findings) {
    if (f.measure == Measure::kCommunication) bytes += f.bytes;
  }
  return bytes;
}

double sent_as_is(const Module& m) {
  double bytes = 0;
  for (const CommunicationRow& row : communication(m).rows) bytes += row.sent;
  return bytes;
}

double sent(Module m) {
  const OpTable ops = standard_ops();
  const auto calls =
      *parse_pipeline("propagation-pipeline{enable-insert-explicit-collectives=true}");
  REQUIRE(run_passes(m, ops, calls));
  return sent_as_is(m);
}

const Finding* find(const Report& report, CauseKind kind) {
  for (const Finding& f : report.findings) {
    if (f.cause && f.cause->kind == kind) return &f;
  }
  return nullptr;
}

// A sum over a split dimension, and an operand that is split where the result is not.
Module two_products() {
  return program(on_mesh(R"(
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %c: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>})
    -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %d = stablehlo.dot %a, %b : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %e = stablehlo.dot %d, %c : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %e : tensor<8x4xf32>
})"));
}

TEST_CASE("a report tells why each collective is there, and sums up to the cost") {
  const Module m = two_products();
  const Report report = report_of(m);
  CHECK(sum_of(report) == sent(m));
  CHECK(sum_of(report) > 0);
  const Finding* sum = find(report, CauseKind::kSum);
  REQUIRE(sum);
  CHECK(sum->reason.find("sums over dimension 1 of the left operand and dimension 0 of the right "
                         "operand") != std::string::npos);
  REQUIRE(sum->places.size() == 1);
  CHECK(name_of(m, sum->places[0].value) == "%d");
  const bool gathers = find(report, CauseKind::kReturn) || find(report, CauseKind::kOperand) ||
                       find(report, CauseKind::kResult);
  CHECK(gathers);
}

TEST_CASE("a suggestion saves what the report says") {
  const Module m = two_products();
  const Report report = report_of(m);
  std::size_t tried = 0;
  for (const Finding& f : report.findings) {
    if (!f.suggestion) continue;
    Module changed = m;
    for (const SuggestedEdit& edit : f.suggestion->edits) {
      if (!edit.value.value.valid()) continue;
      changed.value_shardings[edit.value.value] = changed.shardings.intern(edit.sharding);
    }
    CHECK(sent(changed) - sent(m) == f.suggestion->communication);
    CHECK(f.suggestion->communication < 0);
    ++tried;
  }
  CHECK(tried > 0);
}

TEST_CASE("equal layers are one row with a count") {
  const Report report = report_of(program(on_mesh(R"(
func.func @main(%a: tensor<8x16xf32>,
                %v: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %w: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %b = stablehlo.dot %a, %v : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %c = stablehlo.dot %a, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  return %b, %c : tensor<8x16xf32>, tensor<8x16xf32>
})")));
  const Finding* sum = find(report, CauseKind::kSum);
  REQUIRE(sum);
  CHECK(sum->count == 2);
  CHECK(sum->places.size() == 2);
  CHECK(sum->bytes == 2 * sum->bytes_each);
}

TEST_CASE("operands that are alike are told of once in a reason") {
  std::string arguments;
  std::string names;
  std::string types;
  for (int i = 0; i < 12; ++i) {
    const std::string_view comma = i == 0 ? "" : ", ";
    arguments += fmt::format(
        "{}%a{}: tensor<8x4xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{\"x\"}}, {{}}]>}}", comma,
        i);
    names += fmt::format("{}%a{}", comma, i);
    types += fmt::format("{}tensor<8x4xf32>", comma);
  }
  const Report report = report_of(program(
      on_mesh("func.func @main(" + arguments +
              ") -> (tensor<8x48xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"x\"}]>}) {\n"
              "  %c = stablehlo.concatenate " +
              names + ", dim = 1 : (" + types +
              ") -> tensor<8x48xf32>\n  return %c : tensor<8x48xf32>\n}")));
  std::size_t folded = 0;
  for (const Finding& f : report.findings) {
    if (f.kind != FindingKind::kCollective) continue;
    INFO(f.reason);
    CHECK(f.reason.size() < 300);
    if (f.reason.find("dimension 0 of operands 0 to 11, {x}") != std::string::npos) ++folded;
  }
  CHECK(folded == 1);
}

TEST_CASE("axes that split nothing, operations without a rule and replicated values are told of") {
  ReportOptions options;
  options.large_bytes = 64;
  const Report report = report_of(program(on_mesh(R"(
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<16xf32>) -> tensor<8xf32> {
  %c = stablehlo.custom_call @unknown(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %c : tensor<8xf32>
})")),
                                  options);
  const auto has = [&](FindingKind kind, std::string_view text) {
    for (const Finding& f : report.findings) {
      if (f.kind == kind && f.summary.find(text) != std::string::npos) return true;
    }
    return false;
  };
  CHECK(has(FindingKind::kUnusedAxis, "axis y of size 4"));
  CHECK(has(FindingKind::kNoRule, "stablehlo.custom_call"));
  CHECK(has(FindingKind::kReplicated, "argument tensor<16xf32>"));
}

TEST_CASE("collectives of the program itself are summed up") {
  const Module m = program(R"(
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %b = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %b : tensor<8xf32>
})");
  ReportOptions options;
  options.is_explicit = true;
  const Report report = report_of(m, options);
  CHECK(sum_of(report) == 2 * 3 / 4.0 * 32);
  REQUIRE(report.communication.rows.size() == 1);
  CHECK(report.communication.rows[0].axes == "groups of 4");
  const Finding* own = find(report, CauseKind::kProgram);
  REQUIRE(own);
  CHECK(own->count == 1);
}

void check_sum(const std::filesystem::path& path) {
  const bool json = path.extension() == ".json";
  Result<TextSource> text = open_text(path.string());
  REQUIRE(text);
  Result<Module> m = json ? read_json(text->text) : read_stablehlo_text(*text);
  REQUIRE(m);
  ReportOptions options;
  options.max_trials = 0;
  CHECK(sum_of(report_of(*m, options)) == sent(*m));
  // The same once the program has its collectives.
  REQUIRE(
      run_passes(*m, standard_ops(),
                 *parse_pipeline("propagation-pipeline{enable-insert-explicit-collectives=true}")));
  options.is_explicit = true;
  CHECK(sum_of(report_of(*m, options)) == sent_as_is(*m));
}

TEST_CASE("the findings of the demo sum up to its cost, to the byte") {
  check_sum(std::filesystem::path(SHARDPROP_SOURCE_DIR) / "examples/decoder_8b.json");
}

TEST_CASE("the findings of programs that people use sum up to their cost, to the byte",
          "[shared]") {
  const std::filesystem::path folder = std::filesystem::path(SHARDPROP_SHARED) / "data/mlir";
  if (!is_shared(folder)) return;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    INFO(entry.path().string());
    check_sum(entry.path());
  }
}

}  // namespace
}  // namespace shardprop::test::report_cases
