// A pipeline as text: `user-priority-propagate{keep-sharding-rules=true},close-shardings`.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/support/inline.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

// A pass by name with its options as they were written.
struct PassCall {
  std::string name;
  std::vector<std::pair<std::string, std::string>> options;

  friend bool operator==(const PassCall&, const PassCall&) = default;
};

// Error: `pipeline.syntax`. Whether there are such passes and options is checked where they run.
SHARDPROP_INLINE Result<std::vector<PassCall>> parse_pipeline(std::string_view text);

SHARDPROP_INLINE std::string to_string(const PassCall& call);

}  // namespace shardprop

#ifndef SHARDPROP_COMPILED
#include "shardprop/pipeline/pass_call_inl.hpp"
#endif
