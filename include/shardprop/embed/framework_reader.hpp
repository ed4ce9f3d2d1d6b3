// Builds the module of a framework's program. The order of operations and values is the framework's.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "fmt/core.h"
#include "shardprop/embed/framework_program.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/ops/common/type_text.hpp"
#include "shardprop/ops/op_builder.hpp"
#include "shardprop/ops/op_table.hpp"
#include "shardprop/sharding/named_sharding.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop::detail {

template <FrameworkProgram F>
class FrameworkReader {
 public:
  using Value = typename F::Value;
  using Op = typename F::Op;
  using Region = typename F::Region;

  // A value of the framework, its row in the module, and whether it can be annotated: the argument
  // of a region takes the sharding of what flows into it.
  struct Row {
    Value value;
    ValueId id;
    bool is_inner_argument = false;
  };

  FrameworkReader(F& f, const OpTable& ops, Module& m) : f_(f), m_(m), b_(m, ops) {}

  // `annotation(value)` gives its std::optional<NamedSharding>.
  template <class Annotation>
  Diagnostics run(Annotation&& annotation) {
    for (const Mesh& mesh : f_.meshes()) add_mesh(mesh);
    errors_.insert(errors_.end(), b_.errors().begin(), b_.errors().end());
    if (!errors_.empty()) return std::move(errors_);
    annotation_ = [&](const Value& value) { return sharding_id(annotation(value)); };
    const Region body = f_.body();
    std::vector<Param> params;
    for (const Value& value : f_.arguments(body))
      params.push_back({type(value), annotation_(value), label(value)});
    const IdRange<ValueId> args = b_.begin_func("main", params);
    std::size_t next = 0;
    for (const Value& value : f_.arguments(body)) add({value, args[next++]});
    for (const Op& op : f_.ops(body)) read_op(op);
    b_.end_func(find_all(f_.returned(body)));
    // What the builder says of operations on undefined values follows from the errors here.
    if (errors_.empty()) return b_.errors();
    return std::move(errors_);
  }

  std::vector<Row>& rows() { return rows_; }

 private:
  void add_mesh(const Mesh& mesh) {
    if (mesh.device_ids.empty()) {
      b_.add_mesh(mesh.name, mesh.axes);
    } else if (verify_mesh(mesh, {}, errors_)) {
      m_.meshes.add(mesh);
    }
  }

  void read_op(const Op& op) {
    OpParts parts;
    const std::string name = f_.name(op);
    parts.terminator = name.starts_with("sdy.") ? "sdy.return" : "stablehlo.return";
    parts.attributes = attributes(f_.attributes(op));
    parts.types.emplace();
    for (const Value& value : f_.results(op)) {
      parts.types->push_back(type(value));
      parts.shardings.push_back(annotation_(value));
    }
    for (const Region& region : f_.regions(op)) parts.regions.push_back(read_region(region));
    const IdRange<ValueId> made = b_.build(name, find_all(f_.operands(op)), parts);
    std::size_t next = 0;
    for (const Value& value : f_.results(op)) {
      add({value, made[next]});
      if (const std::string text = label(value); !text.empty()) b_.named(made[next], text);
      ++next;
    }
  }

  RegionSpec read_region(const Region& region) {
    RegionSpec spec;
    for (const Value& value : f_.arguments(region)) spec.arguments.push_back(type(value));
    spec.body = [this, region](IdRange<ValueId> args) {
      std::size_t next = 0;
      for (const Value& value : f_.arguments(region)) {
        add({value, args[next++], true});
        if (annotation_(value).valid()) report_inner_argument(value);
      }
      for (const Op& op : f_.ops(region)) read_op(op);
      return find_all(f_.returned(region));
    };
    return spec;
  }

  void add(Row row) {
    if (!ids_.try_emplace(row.value, row.id).second) {
      errors_.push_back(
          {"embed.value_defined_twice",
           fmt::format("the framework's value {} is defined twice", text_of(row.value)),
           "let each value be one result or one argument"});
      return;
    }
    rows_.push_back(std::move(row));
  }

  template <class List>
  Values find_all(const List& values) {
    Values found;
    for (const Value& value : values) {
      const auto at = ids_.find(value);
      found.push_back(at == ids_.end() ? ValueId() : at->second);
      if (at != ids_.end()) continue;
      errors_.push_back(
          {"embed.undefined_value",
           fmt::format("the framework's value {} is used before it is defined", text_of(value)),
           "list operations in an order in which values are defined before their use"});
    }
    return found;
  }

  void report_inner_argument(const Value& value) {
    errors_.push_back(
        {"embed.region_argument",
         fmt::format("{} is the argument of a region and has a sharding", text_of(value)),
         "annotate the operand or the result that it stands for, or constrain it with "
         "sdy.sharding_constraint"});
  }

  std::string label(const Value& value) {
    if constexpr (requires {
                    { f_.label(value) } -> std::convertible_to<std::string>;
                  }) {
      return f_.label(value);
    }
    return {};
  }
  std::string text_of(const Value& value) {
    const std::string text = label(value);
    return text.empty() ? fmt::format("of type {}", f_.dtype(value)) : text;
  }

  TypeId type(const Value& value) {
    const std::string dtype = f_.dtype(value);
    if (dtype.starts_with('!') && !dtype.starts_with("!quant")) return type_from_text(m_, dtype);
    std::vector<std::int64_t> shape;
    for (std::int64_t size : f_.shape(value)) shape.push_back(size);
    return b_.tensor(dtype, shape);
  }

  ShardingId sharding_id(const std::optional<NamedSharding>& names) {
    if (!names) return ShardingId();
    Result<TensorSharding> sharding = sharding_from_names(*names, m_.meshes);
    if (sharding) return m_.shardings.intern(*sharding);
    errors_.insert(errors_.end(), sharding.errors().begin(), sharding.errors().end());
    return ShardingId();
  }

  template <class List>
  AttrId attributes(const List& list) {
    std::vector<std::pair<std::string, AttrId>> made;
    for (const NamedAttribute& attribute : list)
      made.emplace_back(attribute.name, this->attribute(attribute.value));
    std::vector<OpBuilder::NamedAttr> entries(made.begin(), made.end());
    return b_.dict(entries);
  }

  AttrId attribute(const Attribute& attribute) {
    const auto make = [&](const auto& value) -> AttrId {
      using T = std::decay_t<decltype(value)>;
      if constexpr (std::is_same_v<T, bool>) return m_.attrs.boolean(value);
      if constexpr (std::is_same_v<T, std::int64_t>) return m_.attrs.integer(value);
      if constexpr (std::is_same_v<T, double>) return m_.attrs.number(value);
      if constexpr (std::is_same_v<T, std::string>) return b_.string(value);
      if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) return b_.ints(value);
      if constexpr (std::is_same_v<T, std::vector<NamedAttribute>>) return attributes(value);
      if constexpr (std::is_same_v<T, NamedSharding>) return m_.attrs.sharding(sharding_id(value));
      if constexpr (std::is_same_v<T, std::vector<Attribute>>) {
        std::vector<AttrId> items;
        for (const Attribute& item : value) items.push_back(this->attribute(item));
        return m_.attrs.list(items);
      }
    };
    return std::visit(make, static_cast<const typename Attribute::variant&>(attribute));
  }

  F& f_;
  Module& m_;
  OpBuilder b_;
  std::function<ShardingId(const Value&)> annotation_;
  std::unordered_map<Value, ValueId> ids_;
  std::vector<Row> rows_;
  Diagnostics errors_;
};

}  // namespace shardprop::detail
