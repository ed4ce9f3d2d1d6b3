// Why-nots are true of whole programs: what a reason names is taken away in a copy of the program,
// which is propagated again. This is done until the axis arrives, or until what is left is a reason
// that no annotation takes away, such as a rule.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "shardprop/analysis/explain/explainer.hpp"
#include "shardprop/ir/symbols.hpp"
#include "shardprop/ir/walk.hpp"
#include "shardprop/ops/sdy/sharding_list_attributes.hpp"
#include "tests/support/conformance_programs.hpp"
#include "tests/support/shared_data.hpp"

namespace shardprop::test::why_not_shared_cases {
namespace {

// A program that is propagated with a trace.
struct Traced {
  Traced(Module program, const OpTable& ops) : m(std::move(program)) {
    PropagateProgramOptions options;
    options.propagation.trace = true;
    Result<PropagatedCopy> out = propagate_copy(m, ops, options);
    if (!out) return;
    copy = std::make_unique<PropagatedCopy>(*std::move(out));
    explainer.emplace(m, *copy, ops, kOptions);
  }
  static constexpr PropagateOptions kOptions = {};

  Module m;
  std::unique_ptr<PropagatedCopy> copy;
  std::optional<Explainer> explainer;  // none where the propagation fails
};

// Changes shardings of a program, as its user would.
class Annotations {
 public:
  explicit Annotations(Module& m) : m_(m), symbols_(m) {}

  // Calls `fn(TensorSharding&)` for each sharding that a user may have given for the value: its own,
  // those of constraints and computations that use or make it, of the function's results that it is,
  // and of what it enters as an argument.
  // Whether any of them changed.
  template <class Fn>
  bool edit(const ValueRef& ref, Fn&& fn) {
    if (ref.value.valid()) {
      edit_value(ref.value, fn);
    } else if (ref.func.valid()) {
      edit_result(ref.func, ref.number, fn);
      edit_value(operand(m_, terminator(m_, m_.funcs[ref.func].body), ref.number), fn);
    }
    return changed_;
  }

 private:
  template <class Fn>
  void change(ShardingId& id, Fn&& fn) {
    if (!id.valid()) return;
    TensorSharding s = m_.shardings[id];
    fn(s);
    const ShardingId now = m_.shardings.intern(s);
    changed_ = changed_ || now != id;
    id = now;
  }

  template <class Fn>
  void edit_result(FuncId f, std::size_t number, Fn&& fn) {
    if (number < m_.funcs[f].results.size()) change(m_.funcs[f].results[number].sharding, fn);
  }

  template <class Fn>
  void edit_value(ValueId value, Fn&& fn) {
    if (!seen_.insert(value).second) return;
    change(m_.value_shardings[value], fn);
    std::vector<std::pair<OpId, std::size_t>> users;
    for (UseId use = m_.values[value].first_use; use.valid(); use = m_.uses[use].next)
      users.emplace_back(m_.uses[use].user, operand_number(m_, use));
    for (const auto& [user, number] : users) {
      const StringId name = m_.ops[user].name;
      if (name == known::kSdyShardingConstraint) edit_value(result(m_, user, 0), fn);
      if (name == known::kSdyManualComputation || name == known::kSdyNamedComputation)
        edit_list(user, kInShardings, number, fn);
      if (name == known::kFuncReturn)
        edit_result(enclosing_func(m_, m_.layout[user].block), number, fn);
      if (name == known::kSdyReturn) edit_list(parent_op(m_, user), kOutShardings, number, fn);
      if (const FuncId f = symbols_.callee(m_, user); f.valid())
        edit_value(m_.blocks[m_.funcs[f].body].arguments[number], fn);
    }
    const OpId op = defining_op(m_, value);
    if (!op.valid()) {
      const OpId around = m_.blocks[argument_block(m_, value)].parent_op;
      if (around.valid()) edit_list(around, kInShardings, m_.values[value].number, fn);
      return;
    }
    if (m_.ops[op].name == known::kSdyShardingConstraint) edit_value(operand(m_, op, 0), fn);
    if (sharding_list(m_, op, kOutShardings))
      edit_list(op, kOutShardings, m_.values[value].number, fn);
    if (const FuncId f = symbols_.callee(m_, op); f.valid()) {
      const std::size_t number = m_.values[value].number;
      edit_result(f, number, fn);
      edit_value(operand(m_, terminator(m_, m_.funcs[f].body), number), fn);
    }
  }

  template <class Fn>
  void edit_list(OpId op, std::string_view key, std::size_t number, Fn&& fn) {
    auto list = sharding_list(m_, op, key);
    if (!list || number >= list->size()) return;
    change((*list)[number], fn);
    set_sharding_list(m_, op, key, *list);
  }

