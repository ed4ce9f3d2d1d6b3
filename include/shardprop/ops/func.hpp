// Functions: func.return and func.call. Neither has a sharding rule: what a function returns is
// sharded as its results, and the edges of a call are made explicit by a pass.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/common/type_lists.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

// The types that the called function returns.
inline std::optional<std::vector<TypeId>> infer_call(const InferInput& in) {
  AttributeReader attributes(in);
  const std::string_view name = attributes.text("callee");
  if (!attributes.ok()) return std::nullopt;
  const FuncId callee = find_func(in, name);
  if (!callee.valid()) {
    report(in, "unknown_callee", fmt::format("the module has no function @{}", name));
    return std::nullopt;
  }
  const std::vector<TypeId> expected = argument_types(in.m, in.m.funcs[callee].body);
  const std::vector<TypeId> found = operand_types(in.m, in.op);
  if (expected != found) {
    report(in, "operand_types",
           fmt::format("@{} takes {}, found {}", name, to_string(in.m, expected),
                       to_string(in.m, found)));
    return std::nullopt;
  }
  std::vector<TypeId> types;
  for (const FuncResult& r : in.m.funcs[callee].results) types.push_back(r.type);
  return types;
}

// The values that leave a function must be returned from its own body; their types are the form's
// to check.
inline void verify_func_return(const VerifyInput& in) {
  if (parent_op(in.m, in.op).valid()) {
    report(in, "nested",
           "func.return must be in the body of a function, not in a region of an operation",
           "end the region with stablehlo.return or sdy.return");
  }
}

inline constexpr OpDef kFuncOps[] = {
    {.name = "func.return",
     .traits = kTerminator | kPure,
     .signature = kTerminatorSignature,
     .verify = verify_func_return,
     .silent_without_rule = true},
    {.name = "func.call",
     .signature = {.min_results = 0, .max_results = kVariadic},
     .infer = infer_call,
     .silent_without_rule = true},
};

}  // namespace shardprop
