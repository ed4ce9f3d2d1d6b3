// One row per operation: what the engine, the verifier and the passes need to know of it. Rows are
// `inline constexpr` data in the tables of their families; functions in a row are plain function
// pointers over (module, operation).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "shardprop/ir/module.hpp"
#include "shardprop/ir/symbols.hpp"
#include "shardprop/ops/common/element_type.hpp"
#include "shardprop/ops/data_flow.hpp"
#include "shardprop/sharding/op_sharding_rule.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop {

// A set of traits.
using Traits = std::uint32_t;
// Each result element depends on the same element of each operand.
constexpr Traits kElementwise = 1;
// A constant.
constexpr Traits kConstantLike = 2;
// Makes a constant of constants, or of nothing: iota, broadcast_in_dim, reshape, slice.
constexpr Traits kConstantFoldable = 4;
// No side effect: may be duplicated or dropped.
constexpr Traits kPure = 8;
constexpr Traits kCommutative = 16;
// Ends a region or the body of a function.
constexpr Traits kTerminator = 32;
// In op-priority rounds as early as an element-wise operation: reshape, transpose, ...
constexpr Traits kRearranges = 64;
// Early as well, but forward only: dynamic_slice, dynamic_update_slice.
constexpr Traits kSlicesDynamically = 128;
// Propagated backward before forward: broadcast_in_dim.
constexpr Traits kBroadcasts = 256;
// Its regions see no value from around them.
constexpr Traits kIsolated = 512;
constexpr Traits kAllTraits = 1023;

// What operands and results have in common.
enum class Agreement : std::uint8_t {
  kNone,
  kSameShape,        // all operands and results that are not scalars
  kSameElementType,  // all operands and results
  kSameType          // both
};

constexpr std::int8_t kVariadic = -1;

// Counts and classes that are checked from the row alone. The last class of
// `operand_classes`/`result_classes` that is not 0 holds for all further operands or results.
struct Signature {
  std::int8_t min_operands = 0;
  std::int8_t max_operands = kVariadic;
  std::int8_t min_results = 1;
  std::int8_t max_results = 1;
  std::int8_t min_blocks = 0;
  std::int8_t max_blocks = 0;
  std::array<ElementClasses, 4> operand_classes = {kAnyValue, 0, 0, 0};
  std::array<ElementClasses, 2> result_classes = {kAnyValue, 0};
  Agreement agreement = Agreement::kNone;
};

// Accepts anything.
inline constexpr Signature kAnySignature = {
    .min_results = 0, .max_results = kVariadic, .max_blocks = kVariadic};

// So many tensors, or `kVariadic`, of elements of class `from`; one tensor of class `to` results.
constexpr Signature tensors_to_tensor(std::int8_t operands, ElementClasses from,
                                      ElementClasses to) {
  return {.min_operands = operands == kVariadic ? std::int8_t{0} : operands,
          .max_operands = operands,
          .operand_classes = {from},
          .result_classes = {to}};
}
// One tensor, or two, of any element types; one tensor results.
inline constexpr Signature kUnarySignature =
    tensors_to_tensor(1, kAnyTensorElement, kAnyTensorElement);
inline constexpr Signature kBinarySignature =
    tensors_to_tensor(2, kAnyTensorElement, kAnyTensorElement);
// No operands: a value from attributes alone.
inline constexpr Signature kNoOperandsSignature = {.max_operands = 0};
// The end of a region.
inline constexpr Signature kTerminatorSignature = {.min_results = 0, .max_results = 0};

// What a rule is made from. Anything but types, attributes and `context(op)` must not decide the
// rule: it is memoised.
struct RuleInput {
  const Module& m;
  OpId op;
  bool conservative = false;  // no factors that need communication or padding
};
using RuleFn = std::optional<OpShardingRule> (*)(const RuleInput&);

struct VerifyInput {
  const Module& m;
  OpId op;
  Diagnostics& diagnostics;
  std::string_view inputs = {};      // `OpDef::inputs` of the row
  const Symbols* symbols = nullptr;  // of the module, where the caller has them
};
// The function called `name`, or none. O(1) with symbols, else O(number of functions).
inline FuncId find_func(const VerifyInput& in, std::string_view name) {
  return in.symbols ? in.symbols->func(in.m.strings.find(name)) : find_func(in.m, name);
}

// Checks what is the operation's own: what the signature and the inferred types do not say.
using VerifyFn = void (*)(const VerifyInput&);

struct InferInput {
  const Module& m;
  // Takes new types and their texts: `m` itself, or a copy of its tables where `m` must stay as it
  // is. Types of `m` mean the same in it.
  Module& types;
  OpId op;
  Diagnostics& diagnostics;
  std::string_view inputs = {};      // `OpDef::inputs` of the row
  const Symbols* symbols = nullptr;  // of the module, where the caller has them

  operator VerifyInput() const { return {m, op, diagnostics, inputs, symbols}; }
};
// The result types, or none after a diagnostic.
using InferFn = std::optional<std::vector<TypeId>> (*)(const InferInput&);

// As `element_constraint`: the inferred element type is only the usual one, a program may say
// another.
constexpr std::string_view kFreeElementType = "free";

struct OpDef {
  std::string_view name;
  Traits traits = 0;
  Signature signature = {};
  // None: nothing is propagated through the operation.
  RuleFn rule = nullptr;
  // None: the types do not follow from the operation.
  InferFn infer = nullptr;
  // None: the signature says all.
  VerifyFn verify = nullptr;
  // None: no value flows in or out of regions, or past the operation.
  const DataFlow* data_flow = nullptr;
  // Traits that depend on types or attributes.
  Traits (*extra_traits)(const Module&, OpId) = nullptr;
  // What the rule takes from around the operation, as a number.
  std::uint32_t (*context)(const Module&, OpId) = nullptr;
  // An operation that is known to need no rule is not reported.
  bool silent_without_rule = false;
  // The attribute that is the sharding of its result in a written program; a module keeps it in
  // `value_shardings` as any other.
  std::string_view sharding_attribute = {};
  // The constraint that the inferred types stand for, e.g. c3; "c3, c4": c3 for the first result
  // and c4 for the others.
  std::string_view result_constraint = "result_type";
  // The constraint that the inferred element types stand for where it is another one; see
  // `kFreeElementType`.
  std::string_view element_constraint = {};
  // The constraint that the number of results stands for where it is another one.
  std::string_view count_constraint = {};
  // The inputs in the order of the specification's table, so that input 2 of "operand, dims" is the
  // attribute `dims`: one that is missing or of the wrong kind is reported as i2. Attributes have
  // their names in the graph; "numbers.batch" is a field of a nested attribute.
  std::string_view inputs = {};
};

}  // namespace shardprop
