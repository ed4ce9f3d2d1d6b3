// What is measured on a graph: each part of the way from JSON to JSON by itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/parse_only.hpp"
#include "shardprop/io/json_reader.hpp"
#include "shardprop/io/json_writer.hpp"
#include "shardprop/ir/clone.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/ops/verify.hpp"
#include "shardprop/pipeline/run_passes.hpp"
#include "shardprop/propagate/propagate.hpp"

namespace shardprop::bench {

// The passes of `propagation-pipeline` before and after propagation, and those that make reshards
// and collectives.
struct PipelineParts {
  std::vector<PassCall> import;
  std::vector<PassCall> export_passes;
  std::vector<PassCall>
      before_reshards;  // of the pipeline with explicit collectives, after propagation
  std::vector<PassCall> reshards;
};

inline std::vector<PassCall> expanded(PassCall call) {
  const std::vector<PassCall> calls = {std::move(call)};
  Result<std::vector<PassCall>> all = expand_calls(standard_passes(), calls);
  return all ? std::move(*all) : std::vector<PassCall>();
}

inline PipelineParts pipeline_parts() {
  const auto find = [](const std::vector<PassCall>& calls, std::string_view name) {
    return std::find_if(calls.begin(), calls.end(),
                        [&](const PassCall& call) { return call.name == name; });
  };
  PipelineParts out;
  const std::vector<PassCall> plain = expanded({"propagation-pipeline", {}});
  const auto propagation = find(plain, "user-priority-propagate");
  if (propagation == plain.end()) return out;
  out.import.assign(plain.begin(), propagation);
  out.export_passes.assign(propagation + 1, plain.end());
  const std::vector<PassCall> collectives =
      expanded({"propagation-pipeline", {{"enable-insert-explicit-collectives", "true"}}});
  const auto reshards = find(collectives, "insert-explicit-reshards");
  out.before_reshards.assign(find(collectives, "user-priority-propagate") + 1, reshards);
  out.reshards.assign(reshards, collectives.end());
  return out;
}

// A graph in the states from which the parts start.
struct Stages {
  Module original;
  std::string text;
  Module imported;
  Module propagated;
  Module before_reshards;
  Diagnostics errors;  // of the parts that failed
};

inline Stages make_stages(Module m, const OpTable& table, const PipelineParts& parts) {
  Stages s;
  s.original = std::move(m);
  s.text = write_json(s.original);
  const auto keep_errors = [&](const auto& result) {
    if (!result) s.errors.insert(s.errors.end(), result.errors().begin(), result.errors().end());
  };
  verify_module(table, s.original, s.errors);
  s.imported = s.original;
  keep_errors(run_passes(s.imported, table, parts.import));
  s.propagated = s.imported;
  keep_errors(propagate(s.propagated, table));
  s.before_reshards = s.propagated;
  keep_errors(run_passes(s.before_reshards, table, parts.before_reshards));
  return s;
}

// What a part works on: a copy of a module, or the document.
struct WorkInput {
  Module m;
  std::string_view text;
};
struct WorkContext {
  const OpTable& table;
  const PipelineParts& parts;
};

struct Workload {
  std::string_view name;
  const Module Stages::*start;  // null: starts from the document
  bool (*run)(WorkInput&, const WorkContext&);
};

namespace detail {

inline bool read(WorkInput& in, const WorkContext&) { return read_json(in.text).ok(); }
inline bool parse(WorkInput& in, const WorkContext&) { return parse_only(in.text); }
inline bool write(WorkInput& in, const WorkContext&) { return !write_json(in.m).empty(); }
inline bool verify(WorkInput& in, const WorkContext& c) {
  Diagnostics errors;
  verify_module(c.table, in.m, errors);
  return errors.empty();
}
inline bool copy(WorkInput& in, const WorkContext&) {
  const Module copy = in.m;
  return copy.ops.size() == in.m.ops.size();
}
inline bool clone(WorkInput& in, const WorkContext&) {
  const std::vector<FuncId> all = in.m.func_order;
  for (FuncId f : all) clone_func(in.m, f);
  return true;
}
inline bool import_passes(WorkInput& in, const WorkContext& c) {
  return run_passes(in.m, c.table, c.parts.import).ok();
}
inline bool propagation(WorkInput& in, const WorkContext& c) {
  return propagate(in.m, c.table).ok();
}
// Propagation that keeps how each axis moved, and one that also writes where it came from.
inline bool trace(WorkInput& in, const WorkContext& c) {
  return propagate(in.m, c.table, {.trace = true}).ok();
}
inline bool traced(WorkInput& in, const WorkContext& c) {
  return propagate(in.m, c.table, {.trace_origins = true}).ok();
}
inline bool export_passes(WorkInput& in, const WorkContext& c) {
  return run_passes(in.m, c.table, c.parts.export_passes).ok();
}
inline bool reshards(WorkInput& in, const WorkContext& c) {
  return run_passes(in.m, c.table, c.parts.reshards).ok();
}
// The whole way, from the program to explicit collectives.
inline bool collectives(WorkInput& in, const WorkContext& c) {
  return import_passes(in, c) && propagation(in, c) &&
         run_passes(in.m, c.table, c.parts.before_reshards).ok() && reshards(in, c);
}

}  // namespace detail

inline constexpr Workload kWorkloads[] = {
    {"parse", nullptr, detail::parse},
    {"read", nullptr, detail::read},
    {"verify", &Stages::original, detail::verify},
    {"copy", &Stages::original, detail::copy},
    {"clone", &Stages::original, detail::clone},
    {"import", &Stages::original, detail::import_passes},
    {"propagate", &Stages::imported, detail::propagation},
    {"trace", &Stages::imported, detail::trace},
    {"traced", &Stages::imported, detail::traced},
    {"export", &Stages::propagated, detail::export_passes},
    {"reshards", &Stages::before_reshards, detail::reshards},
    {"pipeline", &Stages::original, detail::collectives},
    {"write", &Stages::propagated, detail::write},
};

inline WorkInput make_input(const Stages& stages, const Workload& work) {
  if (!work.start) return {Module(), stages.text};
  return {stages.*work.start, {}};
}

}  // namespace shardprop::bench
