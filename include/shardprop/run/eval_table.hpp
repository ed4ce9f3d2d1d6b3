// What each operation computes, one row per operation: `EvalDef`. A row either names a kernel that
// makes each result element of the operand elements of the same index, or a function from operand
// tensors to result tensors, or how control passes through the regions of the operation.
//
// What several processes do together is in `run/machine/together.hpp`; a row only points there.
//
// The rows are beside those of `OpTable` and not in them, since a program that only propagates does
// not need them. A table is a value, and a caller adds rows for operations of its own. A custom
// call has the row `stablehlo.custom_call @target`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ir/module.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/ir/print.hpp"
#include "shardprop/run/tensor.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

struct EvalOptions {
  // Floats are wrapping 64-bit integers, and functions that are not exact in them mix their
  // operands: data in a wrong place shows without any tolerance.
  bool exact = false;
  // Which process of a grid this is.
  std::int64_t replica = 0;
  std::int64_t partition = 0;
  // Collectives of sdy move the shards of each device. Otherwise they return their operand, since
  // the value of a global tensor does not depend on where its shards are.
  bool move_shards = false;
  // Devices that should have copies of what a manual computation returns must have them: otherwise the
  // run ends with `run.copies`.
  bool check_copies = false;
  // Runs that take more operations than this end with `run.too_long`; 0: no limit.
  std::uint64_t max_operations = 0;
  // A value of more bytes than this ends the run with `run.too_large`.
  std::uint64_t max_bytes = std::uint64_t{1} << 34;
};

// A kernel for given element types. It has no state, and works on any number of elements.
struct Kernel {
  using Run = void (*)(const Kernel&, const std::byte* const* in, std::byte* out,
                       std::size_t count);
  Run run = nullptr;             // null: the operation does not have such elements
  Element in = Element::kNone;   // of the operands (of `select` and `clamp`: of the last)
  Element out = Element::kNone;  // of the result
  std::array<std::int64_t, 2> parameters = {};  // what else the operation says
};

struct KernelInput {
  const Module& m;
  OpId op;
  std::span<const Element> operands;
  Element result;
};
using KernelFn = Kernel (*)(const KernelInput&);

class EvalTable;

// An operation to evaluate. Operands are the evaluation's own: where nobody else holds the
// elements, `write` does not copy.
struct EvalInput {
  const Module& m;
  OpId op;
  std::span<Tensor> operands;
  const EvalTable& table;
  const EvalOptions& options;
  // The value of a value from around the operation, for its regions; null where there is none.
  std::function<const Tensor*(ValueId)> around = {};
};
using Tensors = std::vector<Tensor>;
using EvaluateFn = Result<Tensors> (*)(EvalInput&);

// How control passes through an operation; `run/process.hpp` has what each means.
enum class Control : std::uint8_t {
  kNone,
  kReturn,  // ends a block with the operands as its results
  kCall,    // the function in attribute `callee` or `decomposition`
  kRegion,  // the only region, with the operands as arguments
  kBranch,  // the region that the operand says: true, false
  kCase,    // the region of that number, or the last
  kWhile,
  kTogether  // several processes do it together, or the machine that they run on does it
};
struct Together;

struct EvalDef {
  std::string_view name;
  KernelFn kernel = nullptr;
  EvaluateFn evaluate = nullptr;
  Control control = Control::kNone;
  const Together* together = nullptr;
};

// A row of the table.
struct EvalRow {
  KernelFn kernel = nullptr;
  std::function<Result<Tensors>(EvalInput&)> evaluate = {};
  Control control = Control::kNone;
  const Together* together = nullptr;  // must outlive the table
};

class EvalTable {
 public:
  // A later row of the same name replaces an earlier one.
  void add(std::span<const EvalDef> defs) {
    for (const EvalDef& def : defs) {
      EvalRow row{def.kernel, {}, def.control, def.together};
      if (def.evaluate) row.evaluate = def.evaluate;
      rows_[std::string(def.name)] = std::move(row);
    }
  }
  void add(std::string name, EvalRow row) { rows_[std::move(name)] = std::move(row); }

