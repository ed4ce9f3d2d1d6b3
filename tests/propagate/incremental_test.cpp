// Re-propagation after edits of annotations: the shardings are those of a propagation from the
// beginning, byte for byte, whatever is edited; and a local edit takes few visits.
#include "shardprop/propagate/session/propagation_session.hpp"

#include <filesystem>
#include <optional>
#include <vector>

#include "examples/models/small_graphs.hpp"
#include "examples/models/transformer.hpp"
#include "shardprop/ir/edit.hpp"
#include "shardprop/sharding/sharding_text.hpp"
#include "tests/support/conformance_programs.hpp"
#include "tests/support/program.hpp"

namespace shardprop::test::incremental_cases {
namespace {

// Each kEvery-th case is used; all of them take some seconds.
constexpr std::size_t kEvery = 3;

struct Totals {
  std::size_t graphs = 0;
  std::size_t edits = 0;
  std::size_t full = 0;
  std::size_t full_for_priorities = 0;
  std::size_t with_changes = 0;
};

// A mesh to shard on, or none.
MeshId usable_mesh(const Module& m) {
  for (std::uint32_t i = 0; i < m.meshes.size(); ++i) {
    const Mesh& mesh = m.meshes[MeshId(i)];
    if (!mesh.is_empty() && !mesh.is_maximal()) return MeshId(i);
  }
  return MeshId();
}

// A random sharding: each axis of the mesh shards some dimension, stays replicated, or is left out.
TensorSharding random_sharding(const Mesh& mesh, MeshId id, std::size_t rank,
                               models::Random& random) {
  TensorSharding s = open_sharding(id, rank);
  for (std::size_t axis = 0; axis < mesh.axes.size(); ++axis) {
    const AxisRef ref = full_axis(mesh, axis);
    const std::size_t at = random.below(2 * rank + 2);
    if (at < rank) s.dims[at].axes.push_back(ref);
    if (at == rank && random.below(4) == 0) s.replicated.push_back(ref);
  }
  for (DimSharding& dim : s.dims) {
    if (random.below(3) == 0) dim.open = false;
    if (!dim.axes.empty() && random.below(3) == 0)
      dim.priority = static_cast<std::int32_t>(random.below(4));
  }
  return s;
}

// An edit of a random value, or of a result of a function; one in three takes an annotation away.
AnnotationEdit random_edit(const Module& m, MeshId mesh, models::Random& random) {
  AnnotationEdit edit;
  TypeId type;
  const FuncId f = m.func_order[random.below(m.func_order.size())];
  if (random.below(4) == 0 && !m.funcs[f].results.empty()) {
    edit.func = f;
    edit.number = random.below(m.funcs[f].results.size());
    type = m.funcs[f].results[edit.number].type;
  } else {
    const IdRange<ValueId> arguments = m.blocks[m.funcs[f].body].arguments;
    const bool of_argument = !arguments.empty() && random.below(2) == 0;
    edit.value = of_argument ? arguments[random.below(arguments.size())]
                             : ValueId(random.below(m.values.size()));
    type = type_of(m, edit.value);
  }
  if (random.below(3) != 0 && m.types.is_static_tensor(type))
    edit.sharding = random_sharding(m.meshes[mesh], mesh, m.types.rank(type), random);
  return edit;
}

// Edits `m` again and again, and compares each time with a propagation from the beginning.
void edit_and_compare(const Module& m, const PropagateOptions& options, std::size_t edits,
                      models::Random& random, Totals& totals) {
  const MeshId mesh = usable_mesh(m);
  if (!mesh.valid() || m.values.empty()) return;
  Result<PropagationSession> session = PropagationSession::start(m, standard_ops(), options);
  if (!session) return;
  ++totals.graphs;
  Module first = m;
  REQUIRE(propagate(first, standard_ops(), options));
  CHECK(write_json(session->module()) == write_json(first));
  for (std::size_t i = 0; i < edits; ++i) {
    std::vector<AnnotationEdit> some;
    for (std::size_t n = 0; n < 1 + random.below(2); ++n)
      some.push_back(random_edit(m, mesh, random));
    const std::string before = write_json(session->module());
    const Result<RepropagationReport> report = session->repropagate(some);
    if (!report) continue;  // the random sharding does not fit
    ++totals.edits;
    totals.full += report->fully;
    totals.full_for_priorities += report->reason == FullRunReason::kPriorities;
    Module full = session->original();
    REQUIRE(propagate(full, standard_ops(), options));
    const std::string now = write_json(session->module());
    INFO("edit " << i << ": " << explain(report->reason));
    REQUIRE(now == write_json(full));
    totals.with_changes += now != before;
  }
}

TEST_CASE("random edits of random graphs") {
  const OpTable ops = standard_ops();
  models::Random random(7);
  Totals totals;
  PropagateOptions at_once;
  at_once.user_priorities = false;
  at_once.strategies = Strategies::kBasicThenAggressive;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Module m = *models::random_dag(ops, 10 + seed * 2, seed);
    edit_and_compare(m, seed % 3 == 0 ? at_once : PropagateOptions(), 12, random, totals);
  }
  CHECK(totals.edits > 500);
  CHECK(totals.with_changes * 2 > totals.edits);
  CHECK(totals.full * 3 < totals.edits);
}

// Adds sharding groups of two or three random values.
void add_groups(Module& m, models::Random& random) {
  const FuncId f = m.func_order[0];
  const OpId end = terminator(m, m.funcs[f].body);
  const std::size_t values = m.values.size();
  std::vector<bool> taken(values);
  for (std::int64_t group = 0; group < 3; ++group) {
    for (std::size_t n = 0; n < 2 + random.below(2); ++n) {
      const ValueId value(random.below(values));
      if (taken[value.index] || argument_block(m, value).valid() != (group == 0)) continue;
      taken[value.index] = true;
      const ValueId operands[] = {value};
      const OpId op = create_op(m, before(m, end), {"sdy.sharding_group", operands, {}, {}});
      set_attribute(m, op, "group_id", m.attrs.integer(group));
    }
  }
}

TEST_CASE("random edits of graphs with sharding groups") {
  const OpTable ops = standard_ops();
  models::Random random(8);
  Totals totals;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Module m = *models::random_dag(ops, 10 + seed, seed);
    add_groups(m, random);
    edit_and_compare(m, PropagateOptions(), 12, random, totals);
  }
  CHECK(totals.edits > 300);
  CHECK(totals.full < totals.edits);
}

