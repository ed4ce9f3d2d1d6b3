#include "tests/conformance/normal_form.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace shardprop::conformance {

namespace {

bool is_sharding(const Json& value) {
  return value.is_object() && value.contains("mesh") && value.contains("dims");
}

bool is_elided(const Json& value) { return member(value, "elided") == Json(true); }

Json normal_dim(const Json& dim) {
  Json out = {{"axes", is_set(member(dim, "axes")) ? member(dim, "axes") : Json::array()}};
  if (is_set(member(dim, "open"))) out["open"] = true;
  if (is_set(member(dim, "priority"))) out["priority"] = member(dim, "priority");
  return out;
}

bool same_members(const Json& a, const Json& b) {
  return std::all_of(a.items().begin(), a.items().end(), [&](const auto& item) {
    const auto other = b.find(item.key());
    return other != b.end() && same(item.value(), *other);
  });
}

}  // namespace

const Json& member(const Json& object, std::string_view key) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  const auto it = object.find(key);
  return it == object.end() ? kNull : *it;
}

bool is_set(const Json& value) {
  switch (value.type()) {
    case Json::value_t::boolean:
      return value.get<bool>();
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float:
      return value != Json(0);
    case Json::value_t::string:
      return !value.get_ref<const std::string&>().empty();
    default:
      return !value.empty();
  }
}

Json normal_mesh(const Json& mesh) {
  Json axes = Json::array();
  for (const Json& axis : member(mesh, "axes")) {
    axes.push_back({{"name", member(axis, "name")}, {"size", member(axis, "size")}});
  }
  Json out = {{"axes", std::move(axes)}};
  if (is_set(member(mesh, "device_ids"))) out["device_ids"] = member(mesh, "device_ids");
  return out;
}

Json normal_sharding(const Json& sharding) {
  if (!sharding.is_object()) return sharding;
  const Json& mesh = member(sharding, "mesh");
  Json dims = Json::array();
  for (const Json& dim : member(sharding, "dims")) dims.push_back(normal_dim(dim));
  Json out = {{"mesh", mesh.is_object() ? normal_mesh(mesh) : mesh}, {"dims", std::move(dims)}};
  for (const char* key : {"replicated", "unreduced"}) {
    if (is_set(member(sharding, key))) out[key] = member(sharding, key);
  }
  const Json& reduction = member(sharding, "reduction");
  if (!reduction.is_null() && reduction != "sum") out["reduction"] = reduction;
  return out;
}

Json normal_value(const Json& value) {
  if (is_sharding(value)) return normal_sharding(value);
  if (!value.is_structured()) return value;
  Json out = value;
  for (Json& item : out) item = normal_value(item);
  return out;
}

bool same(const Json& a, const Json& b) {
  if (is_elided(a) || is_elided(b)) return true;
  if (a.is_object() && b.is_object()) return a.size() == b.size() && same_members(a, b);
  if (a.is_array() && b.is_array()) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
  }
  return a == b;
}

}  // namespace shardprop::conformance
