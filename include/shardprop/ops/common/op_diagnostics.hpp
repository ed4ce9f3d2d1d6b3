// Diagnostics of operation checks. The code of a constraint is the operation's name and the
// constraint's number in the StableHLO specification: `stablehlo.dot_general.c9`; the sdy dialect's
// constraints have short names instead of numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "fmt/core.h"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/print.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

// Adds an error of `op` under the code `<operation>.<constraint>`; says what was expected and found
// in `message`.
inline void report(const Module& m, OpId op, Diagnostics& diagnostics, std::string_view constraint,
                   std::string message, std::string hint = {}) {
  diagnostics.push_back({fmt::format("{}.{}", op_name(m, op), constraint), std::move(message),
                         std::move(hint), place_of(m, op)});
}
inline void report(const VerifyInput& in, std::string_view constraint, std::string message,
                   std::string hint = {}) {
  report(in.m, in.op, in.diagnostics, constraint, std::move(message), std::move(hint));
}
inline void report(const InferInput& in, std::string_view constraint, std::string message,
                   std::string hint = {}) {
  report(in.m, in.op, in.diagnostics, constraint, std::move(message), std::move(hint));
}

// `[2, 3]`
inline std::string to_string(std::span<const std::int64_t> numbers) {
  std::string out = "[";
  for (std::int64_t number : numbers) {
    if (out.size() > 1) out += ", ";
    out += number == kDynamic ? "?" : std::to_string(number);
  }
  return out + "]";
}

}  // namespace shardprop