TEST_CASE("random edits of the sample of conformance cases: regions, calls, constraints") {
  models::Random random(9);
  Totals totals;
  for (const auto& entry : std::filesystem::directory_iterator(sample_folder())) {
    for_each_program(entry.path(), kEvery, [&](std::size_t, Module& m) {
      if (add_all_edges(m)) edit_and_compare(m, PropagateOptions(), 6, random, totals);
    });
  }
  CHECK(totals.edits > 400);
  CHECK(totals.full * 2 < totals.edits);
}

AnnotationEdit edit_of(ValueId value, std::optional<TensorSharding> sharding) {
  return {.value = value, .func = FuncId(), .number = 0, .sharding = std::move(sharding)};
}

TEST_CASE("an edit with a local effect takes few visits, however large the program") {
  std::size_t visits_of_small = 0;
  for (std::size_t layers : {20u, 200u}) {
    const Module m = *models::transformer(standard_ops(), {.layers = layers});
    Result<PropagationSession> session = PropagationSession::start(m, standard_ops());
    REQUIRE(session);
    // The gain of a normalisation in the middle, which is a vector of the model's width.
    const ValueId gain = m.blocks[m.funcs[m.func_order[0]].body].arguments[1 + 8 * (layers / 2)];
    const MeshId mesh = m.shardings[m.value_shardings[gain]].mesh;
    const auto report = session->repropagate(edit_of(gain, open_sharding(mesh, 1)));
    REQUIRE(report);
    CHECK_FALSE(report->fully);
    CHECK_FALSE(report->changed.empty());
    if (layers == 20) {
      visits_of_small = report->visits;
    } else {
      CHECK(report->visits == visits_of_small);
      CHECK(report->visits * 100 < session->report().visits);
    }
    Module full = session->original();
    run(full);
    CHECK(write_json(full) == write_json(session->module()));
  }
}

// Edits the annotation of a value by its name, and compares with a propagation from the beginning.
void edit_named(PropagationSession& session, std::string_view name, std::string_view text) {
  std::optional<TensorSharding> s;
  MeshTable meshes = session.module().meshes;
  if (!text.empty()) s = *parse_sharding(text, meshes);
  const auto report = session.repropagate(edit_of(value(session.module(), name), s));
  REQUIRE(report);
  CHECK_FALSE(report->fully);
  Module full = session.original();
  run(full);
  CHECK(write_json(session.module()) == write_json(full));
}

TEST_CASE("an axis that waits for a later priority than before") {
  // %a starts alike for the priorities 1 and 2, but in round 1 %b has the axis for itself.
  const Module m = program(on_mesh(R"(
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {?}]>},
                %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", ?}p1]>},
                %c: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y", ?}p2]>}) -> tensor<8x8xf32> {
  %d = stablehlo.add %a, %b : tensor<8x8xf32>
  %e = stablehlo.add %d, %c : tensor<8x8xf32>
  return %e : tensor<8x8xf32>
})"));
  Result<PropagationSession> session = PropagationSession::start(m, standard_ops());
  REQUIRE(session);
  const std::string before = sharding(session->module(), "%d");
  edit_named(*session, "%a", R"(<@mesh, [{"x"}p2, {?}]>)");
  CHECK(sharding(session->module(), "%d") != before);
  edit_named(*session, "%a", R"(<@mesh, [{"x"}p1, {?}]>)");
  CHECK(sharding(session->module(), "%d") == before);
}

