// Operations that are settled are passed by: the answer is that of an engine which visits them all,
// byte for byte; on the families of graphs, on random ones and on the conformance cases.
#include <filesystem>
#include <vector>

#include "examples/models/decoder.hpp"
#include "examples/models/small_graphs.hpp"
#include "examples/models/transformer.hpp"
#include "tests/support/conformance_programs.hpp"
#include "tests/support/program.hpp"
#include "tests/support/shared_data.hpp"

namespace shardprop::test::skip_cases {
namespace {

// Each kEvery-th of the shared cases is used; all of them take a minute.
constexpr std::size_t kEvery = 9;

struct Totals {
  std::size_t visits = 0;
  std::size_t skipped = 0;
  std::size_t graphs = 0;
};

// Propagates `original` with and without skipping.
void compare(const Module& original, PropagateOptions options, Totals& totals) {
  Module skipping = original;
  Module plain = original;
  const Result<PropagationReport> fast = propagate(skipping, standard_ops(), options);
  options.skip_settled = false;
  const Result<PropagationReport> slow = propagate(plain, standard_ops(), options);
  REQUIRE(fast.ok() == slow.ok());
  if (!fast) return;
  CHECK(write_json(skipping) == write_json(plain));
  CHECK(fast->visits + fast->skipped == slow->visits);
  CHECK(slow->skipped == 0);
  CHECK(fast->changes == slow->changes);
  totals.visits += fast->visits;
  totals.skipped += fast->skipped;
  ++totals.graphs;
}

std::vector<PropagateOptions> variants() {
  std::vector<PropagateOptions> all(4);
  all[1].strategies = Strategies::kBasicThenAggressive;
  all[2] = plain(Strategies::kBasic);
  all[3].trace_origins = all[3].trace_edges = true;
  all[3].conservative = true;
  return all;
}

TEST_CASE("skipping does not change what becomes of a graph") {
  const OpTable ops = standard_ops();
  Totals totals;
  for (const PropagateOptions& options : variants()) {
    compare(*models::transformer(ops, {.layers = 3}), options, totals);
    compare(*models::decoder(ops, {.layers = 3}), options, totals);
    compare(*models::mlp(ops, 12), options, totals);
    compare(*models::diamond(ops, 20), options, totals);
    compare(*models::fan_out(ops, 30), options, totals);
    for (std::uint64_t seed = 1; seed <= 60; ++seed)
      compare(*models::random_dag(ops, 20 + seed * 3, seed), options, totals);
  }
  CHECK(totals.skipped > 2 * totals.visits);
}

TEST_CASE("of a layer that comes again, a round steps only what it can move") {
  Module m = *models::transformer(standard_ops(), {.layers = 10});
  const PropagationReport report = run(m);
  CHECK(report.visits + report.skipped > 10 * report.operations);
  CHECK(report.visits < 4 * report.operations);
}

// Runs every case of a file up to its first propagation, then propagates with and without skipping.
void compare_file(const std::filesystem::path& path, std::size_t every, Totals& totals) {
  const std::vector<PropagateOptions> all = variants();
  for_each_program(path, every, [&](std::size_t number, Module& m) {
    compare(m, all[0], totals);
    if (add_all_edges(m)) compare(m, all[number % all.size()], totals);
  });
}

TEST_CASE("skipping does not change the sample of conformance cases") {
  Totals totals;
  for (const auto& entry : std::filesystem::directory_iterator(sample_folder()))
    compare_file(entry.path(), 1, totals);
  CHECK(totals.graphs > 500);
  CHECK(totals.skipped > totals.visits);
}

TEST_CASE("skipping does not change the conformance cases", "[shared]") {
  const std::filesystem::path folder = SHARDPROP_SHARED "/conformance";
  if (!is_shared(folder)) return;
  Totals totals;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".jsonl") compare_file(entry.path(), kEvery, totals);
  }
  CHECK(totals.graphs > 500);
}

}  // namespace
}  // namespace shardprop::test::skip_cases
