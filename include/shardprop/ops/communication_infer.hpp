// Types and constraints of operations that order side effects by tokens, of tuples, and of
// asynchronous operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "shardprop/ops/attribute_reader.hpp"
#include "shardprop/ops/compatibility.hpp"
#include "shardprop/ops/op_def.hpp"
#include "shardprop/ops/report.hpp"
#include "shardprop/ops/type_lists.hpp"
#include "shardprop/ops/type_text.hpp"
#include "shardprop/support/format_text.hpp"
#include "shardprop/support/optional.hpp"
#include "shardprop/support/vector.hpp"

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
  report(in, "c1", format_text("channel_handle must have the type {}, found {}", expected, type),
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
           format_text("result {} must be a tensor, found {}", i, to_string(in.m, type)));
  }
  const TypeId last = type_of(in.m, values[values.size() - 1]);
  if (element_class(in.m, last) == kToken) return;
  report(in, constraints.token,
         format_text("the last result must be a token, found {}", to_string(in.m, last)));
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
           format_text("operand {} must be a {}, found {}", i, last ? "token" : "tensor",
                       to_string(in.m, type)));
    ok = false;
  }
  return ok;
}

inline Optional<Vector<TypeId>> one_token(Module& m) {
  return Vector<TypeId>{m.types.non_tensor(m.strings.intern("stablehlo.token"))};
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

inline Optional<Vector<TypeId>> infer_token(const InferInput& in) {
  return detail::one_token(in.m);
}

inline Optional<Vector<TypeId>> infer_outfeed(const InferInput& in) {
  if (!detail::check_tensors_then_token(in)) return nullopt;
  return detail::one_token(in.m);
}

inline Optional<Vector<TypeId>> infer_send(const InferInput& in) {
  constexpr std::int64_t kDeviceToHost = 2;
  const bool operands = detail::check_tensors_then_token(in);
  const bool channel = detail::check_channel_type(in, kDeviceToHost);
  if (!operands || !channel) return nullopt;
  return detail::one_token(in.m);
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
           format_text("attribute 'layout' must have {} lists, one a tensor, found {}", tensors,
                       layouts.size()));
  }
}

inline Optional<Vector<TypeId>> infer_tuple(const InferInput& in) {
  std::string text;
  for (TypeId type : operand_types(in.m, in.op)) {
    text += (text.empty() ? "" : ", ") + text_inside(in.m, type);
  }
  return Vector<TypeId>{in.m.types.non_tensor(in.m.strings.intern("tuple<" + text + ">"))};
}

// (C1) and (C2).
inline Optional<Vector<TypeId>> infer_get_tuple_element(const InferInput& in) {
  const std::string text(in.m.strings[in.m.types.dtype(type_of(in.m, operand(in.m, in.op, 0)))]);
  const auto parts = types_inside(text, "tuple");
  if (!parts) {
    report(in, "i1", format_text("the operand must be a tuple, found {}", text));
    return nullopt;
  }
  AttributeReader attributes(in);
  const std::int64_t index = attributes.integer("index");
  if (!attributes.ok()) return nullopt;
  if (index < 0 || static_cast<std::size_t>(index) >= parts->size()) {
    report(in, "c1",
           format_text("index must be at least 0 and below {}, found {}", parts->size(), index));
    return nullopt;
  }
  return Vector<TypeId>{type_from_text(in.m, (*parts)[static_cast<std::size_t>(index)])};
}

// (C1) to (C4): a future of what the one operation of the region gives.
inline Optional<Vector<TypeId>> infer_async_start(const InferInput& in) {
  const BlockId body = block_of(in.m, in.op, 0);
  const OpId first = in.m.blocks[body].first_op;
  const OpId last = in.m.blocks[body].last_op;
  if (!first.valid() || first == last || in.m.layout[first].next != last) {
    report(in, "c1", "the region must hold one operation and a return");
    return nullopt;
  }
  if (!detail::may_run_asynchronously(op_name(in.m, first))) {
    report(in, "c2",
           format_text("the region must hold a collective or a slice, found {}",
                       op_name(in.m, first)));
    return nullopt;
  }
  const Vector<TypeId> operands = operand_types(in.m, in.op);
  const Vector<TypeId> arguments = argument_types(in.m, body);
  if (operands != arguments) {
    report(in, "c3",
           format_text("the region must take the operands {}, found {}", to_string(in.m, operands),
                       to_string(in.m, arguments)));
    return nullopt;
  }
  const Vector<TypeId> returned = returned_types(in.m, body);
  if (returned.size() != 1) {
    report(in, "c4", format_text("the region must return one value, found {}", returned.size()));
    return nullopt;
  }
  const std::string text = "stablehlo.future<" + text_inside(in.m, returned[0]) + ">";
  return Vector<TypeId>{in.m.types.non_tensor(in.m.strings.intern(text))};
}

// (C1).
inline Optional<Vector<TypeId>> infer_async_done(const InferInput& in) {
  const std::string text(in.m.strings[in.m.types.dtype(type_of(in.m, operand(in.m, in.op, 0)))]);
  const auto parts = types_inside(text, "stablehlo.future");
  if (!parts || parts->size() != 1) {
    report(in, "i1", format_text("the operand must be a future of one tensor, found {}", text));
    return nullopt;
  }
  return Vector<TypeId>{type_from_text(in.m, parts->front())};
}

}  // namespace shardprop
