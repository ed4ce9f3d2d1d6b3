// Data that is not part of the project: the conformance cases and real programs of the shared
// folder. Cases that need it have the tag [shared] and stand in ctest entries of their own, which
// ctest counts as skipped, not as passed, where the data is missing.
#pragma once

#include <filesystem>

#include "tests/catch.hpp"

namespace shardprop::test {

// What a test program returns where all is well but something was not there: SKIP_RETURN_CODE.
inline constexpr int kSkipped = 77;
inline bool shared_data_is_missing = false;

// Whether `path` exists. A case returns where it does not.
inline bool is_shared(const std::filesystem::path& path) {
  if (std::filesystem::exists(path)) return true;
  shared_data_is_missing = true;
  WARN("skipped: " << path << " is missing; set SHARDPROP_SHARED to the folder of the shared data");
  return false;
}

}  // namespace shardprop::test
