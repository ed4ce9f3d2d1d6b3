// What the parts of the MLIR text writer share: the output, the settled names of the function at
// hand, and the texts of what a module stores once and uses often. The functions below are defined
// in the write/*.hpp of their names; all append to `out`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fmt/core.h"
#include "shardprop/io/common/output_cache.hpp"
#include "shardprop/io/common/written_names.hpp"
#include "shardprop/io/text/forms/form.hpp"
#include "shardprop/io/text/options.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop::detail {

struct TextWriteContext {
  TextWriteContext(const Module& module, const TextWriteOptions& the_options, const TextSink& to)
      : m(module),
        options(the_options),
        sink(to),
        names(module, the_options.generic ? NameRules::kGenericText : NameRules::kPrettyText),
        types(module.types.size()),
        shardings(module.shardings.size()),
        attrs(module.attrs.size()) {}

  const Module& m;
  const TextWriteOptions& options;
  TextSink sink;
  std::string out;
  bool sink_failed = false;
  Diagnostics errors;
  WrittenNames names;
  OutputCache<TypeId> types;
  OutputCache<ShardingId> shardings;
  OutputCache<AttrId> attrs;
  TextForms forms;
  std::size_t indent = 0;     // of the line at hand, in steps of two blanks
  std::size_t depth = 0;      // of regions and attributes
  bool in_func_body = false;  // the operation at hand stands directly in a function
};

inline constexpr std::size_t kFullPiece = std::size_t{1} << 16;

// What is in `out` goes to the sink, if there is one. Only where no caller still looks back at it.
inline void flush(TextWriteContext& c) {
  if (!c.sink.write) return;
  if (!c.sink_failed) c.sink_failed = !c.sink.write(c.sink.state, c.out);
  c.out.clear();
}

// A part of the source; a long one goes to the sink as it stands.
inline void write_slice(TextWriteContext& c, std::string_view text) {
  if (!c.sink.write || !c.in_func_body || text.size() < kFullPiece) {
    c.out.append(text);
    return;
  }
  flush(c);
  if (!c.sink_failed) c.sink_failed = !c.sink.write(c.sink.state, text);
}

// Counts one more open region or attribute while it lives; false, after an error, where that passes
// the limit.
class WriteDepth {
 public:
  explicit WriteDepth(TextWriteContext& c) : c_(c) { ++c_.depth; }
  WriteDepth(const WriteDepth&) = delete;
  WriteDepth& operator=(const WriteDepth&) = delete;
  ~WriteDepth() { --c_.depth; }

  bool check() {
    if (c_.depth <= c_.options.max_depth) return true;
    if (!c_.errors.empty()) return false;
    c_.errors.push_back(
        {"text.too_deep",
         fmt::format("regions or attributes nest more than {} deep", c_.options.max_depth),
         "nest the program less deeply"});
    return false;
  }

 private:
  TextWriteContext& c_;
};

// `%12`, `%arg0`, `%4#1`
inline void write_value(TextWriteContext& c, ValueId value);
// The operands of `op` from number `from` on, with `, ` between them.
inline void write_operands(TextWriteContext& c, OpId op, std::size_t from = 0);

// `tensor<8x?xf32>`, or the text of what is not a tensor.
inline void write_type(TextWriteContext& c, TypeId type);
// The types of the operands from number `from` on, and of the results, with `, ` between them.
inline void write_operand_types(TextWriteContext& c, OpId op, std::size_t from = 0);
inline void write_result_types(TextWriteContext& c, OpId op);
// `(tensor<2xf32>, tensor<f32>) -> tensor<2xf32>`
inline void write_functional_type(TextWriteContext& c, OpId op);

// `"text"`, escaped; `@name`, quoted where it is not a plain identifier; an attribute's name.
inline void write_string(TextWriteContext& c, std::string_view text);
inline void write_symbol(TextWriteContext& c, std::string_view name);
inline void write_key(TextWriteContext& c, std::string_view key);

// Any attribute by what it is: `1 : i64`, `"text"`, `[1, 2]`, `{a = true}`, its own text where it
// is kTyped or opaque.
inline void write_attribute(TextWriteContext& c, AttrId attribute);
// A tensor constant: `dense<[1, 2]> : tensor<2xi32>`. `value` is its form in the JSON graph (a
// number, lists, hexadecimal text, `{"elided": true}`) or kData.
inline void write_dense(TextWriteContext& c, AttrId value, TypeId type);
// `<@mesh, [{"x"}, {?}]>`, without `#sdy.sharding`.
inline void write_sharding(TextWriteContext& c, ShardingId sharding);
// `<["a"=2]>`
inline void write_mesh(TextWriteContext& c, const Mesh& mesh);

// ` {key = value, ...}` with a blank before it: all attributes of `op` but those whose number in
// its dictionary is set in `written`, and its shardings and rule as `sdy.sharding` and
// `sdy.sharding_rule`. Nothing if there are none.
inline void write_attr_dict(TextWriteContext& c, OpId op, std::uint64_t written);

// The name of the operation without quotes; without `func.` where MLIR leaves it out.
inline void write_op_name(TextWriteContext& c, OpId op);

// `{`, the operations one per line, `}`. With `^bb0(%a: tensor<f32>):` first if `with_arguments`
// and there are arguments.
inline void write_region(TextWriteContext& c, BlockId block, bool with_arguments);
// `%a: tensor<f32> loc(...)`, as in a list of arguments in front of a region.
inline void write_region_argument(TextWriteContext& c, ValueId value);

// A whole operation with results, location and the end of its line.
inline void write_op(TextWriteContext& c, OpId op);

}  // namespace shardprop::detail
