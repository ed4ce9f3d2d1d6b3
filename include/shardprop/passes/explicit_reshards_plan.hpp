// What `insert-explicit-reshards` does at one operation, as rows that can be done again. The rows
// depend on the operation's name, attributes, types and shardings only, so a layer that comes again
// costs one look-up an operation.
//
// Worked example, a product whose lhs is to be resharded to a and whose result, partial over x, has
// the sharding b: {kOperand, 0, a}, then {kReduce, 0, b} with the attributes of the all-reduce.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "shardprop/ir/edit.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/propagate/sharding_store.hpp"
#include "shardprop/support/array_view.hpp"
#include "shardprop/support/hash.hpp"
#include "shardprop/support/vector.hpp"

namespace shardprop {

enum class ReshardStepKind : std::uint8_t {
  kOperand,  // a reshard of an operand, before the operation
  kResult,   // another sharding of a result, and a reshard for its users behind the operation
  kReduce,   // an all-reduce of a result, behind the operation and before its reshards
};

struct ReshardStep {
  ReshardStepKind kind;
  std::uint32_t number;  // of the operand or result
  ShardingId sharding;   // of what the new operation makes
  StringId name;         // of the new operation
  AttrId attributes;     // likewise
  ShardingId own;        // kResult: what the result itself takes
};

namespace detail {

inline ValueId build_step(Module& m, Cursor at, const ReshardStep& s, ValueId value) {
  const TypeId type = type_of(m, value);
  const OpId op = create_named_op(m, at, s.name,
                                  {.name = {},
                                   .operands = {&value, 1},
                                   .result_types = {&type, 1},
                                   .attributes = s.attributes});
  const ValueId made = result(m, op, 0);
  m.value_shardings[made] = s.sharding;
  return made;
}

}  // namespace detail

// Does `steps`, which were noted at an equal operation, at `op`. Those behind the operation stand
// in the order of the results, all-reduces before reshards.
inline void do_steps(Module& m, ShardingStore& store, OpId op, ArrayView<const ReshardStep> steps) {
  Cursor behind = after(m, op);
  bool reducing = false;
  for (const ReshardStep& s : steps) {
    if (s.kind == ReshardStepKind::kOperand) {
      const ValueId value = operand(m, op, s.number);
      set_operand(m, op, s.number, detail::build_step(m, before(m, op), s, value));
      continue;
    }
    if (s.kind == ReshardStepKind::kReduce && !reducing) {
      behind = after(m, op);
      reducing = true;
    }
    const ValueId value = result(m, op, s.number);
    const ValueId made = detail::build_step(m, behind, s, value);
    replace_uses(m, value, made, defining_op(m, made));
    if (s.kind == ReshardStepKind::kResult) store.set(value, s.own);
  }
}

// The memo of steps, by keys of ids. Bounded: when `kMaxEntries` are stored it starts anew. Each
// entry knows which one followed it the last time; that one is tried before anything is hashed.
class ReshardPlans {
 public:
  static constexpr std::size_t kMaxEntries = std::size_t{1} << 20;

  // The steps that were noted under `key`; null where there are none. They stay until `insert`.
  struct Found {
    bool known;
    ArrayView<const ReshardStep> steps;
  };
  Found find(ArrayView<const std::uint32_t> key) {
    std::uint32_t entry = last_ < entries_.size() ? entries_[last_].follower : kNone;
    if (entry >= entries_.size() || !is_entry(entry, key)) {
      entry = index_.find(hash(key), [&](std::uint32_t i) { return is_entry(i, key); });
      if (entry == kNone) return {false, {}};
      follow(entry);
    }
    last_ = entry;
    const Entry& e = entries_[entry];
    return {true, ArrayView<const ReshardStep>(steps_.data() + e.first_step, e.step_count)};
  }

  // Notes `steps` under `key`, which has none.
  void insert(ArrayView<const std::uint32_t> key, ArrayView<const ReshardStep> steps) {
    if (entries_.size() >= kMaxEntries) *this = ReshardPlans();
    const std::uint32_t entry = static_cast<std::uint32_t>(entries_.size());
    index_.insert(hash(key), entry);
    entries_.push_back({words_.size(), steps_.size(), static_cast<std::uint32_t>(key.size()),
                        static_cast<std::uint32_t>(steps.size())});
    words_.append(key);
    steps_.append(steps);
    follow(entry);
    last_ = entry;
  }

  std::size_t size() const { return entries_.size(); }

 private:
  static constexpr std::uint32_t kNone = HashIndex::kEmpty;
  struct Entry {
    std::size_t first_word;
    std::size_t first_step;
    std::uint32_t word_count;
    std::uint32_t step_count;
    std::uint32_t follower = kNone;
  };

  static std::uint64_t hash(ArrayView<const std::uint32_t> key) {
    std::uint64_t h = 0;
    for (std::uint32_t word : key) h = (h ^ (h >> 29) ^ word) * 0x9E3779B97F4A7C15ull;
    return hash_mix(h, key.size());
  }
  bool is_entry(std::uint32_t i, ArrayView<const std::uint32_t> key) const {
    const Entry& e = entries_[i];
    return e.word_count == key.size() &&
           std::equal(key.begin(), key.end(), words_.data() + e.first_word);
  }
  void follow(std::uint32_t entry) {
    if (last_ < entries_.size()) entries_[last_].follower = entry;
  }

  Vector<Entry> entries_;
  Vector<std::uint32_t> words_;
  Vector<ReshardStep> steps_;
  HashIndex index_;
  std::uint32_t last_ = kNone;
};

}  // namespace shardprop
