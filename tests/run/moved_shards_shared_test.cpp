// The collectives that the reference makes of reshards, in the conformance cases: to move the shards
// that each device has must give the tensors that the program gives as a whole.
#include <filesystem>
#include <optional>
#include <string>

#include "shardprop/io/json_reader.hpp"
#include "shardprop/run/made_tensors.hpp"
#include "tests/run/run_case.hpp"
#include "tests/support/conformance_cases.hpp"
#include "tests/support/shared_data.hpp"

namespace shardprop::test::moved_shards_cases {

namespace fs = std::filesystem;

bool has_collective(const std::string& text) {
  for (const char* name :
       {"sdy.all_", "sdy.reduce_scatter", "sdy.collective_permute", "_unreduced\""}) {
    if (text.find(name) != std::string::npos) return true;
  }
  return false;
}

Result<Tensors> run_exactly(const Module& m, bool move_shards) {
  static const EvalTable table = standard_evaluators();
  const FuncId func = m.func_order[0];
  EvalOptions options;
  options.exact = true;
  options.move_shards = move_shards;
  Tensors arguments;
  for (ValueId value : m.blocks[m.funcs[func].body].arguments) {
    const TypeId type = type_of(m, value);
    if (!m.types.is_static_tensor(type)) return Diagnostics();
    arguments.push_back(
        random_tensor(element_of(m, type, options), detail::shape_copy(m, type), arguments.size()));
  }
  return evaluate(m, table, func, std::move(arguments), options);
}

// Whether both runs give the same; none where the program cannot be run.
std::optional<bool> is_same(const std::string& text) {
  const Result<Module> m = read_json(text);
  if (!m) return std::nullopt;
  const Result<Tensors> whole = run_exactly(*m, false);
  if (!whole) return std::nullopt;
  const Result<Tensors> moved = run_exactly(*m, true);
  if (!moved) return false;
  for (std::size_t i = 0; i < whole->size(); ++i) {
    if (to_string((*whole)[i]) != to_string((*moved)[i])) return false;
  }
  return true;
}

TEST_CASE("moved shards make the tensors that the program gives as a whole", "[run][shared]") {
  const fs::path folder = fs::path(SHARDPROP_SHARED) / "conformance";
  if (!is_shared(folder)) return;
  constexpr std::size_t kLargest = 40000;  // bytes of a case
  constexpr std::size_t kEvery = 3;        // all cases take two minutes in a debug build
  std::size_t same = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".jsonl") continue;
    for_each_case(entry.path(), kEvery, [&](std::size_t number, const nlohmann::json& c) {
      if (!c.contains("expected") || !c.at("expected").is_object()) return;
      const std::string text = c.at("expected").dump();
      if (text.size() > kLargest || !has_collective(text)) return;
      const auto result = is_same(text);
      if (!result) return;
      INFO(entry.path().filename().string() << ", case " << number);
      CHECK(*result);
      ++same;
    });
  }
  CHECK(same >= 150);
}

}  // namespace shardprop::test::moved_shards_cases