  // The row of `name`, or null.
  const EvalRow* find(std::string_view name) const {
    const auto at = rows_.find(std::string(name));
    return at == rows_.end() ? nullptr : &at->second;
  }
  // The row of an operation, or null. That of a custom call is the row of its target.
  const EvalRow* find(const Module& m, OpId op) const {
    if (m.ops.get(op).name != known::kCustomCall) return find(op_name(m, op));
    const StringId target = m.attrs.string_or_none(attribute(m, op, "call_target_name"));
    return target.valid() ? find(fmt::format("stablehlo.custom_call @{}", m.strings[target]))
                          : nullptr;
  }

 private:
  std::unordered_map<std::string, EvalRow> rows_;
};

// An error of `op` while it runs. Codes: `run.` and what is wrong.
inline Diagnostic eval_error(const Module& m, OpId op, std::string_view code, std::string message,
                             std::string hint = {}) {
  return {fmt::format("run.{}", code), std::move(message), std::move(hint), place_of(m, op)};
}
inline Diagnostic eval_error(const EvalInput& in, std::string_view code, std::string message,
                             std::string hint = {}) {
  return eval_error(in.m, in.op, code, std::move(message), std::move(hint));
}

// For operations whose results have no meaning in the exact mode.
inline Diagnostic not_exact(const EvalInput& in) {
  return eval_error(in, "unsupported",
                    fmt::format("{} has no meaning in the exact mode", op_name(in.m, in.op)));
}

// The element type of a value of type `type`; kNone of what is not a tensor or has other elements.
inline Element element_of(const Module& m, TypeId type, const EvalOptions& options) {
  if (!m.types.is_tensor(type)) return Element::kNone;
  const Element element = find_element(m.strings[m.types.dtype(type)]);
  const Domain domain = domain_of(element);
  const bool is_float = domain == Domain::kReal || domain == Domain::kPair;
  return options.exact && is_float ? Element::kExact : element;
}
inline Element result_element(const EvalInput& in, std::size_t i = 0) {
  return element_of(in.m, type_of(in.m, result(in.m, in.op, i)), in.options);
}
// The shape that the operation declares for result `i`; all sizes must be known.
inline Shape result_shape(const EvalInput& in, std::size_t i = 0) {
  return detail::shape_copy(in.m, type_of(in.m, result(in.m, in.op, i)));
}

// The number of bytes of a tensor; more than any limit where that does not fit 64 bits or a size is
// negative.
inline std::uint64_t bytes_of(Element element, std::span<const std::int64_t> shape) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  std::uint64_t bytes = bytes_of(element);
  for (std::int64_t size : shape) {
    if (size < 0) return kMost;
    if (size == 0) return 0;
  }
  for (std::int64_t size : shape) {
    if (bytes > kMost / static_cast<std::uint64_t>(size)) return kMost;
    bytes *= static_cast<std::uint64_t>(size);
  }
  return bytes;
}

// An error where result 0 cannot have a shape that was computed as the program ran: one that is not
// what the operation declares (`run.shape`) or too large (`run.too_large`).
inline std::optional<Diagnostic> wrong_shape(const EvalInput& in, const Shape& shape) {
  const Shape declared = result_shape(in);
  if (!compatible_shapes(declared, shape)) {
    return eval_error(in, "shape",
                      fmt::format("the result has the shape {}, declared {}", to_string(shape),
                                  to_string(declared)));
  }
  if (bytes_of(result_element(in), shape) <= in.options.max_bytes) return std::nullopt;
  return eval_error(in, "too_large",
                    fmt::format("a value of the shape {} is too large", detail::list_text(shape)));
}

inline Result<Tensors> one_result(Tensor tensor) {
  Tensors out;
  out.push_back(std::move(tensor));
  return out;
}

}  // namespace shardprop
