// Operations that one process does with the help of its machine: messages between processes, data
// from and for the host, and the operations by which StableHLO's own tests run processes and look
// into them (dialect interpreter).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/run/machine/machine.hpp"
#include "shardprop/run/ops/checks.hpp"

namespace shardprop {

namespace detail {

using HostResults = Result<std::optional<Tensors>>;

inline HostResults host_results(Tensors results) { return std::optional(std::move(results)); }

// The process to which (`sends`) or from which the operation sends by `source_target_pairs`; -1
// where it has none, -2 where this process is not in them. The pairs are of replicas or, with a
// channel, of partitions.
inline std::int64_t partner_of(const Machine& machine, const EvalInput& in, bool sends) {
  const AttrId attr = attribute(in.m, in.op, "source_target_pairs");
  const auto pairs = attr.valid() ? integer_rows(in.m, attr) : std::nullopt;
  if (!pairs || pairs->empty()) return -1;
  const bool partitions = channel_of(in.m, in.op) > 0;
  const std::int64_t me = partitions ? in.options.partition : in.options.replica;
  for (const Shape& pair : *pairs) {
    if (pair[sends ? 0 : 1] != me) continue;
    const std::int64_t other = pair[sends ? 1 : 0];
    const ProcessGrid& grid = machine.grid();
    return static_cast<std::int64_t>(partitions ? grid.number(in.options.replica, other)
                                                : grid.number(other, in.options.partition));
  }
  return -2;
}

inline HostResults do_send(Machine& machine, std::size_t, EvalInput& in) {
  const std::int64_t receiver = partner_of(machine, in, true);
  if (receiver != -2) {
    machine.mailbox().sent[{channel_of(in.m, in.op), receiver}].emplace_back(in.operands.begin(),
                                                                             in.operands.end() - 1);
  }
  return host_results({Tensor()});
}

inline HostResults do_recv(Machine& machine, std::size_t process, EvalInput& in) {
  const std::int64_t sender = partner_of(machine, in, false);
  if (sender == -2) return host_results(zero_results(in));
  const std::int64_t me = sender == -1 ? -1 : static_cast<std::int64_t>(process);
  auto& queue = machine.mailbox().sent[{channel_of(in.m, in.op), me}];
  if (queue.empty()) return std::optional<Tensors>();
  Tensors out = std::move(queue.front());
  queue.pop_front();
  out.emplace_back();
  return host_results(std::move(out));
}

// The results of functions that run as the processes of a machine of their own.
inline Result<Tensors> run_programs(Machine& inner) {
  if (Diagnostics errors = inner.run(); !errors.empty()) return errors;
  Tensors out;
  for (std::size_t i = 0; i < inner.grid().size(); ++i) {
    for (Tensor& tensor : inner.take_results(i)) out.push_back(std::move(tensor));
  }
  return out;
}

inline HostResults do_infeed(Machine& machine, std::size_t, EvalInput& in) {
  auto& queue = machine.mailbox().infeed;
  if (queue.empty()) return eval_error(in, "deadlock", "the infeed has no more data");
  Machine inner(machine, {});
  inner.add(queue.front(), {});
  queue.pop_front();
  Result<Tensors> out = run_programs(inner);
  if (!out) return std::move(out.errors());
  out->emplace_back();
  return host_results(*std::move(out));
}
inline HostResults do_outfeed(Machine&, std::size_t, EvalInput&) {
  return host_results({Tensor()});
}

// The items of a list, whatever type the text gives it; none of anything else.
inline std::span<const AttrId> list_items(const Module& m, AttrId list) {
  list = m.attrs.plain(list);
  return m.attrs.kind(list) == AttrKind::kList ? m.attrs.items(list) : std::span<const AttrId>();
}

inline FuncId named_function(const Module& m, AttrId name) {
  const StringId id = m.attrs.string_or_none(m.attrs.plain(name));
  return id.valid() ? find_func(m, m.strings[id]) : FuncId();
}

// The functions of `programs`, row by row, and the grid that they make.
struct Programs {
  ProcessGrid grid;
  std::vector<FuncId> funcs;
};
inline std::optional<Programs> programs_of(const Module& m, AttrId list) {
  Programs out;
  const auto rows = list_items(m, list);
  for (AttrId row : rows) {
    const auto names = list_items(m, row);
    if (names.size() != list_items(m, rows[0]).size()) return std::nullopt;
    for (AttrId name : names) {
      out.funcs.push_back(named_function(m, name));
      if (!out.funcs.back().valid()) return std::nullopt;
    }
  }
  if (out.funcs.empty()) return std::nullopt;
  out.grid.replicas = static_cast<std::int64_t>(rows.size());
  out.grid.partitions = static_cast<std::int64_t>(out.funcs.size() / rows.size());
  return out;
}

inline HostResults do_run_parallel(Machine& machine, std::size_t, EvalInput& in) {
  const Module& m = in.m;
  const auto programs = programs_of(m, attribute(m, in.op, "programs"));
  if (!programs)
    return eval_error(in, "no_function", "'programs' must be rows, equally long, of functions");
  Machine inner(machine, programs->grid);
  auto operand = in.operands.begin();
  for (FuncId func : programs->funcs) {
    const std::size_t count = m.blocks[m.funcs[func].body].arguments.size();
    if (static_cast<std::size_t>(in.operands.end() - operand) < count)
      return eval_error(in, "arguments", "there are fewer operands than the functions take");
    const auto end = operand + static_cast<std::ptrdiff_t>(count);
    Tensors arguments(operand, end);
    operand = end;
    if (Diagnostics errors = check_arguments(m, func, arguments, in.options); !errors.empty())
      return errors;
    inner.add(func, std::move(arguments));
  }
  for (AttrId name : list_items(m, attribute(m, in.op, "infeed")))
    inner.mailbox().infeed.push_back(named_function(m, name));
  Result<Tensors> out = run_programs(inner);
  if (!out) return std::move(out.errors());
  return host_results(*std::move(out));
}

inline HostResults do_probe(Machine& machine, std::size_t, EvalInput& in) {
  const std::string name(AttributeReader(in.m, in.op, nullptr).text("probe_id"));
  machine.probes()[name].push_back(in.operands[0]);
  return host_results({in.operands[0]});
}

inline HostResults do_expect_serialized_eq(Machine& machine, std::size_t, EvalInput& in) {
  const std::string_view name = AttributeReader(in.m, in.op, nullptr).text("probe_id");
  const AttrId number = in.m.attrs.plain(attribute(in.m, in.op, "iteration"));
  const std::size_t iteration = in.m.attrs.kind(number) == AttrKind::kInt
                                    ? static_cast<std::size_t>(in.m.attrs.as_int(number))
                                    : 0;
  const auto at = machine.probes().find(name);
  if (at == machine.probes().end() || at->second.size() <= iteration) {
    return eval_error(in, "check_failed",
                      fmt::format("the probe '{}' did not run {} times", name, iteration + 1));
  }
  Result<Tensors> checked = check_tensors(in, at->second[iteration], in.operands[0], {});
  if (!checked) return std::move(checked.errors());
  return host_results(*std::move(checked));
}

inline constexpr Together kSend = {.alone = do_send};
inline constexpr Together kRecv = {.alone = do_recv};
inline constexpr Together kInfeed = {.alone = do_infeed};
inline constexpr Together kOutfeed = {.alone = do_outfeed};
inline constexpr Together kRunParallel = {.alone = do_run_parallel};
inline constexpr Together kProbe = {.alone = do_probe};
inline constexpr Together kExpectSerializedEq = {.alone = do_expect_serialized_eq};

}  // namespace detail

inline constexpr EvalDef kHostEvaluators[] = {
    done_together("stablehlo.send", detail::kSend),
    done_together("stablehlo.recv", detail::kRecv),
    done_together("stablehlo.infeed", detail::kInfeed),
    done_together("stablehlo.outfeed", detail::kOutfeed),
    done_together("interpreter.run_parallel", detail::kRunParallel),
    done_together("interpreter.probe", detail::kProbe),
    done_together("check.expect_serialized_eq", detail::kExpectSerializedEq),
};

}  // namespace shardprop
