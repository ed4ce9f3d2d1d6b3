// Writes the graphs of a case to files, so that they can be looked at and run on their own.
#pragma once

#include <string>
#include <string_view>

#include "tests/conformance/case_file.hpp"

namespace shardprop::conformance {

// Writes <folder>/<group>.<case>.{input,expected,actual}.json, leaving out what is empty; nothing
// when `folder` is empty.
void dump_graphs(const std::string& folder, const Case& c, std::string_view actual);

}  // namespace shardprop::conformance
