// The project's own table of operation tests: one line for each case, by family in the headers of this
// folder. `check_op_cases` of tests/ops/check_op_cases.hpp runs a table and says how `json` is
// read.
#pragma once

struct OpCase {
  const char* op;    // stablehlo.dot_general
  const char* what;  // "ok", "infer", or the constraint that must be reported: "c9", or a whole
                     // code "op.operand_count"
  const char* json;  // the program: StableHLO text, or short, in JSON
};
