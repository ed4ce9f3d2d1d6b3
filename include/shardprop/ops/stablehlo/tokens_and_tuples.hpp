// Operations that order side effects by tokens, tuples, and asynchronous operations of StableHLO.
// Nothing is propagated through any of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ops/common/attribute_reader.hpp"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/common/type_compatibility.hpp"
#include "shardprop/ops/common/type_lists.hpp"
#include "shardprop/ops/common/type_text.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/support/text_list.hpp"

namespace shardprop {

namespace detail {

// Whether transfers to or from the host, and those between devices, go over a channel of their
// type.
inline bool check_channel_type(const VerifyInput& in, std::int64_t host_type) {
  constexpr std::int64_t kDeviceToDevice = 1;
  AttributeReader attributes(in);
  const bool host = attributes.boolean_or("is_host_transfer", false);
  const std::int64_t type = attributes.dict("channel_handle").integer_or("type", 0);
  if (!attributes.ok()) return false;
  const std::int64_t expected = host ? host_type : kDeviceToDevice;
  if (type == expected) return true;
  report(in, "c1", fmt::format("channel_handle must have the type {}, found {}", expected, type),
         "1 is DEVICE_TO_DEVICE; transfers with is_host_transfer use 2, DEVICE_TO_HOST, or 3, "
         "HOST_TO_DEVICE");
  return false;
}

// The constraints of an operation that gives tensors, then a token.
struct StreamConstraints {
  std::string_view not_empty;
  std::string_view tensors;
  std::string_view token;
};

inline void verify_stream(const VerifyInput& in, const StreamConstraints& constraints) {
  const auto values = results(in.m, in.op);
  if (values.empty())
    return report(in, constraints.not_empty, "there must be at least one result, a token");
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const TypeId type = type_of(in.m, values[i]);
    if (in.m.types.is_tensor(type)) continue;
    report(in, constraints.tensors,
           fmt::format("result {} must be a tensor, found {}", i, to_string(in.m, type)));
  }
  const TypeId last = type_of(in.m, values[values.size() - 1]);
  if (element_class(in.m, last) == kToken) return;
  report(in, constraints.token,
         fmt::format("the last result must be a token, found {}", to_string(in.m, last)));
}

// Operands are tensors, then a token, as inputs 1 and 2 of the specification.
inline bool check_tensors_then_token(const InferInput& in) {
  const std::size_t count = in.m.ops[in.op].operand_count;
  bool ok = true;
  for (std::size_t i = 0; i < count; ++i) {
    const TypeId type = type_of(in.m, operand(in.m, in.op, i));
    const bool last = i + 1 == count;
    if (last ? element_class(in.m, type) == kToken : in.m.types.is_tensor(type)) continue;
    report(in, last ? "i2" : "i1",
           fmt::format("operand {} must be a {}, found {}", i, last ? "token" : "tensor",
                       to_string(in.m, type)));
    ok = false;
  }
  return ok;
}

inline std::optional<std::vector<TypeId>> one_token(const InferInput& in) {
  return std::vector<TypeId>{type_from_text(in.types, "stablehlo.token")};
}

// What an asynchronous operation may run.
inline bool may_run_asynchronously(std::string_view name) {
  for (std::string_view allowed :
       {"stablehlo.all_gather", "stablehlo.all_reduce", "stablehlo.all_to_all",
        "stablehlo.collective_broadcast", "stablehlo.collective_permute",
        "stablehlo.collective_reduce", "stablehlo.dynamic_slice", "stablehlo.dynamic_update_slice",
        "stablehlo.reduce_scatter", "stablehlo.slice"}) {
    if (name == allowed) return true;
  }
  return false;
}

}  // namespace detail

inline std::optional<std::vector<TypeId>> infer_token(const InferInput& in) {
  return detail::one_token(in);
}

inline std::optional<std::vector<TypeId>> infer_outfeed(const InferInput& in) {
  if (!detail::check_tensors_then_token(in)) return std::nullopt;
  return detail::one_token(in);
}

inline std::optional<std::vector<TypeId>> infer_send(const InferInput& in) {
  constexpr std::int64_t kDeviceToHost = 2;
  const bool operands = detail::check_tensors_then_token(in);
  const bool channel = detail::check_channel_type(in, kDeviceToHost);
  if (!operands || !channel) return std::nullopt;
  return detail::one_token(in);
}

inline void verify_recv(const VerifyInput& in) {
  constexpr std::int64_t kHostToDevice = 3;
  detail::check_channel_type(in, kHostToDevice);
  detail::verify_stream(in, {"c2", "c3", "c4"});
}

inline void verify_infeed(const VerifyInput& in) {
  detail::verify_stream(in, {"c1", "c2", "c3"});
  AttributeReader attributes(in.m, in.op, nullptr);
  if (!attributes.has("layout")) return;
  const auto layouts = attributes.int_lists_or_empty("layout");
  const std::size_t tensors =
      in.m.ops[in.op].result_count == 0 ? 0 : in.m.ops[in.op].result_count - 1;
  if (!attributes.ok()) {
    report(in, "c3", "attribute 'layout' must be a list of lists of integers");
  } else if (layouts.size() != tensors) {
    report(in, "c3",
           fmt::format("attribute 'layout' must have {} lists, one per tensor, found {}", tensors,
                       layouts.size()));
  }
}

inline std::optional<std::vector<TypeId>> infer_tuple(const InferInput& in) {
  const std::string parts =
      comma_list(operand_types(in.m, in.op), [&](TypeId type) { return text_inside(in.m, type); });
  return std::vector<TypeId>{type_from_text(in.types, "tuple<" + parts + ">")};
}

