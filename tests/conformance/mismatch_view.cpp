#include "tests/conformance/mismatch_view.hpp"

#include <fmt/core.h>

#include <string_view>
#include <unordered_map>

namespace shardprop::conformance {

namespace {

std::string quoted_axes(const Json& axes) {
  std::string out;
  for (const Json& axis : axes) {
    const std::string text = axis.get<std::string>();
    const std::size_t colon = text.rfind(":(");
    out += fmt::format("{}\"{}\"{}", out.empty() ? "" : ", ", text.substr(0, colon),
                       colon == std::string::npos ? "" : text.substr(colon));
  }
  return out;
}

std::string show_sharding(const Json& sharding) {
  const Json& mesh = member(sharding, "mesh");
  std::string out = "<" + (mesh.is_string() ? "@" + mesh.get<std::string>() : mesh.dump()) + ", [";
  std::string_view separator;
  for (const Json& dim : member(sharding, "dims")) {
    std::string axes = quoted_axes(member(dim, "axes"));
    if (is_set(member(dim, "open"))) axes += axes.empty() ? "?" : ", ?";
    out += fmt::format("{}{{{}}}", separator, axes);
    if (is_set(member(dim, "priority"))) out += "p" + member(dim, "priority").dump();
    separator = ", ";
  }
  out += "]";
  for (const char* key : {"replicated", "unreduced"}) {
    if (!is_set(member(sharding, key))) continue;
    const bool reduction =
        key == std::string_view("unreduced") && is_set(member(sharding, "reduction"));
    out += fmt::format(", {}={}{{{}}}", key,
                       reduction ? member(sharding, "reduction").get<std::string>() : "",
                       quoted_axes(member(sharding, key)));
  }
  return out + ">";
}

std::string show_type(const Json& value) {
  const Json& dtype = member(value, "dtype");
  std::string out;
  for (const Json& size : member(value, "shape")) out += size.dump() + "x";
  return out + (dtype.is_string() ? dtype.get<std::string>() : "?");
}

std::string show_value(const std::string& name, const Json& value) {
  std::string out = fmt::format("{} {}", name, show_type(value));
  if (is_set(member(value, "sharding"))) out += " " + show(member(value, "sharding"));
  return out;
}

using Values = std::unordered_map<std::string, const Json*>;

void collect(const Json& values, Values& out) {
  for (const Json& value : values) out.emplace(value.value("name", std::string()), &value);
}

void collect_ops(const Json& ops, Values& out) {
  for (const Json& op : ops) {
    collect(member(op, "results"), out);
    for (const Json& block : member(op, "blocks")) {
      collect(member(block, "arguments"), out);
      collect_ops(member(block, "ops"), out);
    }
  }
}

// The operation, then each operand and result with its type and sharding on a line of its own.
std::string show_op(const Json& function, const Json& op) {
  constexpr std::size_t kMaxValues = 12;
  Values values;
  collect(member(function, "arguments"), values);
  collect_ops(member(function, "ops"), values);
  std::string out = member(op, "op").get<std::string>();
  if (is_set(member(op, "attributes"))) out += " " + show(member(op, "attributes"));
  out += "\n";
  std::size_t shown = 0;
  for (const Json& operand : member(op, "operands")) {
    const std::string name = operand.get<std::string>();
    const auto it = values.find(name);
    if (++shown <= kMaxValues)
      out += fmt::format("        {}\n", it == values.end() ? name : show_value(name, *it->second));
  }
  if (shown > kMaxValues) out += fmt::format("        and {} more operands\n", shown - kMaxValues);
  shown = 0;
  for (const Json& result : member(op, "results")) {
    if (++shown <= kMaxValues) {
      out +=
          fmt::format("        -> {}\n", show_value(result.value("name", std::string()), result));
    }
  }
  return out;
}

}  // namespace

std::string show(const Json& value) {
  if (value.is_object() && value.contains("mesh") && value.contains("dims"))
    return show_sharding(value);
  std::string out = value.is_string() ? value.get<std::string>() : value.dump();
  if (out.size() > kMaxShown) out = out.substr(0, kMaxShown) + "...";
  return out;
}

std::string view_difference(const Difference& difference, const Json& expected, const Json& actual,
                            const std::string& rule) {
  std::string out = fmt::format("    {}\n      expected {}\n      actual   {}\n", difference.path,
                                show(difference.expected), show(difference.actual));
  if (difference.trail.empty()) return out;
  const auto add_op = [&](const char* label, const Json& graph) {
    const Json* function = find_function(graph, difference.function);
    const Json* op = function ? find_op(*function, difference.trail) : nullptr;
    if (op) out += fmt::format("      {} {}", label, show_op(*function, *op));
  };
  add_op("expected op:", expected);
  add_op("actual op:  ", actual);
  if (!rule.empty()) out += fmt::format("      rule {}\n", rule);
  return out;
}

}  // namespace shardprop::conformance
