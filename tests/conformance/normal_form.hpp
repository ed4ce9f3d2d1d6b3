// When two JSON values of a graph mean the same: the canonical form of meshes and shardings, and
// equality.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace shardprop::conformance {

using Json = nlohmann::json;

// Stands for a missing value; shown in a difference.
inline constexpr const char* kAbsent = "(absent)";

// The member `key` of `object`; null when it is absent or `object` is not an object.
const Json& member(const Json& object, std::string_view key);

// False for null, false, 0, "" and an empty list or object: such a field means the same as none.
bool is_set(const Json& value);

Json normal_mesh(const Json& mesh);

// A sharding without what is default: empty lists, closed dimensions, priority 0, the reduction
// sum. Null stays null.
Json normal_sharding(const Json& sharding);

// An attribute's value, with the shardings inside in canonical form.
Json normal_value(const Json& value);

// Equality of canonical values. An elided constant equals anything; 1 equals 1.0 but not true.
bool same(const Json& a, const Json& b);

}  // namespace shardprop::conformance
