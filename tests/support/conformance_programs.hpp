// The programs of the conformance cases, for tests that propagate them in their own ways.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "nlohmann/json.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/pipeline/run_passes.hpp"
#include "tests/support/conformance_cases.hpp"
#include "tests/support/program.hpp"

namespace shardprop::test {

// Calls `fn(number, module)` for every `every`th case of a file whose input is a valid program.
template <class Fn>
void for_each_program(const std::filesystem::path& path, std::size_t every, Fn&& fn) {
  for_each_case(path, every, [&](std::size_t number, const nlohmann::json& c) {
    Result<Module> m = read_json(c.at("input").dump());
    if (!m) return;
    Diagnostics errors;
    verify_module(standard_ops(), *m, errors);
    if (has_errors(errors)) return;
    INFO(path.string() << ": " << c.at("name"));
    fn(number, *m);
  });
}

// Adds data-flow edges, between functions too. False if that fails.
inline bool add_all_edges(Module& m) {
  const Result<std::vector<PassCall>> calls =
      parse_pipeline("add-data-flow-edges,add-func-data-flow-edges");
  REQUIRE(calls);
  return run_passes(m, standard_ops(), *calls).ok();
}

}  // namespace shardprop::test
