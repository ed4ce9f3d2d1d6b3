// The sharding strategies of the literature on one training step of 32 layers: each collective of
// the outcome is accounted for by a term of theory or by a term that says why there are more.
// docs/communication.md has the table and the sources.
#include <map>
#include <vector>

#include "examples/models/training.hpp"
#include "fmt/core.h"
#include "shardprop/analysis/communication.hpp"
#include "tests/passes/golden.hpp"

namespace shardprop::test::strategies_cases {
namespace {

constexpr std::int64_t kLayers = 32;

// Tensors by shape; no two roles have the same.
constexpr std::string_view kGain = "2048";
constexpr std::string_view kInput = "2048x16x128";
constexpr std::string_view kOutput = "16x128x2048";
constexpr std::string_view kUp = "2048x8192";
constexpr std::string_view kDown = "8192x2048";
constexpr std::string_view kHead = "2048x32000";
constexpr std::string_view kTokens = "64x1024x2048";
constexpr std::string_view kRows = "64x1024";
constexpr std::string_view kScalar = "";

// per_layer * 32 + rest collectives of `kind` along `axes` of tensors of `shape`.
struct Term {
  std::string_view kind;
  std::string_view axes;
  std::string_view shape;
  std::int64_t per_layer;
  std::int64_t rest;
  std::string_view why;
};
using Terms = std::vector<Term>;

struct Strategy {
  std::string_view name;
  models::TrainingOptions options;
  Terms theory;
  Terms extra;
  bool share_reshards = false;  // run the rewrite that takes equal reshards together
};

// `times` for each of the 8 weights of a layer, the last gain and the head.
Terms each_weight(std::string_view kind, std::int64_t times, std::string_view why) {
  return {{kind, "data", kGain, 2 * times, times, why}, {kind, "data", kInput, 3 * times, 0, why},
          {kind, "data", kOutput, times, 0, why},       {kind, "data", kUp, times, 0, why},
          {kind, "data", kDown, times, 0, why},         {kind, "data", kHead, 0, times, why}};
}

Terms operator+(Terms a, const Terms& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const models::WeightShardings kWhole = {
    "[{}]", "[{}, {}, {}]", "[{}, {}, {}, {}]", "[{}, {}, {}]", "[{}, {}]", "[{}, {}]", "[{}, {}]"};
// Heads, hidden units and vocabulary.
const models::WeightShardings kByModel = {"[{}]",
                                          R"([{}, {"model"}, {}])",
                                          R"([{}, {}, {"model"}, {}])",
                                          R"([{"model"}, {}, {}])",
                                          R"([{}, {"model"}])",
                                          R"([{"model"}, {}])",
                                          R"([{}, {"model"}])"};
// The width, after the batch: priority 1.
const models::WeightShardings kByData = {
    R"([{"data"}p1])",         R"([{"data"}p1, {}, {}])", R"([{"data"}p1, {}, {}, {}])",
    R"([{}, {}, {"data"}p1])", R"([{"data"}p1, {}])",     R"([{}, {"data"}p1])",
    R"([{"data"}p1, {}])"};

models::TrainingOptions options(std::vector<MeshAxis> mesh, std::string tokens, std::string labels,
                                const models::WeightShardings& weights,
                                const models::WeightShardings& state) {
  models::TrainingOptions o;
  o.layers = kLayers;
  o.mesh = std::move(mesh);
  o.tokens = std::move(tokens);
  o.labels = std::move(labels);
  o.weights = weights;
  o.state = state;
  return o;
}
models::TrainingOptions by_batch(std::vector<MeshAxis> mesh, const models::WeightShardings& weights,
                                 const models::WeightShardings& state) {
  return options(std::move(mesh), R"([{"data"}, {}, {}])", R"([{"data"}, {}])", weights, state);
}
models::TrainingOptions megatron() {
  return options({{"model", 8}}, "[{}, {}, {}]", "[{}, {}]", kByModel, kByModel);
}
// The residual stream by sequence, where heads and hidden units leave the axis: priority 1.
models::TrainingOptions sequence_parallel() {
  const std::string tokens = R"([{}, {"model"}p1, {}])";
  models::TrainingOptions o =
      options({{"model", 8}}, tokens, R"([{}, {"model"}p1])", kByModel, kByModel);
  o.stream = tokens;
  return o;
}
models::TrainingOptions fused(models::TrainingOptions o) {
  o.fused_projection = true;
  return o;
}

const Term kLossByBatch = {"all_reduce", "data", kScalar, 0, 1, "the loss, a sum of the batch"};
const Terms kFourAllReduces = {
    {"all_reduce", "model", kTokens, 2, 0,
     "forward: products with output and down add up heads "
     "and hidden units"},
    {"all_reduce", "model", kTokens, 2, 0,
     "backward: so do the gradients of the inputs of the "
     "projection and of up"},
    {"all_reduce", "model", kTokens, 0, 1, "backward: the gradient of the input of the head"},
    {"all_reduce", "model", kRows, 0, 2, "softmax of words: the maximum and the sum"}};
const Term kThreeProjections = {
    "all_reduce",
    "model",
    kTokens,
    2,
    0,
    "query, key and value have weights of their own: each product adds up heads by itself before "
    "the three are added, 3 where a fused weight has 1"};
const Term kLossByModel = {"all_reduce", "model", kScalar, 0, 1, "the loss, a sum of words"};

const Terms kScatters = {
    {"reduce_scatter", "model", kTokens, 2, 0, "forward: behind output and down"},
    {"reduce_scatter", "model", kTokens, 2, 0, "backward: behind the projection and up"},
    {"reduce_scatter", "model", kTokens, 0, 1, "backward: behind the head"}};
const Terms kGathers = {
    {"all_gather", "model", kTokens, 2, 0, "forward: before the projection and up"},
    {"all_gather", "model", kTokens, 2, 0, "backward: before output and down"},
    {"all_gather", "model", kTokens, 0, 1, "before the head"},
    {"all_gather", "model", kRows, 0, 1, "labels, which meet all words of a device"}};
const Terms kSequenceRest = {
    {"all_reduce", "model", kGain, 2, 1, "gradients of gains, sums of the sequence"},
    {"all_reduce", "model", kRows, 0, 2, "softmax of words: the maximum and the sum"},
    kLossByModel};
// A value that is gathered is gathered for each product that uses it.
const Terms kGathersAgain = {{"all_gather", "model", kTokens, 2, 1,
                              "backward: inputs of the projection, of up and of the "
                              "head once more, for the gradients of these weights"},
                             {"all_gather", "model", kTokens, 2, 0,
                              "backward: the gradient behind output and down is used "
                              "by two products, and gathered for each"}};

const std::vector<Strategy>& strategies() {
  static const std::vector<Strategy> rows = {
      {"batch parallel",
       by_batch({{"data", 8}}, kWhole, kWhole),
       each_weight("all_reduce", 1, "one a gradient") + Terms{kLossByBatch},
       {}},
      {"Megatron", fused(megatron()), kFourAllReduces + Terms{kLossByModel}, {}},
      {"Megatron, query, key and value apart",
       megatron(),
       kFourAllReduces + Terms{kLossByModel},
       {kThreeProjections}},
      {"batch and Megatron",
       by_batch({{"data", 4}, {"model", 8}}, kByModel, kByModel),
       each_weight("all_reduce", 1, "one a gradient") + kFourAllReduces +
           Terms{{"all_reduce", "data, model", kScalar, 0, 1, "the loss"}},
       {kThreeProjections}},
      {"ZeRO-2",
       by_batch({{"data", 8}}, kWhole, kByData),
       each_weight("reduce_scatter", 1, "one a gradient") +
           each_weight("all_gather", 1, "one an updated parameter") + Terms{kLossByBatch},
       {}},
      {"ZeRO-3",
       by_batch({{"data", 8}}, kByData, kByData),
       each_weight("all_gather", 2, "before its use in forward and in backward") +
           each_weight("reduce_scatter", 1, "one a gradient") + Terms{kLossByBatch},
       {}},
      {"sequence parallel", fused(sequence_parallel()), kScatters + kGathers + kSequenceRest,
       kGathersAgain},
      {"sequence parallel, equal reshards shared",
       fused(sequence_parallel()),
       kScatters + kGathers + kSequenceRest,
       {},
       true},
      {"sequence parallel, query, key and value apart", sequence_parallel(),
       kScatters + kGathers + kSequenceRest,
       kGathersAgain +
           Terms{{"reduce_scatter", "model", kTokens, 2, 0, "as all_reduce in Megatron: 3 for 1"},
                 {"all_gather", "model", kTokens, 4, 0,
                  "the input is gathered for each of the "
                  "three, forward and for their gradients"}}},
  };
  return rows;
}

using Counts = std::map<std::string, std::int64_t>;

Counts counts_of(const Terms& terms) {
  Counts counts;
  for (const Term& t : terms)
    counts[fmt::format("{} ({}) {}", t.kind, t.axes, t.shape)] += t.per_layer * kLayers + t.rest;
  return counts;
}

std::string shape_text(const Module& m, ValueId value) {
  std::string text;
  for (std::int64_t dim : shape_of(m, value))
    text += (text.empty() ? "" : "x") + std::to_string(dim);
  return text;
}

Counts count_collectives(const Module& m) {
  Counts counts;
  for_each_collective(m, [&](const CollectiveCost& cost) {
    const std::string shape = shape_text(m, operand(m, cost.op, 0));
    ++counts[fmt::format("{} ({}) {}", cost.kind, cost.axes, shape)];
  });
  return counts;
}

constexpr std::string_view kPipeline =
    "propagation-pipeline{enable-insert-explicit-collectives=true}";
constexpr std::string_view kSharing =
    "propagation-pipeline,insert-explicit-reshards{enable-full-version=true},canonicalize,"
    "reshard-to-collectives,canonicalize{enabled-patterns=sdy-collective}";

Module partitioned(const models::TrainingOptions& options, std::string_view passes) {
  const OpTable ops = standard_ops();
  Result<Module> m = models::training(ops, options);
  if (!m) FAIL(to_string(m.errors()));
  Diagnostics errors;
  verify_module(ops, *m, errors);
  if (has_errors(errors)) FAIL(to_string(errors));
  const Result<PipelineReport> report = run_text(*m, passes);
  if (!report) FAIL(to_string(report.errors()));
  return std::move(*m);
}

TEST_CASE("sharding strategies give the collectives of theory, or say why there are more") {
  for (const Strategy& s : strategies()) {
    INFO(s.name);
    const Module m = partitioned(s.options, s.share_reshards ? kSharing : kPipeline);
    CHECK(count_collectives(m) == counts_of(s.theory + s.extra));
    const CommunicationSummary summary = communication(m);
    CHECK(summary.not_counted == 0);
    std::int64_t total = 0;
    for (const CommunicationRow& row : summary.rows) total += row.count;
    std::int64_t expected = 0;
    for (const auto& [what, count] : counts_of(s.theory + s.extra)) expected += count;
    CHECK(total == expected);
  }
}

// Without the rewrites of collectives a slice of a sum stays two operations.
TEST_CASE("reduce-scatters come from the rewrites of the export pipeline") {
  const Module m = partitioned(by_batch({{"data", 8}}, kWhole, kByData),
                               "propagation-pipeline,insert-explicit-reshards{enable-full-version="
                               "true},reshard-to-collectives");
  CHECK(count_collectives(m) ==
        counts_of(each_weight("all_reduce", 1, "one a gradient") +
                  each_weight("all_gather", 1, "one an updated parameter") + Terms{kLossByBatch}));
}

double sent(const models::TrainingOptions& options) {
  double bytes = 0;
  for (const CommunicationRow& row : communication(partitioned(options, kPipeline)).rows)
    bytes += row.sent;
  return bytes;
}

// With P bytes of parameters and n devices, (n-1)/n P a gather or scatter of all: batch parallel
// and ZeRO-2 send two of these, ZeRO-3 three. The loss adds 2 * 7/8 * 4 = 7 bytes to each.
TEST_CASE("ZeRO-2 sends as much as batch parallel, ZeRO-3 half as much again") {
  const double layer = 2 * 2048.0 + 4 * 2048.0 * 2048 + 2 * 2048.0 * 8192;
  const double parameters = 4 * (kLayers * layer + 2048 + 2048 * 32000.0);
  const double part = 7.0 / 8 * parameters;
  const std::vector<MeshAxis> mesh = {{"data", 8}};
  CHECK(sent(by_batch(mesh, kWhole, kWhole)) == 2 * part + 7);
  CHECK(sent(by_batch(mesh, kWhole, kByData)) == 2 * part + 7);
  CHECK(sent(by_batch(mesh, kByData, kByData)) == 3 * part + 7);
}

}  // namespace
}  // namespace shardprop::test::strategies_cases
