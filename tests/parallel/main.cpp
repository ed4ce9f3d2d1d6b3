// Many modules on many threads: each job gives the same bytes on every thread as it gave alone.
// What the threads share is constant: the table of operations, the modules that they copy and the
// documents that they read. Run under ThreadSanitizer, see tests/parallel.cmake.
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "examples/models/decoder.hpp"
#include "examples/models/small_graphs.hpp"
#include "examples/models/transformer.hpp"
#include "shardprop/analysis/explain/explainer.hpp"
#include "shardprop/io/json_reader.hpp"
#include "shardprop/io/json_writer.hpp"
#include "shardprop/io/stablehlo_text.hpp"
#include "shardprop/ops/infer.hpp"
#include "shardprop/ops/standard_ops.hpp"
#include "shardprop/ops/verify.hpp"
#include "shardprop/pipeline/propagate_program.hpp"
#include "shardprop/pipeline/run_passes.hpp"
#include "shardprop/propagate/propagate.hpp"

namespace shardprop::test::parallel {
namespace {

constexpr std::size_t kThreads = 8;
constexpr std::size_t kRounds = 2;

// What all threads see.
struct Shared {
  OpTable table = standard_ops();
  std::vector<Module> modules;
  std::vector<std::string> documents;  // of the modules
};

struct Job {
  std::string name;
  std::function<std::string(const Shared&)> run;  // gives its result as text
};

// A module with regions and calls, which the models do not have.
constexpr std::string_view kRegions = R"(
sdy.mesh @mesh = <["data"=4, "model"=2]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", ?}, {?}]>},
                %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c = call @twice(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %r, %s = stablehlo.while(%u = %c, %v = %b) : tensor<8x8xf32>, tensor<8x8xf32>
  cond {
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %d = stablehlo.dot_general %u, %v, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    stablehlo.return %d, %v : tensor<8x8xf32>, tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}
func.func private @twice(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.add %a, %a : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
})";

Shared make_shared_part() {
  Shared s;
  const auto add = [&](Result<Module> m) {
    if (m) s.modules.push_back(std::move(*m));
  };
  add(models::transformer(s.table, {.layers = 2}));
  add(models::decoder(s.table, {.layers = 1}));
  add(models::mlp(s.table, 6));
  for (std::uint64_t seed = 1; seed <= 3; ++seed) add(models::random_dag(s.table, 60, seed));
  add(read_stablehlo_text(borrowed_text(kRegions)));
  for (const Module& m : s.modules) s.documents.push_back(write_json(m));
  return s;
}

std::string propagated(const Shared& s, std::size_t i) {
  Module m = s.modules[i];
  const auto report = propagate(m, s.table);
  return report ? write_json(m) : to_string(report.errors());
}

std::string through_pipeline(const Shared& s, std::size_t i, std::string_view collectives) {
  Module m = s.modules[i];
  const std::vector<PassCall> calls = {
      {"propagation-pipeline", {{"enable-insert-explicit-collectives", std::string(collectives)}}}};
  const auto report = run_passes(m, s.table, calls, {.verify_each = true});
  return report ? write_json(m) : to_string(report.errors());
}

std::string explained(const Shared& s, std::size_t i) {
  const Module& m = s.modules[i];
  PropagateProgramOptions traced;
  traced.propagation.trace = true;
  Result<PropagatedCopy> copy = propagate_copy(m, s.table, traced);
  if (!copy) return to_string(copy.errors());
  Explainer explainer(m, *copy, s.table, traced.propagation);
  std::string out;
  for (ValueId value : m.values.ids()) {
    for (const AxisExplanation& axis : explainer.axes({value})) {
      out += axis.axis;
      for (const ExplainedStep& step : axis.steps) out += " " + step.operation;
    }
  }
  return out;
}

std::string read_again(const Shared& s, std::size_t i) {
  ReadOptions options;
  options.infer_types = [&](Module& m, OpId op, Diagnostics& out) {
    return infer_types(s.table, m, op, out);
  };
  Result<Module> m = read_json(s.documents[i], options);
  if (!m) return to_string(m.errors());
  Diagnostics errors;
  verify_module(s.table, *m, errors);
  return write_json(*m, {.compact = true}) + to_string(errors);
}

// What is not a module must be refused alike.
std::string refused(const Shared& s, std::size_t i) {
  const std::string_view text = s.documents[i];
  const Result<Module> m = read_json(text.substr(0, text.size() / 2));
  return m ? "taken" : to_string(m.errors());
}

std::vector<Job> make_jobs(const Shared& s) {
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < s.modules.size(); ++i) {
    const std::string number = " of module " + std::to_string(i);
    jobs.push_back({"propagation" + number, [i](const Shared& x) { return propagated(x, i); }});
    jobs.push_back(
        {"pipeline" + number, [i](const Shared& x) { return through_pipeline(x, i, "false"); }});
    jobs.push_back(
        {"collectives" + number, [i](const Shared& x) { return through_pipeline(x, i, "true"); }});
    jobs.push_back({"explanation" + number, [i](const Shared& x) { return explained(x, i); }});
    jobs.push_back({"reading" + number, [i](const Shared& x) { return read_again(x, i); }});
    jobs.push_back({"refusal" + number, [i](const Shared& x) { return refused(x, i); }});
  }
  return jobs;
}

// Runs all jobs on each of the threads, each thread beginning with another job. The number of
// results that differ.
std::size_t run_side_by_side(const Shared& s, const std::vector<Job>& jobs,
                             const std::vector<std::string>& expected) {
  std::atomic<std::size_t> wrong{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t n = 0; n < kRounds * jobs.size(); ++n) {
        const std::size_t i = (n + t * jobs.size() / kThreads) % jobs.size();
        if (jobs[i].run(s) == expected[i]) continue;
        std::printf("%s differs on thread %zu\n", jobs[i].name.c_str(), t);
        ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return wrong;
}

int run() {
  const Shared s = make_shared_part();
  const std::vector<Job> jobs = make_jobs(s);
  constexpr std::size_t kModules = 7;
  if (s.modules.size() != kModules) {
    std::printf("%zu modules instead of %zu\n", s.modules.size(), kModules);
    return 1;
  }
  std::vector<std::string> expected;
  for (const Job& job : jobs) expected.push_back(job.run(s));
  const std::size_t wrong = run_side_by_side(s, jobs, expected);
  std::printf("%zu jobs on %zu threads, %zu times each: %zu results differ\n", jobs.size(),
              kThreads, kRounds, wrong);
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace shardprop::test::parallel

int main() { return shardprop::test::parallel::run(); }
