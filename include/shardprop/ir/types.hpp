// Interned types of values. A tensor has an element type and a shape; anything else (a token, a
// tuple) is kept by its text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shardprop/support/hash.hpp"
#include "shardprop/support/interner.hpp"
#include "shardprop/support/string_table.hpp"

namespace shardprop {

struct TypeTag;
using TypeId = Id<TypeTag>;

constexpr std::int64_t kDynamic = -1;  // size of a dimension that is not known

class TypeTable {
 public:
  // `dtype` is a name such as f32, i1, complex<f32>; a dynamic dimension is `kDynamic`. `encoding`
  // is what MLIR text has after the element type, such as `#stablehlo.bounds<?, 4>`; JSON has none.
  TypeId tensor(StringId dtype, std::span<const std::int64_t> shape,
                StringId encoding = StringId()) {
    return intern(dtype, true, shape, encoding);
  }
  TypeId non_tensor(StringId text) { return intern(text, false, {}, StringId()); }

  StringId dtype(TypeId id) const { return rows_[id].dtype; }
  StringId encoding(TypeId id) const { return rows_[id].encoding; }  // mostly none
  bool is_tensor(TypeId id) const { return rows_[id].is_tensor; }
  // Empty for a scalar and for a type that is not a tensor. Valid until the next type is made.
  std::span<const std::int64_t> shape(TypeId id) const { return dims_of(rows_[id]); }
  std::size_t rank(TypeId id) const { return rows_[id].rank; }
  bool is_static_tensor(TypeId id) const {
    const auto dims = shape(id);
    return rows_[id].is_tensor && std::find(dims.begin(), dims.end(), kDynamic) == dims.end();
  }
  std::size_t size() const { return rows_.size(); }

 private:
  struct Row {
    StringId dtype;
    StringId encoding;
    std::uint32_t begin;
    std::uint32_t rank;
    bool is_tensor;
  };

  TypeId intern(StringId dtype, bool is_tensor, std::span<const std::int64_t> shape,
                StringId encoding) {
    std::uint64_t hash = hash_mix(dtype.index, shape.size() * 2 + (is_tensor ? 1 : 0));
    if (encoding.valid()) hash = hash_mix(hash, encoding.index);
    for (std::int64_t dim : shape) hash = hash_mix(hash, static_cast<std::uint64_t>(dim));
    const auto equal = [&](const Row& row) {
      const auto dims = dims_of(row);
      return row.dtype == dtype && row.is_tensor == is_tensor && row.encoding == encoding &&
             std::equal(dims.begin(), dims.end(), shape.begin(), shape.end());
    };
    return rows_.intern(hash, equal, [&] {
      const Row row = {dtype, encoding, static_cast<std::uint32_t>(dims_.size()),
                       static_cast<std::uint32_t>(shape.size()), is_tensor};
      append_to_pool(dims_, shape);
      return row;
    });
  }

  std::span<const std::int64_t> dims_of(const Row& row) const {
    return std::span(dims_).subspan(row.begin, row.rank);
  }

  Interner<TypeId, Row> rows_;
  std::vector<std::int64_t> dims_;
};

}  // namespace shardprop
