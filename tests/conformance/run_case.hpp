// Runs one case: reads its input, runs its passes, and holds the outcome against what the reference
// gave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/conformance/case_file.hpp"

namespace shardprop {
class OpTable;
}

namespace shardprop::conformance {

enum class Outcome : std::uint8_t {
  kAgrees,
  kDiffers,
  kListed,    // differs, as tests/conformance/listed.txt says, for a reason
  kNotBuilt,  // a pass, or an option of it, does not exist yet
  kLeftOut,   // the case says that the reference is wrong
  kCrashed,   // the worker process died or ran out of time
};

// A case without an expected graph counts as one function.
struct CaseResult {
  Outcome outcome = Outcome::kDiffers;
  std::size_t agreeing_functions = 0;
  std::size_t functions = 0;
  bool refused_early =
      false;                // by the reader or the verifier, where a pass of the reference refused
  std::string report = {};  // what differs; empty when the case agrees
};

struct RunSettings {
  std::size_t shown_differences = 3;  // of one case
  std::string dump_folder;            // empty: graphs of cases that differ are not written
  bool no_memo = false;               // compare with a run without the memo, not with the reference
};

// Never throws for what a case holds: it then differs, and the report says why.
CaseResult run_case(const OpTable& ops, const Case& c, const RunSettings& settings);

}  // namespace shardprop::conformance
