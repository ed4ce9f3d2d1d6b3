// The models that tests, examples and benchmarks share.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "examples/models/decoder.hpp"
#include "examples/models/small_graphs.hpp"
#include "examples/models/transformer.hpp"
#include "shardprop/io/common/file.hpp"
#include "shardprop/io/json_reader.hpp"
#include "shardprop/io/json_writer.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/standard_ops.hpp"
#include "shardprop/ops/verify.hpp"
#include "shardprop/propagate/propagate.hpp"
#include "tests/catch.hpp"
#include "tests/support/shared_data.hpp"

using namespace shardprop;

namespace {

Module must(Result<Module> made) {
  if (!made) FAIL(to_string(made.errors()));
  return std::move(*made);
}

std::string verify(Module& m) {
  Diagnostics out;
  verify_module(standard_ops(), m, out);
  return to_string(out);
}

std::string sharding_text(const Module& m, ShardingId id) {
  return id.valid() ? to_string(m.shardings[id], m.meshes) : "none";
}

// An operation without what differs between two programs that mean the same: names and constants.
struct OpView {
  std::string name;
  std::vector<std::uint32_t> operands;  // values by the order in which they are made
  std::vector<std::string> results;     // types
  friend bool operator==(const OpView&, const OpView&) = default;
};

struct ProgramView {
  std::vector<std::string> arguments;
  std::vector<OpView> ops;
};

ProgramView view(const Module& m) {
  ProgramView out;
  std::map<std::uint32_t, std::uint32_t> number;
  const auto define = [&](ValueId value) {
    number.emplace(value.index, static_cast<std::uint32_t>(number.size()));
  };
  for (ValueId value : m.blocks[m.funcs[m.func_order[0]].body].arguments) {
    define(value);
    out.arguments.push_back(to_string(m, type_of(m, value)) +
                            sharding_text(m, m.value_shardings[value]));
  }
  walk_ops(m, [&](OpId op) {
    OpView row{std::string(op_name(m, op)), {}, {}};
    for (UseId use : operand_uses(m, op))
      row.operands.push_back(number.at(m.uses[use].value.index));
    for (ValueId value : results(m, op)) {
      define(value);
      row.results.push_back(to_string(m, type_of(m, value)));
    }
    for (BlockId b = m.ops[op].first_block; b.valid(); b = m.blocks[b].next_sibling) {
      for (ValueId value : m.blocks[b].arguments) define(value);
    }
    out.ops.push_back(std::move(row));
  });
  return out;
}

ValueId find_value(const Module& m, const std::string& name) {
  for (ValueId value : m.values.ids()) {
    if (name_of(m, value) == name) return value;
  }
  FAIL("no value " << name);
  return ValueId();
}

}  // namespace

TEST_CASE("every family makes programs that verify", "[models]") {
  const OpTable table = standard_ops();
  for (std::size_t size : {1u, 2u, 7u}) {
    CAPTURE(size);
    for (Result<Module> made :
         {models::transformer(table, {.layers = size}), models::decoder(table, {.layers = size}),
          models::mlp(table, size), models::diamond(table, size), models::fan_out(table, size),
          models::random_dag(table, 20 * size)}) {
      Module m = must(std::move(made));
      CHECK(verify(m) == "");
      CHECK(write_json(must(read_json(write_json(m)))) == write_json(m));
    }
  }
}

TEST_CASE("the transformer is the one of the shared data", "[models][shared]") {
  const std::string path = SHARDPROP_SHARED "/data/json/transformer-100.json";
  if (!shardprop::test::is_shared(path)) return;
  const ProgramView expected = view(must(read_json_file(path)));
  const ProgramView made = view(must(models::transformer(standard_ops(), {.layers = 100})));
  CHECK(made.arguments == expected.arguments);
  REQUIRE(made.ops.size() == expected.ops.size());
  for (std::size_t i = 0; i < made.ops.size(); ++i) {
    INFO("operation " << i << ", " << expected.ops[i].name);
    REQUIRE(made.ops[i] == expected.ops[i]);
  }
}

TEST_CASE("random graphs depend on the seed only", "[models]") {
  const OpTable table = standard_ops();
  const std::string first = write_json(must(models::random_dag(table, 200, 5)));
  CHECK(write_json(must(models::random_dag(table, 200, 5))) == first);
  CHECK(write_json(must(models::random_dag(table, 200, 6))) != first);
  models::Random random(1);
  const std::vector<std::size_t> numbers = {random.below(1000), random.below(1000),
                                            random.below(1000)};
  CHECK(numbers == std::vector<std::size_t>{774, 153, 196});
}

TEST_CASE("examples/decoder_8b.json is what build_decoder writes", "[models]") {
  const Result<std::string> stored =
      shardprop::detail::read_file(SHARDPROP_SOURCE_DIR "/examples/decoder_8b.json");
  REQUIRE(stored.ok());
  const std::string made = write_json(must(models::decoder(standard_ops())));
  // Not CHECK(a == b): it would print both.
  const bool same = *stored == made;
  INFO("write it anew: build_decoder examples/decoder_8b.json");
  CHECK(same);
}

TEST_CASE("the decoder has eight billion parameters", "[models]") {
  const Module m = must(models::decoder(standard_ops()));
  std::int64_t parameters = 0;
  for (ValueId value : m.blocks[m.funcs[m.func_order[0]].body].arguments) {
    if (name_of(m, value) == "%tokens") continue;
    std::int64_t count = 1;
    for (std::int64_t dim : shape_of(m, value)) count *= dim;
    parameters += count;
  }
  CHECK(parameters == 8030261248);
}

TEST_CASE("propagation splits the decoder as its shardings mean", "[models]") {
  const OpTable table = standard_ops();
  Module m = must(models::decoder(table, {.layers = 2}));
  REQUIRE(propagate(m, table).ok());
  // Batch over data and fsdp; heads, hidden units and vocabulary over model; the residual stream on
  // every model device.
  const std::map<std::string, std::string> expected = {
      {"%embedded", R"(<@mesh, [{"data", "fsdp", ?}, {?}, {?}]>)"},
      {"%layers.0.query", R"(<@mesh, [{"data", "fsdp", ?}, {?}, {"model", ?}, {?}]>)"},
      {"%layers.0.key", R"(<@mesh, [{"data", "fsdp", ?}, {?}, {"model", ?}, {?}]>)"},
      {"%layers.1.value", R"(<@mesh, [{"data", "fsdp", ?}, {?}, {"model", ?}, {?}]>)"},
      {"%layers.1.scores", R"(<@mesh, [{"data", "fsdp", ?}, {"model", ?}, {?}, {?}, {?}]>)"},
      {"%layers.1.attended", R"(<@mesh, [{"data", "fsdp", ?}, {?}, {"model", ?}]>)"},
      {"%layers.1.hidden", R"(<@mesh, [{"data", "fsdp", ?}, {?}, {"model", ?}]>)"},
      {"%layers.1.out", R"(<@mesh, [{"data", "fsdp", ?}, {?}, {?}]>)"},
      {"%logits", R"(<@mesh, [{"data", "fsdp", ?}, {?}, {"model", ?}]>)"},
  };
  for (const auto& [name, sharding] : expected) {
    CAPTURE(name);
    CHECK(sharding_text(m, m.value_shardings[find_value(m, name)]) == sharding);
  }
}
