// The field names of the JSON graph as small numbers, so that an object is read by comparing
// numbers, and what fields each kind of object has.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace shardprop::detail {

enum class Field : std::uint8_t {
  kMeshes,
  kFunctions,
  kName,
  kPrivate,
  kArguments,
  kResults,
  kOps,
  kOp,
  kOperands,
  kAttributes,
  kShardingRule,
  kBlocks,
  kShape,
  kDtype,
  kSharding,
  kAxes,
  kSize,
  kDeviceIds,
  kMesh,
  kDims,
  kOpen,
  kPriority,
  kReplicated,
  kUnreduced,
  kReduction,
  kNone
};

inline constexpr std::size_t kFieldCount = static_cast<std::size_t>(Field::kNone);
inline constexpr std::array<std::string_view, kFieldCount> kFieldNames = {
    "meshes",   "functions",  "name",       "private",       "arguments", "results", "ops",
    "op",       "operands",   "attributes", "sharding_rule", "blocks",    "shape",   "dtype",
    "sharding", "axes",       "size",       "device_ids",    "mesh",      "dims",    "open",
    "priority", "replicated", "unreduced",  "reduction"};

constexpr std::string_view field_name(Field field) {
  return kFieldNames[static_cast<std::size_t>(field)];
}

// A set of fields, a bit each.
using FieldSet = std::uint32_t;
static_assert(kFieldCount <= 32);

constexpr FieldSet bit(Field field) { return FieldSet{1} << static_cast<unsigned>(field); }
template <class... Fields>
constexpr FieldSet field_set(Fields... fields) {
  return (FieldSet{0} | ... | bit(fields));
}

// Names hash without collision to 64 places; the multipliers were found by trying.
constexpr std::size_t field_slot(std::string_view name) {
  const auto at = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(name[i]));
  };
  return (at(0) + at(name.size() - 1) * 8 + at(name.size() / 2) + name.size()) % 64;
}

constexpr std::array<Field, 64> make_field_slots() {
  std::array<Field, 64> slots = {};
  slots.fill(Field::kNone);
  for (std::size_t i = 0; i < kFieldCount; ++i)
    slots[field_slot(kFieldNames[i])] = static_cast<Field>(i);
  return slots;
}
inline constexpr std::array<Field, 64> kFieldSlots = make_field_slots();

// The field called `name`, or kNone.
constexpr Field find_field(std::string_view name) {
  if (name.empty()) return Field::kNone;
  const Field field = kFieldSlots[field_slot(name)];
  return field != Field::kNone && field_name(field) == name ? field : Field::kNone;
}

constexpr bool all_fields_found() {
  for (std::size_t i = 0; i < kFieldCount; ++i) {
    if (find_field(kFieldNames[i]) != static_cast<Field>(i)) return false;
  }
  return true;
}
static_assert(all_fields_found(),
              "two field names share a slot: choose other multipliers in field_slot");

// The fields that a kind of object may have and must have.
struct ObjectSpec {
  std::string_view what;
  FieldSet allowed = 0;
  FieldSet required = 0;
};

inline constexpr ObjectSpec kModuleObject = {
    "a module", field_set(Field::kMeshes, Field::kAttributes, Field::kFunctions),
    field_set(Field::kFunctions)};
inline constexpr ObjectSpec kFunctionObject = {
    "a function",
    field_set(Field::kName, Field::kPrivate, Field::kArguments, Field::kResults, Field::kAttributes,
              Field::kOps),
    field_set(Field::kName, Field::kOps)};
inline constexpr ObjectSpec kOpObject = {
    "an operation",
    field_set(Field::kOp, Field::kOperands, Field::kResults, Field::kAttributes,
              Field::kShardingRule, Field::kSharding, Field::kBlocks),
    field_set(Field::kOp)};
inline constexpr ObjectSpec kBlockObject = {"a block", field_set(Field::kArguments, Field::kOps),
                                            field_set(Field::kOps)};
inline constexpr ObjectSpec kValueObject = {
    "a value",
    field_set(Field::kName, Field::kShape, Field::kDtype, Field::kSharding, Field::kAttributes),
    field_set(Field::kName)};
inline constexpr ObjectSpec kFuncResultObject = {
    "a result of a function",
    field_set(Field::kShape, Field::kDtype, Field::kSharding, Field::kAttributes), 0};
inline constexpr ObjectSpec kMeshObject = {"a mesh",
                                           field_set(Field::kName, Field::kAxes, Field::kDeviceIds),
                                           field_set(Field::kName, Field::kAxes)};
inline constexpr ObjectSpec kInlineMeshObject = {
    "an inlined mesh", field_set(Field::kAxes, Field::kDeviceIds), field_set(Field::kAxes)};
inline constexpr ObjectSpec kAxisObject = {"a mesh axis", field_set(Field::kName, Field::kSize),
                                           field_set(Field::kName, Field::kSize)};
inline constexpr ObjectSpec kShardingObject = {
    "a sharding",
    field_set(Field::kMesh, Field::kDims, Field::kReplicated, Field::kUnreduced, Field::kReduction),
    field_set(Field::kMesh, Field::kDims)};
inline constexpr ObjectSpec kDimObject = {
    "a dimension sharding", field_set(Field::kAxes, Field::kOpen, Field::kPriority), 0};

// The names of `fields`: `axes, open, priority`.
inline std::string list_fields(FieldSet fields) {
  std::string out;
  for (std::size_t i = 0; i < kFieldCount; ++i) {
    if (!(fields >> i & 1)) continue;
    if (!out.empty()) out += ", ";
    out += kFieldNames[i];
  }
  return out;
}

}  // namespace shardprop::detail
