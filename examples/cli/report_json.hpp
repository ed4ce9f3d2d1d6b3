// A report as JSON (docs/explain.md has the fields).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "examples/cli/cost_command.hpp"
#include "examples/cli/explain_json.hpp"
#include "examples/cli/report_text.hpp"
#include "nlohmann/json.hpp"
#include "shardprop/analysis/report/report.hpp"
#include "shardprop/ir/place.hpp"
#include "shardprop/sharding/sharding_text.hpp"

namespace shardprop::cli {

namespace detail {

inline constexpr std::size_t kMaxPlaces = 64;

inline Json place_json(const Module& m, const FindingPlace& place) {
  const FuncId func =
      place.op.valid() ? enclosing_func(m, m.layout[place.op].block) : func_of(m, place.value);
  ValueRef value = place.value;
  if (!value.value.valid() && place.op.valid() && m.ops[place.op].result_count > 0)
    value.value = result(m, place.op, 0);
  const bool is_named = value.value.valid() || value.func.valid();
  const std::string location = place.op.valid() ? op_place(m, place.op) : source_place(m, value);
  return {{"function", func.valid() ? m.strings[m.funcs[func].name] : std::string_view()},
          {"operation", place.op.valid() ? op_name(m, place.op) : std::string_view()},
          {"name", is_named ? name_of(m, value) : std::string()},
          {"location", location}};
}

// `--shard '@f %x=<@mesh, [{"data"}, {?}]>'`
inline std::string shard_option(const Module& m, const SuggestedEdit& edit) {
  return fmt::format("--shard '{}={}'", label(m, edit.value), to_string(edit.sharding, m.meshes));
}

inline Json suggestion_json(const Module& m, const Suggestion& s) {
  Json edits = Json::array();
  for (const SuggestedEdit& edit : s.edits) {
    Json one = value_json(m, edit.value);
    one["sharding"] = to_string(edit.sharding, m.meshes);
    one["option"] = shard_option(m, edit);
    edits.push_back(std::move(one));
  }
  return {{"text", suggestion_text(m, s)},
          {"edits", std::move(edits)},
          {"communication_bytes", s.communication},
          {"memory_bytes", s.memory}};
}

inline Json cause_json(const Module& m, const CollectiveCause& cause, const FindingPlace& place) {
  Json out = {{"kind", to_string(cause.kind)},
              {"operation", place.op.valid() ? op_name(m, place.op) : std::string_view()}};
  out["tensors"] = Json::array();
  for (const CauseTensor& tensor : cause.tensors) {
    Json one = {{"words", tensor.words}, {"sharding", tensor.sharding}};
    if (!tensor.wanted.empty()) one["wanted"] = tensor.wanted;
    out["tensors"].push_back(std::move(one));
  }
  if (!cause.won.empty()) out["won"] = cause.won;
  return out;
}

inline Json finding_json(const Module& m, const Finding& f, std::size_t id) {
  Json out = {{"id", id},
              {"kind", to_string(f.kind)},
              {"measure", to_string(f.measure)},
              {"bytes", f.bytes},
              {"bytes_each", f.bytes_each},
              {"count", f.count},
              {"in_loop", f.in_loop},
              {"summary", f.summary},
              {"reason", f.reason}};
  if (f.cost) {
    out["collective"] = {
        {"kind", f.cost->kind}, {"mesh", f.cost->mesh}, {"axes", f.cost->axes}, {"shape", f.shape}};
  }
  if (f.cause) out["cause"] = cause_json(m, *f.cause, f.places.front());
  out["places"] = Json::array();
  for (std::size_t i = 0; i < f.places.size() && i < kMaxPlaces; ++i)
    out["places"].push_back(place_json(m, f.places[i]));
  if (f.suggestion) out["suggestion"] = suggestion_json(m, *f.suggestion);
  return out;
}

}  // namespace detail

// `m` is the program.
inline Json report_json(const Module& m, const Report& report) {
  Json out = Json::parse(detail::cost_json(report.communication));
  Json json = {{"unit", out["unit"]},
               {"total", out["total"]},
               {"collectives", out["collectives"]},
               {"not_counted", out["not_counted"]},
               {"memory",
                {{"argument_bytes", report.argument_bytes},
                 {"argument_bytes_on_device", report.argument_bytes_on_device}}}};
  json["findings"] = Json::array();
  for (std::size_t i = 0; i < report.findings.size(); ++i)
    json["findings"].push_back(detail::finding_json(m, report.findings[i], i));
  return json;
}

}  // namespace shardprop::cli
