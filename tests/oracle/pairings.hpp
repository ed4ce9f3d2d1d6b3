// Tries every pairing of single dimensions: at most one dimension of each tensor, all of one size,
// split together as one factor would be. A pairing that shards compute exactly and that the rule
// lacks is missing. Parts of a pairing that is in the rule, or is missing itself, are not told.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/oracle/factors.hpp"

namespace oracle {

struct Pairing {
  std::vector<std::optional<std::size_t>> dims;  // of each tensor
  std::int64_t size = 0;
  Joining joining = Joining::kConcatenate;

  bool is_part_of(const Pairing& other) const {
    for (std::size_t t = 0; t < dims.size(); ++t) {
      if (dims[t] && dims[t] != other.dims[t]) return false;
    }
    return true;
  }
};

// As a rule with one factor: `([i, .], [i])->([., .]) reduction={i}`.
inline std::string to_string(const Case& test, const Pairing& pairing) {
  std::string out = "(";
  for (std::size_t t = 0; t < test.tensor_count(); ++t) {
    if (t > 0) out += t == test.op.operands.size() ? ")->(" : ", ";
    out += '[';
    for (std::size_t d = 0; d < test.shape(t).size(); ++d)
      out += std::string(d > 0 ? ", " : "") + (pairing.dims[t] == d ? "i" : ".");
    out += ']';
  }
  return out + (pairing.joining == Joining::kReduce ? ") reduction={i}" : ")");
}

inline bool is_exact(const Case& test, const Pairing& pairing) {
  Split split(test.tensor_count());
  for (std::size_t t = 0; t < split.size(); ++t) {
    if (pairing.dims[t]) split[t] = SubDim{*pairing.dims[t], 1, pairing.size, 1};
  }
  return compare_all_shards(test, split, pairing.size, pairing.joining).empty();
}

// The pairings that the rule's factors make, each of the dimensions where it is the major-most one.
inline std::vector<Pairing> pairings_of(const OpShardingRule& rule) {
  std::vector<Pairing> out;
  for (std::uint32_t f = 0; f < rule.factors.size(); ++f) {
    const auto& factor = rule.factors[f];
    if (factor.size == 1 || !is_local(factor.kind)) continue;
    Pairing pairing{{}, factor.size, Joining::kConcatenate};
    if (factor.kind == FactorKind::kReduction) pairing.joining = Joining::kReduce;
    for (std::size_t t = 0; t < rule.tensor_count(); ++t) {
      pairing.dims.emplace_back();
      for (std::size_t d = 0; d < rule.tensor(t).size(); ++d) {
        if (rule.tensor(t)[d].front() == f) pairing.dims[t] = d;
      }
    }
    out.push_back(pairing);
  }
  return out;
}

// All pairings of dimensions of `size` that have one of an operand.
inline std::vector<Pairing> all_pairings(const Case& test, std::int64_t size) {
  std::vector<Pairing> out = {{{}, size, Joining::kConcatenate}};
  for (std::size_t t = 0; t < test.tensor_count(); ++t) {
    std::vector<Pairing> grown;
    for (Pairing pairing : out) {
      pairing.dims.emplace_back();
      grown.push_back(pairing);
      for (std::size_t d = 0; d < test.shape(t).size(); ++d) {
        if (test.shape(t)[d] != size) continue;
        pairing.dims.back() = d;
        grown.push_back(pairing);
      }
    }
    out = grown;
  }
  const auto operands = static_cast<std::ptrdiff_t>(test.op.operands.size());
  const auto is_set = [](const auto& dim) { return dim.has_value(); };
  std::erase_if(out, [&](const Pairing& p) {
    return std::none_of(p.dims.begin(), p.dims.begin() + operands, is_set);
  });
  for (Pairing& p : out) {
    if (std::none_of(p.dims.begin() + operands, p.dims.end(), is_set)) p.joining = Joining::kReduce;
  }
  return out;
}

// Factors of parts of dimensions, which no pairing of whole dimensions covers, that are gathered or
// exchanged though shards compute them exactly. Pass-through factors of operands alone are gathered
// too.
inline void add_needless_communication(const Case& test, const OpShardingRule& rule,
                                       std::set<std::string>& out) {
  for (std::uint32_t f = 0; f < rule.factors.size(); ++f) {
    const auto& factor = rule.factors[f];
    const FactorSplit parts = split_of(test, rule, f);
    const bool is_of_parts =
        std::any_of(parts.split.begin(), parts.split.end(),
                    [](const auto& sub) { return sub && sub->major * sub->minor > 1; });
    const bool is_computed = factor.kind == FactorKind::kReduction ||
                             (factor.kind == FactorKind::kPassThrough && parts.results > 0);
    if (is_computed || factor.size == 1 || !is_of_parts || !parts.wrong.empty() ||
        parts.operands == 0)
      continue;
    const Joining joining = parts.results > 0 ? Joining::kConcatenate : Joining::kReduce;
    if (compare_all_shards(test, parts.split, factor.size, joining).empty())
      out.insert(shardprop::factor_symbol(f) + " of " + to_string(rule));
  }
}

// The exact pairings that `rule` lacks, as text.
inline std::set<std::string> missing_pairings(const Case& test, const OpShardingRule* rule) {
  std::set<std::int64_t> sizes;
  for (std::size_t t = 0; t < test.tensor_count(); ++t) {
    for (std::int64_t size : test.shape(t)) {
      if (size > 1) sizes.insert(size);
    }
  }
  const std::vector<Pairing> known = rule ? pairings_of(*rule) : std::vector<Pairing>();
  std::vector<Pairing> missing;
  for (std::int64_t size : sizes) {
    for (const Pairing& pairing : all_pairings(test, size)) {
      const bool is_known = std::any_of(known.begin(), known.end(), [&](const Pairing& k) {
        return pairing.is_part_of(k) && (pairing.dims != k.dims || pairing.joining == k.joining);
      });
      if (!is_known && is_exact(test, pairing)) missing.push_back(pairing);
    }
  }
  std::set<std::string> out;
  if (rule) add_needless_communication(test, *rule, out);
  for (const Pairing& pairing : missing) {
    const bool is_part = std::any_of(missing.begin(), missing.end(), [&](const Pairing& other) {
      return pairing.dims != other.dims && pairing.is_part_of(other);
    });
    if (!is_part) out.insert(to_string(test, pairing));
  }
  return out;
}

}  // namespace oracle