TEST_CASE("a result is open once its sibling has a sharding, unless it is annotated") {
  const Module m = program(on_mesh(R"(
func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %r, %s = stablehlo.custom_call @unknown(%a) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %t = stablehlo.tanh %r : tensor<8xf32>
  return %t : tensor<8xf32>
})"));
  Result<PropagationSession> session = PropagationSession::start(m, standard_ops());
  REQUIRE(session);
  CHECK(sharding(session->module(), "%s") == "<@mesh, [{?}]>");
  edit_named(*session, "%s", R"(<@mesh, [{"y"}]>)");
  CHECK(sharding(session->module(), "%s") == R"(<@mesh, [{"y"}]>)");
  edit_named(*session, "%s", "");
  CHECK(sharding(session->module(), "%s") == "<@mesh, [{?}]>");
}

TEST_CASE("what cannot be taken up again runs from the beginning and says why") {
  const Module m = *models::random_dag(standard_ops(), 40, 3);
  const ValueId argument = m.blocks[m.funcs[m.func_order[0]].body].arguments[0];
  const MeshId mesh = usable_mesh(m);
  const auto reason = [&](const PropagateOptions& options, std::int32_t priority) {
    Result<PropagationSession> session = PropagationSession::start(m, standard_ops(), options);
    REQUIRE(session);
    TensorSharding s = open_sharding(mesh, 2);
    s.dims[0].axes.push_back(full_axis(m.meshes[mesh], 0));
    s.dims[0].priority = priority;
    const Result<RepropagationReport> report = session->repropagate(edit_of(argument, s));
    REQUIRE(report);
    CHECK(report->fully == (report->reason != FullRunReason::kNone));
    Module full = session->original();
    run(full, options);
    CHECK(write_json(full) == write_json(session->module()));
    return report->reason;
  };
  PropagateOptions traced;
  traced.trace_origins = true;
  PropagateOptions limited;
  limited.max_visits = 1000000;
  CHECK(reason({}, 0) == FullRunReason::kNone);
  CHECK(reason({}, 7) == FullRunReason::kPriorities);
  CHECK(reason(traced, 0) == FullRunReason::kTraced);
  CHECK(reason(limited, 0) == FullRunReason::kVisitLimit);

  Result<PropagationSession> session = PropagationSession::start(m, standard_ops());
  REQUIRE(session);
  const Module other = *models::random_dag(standard_ops(), 50, 4);
  const Result<RepropagationReport> report = session->repropagate(other);
  REQUIRE(report);
  CHECK(report->reason == FullRunReason::kStructure);
  CHECK(session->module().ops.size() == other.ops.size());
}

TEST_CASE("an empty schedule restores priorities and visits nothing") {
  const Module m = *models::random_dag(standard_ops(), 60, 3);
  PropagateOptions options;
  options.schedule = {};
  models::Random random(11);
  Totals totals;
  edit_and_compare(m, options, 10, random, totals);
  CHECK(totals.edits > 3);
}

TEST_CASE("of two edits of one place at once, the last counts") {
  const Module m = *models::random_dag(standard_ops(), 60, 5);
  const FuncId f = m.func_order[0];
  const MeshId mesh = usable_mesh(m);
  const std::size_t rank = m.types.rank(m.funcs[f].results[0].type);
  TensorSharding sharded = closed_sharding(mesh, rank);
  const std::size_t smallest = m.meshes[mesh].axes[0].size <= m.meshes[mesh].axes[1].size ? 0 : 1;
  sharded.dims[0].axes.push_back(full_axis(m.meshes[mesh], smallest));
  Result<PropagationSession> session = PropagationSession::start(m, standard_ops());
  REQUIRE(session);
  const ValueId argument = m.blocks[m.funcs[f].body].arguments[0];
  const std::size_t argument_rank = rank_of(m, argument);
  const AnnotationEdit edits[] = {
      {.value = ValueId(), .func = f, .number = 0, .sharding = sharded},
      {.value = ValueId(), .func = f, .number = 0, .sharding = closed_sharding(mesh, rank)},
      edit_of(argument, open_sharding(mesh, argument_rank)),
      edit_of(argument, closed_sharding(mesh, argument_rank))};
  const Result<RepropagationReport> report = session->repropagate(edits);
  REQUIRE(report);
  CHECK_FALSE(report->fully);
  Module full = session->original();
  run(full);
  CHECK(write_json(session->module()) == write_json(full));
}

TEST_CASE("an edit that does not fit changes nothing") {
  const Module m = *models::random_dag(standard_ops(), 20, 3);
  Result<PropagationSession> session = PropagationSession::start(m, standard_ops());
  REQUIRE(session);
  const std::string before = write_json(session->module());
  const MeshId mesh = usable_mesh(m);
  const auto wrong_rank = session->repropagate(edit_of(ValueId(0), open_sharding(mesh, 5)));
  REQUIRE_FALSE(wrong_rank);
  CHECK(wrong_rank.errors()[0].code == "sharding.rank_mismatch");
  const auto no_value = session->repropagate(edit_of(ValueId(100000), std::nullopt));
  REQUIRE_FALSE(no_value);
  CHECK(no_value.errors()[0].code == "propagate.unknown_value");
  CHECK(write_json(session->module()) == before);
}

}  // namespace
}  // namespace shardprop::test::incremental_cases
