// The program of a case as the reference's own test file has it: read as text, it must give the
// case's input. Needs a copy of the reference's repository, which the project does not hold.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tests/conformance/case_file.hpp"
#include "tests/conformance/run_case.hpp"

namespace shardprop::conformance {

// The program at `c.source` (file:line) under `repository`, up to the line that separates it from
// the next; none where there is no such file.
std::optional<std::string> text_of(const Case& c, const std::filesystem::path& repository);

// Reads that program and compares the graph with the case's input. A program that must be refused
// may be refused by the reader.
CaseResult check_text(const Case& c, const std::filesystem::path& repository);

}  // namespace shardprop::conformance
