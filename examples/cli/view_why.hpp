// The part of the page's data that tells why: the findings of the report, how each axis came to a
// value, and where others stopped. Values are named by their numbers in the page (view_data.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "examples/cli/explain_command.hpp"
#include "examples/cli/report_json.hpp"
#include "fmt/core.h"
#include "nlohmann/json.hpp"
#include "shardprop/analysis/communication.hpp"
#include "shardprop/analysis/explain/explainer.hpp"
#include "shardprop/analysis/report/report.hpp"
#include "shardprop/ir/module.hpp"

namespace shardprop::cli {

// A program at one point of the pipeline. Its values are those of the input by their number or by
// the lineage.
struct ViewStage {
  std::string name;
  Module m;
};

// One plan: the input, the points on the way, and the program with collectives, which is the last.
struct ViewPlan {
  std::string title;
  std::vector<ViewStage> stages;
  std::optional<PropagatedCopy> traced;
  std::vector<CollectiveCost> collectives;
  Report report;
};

namespace detail {

using ViewJson = nlohmann::ordered_json;

// Rows that are stored once, by their JSON text.
class ViewTable {
 public:
  std::int64_t number(ViewJson row) {
    const auto [at, is_new] = known_.emplace(row.dump(), rows_.size());
    if (is_new) rows_.push_back(std::move(row));
    return static_cast<std::int64_t>(at->second);
  }
  ViewJson& rows() { return rows_; }

 private:
  ViewJson rows_ = ViewJson::array();
  std::unordered_map<std::string, std::size_t> known_;
};

// Writes the reasons of a plan. `numbers` has the values of the input by their number in the page.
class WhyWriter {
 public:
  using Numbers = std::unordered_map<ValueId, std::int64_t>;

  WhyWriter(const ViewPlan& plan, const Numbers& numbers, ViewTable& strings)
      : plan_(plan), given_(plan.stages.front().m), numbers_(numbers), strings_(strings) {}

  // The rows of the report, with the values of their places.
  ViewJson findings() const {
    ViewJson out = ViewJson::array();
    for (const Finding& f : plan_.report.findings) {
      ViewJson row = {{"kind", to_string(f.kind)}, {"measure", to_string(f.measure)},
                      {"bytes", f.bytes},          {"count", f.count},
                      {"in_loop", f.in_loop},      {"summary", f.summary},
                      {"reason", f.reason}};
      if (f.cause && !f.cause->won.empty()) row["won"] = f.cause->won;
      if (f.suggestion) row["suggestion"] = suggestion_text(given_, *f.suggestion);
      row["values"] = ViewJson::array();
      for (std::size_t i = 0; i < f.places.size() && i < kMaxPlaces; ++i) {
        const std::int64_t value = place_number(f.places[i]);
        if (value >= 0) row["values"].push_back(value);
      }
      out.push_back(std::move(row));
    }
    return out;
  }
  // `explainer` is of the plan. Adds "hops" and "missing" with "stops".
  void add_ways(Explainer& explainer, ViewJson& out) {
    out["hops"] = hops(explainer);
    out["missing"] = missing(explainer);
    out["stops"] = std::move(stops_.rows());
  }

  std::int64_t number_of(const ValueRef& ref) const {
    const auto at = numbers_.find(ref.value);
    return at == numbers_.end() ? -1 : at->second;
  }

 private:
  std::int64_t text(std::string_view s) { return s.empty() ? -1 : strings_.number(std::string(s)); }

  std::int64_t place_number(const FindingPlace& place) const {
    if (!place.op.valid()) return number_of(place.value);
    return given_.ops[place.op].result_count > 0 ? number_of({result(given_, place.op, 0)}) : -1;
  }

  // The values of the input that the page has, with their numbers, in the order of those.
  std::vector<std::pair<ValueId, std::int64_t>> originals() const {
    std::vector<std::pair<ValueId, std::int64_t>> out(numbers_.begin(), numbers_.end());
    std::ranges::sort(out, {}, &std::pair<ValueId, std::int64_t>::second);
    return out;
  }

  // For each axis of each value the last step that brought it there, or where it was written.
  ViewJson hops(Explainer& explainer) {
    ViewJson value, axis, from, through, run, words;
    for (const auto& [original, number] : originals()) {
      for (const AxisExplanation& e : explainer.last_steps({original})) {
        value.push_back(number);
        axis.push_back(text(e.axis));
        const ExplainedStep* step = e.steps.empty() ? nullptr : &e.steps.back();
        from.push_back(step ? number_of(step->from.value) : -1);
        through.push_back(step ? text(step->operation) : -1);
        run.push_back(step ? static_cast<std::int64_t>(step->run) : -1);
        words.push_back(step       ? text(fmt::format("{} to {}", step->from.words, step->to.words))
                        : e.origin ? text(origin_text(given_, *e.origin))
                                   : -1);
      }
    }
    return {{"value", std::move(value)}, {"axis", std::move(axis)},
            {"from", std::move(from)},   {"through", std::move(through)},
            {"run", std::move(run)},     {"words", std::move(words)}};
  }

  // For each axis that a value does not have, though some value has it: where it stopped.
  ViewJson missing(Explainer& explainer) {
    ViewJson value = ViewJson::array(), stop = ViewJson::array(), distance = ViewJson::array();
    const std::vector<std::string> axes = used_axes(given_, explainer);
    for (const auto& [original, number] : originals()) {
      const ValueExplanation has{{original}, explainer.last_steps({original}), {}};
      for (const std::string& axis : axes) {
        if (rank_of(given_, original) == 0 || has_part_of(has, axis)) continue;
        for (const MissingAxis& one : explainer.missing({original}, axis)) {
          value.push_back(number);
          stop.push_back(stops_.number(stop_row(one)));
          distance.push_back(one.distance);
        }
      }
    }
    return {
        {"value", std::move(value)}, {"stop", std::move(stop)}, {"distance", std::move(distance)}};
  }
  static bool has_part_of(const ValueExplanation& e, const std::string& axis) {
    return std::ranges::any_of(e.axes, [&](const AxisExplanation& own) {
      return own.axis == axis || own.axis.starts_with(axis + ":");
    });
  }

  // [axis, value where it stopped, dimension, value that has it, dimension, through what, how many
  // more are alike, [[reason, value that {} in it stands for], ...]]
  ViewJson stop_row(const MissingAxis& one) {
    ViewJson reasons = ViewJson::array();
    for (const MissingReason& reason : one.reasons)
      reasons.push_back({text(reason.text), reason.by ? number_of(reason.by->value) : -1});
    const bool has_dim = one.at && !one.at->words.empty();
    const std::string through = one.operation + place_text(op_place(given_, one.op));
    return {text(one.axis),
            one.at ? number_of(one.at->value) : -1,
            has_dim ? static_cast<std::int64_t>(one.at->dim) : -1,
            one.neighbour ? number_of(one.neighbour->value) : -1,
            one.neighbour ? static_cast<std::int64_t>(one.neighbour->dim) : -1,
            text(through),
            one.others,
            std::move(reasons)};
  }

  const ViewPlan& plan_;
  const Module& given_;
  const Numbers& numbers_;
  ViewTable& strings_;
  ViewTable stops_;
};

}  // namespace detail

}  // namespace shardprop::cli
