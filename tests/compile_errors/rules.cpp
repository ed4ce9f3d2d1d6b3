// Rules that the compiler must refuse, one per number of SHARDPROP_CASE; 0 is one that it must
// take. tests/compile_errors.cmake says which function of the parser each of them must name.
#include <functional>
#include <optional>

#include "shardprop/ops/common/text_rule.hpp"
#include "shardprop/ops/op_def.hpp"

using shardprop::rule;

inline constexpr shardprop::OpDef kRow = {
    .name = "test.op",
    .rule =
#if SHARDPROP_CASE == 0
        rule<"([b, i, k], [b, k, j]) -> ([b, i, j]) reduction={k}", "([..., i]) -> ([..., i])">
#elif SHARDPROP_CASE == 1
        rule<"([b, i, k, [b, k, j]) -> ([b, i, j])">
#elif SHARDPROP_CASE == 2
        rule<"([i, k], [k, j]) -> ([i, j]) reduction={m}">
#elif SHARDPROP_CASE == 3
        rule<"([i, i]) -> ([i])">
#elif SHARDPROP_CASE == 4
        rule<"([i, K]) -> ([i])">
#elif SHARDPROP_CASE == 5
        rule<"([i, k]) -> ([i, k]) reduction={k}">
#elif SHARDPROP_CASE == 6
        rule<"([i, j]) -> ([i]) reduction={j} need_replication={j}">
#elif SHARDPROP_CASE == 7
        rule<"([i, j]) -> ([]) reduction={j, i}">
#elif SHARDPROP_CASE == 8
        rule<"([i, ]) -> ([i])">
#elif SHARDPROP_CASE == 9
        rule<"([i]) -> ([i]) sum={i}">
#elif SHARDPROP_CASE == 10
        rule<"([i]) -> ([i])", "([i] -> ([i])">
#endif
};

#if SHARDPROP_CASE == 0
// What takes a function of a caller takes a rule as well.
const std::function<std::optional<shardprop::OpShardingRule>(const shardprop::RuleInput&)> kRule =
    rule<"([i, k], [k, j]) -> ([i, j]) reduction={k}">;
#endif
