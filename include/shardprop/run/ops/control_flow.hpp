// Control flow and calls: rows only, since `Process` passes control.
#pragma once

#include "shardprop/run/eval_table.hpp"

namespace shardprop {

inline constexpr EvalDef kControlFlowEvaluators[] = {
    {"func.return", nullptr, nullptr, Control::kReturn},
    {"stablehlo.return", nullptr, nullptr, Control::kReturn},
    {"sdy.return", nullptr, nullptr, Control::kReturn},
    {"func.call", nullptr, nullptr, Control::kCall},
    {"stablehlo.composite", nullptr, nullptr, Control::kCall},
    {"sdy.named_computation", nullptr, nullptr, Control::kRegion},
    {"stablehlo.if", nullptr, nullptr, Control::kBranch},
    {"stablehlo.case", nullptr, nullptr, Control::kCase},
    {"stablehlo.while", nullptr, nullptr, Control::kWhile},
};

}  // namespace shardprop
