// How the axes of a value came to it, and why others did not, in the terms of the user's program:
// its values, its operations, its source. Plain data, which explainer.hpp makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/source_location.hpp"
#include "shardprop/propagate/propagation_report.hpp"

namespace shardprop {

// A value of the program, or, where it is none, result `number` of `func`.
struct ValueRef {
  ValueId value = {};
  FuncId func = {};
  std::uint32_t number = 0;

  friend bool operator==(const ValueRef&, const ValueRef&) = default;
};

// The name as the program has it, `%12`, or `result 0`.
inline std::string name_of(const Module& m, const ValueRef& ref) {
  return ref.value.valid() ? name_of(m, ref.value) : fmt::format("result {}", ref.number);
}
inline FuncId func_of(const Module& m, const ValueRef& ref) {
  if (!ref.value.valid()) return ref.func;
  const OpId op = defining_op(m, ref.value);
  return enclosing_func(m, op.valid() ? m.layout[op].block : argument_block(m, ref.value));
}
inline TypeId type_of(const Module& m, const ValueRef& ref) {
  return ref.value.valid() ? type_of(m, ref.value) : m.funcs[ref.func].results[ref.number].type;
}
// The source place of the operation that makes the value, or of the argument.
inline std::string source_place(const Module& m, const ValueRef& ref) {
  if (!ref.value.valid()) return {};
  const OpId op = defining_op(m, ref.value);
  return source_place(m, op.valid() ? m.locations.of_op[op] : m.locations.of_value[ref.value]);
}

// A dimension of a tensor; `words` say where it is in its operation: "dimension 1 of the right
// operand".
struct ExplainedDim {
  ValueRef value;
  std::size_t dim = 0;
  std::string words;
};

enum class AnnotationKind : std::uint8_t {
  kArgument,
  kResult,
  kConstraint,
  kManualInput,
  kManualOutput,
  kValue,
};

// An annotation of the program: of `value`, or, where that is none, of result `number` of `func`.
// For a manual or named computation, `value` is the operand or the result that the list is of.
struct AnnotationPlace {
  AnnotationKind kind = AnnotationKind::kValue;
  ValueId value = {};
  FuncId func = {};
  std::size_t number = 0;
  std::size_t dim = 0;

  friend bool operator==(const AnnotationPlace&, const AnnotationPlace&) = default;
};

// How an axis goes on: through an operation by its rule; over an edge of data flow; from a value to
// the function's result that it is; from a member of a sharding group to another; from a constraint
// to its operand, which had it before the propagation began.
enum class HopKind : std::uint8_t { kRule, kEdge, kResult, kGroup, kConstraint };
enum class StepDirection : std::uint8_t { kForward, kBackward, kAcross };

struct ExplainedStep {
  HopKind kind = HopKind::kRule;
  StepDirection direction = StepDirection::kAcross;
  OpId op = {};           // of the program; none for a step that is of no operation
  std::string operation;  // its name; that of the loop, the branch or the call of an edge
  ExplainedDim from;
  ExplainedDim to;
  std::size_t run = 0;
};

// How one axis came to one dimension of a value.
struct AxisExplanation {
  std::string axis;
  std::size_t dim = 0;
  std::size_t use = 0;  // counts the different ones of the copies of a constant or a function
  std::optional<AnnotationPlace> origin;  // none where it is not known
  std::vector<ExplainedStep> steps;       // from the origin to the value
  std::size_t length = 0;                 // of the whole way, also where `steps` has only its end
};

struct MissingReason {
  std::string_view code;           // `closed_dimension`
  std::string text;                // a sentence, in which {} stands for the name of `by`
  std::optional<ExplainedDim> by;  // what stands against the axis
  std::string by_axis;
  std::string_view won;  // why that came first; mostly empty
};

// The sentence with the name.
inline std::string reason_text(const Module& m, const MissingReason& reason) {
  const std::size_t at = reason.by ? reason.text.find("{}") : std::string::npos;
  if (at == std::string::npos) return reason.text;
  return reason.text.substr(0, at) + name_of(m, reason.by->value) + reason.text.substr(at + 2);
}

// Why an axis is not in a value: one place where it stopped.
struct MissingAxis {
  std::string axis;
  std::vector<MissingReason> reasons;     // the first that is met first
  std::optional<ExplainedDim> neighbour;  // that has the axis
  std::optional<ExplainedDim> at;         // where it stopped: the value, or a tensor before it
  std::size_t distance = 0;               // steps from there to the value
  std::size_t others = 0;                 // that are like this one, as those of equal layers are
  OpId op = {};                           // of the program
  std::string operation;
};

struct ValueExplanation {
  ValueRef value;
  std::vector<AxisExplanation> axes;
  std::vector<MissingAxis> missing;
};

namespace detail {

inline std::string_view code_of(UnresolvedReason reason) {
  switch (reason) {
    case UnresolvedReason::kDifferentAxes:
      return "different_axes";
    case UnresolvedReason::kAxisInUse:
      return "axis_in_use";
    case UnresolvedReason::kClosedDimension:
      return "closed_dimension";
    case UnresolvedReason::kNotDivisible:
      return "not_divisible";
    case UnresolvedReason::kReplicatedAxis:
      return "replicated_axis";
    case UnresolvedReason::kUnreducedAxis:
      return "unreduced_axis";
    case UnresolvedReason::kBlockedFactor:
      return "blocked_factor";
    case UnresolvedReason::kOtherTensor:
      return "other_tensor";
    case UnresolvedReason::kDifferentMeshes:
      return "different_meshes";
    case UnresolvedReason::kBarrier:
      return "barrier";
    case UnresolvedReason::kStrided:
      return "strided";
  }
  return "";
}

// `the left operand`, `operand 2`, `the result`: tensor `tensor` of an operation.
inline std::string tensor_words(std::string_view operation, std::size_t tensor,
                                std::size_t operands, std::size_t results) {
  if (tensor >= operands)
    return results == 1 ? "the result" : fmt::format("result {}", tensor - operands);
  if (operands == 1) return "the operand";
  const bool product = operation == "stablehlo.dot_general" || operation == "stablehlo.dot";
  if (product) return tensor == 0 ? "the left operand" : "the right operand";
  return fmt::format("operand {}", tensor);
}

}  // namespace detail

}  // namespace shardprop
