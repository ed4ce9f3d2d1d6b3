// What a report on a sharded program consists of. Plain data, which report.hpp makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardprop/analysis/communication.hpp"
#include "shardprop/analysis/explain/explanation.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/sharding/tensor_sharding.hpp"

namespace shardprop {

enum class FindingKind : std::uint8_t {
  kCollective,
  kReplicated,    // a large value that every device holds whole
  kNoRule,        // operations that no sharding passes
  kNotDivisible,  // an axis that does not divide
  kConflict,      // operands and results that end sharded differently
  kUnusedAxis,    // an axis that splits nothing
};

constexpr std::string_view to_string(FindingKind kind) {
  constexpr std::string_view kNames[] = {"collective",    "replicated", "no_rule",
                                         "not_divisible", "conflict",   "unused_axis"};
  return kNames[static_cast<std::size_t>(kind)];
}

// What the bytes of a finding are: sent by each device, or held on each.
enum class Measure : std::uint8_t { kCommunication, kMemory, kNone };

constexpr std::string_view to_string(Measure measure) {
  constexpr std::string_view kNames[] = {"communication", "memory", "none"};
  return kNames[static_cast<std::size_t>(measure)];
}

enum class CauseKind : std::uint8_t {
  kSum,         // adds up what an operation that sums over a split dimension leaves on each device
  kOperand,     // an operation takes an operand in another sharding than it has
  kResult,      // an operation makes its result in another sharding than its users expect
  kEdge,        // a value enters or leaves a loop, a branch or a computation
  kCall,        // a value enters a function
  kReturn,      // a function returns it in another sharding
  kConstraint,  // a sharding constraint of the program
  kProgram,     // a collective of the program itself
};

constexpr std::string_view to_string(CauseKind kind) {
  constexpr std::string_view kNames[] = {"sum",  "operand", "result",     "edge",
                                         "call", "return",  "constraint", "program"};
  return kNames[static_cast<std::size_t>(kind)];
}

// A tensor of the operation that needs the collective.
struct CauseTensor {
  std::string words;     // the left operand
  ValueId value;         // as it is made, before any collective, or as its users see it
  std::string sharding;  // of that value
  std::string wanted;    // what the operation takes or makes; empty where that is the same
  std::optional<TensorSharding> has;
  std::optional<TensorSharding> takes;
};

struct CollectiveCause {
  CauseKind kind = CauseKind::kProgram;
  OpId op;                 // that needs the collective
  std::size_t tensor = 0;  // of `op`, operands first: the one that is moved
  std::vector<CauseTensor> tensors;
  std::string reason;  // a sentence
  std::string won;     // which choice won, and why
};

// An operation of the program, or, where that is none, a value.
struct FindingPlace {
  OpId op;
  ValueRef value;
};

// A sharding to give to a value of the program.
struct SuggestedEdit {
  ValueRef value;
  TensorSharding sharding;
};

// What was tried, and what it changes.
struct Suggestion {
  std::vector<SuggestedEdit> edits;
  double communication = 0;  // bytes that each device sends more; negative: less
  double memory = 0;         // likewise, of arguments and results that it holds
};

// Equal findings are one, with a count: those of equal reason, operation, types and axes.
struct Finding {
  FindingKind kind = FindingKind::kCollective;
  Measure measure = Measure::kNone;
  double bytes = 0;  // of all together
  double bytes_each = 0;
  std::int64_t count = 0;
  bool in_loop = false;
  std::string summary;
  std::string reason;
  std::string shape;                   // f32[64,512], of the tensor that is moved or held
  std::optional<CollectiveCost> cost;  // of the first, if it is a collective
  std::optional<CollectiveCause> cause;
  std::vector<std::size_t> collectives;  // which of the program's, counted in program order
  std::vector<FindingPlace> places;
  std::vector<std::vector<SuggestedEdit>> candidates;  // to be tried
  std::optional<Suggestion> suggestion;                // the best of them, if any is better
};

struct Report {
  CommunicationSummary communication;
  double argument_bytes = 0;  // of the function that is entered
  double argument_bytes_on_device = 0;
  std::vector<Finding> findings;  // worst first
  std::size_t tried = 0;          // candidates
};

}  // namespace shardprop