  Module& m_;
  Symbols symbols_;
  std::set<ValueId> seen_;
  bool changed_ = false;
};

std::string base_name(const std::string& axis) { return axis.substr(0, axis.find(':')); }

// Removes the axis from the dimensions of a sharding, with what comes after it there.
void drop_axis(const Module& m, TensorSharding& s, const std::string& axis) {
  const int number = m.meshes[s.mesh].find_axis(axis);
  for (DimSharding& dim : s.dims) {
    for (std::size_t i = 0; i < dim.axes.size(); ++i) {
      if (dim.axes[i].axis != number) continue;
      dim.axes.truncate(i);
      dim.open = true;
      break;
    }
  }
}

enum class Taken { kYes, kNoWay, kNothingThere };

AxisList without(const AxisList& axes, int axis) {
  AxisList kept;
  for (AxisRef ref : axes) {
    if (ref.axis != axis) kept.push_back(ref);
  }
  return kept;
}

// Takes a reason away in `m`: kNoWay where no annotation can, kNothingThere where the program does not
// have what the reason names.
Taken take_away(Module& m, Explainer& explainer, const MissingReason& reason) {
  if (!reason.by) return Taken::kNoWay;
  const std::string axis = base_name(reason.by_axis);
  const auto number = [&](const TensorSharding& s) { return m.meshes[s.mesh].find_axis(axis); };
  const ValueRef by = reason.by->value;
  bool changed = false;
  if (reason.code == "closed_dimension") {
    changed = Annotations(m).edit(by, [&](TensorSharding& s) {
      if (reason.by->dim < s.rank()) s.dims[reason.by->dim].open = true;
    });
  } else if (reason.code == "replicated_axis") {
    changed = Annotations(m).edit(
        by, [&](TensorSharding& s) { s.replicated = without(s.replicated, number(s)); });
  } else if (reason.code == "unreduced_axis") {
    changed = Annotations(m).edit(
        by, [&](TensorSharding& s) { s.unreduced = without(s.unreduced, number(s)); });
  } else if (reason.code == "different_axes" || reason.code == "axis_in_use") {
    const auto drop = [&](TensorSharding& s) { drop_axis(m, s, axis); };
    for (const AxisExplanation& e : explainer.axes(by, axis)) {
      if (e.dim != reason.by->dim || !e.origin) continue;
      const AnnotationPlace& at = *e.origin;
      const ValueRef origin{at.value, at.func, static_cast<std::uint32_t>(at.number)};
      changed = Annotations(m).edit(origin, drop) || changed;
    }
    // A manual axis of a computation is not on its arguments, as the program inside sees them.
    if (!changed) changed = Annotations(m).edit(by, drop);
  } else {
    return Taken::kNoWay;
  }
  return changed ? Taken::kYes : Taken::kNothingThere;
}

struct Outcome {
  std::size_t arrives = 0;  // the axis does, without what the reasons name
  std::size_t lost = 0;     // no other tensor of the step has the axis any more
  std::size_t stays = 0;    // for a reason that no annotation takes away
  std::size_t untrue = 0;   // the program does not have what a reason names
  std::size_t open = 0;     // too many rounds
};

std::string text_of(const Module& m, const std::vector<MissingReason>& reasons) {
  std::string out;
  for (const MissingReason& r : reasons)
    out += std::string(r.code) + ": " + reason_text(m, r) + "; ";
  return out;
}

// The stop at the value itself, before the same operation if that is given.
std::optional<MissingAxis> stop_at(Explainer& explainer, const ValueRef& ref,
                                   const std::string& axis, std::optional<OpId> op) {
  for (MissingAxis& missing : explainer.missing(ref, axis)) {
    const bool here = missing.at && !missing.at->words.empty() && missing.distance == 0;
    if (here && (!op || missing.op == *op)) return std::move(missing);
  }
  return std::nullopt;
}

void check(Traced& first, const OpTable& ops, const ValueRef& ref, const MissingAxis& missing,
           const std::string& name, std::map<std::string, Outcome>& outcomes) {
  Outcome& outcome = outcomes[std::string(missing.reasons.front().code)];
  Module program = first.m;
  MissingAxis now = missing;
  std::unique_ptr<Traced> again;
  for (int round = 0; round < 40; ++round) {
    Explainer& explainer = again ? *again->explainer : *first.explainer;
    std::size_t taken = 0;
    std::size_t nothing_there = 0;
    for (const MissingReason& reason : now.reasons) {
      const Taken one = take_away(program, explainer, reason);
      if (one == Taken::kYes) ++taken;
      if (one == Taken::kNothingThere) ++nothing_there;
    }
    if (taken == 0) {
      ++(nothing_there > 0 ? outcome.untrue : outcome.stays);
      if (nothing_there > 0)
        WARN("untrue: " << name << " " << name_of(first.m, ref) << " " << missing.axis << " op "
                        << missing.operation << ": " << text_of(first.m, now.reasons));
      return;
    }
    again = std::make_unique<Traced>(program, ops);
    if (!again->explainer) return;
    if (!again->explainer->axes(ref, missing.axis).empty()) {
      ++outcome.arrives;
      return;
    }
    std::optional<MissingAxis> next = stop_at(*again->explainer, ref, missing.axis, missing.op);
    if (!next) {
      ++outcome.lost;
      return;
    }
    now = *std::move(next);
  }
  ++outcome.open;
}

// Sets the priority of the dimensions from which `ref` has the axis.
void set_priority(Module& m, Explainer& explainer, const ValueRef& ref, const std::string& axis,
                  std::int32_t priority) {
  for (const AxisExplanation& e : explainer.axes(ref, axis)) {
    if (!e.origin) continue;
    const ValueRef origin{e.origin->value, e.origin->func,
                          static_cast<std::uint32_t>(e.origin->number)};
    Annotations(m).edit(origin, [&](TensorSharding& s) {
      for (DimSharding& dim : s.dims) {
        if (!dim.axes.empty()) dim.priority = priority;
      }
    });
  }
}

// What came first for its priority does not once the priorities are the other way round.
void check_priorities(Traced& first, const OpTable& ops, const ValueRef& ref,
                      const MissingAxis& missing, Outcome& outcome) {
  const auto by_priority = [](const MissingReason& r) { return r.won == "priority"; };
  const auto reason = std::ranges::find_if(missing.reasons, by_priority);
  if (reason == missing.reasons.end() || !missing.neighbour) return;
  Module program = first.m;
  set_priority(program, *first.explainer, reason->by->value, base_name(reason->by_axis), 9);
  set_priority(program, *first.explainer, missing.neighbour->value, missing.axis, 0);
  Traced again(std::move(program), ops);
  if (!again.explainer) return;
  ++(again.explainer->axes(ref, missing.axis).empty() ? outcome.stays : outcome.arrives);
}

std::vector<std::string> axes_of(const Module& m) {
  std::set<std::string> out;
  for (MeshId mesh : m.meshes.ids()) {
    for (const MeshAxis& axis : m.meshes[mesh].axes) out.insert(axis.name);
  }
  return {out.begin(), out.end()};
}

TEST_CASE("without what the reasons name, the axis arrives in the program", "[shared]") {
  const std::filesystem::path folder = std::filesystem::path(SHARDPROP_SHARED) / "conformance";
  if (!is_shared(folder)) return;
  const OpTable ops = standard_ops();
  std::map<std::string, Outcome> outcomes;
  Outcome priorities;
  for (const char* part : {"generated", "real"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder / part)) {
      const std::string name = entry.path().filename().string();
      const bool is_generated = std::string_view(part) == "generated";
      if (is_generated && !name.starts_with("train.") && !name.starts_with("regions.")) continue;
      for_each_program(
          entry.path(), is_generated ? 20 : 1, [&](std::size_t number, const Module& m) {
            Traced first(m, ops);
            if (!first.explainer) return;
            std::size_t left = 16;
            const std::size_t stride = std::max<std::size_t>(1, m.values.size() / 120);
            for (std::size_t i = 0; i < m.values.size() && left > 0; i += stride) {
              const ValueRef ref{ValueId(i)};
              const OpId op = defining_op(m, ref.value);
              if (op.valid() && is_erased(m, op)) continue;
              for (const std::string& axis : axes_of(m)) {
                if (!first.explainer->is_given(axis) || !first.explainer->axes(ref, axis).empty())
                  continue;
                const auto missing = stop_at(*first.explainer, ref, axis, std::nullopt);
                if (!missing || left == 0) continue;
                --left;
                check_priorities(first, ops, ref, *missing, priorities);
                check(first, ops, ref, *missing, name + " " + std::to_string(number), outcomes);
              }
            }
          });
    }
  }
  Outcome all;
  for (const auto& [code, o] : outcomes) {
    INFO(code);
    CHECK(o.untrue == 0);
    CHECK(o.open == 0);
    all.arrives += o.arrives;
    all.lost += o.lost;
  }
  CHECK(priorities.arrives > 0);
  CHECK(priorities.stays == 0);
  CHECK(all.arrives > 100);
  CHECK(all.arrives > 20 * all.lost);
}

}  // namespace
}  // namespace shardprop::test::why_not_shared_cases
