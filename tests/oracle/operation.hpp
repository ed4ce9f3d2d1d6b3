// What the interpreter runs: an operation with its operands' data, its results' shapes and its
// attributes as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/oracle/tensor.hpp"

namespace oracle {

using json = nlohmann::json;

// Where operand 0 of a shard lies in the whole operand. Operations that look into it at computed
// places clamp those to `whole`; what is outside of the shard reads as 0 and is not written.
struct Placement {
  Shape whole;
  Shape offset;
};

struct Operation {
  std::string name;
  std::string body;  // the operation that the region combines two values with; empty: it returns
                     // its second value
  json attributes = json::object();
  std::vector<Tensor> operands;
  std::vector<Shape> results;
  Placement placement;

  const Tensor& operand(std::size_t i) const { return operands[i]; }
};

// The results, or none where shapes and attributes do not fit each other.
using Results = std::optional<std::vector<Tensor>>;

inline Shape ints(const json& attributes, const char* key) {
  return attributes.contains(key) ? attributes[key].get<Shape>() : Shape();
}
inline Shape ints_or(const json& attributes, const char* key, std::size_t rank,
                     std::int64_t absent) {
  return attributes.contains(key) ? attributes[key].get<Shape>() : Shape(rank, absent);
}
inline bool contains(const Shape& dims, std::size_t dim) {
  for (std::int64_t d : dims) {
    if (d == static_cast<std::int64_t>(dim)) return true;
  }
  return false;
}
inline std::size_t index_of(std::int64_t dim) { return static_cast<std::size_t>(dim); }

inline std::int64_t combine(const std::string& body, std::int64_t a, std::int64_t b) {
  if (body == "stablehlo.add") return wrap_add(a, b);
  if (body == "stablehlo.multiply") return wrap_mul(a, b);
  if (body == "stablehlo.maximum") return std::max(a, b);
  if (body == "stablehlo.minimum") return std::min(a, b);
  return b;
}
inline std::int64_t identity_of(const std::string& body) {
  if (body == "stablehlo.multiply") return 1;
  if (body == "stablehlo.maximum") return std::numeric_limits<std::int64_t>::min();
  if (body == "stablehlo.minimum") return std::numeric_limits<std::int64_t>::max();
  return 0;
}

// One result of which each element is `element(index)`.
template <class Element>
Results fill(const Shape& shape, Element&& element) {
  std::vector<Tensor> out(1, Tensor(shape));
  for_each_index(shape, [&](const Shape& index) { out[0].at(index) = element(index); });
  return out;
}

}  // namespace oracle
