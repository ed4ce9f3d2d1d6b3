// The smallest useful view of a difference: what differs, the operation with the shardings around
// it, its rule.
#pragma once

#include <string>

#include "tests/conformance/compare.hpp"

namespace shardprop::conformance {

// Lines that end in a newline. `rule` is the text of the operation's sharding rule, or empty.
std::string view_difference(const Difference& difference, const Json& expected, const Json& actual,
                            const std::string& rule);

// A value in one line: shardings as text, `<@mesh, [{"x"}, {?}]>`, anything else as JSON, cut after
// `kMaxShown` bytes.
std::string show(const Json& value);

inline constexpr std::size_t kMaxShown = 400;

}  // namespace shardprop::conformance
