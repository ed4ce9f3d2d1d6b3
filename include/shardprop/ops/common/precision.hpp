// The attribute `precision_config` of products: one keyword an operand. O(its size).
#pragma once

#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/ops/common/op_diagnostics.hpp"
#include "shardprop/ops/op_def.hpp"

namespace shardprop {

// The keywords of `precision_config`; empty where it is absent. Reports under `constraint` what is
// no list of at most two keywords and sets `ok` to false.
inline std::vector<std::string_view> read_precision(const VerifyInput& in,
                                                    std::string_view constraint, bool& ok) {
  std::vector<std::string_view> keywords;
  const AttrId id = attribute(in.m, in.op, "precision_config");
  const AttrTable& attrs = in.m.attrs;
  if (!id.valid() || (attrs.kind(id) == AttrKind::kInts && attrs.as_ints(id).empty()))
    return keywords;
  bool known = attrs.kind(id) == AttrKind::kList;
  if (known) {
    for (AttrId item : attrs.items(id)) {
      const bool is_text = attrs.kind(item) == AttrKind::kString;
      const std::string_view keyword =
          is_text ? in.m.strings[attrs.as_string(item)] : std::string_view();
      known = known && (keyword == "DEFAULT" || keyword == "HIGH" || keyword == "HIGHEST");
      keywords.push_back(keyword);
    }
  }
  if (known && keywords.size() <= 2) return keywords;
  ok = false;
  report(in, constraint,
         fmt::format("'precision_config' must be a list of two of DEFAULT, HIGH and HIGHEST{}",
                     known ? fmt::format(", found {}", keywords.size()) : std::string()));
  return keywords;
}

}  // namespace shardprop
