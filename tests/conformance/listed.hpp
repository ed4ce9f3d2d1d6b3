// The cases that differ from the reference on purpose.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/conformance/case_file.hpp"
#include "tests/conformance/run_case.hpp"

namespace shardprop::conformance {

// Marks the results of those of `selected` that differ and that `file` lists: a line has the reason, which
// docs/conformance.md explains, the group and the name of a case. Returns what to print of lines that are no
// longer true: a listed case must differ.
std::string mark_listed(const std::string& file, const std::vector<Case>& cases,
                        const std::vector<std::size_t>& selected, std::vector<CaseResult>& results);

}  // namespace shardprop::conformance