// (C1) and (C2).
inline std::optional<std::vector<TypeId>> infer_get_tuple_element(const InferInput& in) {
  const std::string text(in.m.strings[in.m.types.dtype(type_of(in.m, operand(in.m, in.op, 0)))]);
  const auto parts = types_inside(text, "tuple");
  if (!parts) {
    report(in, "i1", fmt::format("the operand must be a tuple, found {}", text));
    return std::nullopt;
  }
  AttributeReader attributes(in);
  const std::int64_t index = attributes.integer("index");
  if (!attributes.ok()) return std::nullopt;
  if (index < 0 || static_cast<std::size_t>(index) >= parts->size()) {
    report(in, "c1",
           fmt::format("index must be at least 0 and below {}, found {}", parts->size(), index));
    return std::nullopt;
  }
  return std::vector<TypeId>{type_from_text(in.types, (*parts)[static_cast<std::size_t>(index)])};
}

// (C1) to (C4): a future of what the one operation of the region gives.
inline std::optional<std::vector<TypeId>> infer_async_start(const InferInput& in) {
  const BlockId body = block_of(in.m, in.op, 0);
  const OpId first = in.m.blocks[body].first_op;
  const OpId last = in.m.blocks[body].last_op;
  if (!first.valid() || first == last || in.m.layout[first].next != last) {
    report(in, "c1", "the region must hold one operation and a return");
    return std::nullopt;
  }
  if (!detail::may_run_asynchronously(op_name(in.m, first))) {
    report(in, "c2",
           fmt::format("the region must hold a collective or a slice, found {}",
                       op_name(in.m, first)));
    return std::nullopt;
  }
  const std::vector<TypeId> operands = operand_types(in.m, in.op);
  const std::vector<TypeId> arguments = argument_types(in.m, body);
  if (operands != arguments) {
    report(in, "c3",
           fmt::format("the region must take the operands {}, found {}", to_string(in.m, operands),
                       to_string(in.m, arguments)));
    return std::nullopt;
  }
  const std::vector<TypeId> returned = returned_types(in.m, body);
  if (returned.size() != 1) {
    report(in, "c4", fmt::format("the region must return one value, found {}", returned.size()));
    return std::nullopt;
  }
  const std::string text = "stablehlo.future<" + text_inside(in.m, returned[0]) + ">";
  return std::vector<TypeId>{type_from_text(in.types, text)};
}

// (C1).
inline std::optional<std::vector<TypeId>> infer_async_done(const InferInput& in) {
  const std::string text(in.m.strings[in.m.types.dtype(type_of(in.m, operand(in.m, in.op, 0)))]);
  const auto parts = types_inside(text, "stablehlo.future");
  if (!parts || parts->size() != 1) {
    report(in, "i1", fmt::format("the operand must be a future of one tensor, found {}", text));
    return std::nullopt;
  }
  return std::vector<TypeId>{type_from_text(in.types, parts->front())};
}

namespace detail {

// Values that come in when a token says so.
constexpr Signature kFromTokenSignature = {.min_operands = 1,
                                           .max_operands = 1,
                                           .min_results = 0,
                                           .max_results = kVariadic,
                                           .operand_classes = {kToken}};

}  // namespace detail

inline constexpr OpDef kCommunicationOps[] = {
    {.name = "stablehlo.create_token",
     .traits = kPure,
     .signature = kNoOperandsSignature,
     .infer = infer_token,
     .silent_without_rule = true},
    {.name = "stablehlo.after_all",
     .traits = kPure,
     .signature = {.operand_classes = {kToken}},
     .infer = infer_token,
     .silent_without_rule = true},
    {.name = "stablehlo.infeed",
     .signature = detail::kFromTokenSignature,
     .verify = verify_infeed,
     .silent_without_rule = true,
     .inputs = "token, infeed_config"},
    {.name = "stablehlo.outfeed",
     .signature = {.min_operands = 1},
     .infer = infer_outfeed,
     .silent_without_rule = true,
     .inputs = "inputs, token, outfeed_config"},
    {.name = "stablehlo.send",
     .signature = {.min_operands = 1},
     .infer = infer_send,
     .silent_without_rule = true,
     .inputs = "inputs, token, channel_handle.handle, channel_handle.type, is_host_transfer, "
               "source_target_pairs"},
    {.name = "stablehlo.recv",
     .signature = detail::kFromTokenSignature,
     .verify = verify_recv,
     .silent_without_rule = true,
     .inputs = "token, channel_handle.handle, channel_handle.type, is_host_transfer, "
               "source_target_pairs"},
    {.name = "stablehlo.tuple", .traits = kPure, .infer = infer_tuple, .result_constraint = "c1"},
    {.name = "stablehlo.get_tuple_element",
     .traits = kPure,
     .signature = {.min_operands = 1, .max_operands = 1, .operand_classes = {kOther}},
     .infer = infer_get_tuple_element,
     .silent_without_rule = true,
     .result_constraint = "c2",
     .inputs = "operand, index"},
    {.name = "stablehlo.async_start",
     .traits = kIsolated,
     .signature = {.min_blocks = 1,
                   .max_blocks = 1,
                   .operand_classes = {kAnyTensorElement},
                   .result_classes = {kOther}},
     .infer = infer_async_start,
     .result_constraint = "c4"},
    {.name = "stablehlo.async_done",
     .signature = tensors_to_tensor(1, kOther, kAnyTensorElement),
     .infer = infer_async_done,
     .result_constraint = "c1"},
};

}  // namespace shardprop
