// What a framework's own program must answer to be propagated through (adapted_program.hpp): a
// concept over the framework's handles of values, operations and regions. Nothing is copied into
// types of this library but names, sizes and shardings.
//
// `F::Value`, `F::Op` and `F::Region` are handles that are cheap to copy, such as numbers or
// pointers; values have `==` and std::hash. A list is anything with begin and end. Of `F& f`:
//
//   f.meshes()             the meshes by name, list of Mesh
//   f.body()               the Region of the whole program
//   f.arguments(region)    list of Value
//   f.ops(region)          list of Op, each after what it uses
//   f.returned(region)     list of Value
//   f.name(op)             as in the operation table: stablehlo.add, my.matmul
//   f.attributes(op)       list of NamedAttribute, as in the JSON graph
//   f.operands(op), f.results(op)   lists of Value
//   f.regions(op)          list of Region
//   f.shape(value)         list of integers, -1 for a size that is not known
//   f.dtype(value)         f32; for a value that is not a tensor its type as text, such as !stablehlo.token
//   f.sharding(value)      std::optional<NamedSharding>, or what converts to it
//   f.set_sharding(value, std::optional<ShardingView>)    `sharding` gives it back from then on
//   f.label(value)         may be left out: a name for messages
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "shardprop/ops/sharding_view.hpp"
#include "shardprop/sharding/mesh.hpp"
#include "shardprop/sharding/named_sharding.hpp"

namespace shardprop {

struct NamedAttribute;

// The value of an attribute: a plain value, a list, a dictionary, or a sharding.
struct Attribute
    : std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>,
                   std::vector<Attribute>, std::vector<NamedAttribute>, NamedSharding> {
  using variant::variant;
};

struct NamedAttribute {
  std::string name;
  Attribute value;
};

namespace detail {

template <class List, class T>
concept ListOf = requires(const List& list) {
  { *std::begin(list) } -> std::convertible_to<T>;
  std::end(list);
};

template <class T>
concept Hashable = std::equality_comparable<T> && requires(const T& value) {
  { std::hash<T>()(value) } -> std::convertible_to<std::size_t>;
};

}  // namespace detail

template <class F>
concept FrameworkProgram = detail::Hashable<typename F::Value> &&
    requires(F& f, const typename F::Value& value, const typename F::Op& op,
             const typename F::Region& region, const std::optional<ShardingView>& sharding) {
  { f.meshes() } -> detail::ListOf<Mesh>;
  { f.body() } -> std::convertible_to<typename F::Region>;
  { f.arguments(region) } -> detail::ListOf<typename F::Value>;
  { f.ops(region) } -> detail::ListOf<typename F::Op>;
  { f.returned(region) } -> detail::ListOf<typename F::Value>;
  { f.name(op) } -> std::convertible_to<std::string>;
  { f.attributes(op) } -> detail::ListOf<NamedAttribute>;
  { f.operands(op) } -> detail::ListOf<typename F::Value>;
  { f.results(op) } -> detail::ListOf<typename F::Value>;
  { f.regions(op) } -> detail::ListOf<typename F::Region>;
  { f.shape(value) } -> detail::ListOf<std::int64_t>;
  { f.dtype(value) } -> std::convertible_to<std::string>;
  { f.sharding(value) } -> std::convertible_to<std::optional<NamedSharding>>;
  f.set_sharding(value, sharding);
};

}  // namespace shardprop
