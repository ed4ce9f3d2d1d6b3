// Definitions of json_writer.hpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "shardprop/io/common/file.hpp"
#include "shardprop/io/common/literals.hpp"
#include "shardprop/io/common/rounding.hpp"
#include "shardprop/io/common/sdy_attributes.hpp"
#include "shardprop/io/common/written_names.hpp"
#include "shardprop/io/json/options.hpp"
#include "shardprop/io/json/write_parts.hpp"
#include "shardprop/io/json_writer.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/sharding/rule_text.hpp"
#include "shardprop/support/result.hpp"
#include "shardprop/support/text_list.hpp"

namespace shardprop {

namespace detail {

class JsonWriter {
 public:
  JsonWriter(const Module& m, const WriteOptions& options, std::string& out)
      : m_(m),
        compact_(options.compact),
        out_(out),
        parts_(m, out, options),
        names_(m, NameRules::kJson),
        op_shardings_(m.strings.find(kOpShardings)) {}

  void module() {
    out_ += '{';
    ++indent_;
    line();
    meshes();
    if (m_.attributes.valid()) {
      out_ += ',';
      line();
      out_.append("\"attributes\": ");
      parts_.attribute(m_.attributes);
    }
    out_ += ',';
    line();
    out_.append("\"functions\": ");
    list(m_.func_order, [&](FuncId func) { function(func); });
    --indent_;
    line();
    out_ += '}';
  }

 private:
  // Starts a new line, or a new item in the same one.
  void line() {
    if (!compact_) {
      out_ += '\n';
      out_.append(2 * indent_, ' ');
    } else if (out_.back() == ',') {
      out_ += ' ';
    }
  }

  // A list with one item per line.
  template <class Items, class Write>
  void list(const Items& items, Write&& write) {
    out_ += '[';
    ++indent_;
    bool first = true;
    for (auto item : items) {
      if (!first) out_ += ',';
      first = false;
      line();
      write(item);
    }
    --indent_;
    if (!first) line();
    out_ += ']';
  }

  // A list in the line at hand.
  template <class Items, class Write>
  void inline_list(const Items& items, Write&& write) {
    out_ += '[';
    append_list(out_, items, write);
    out_ += ']';
  }

  void meshes() {
    out_.append("\"meshes\": ");
    std::vector<MeshId> named;
    for (MeshId id : m_.meshes.ids()) {
      if (!m_.meshes[id].name.empty()) named.push_back(id);
    }
    list(named, [&](MeshId id) {
      out_.append("{\"name\": ");
      append_string(out_, m_.meshes[id].name);
      out_.append(", ");
      append_mesh_content(out_, m_.meshes[id]);
      out_ += '}';
    });
  }

  void function(FuncId id) {
    const Function& func = m_.funcs[id];
    names_.enter(id);
    out_ += '{';
    ++indent_;
    line();
    out_.append("\"name\": ");
    append_string(out_, m_.strings[func.name]);
    if (func.is_private) out_.append(", \"private\": true");
    out_ += ',';
    line();
    out_.append("\"arguments\": ");
    list(m_.blocks[func.body].arguments, [&](ValueId value) { argument(value); });
    out_ += ',';
    line();
    out_.append("\"results\": ");
    list(func.results, [&](const FuncResult& result) { func_result(result); });
    if (func.attributes.valid()) {
      out_ += ',';
      line();
      out_.append("\"attributes\": ");
      parts_.attribute(func.attributes);
    }
    out_ += ',';
    line();
    ops(func.body);
    --indent_;
    line();
    out_ += '}';
  }

  // An argument, or a result of an operation whose sharding is written elsewhere if not
  // `with_sharding`.
  void value(ValueId id, bool with_sharding) {
    out_.append("{\"name\": ");
    names_.append_quoted(out_, id);
    type(type_of(m_, id));
    if (with_sharding) sharding(m_.value_shardings[id]);
    if (const auto at = m_.value_attributes.find(id.index); at != m_.value_attributes.end()) {
      parts_.attributes(at->second);
    }
    out_ += '}';
  }
  void argument(ValueId id) { value(id, true); }

  void func_result(const FuncResult& result) {
    out_ += '{';
    parts_.type(result.type);
    sharding(result.sharding);
    parts_.attributes(result.attributes);
    out_ += '}';
  }

  void type(TypeId id) {
    if (!id.valid()) return;
    out_.append(", ");
    parts_.type(id);
  }

  void sharding(ShardingId id) {
    if (!id.valid()) return;
    out_.append(", \"sharding\": ");
    parts_.sharding(id);
  }

  void ops(BlockId block) {
    out_.append("\"ops\": [");
    ++indent_;
    for (OpId op = m_.blocks[block].first_op; op.valid(); op = m_.layout[op].next) {
      line();
      operation(op);
      if (m_.layout[op].next.valid()) out_ += ',';
    }
    --indent_;
    line();
    out_ += ']';
  }

  void operation(OpId id) {
    const Operation& op = m_.ops[id];
    const std::string_view name = m_.strings[op.name];
    const std::string_view result_key =
        op.result_count == 1 ? result_sharding_attribute(op.name) : std::string_view();
    out_.append("{\"op\": ");
    append_string(out_, name);
    if (op.operand_count > 0) {
      out_.append(", \"operands\": ");
      inline_list(operand_uses(m_, id),
                  [&](UseId use) { names_.append_quoted(out_, m_.uses[use].value); });
    }
    if (op.result_count > 0) {
      out_.append(", \"results\": ");
      inline_list(results(m_, id), [&](ValueId v) { value(v, result_key.empty()); });
    }
    attributes(id, result_key);
    if (op.rule.valid()) {
      out_.append(", \"sharding_rule\": ");
      append_string(out_, to_string(m_.rules[op.rule]));
    }
    if (op.first_block.valid()) blocks(op.first_block);
    out_ += '}';
  }

  // The attributes of an operation, without the shardings that are a field and with the one that is
  // an attribute.
  void attributes(OpId id, std::string_view result_key) {
    const AttrId dict = m_.ops[id].attributes;
    const ShardingId moved =
        result_key.empty() ? ShardingId() : m_.value_shardings[result(m_, id, 0)];
    const AttrId shardings =
        m_.ops[id].result_count == 0 ? m_.attrs.find(dict, op_shardings_) : AttrId();
    if (!moved.valid() && !shardings.valid()) return parts_.attributes(dict);
    bool first = true;
    auto next = [&] {
      out_.append(first ? ", \"attributes\": {" : ", ");
      first = false;
    };
    if (dict.valid()) {
      for (const AttrEntry& entry : m_.attrs.entries(dict)) {
        if (shardings.valid() && entry.key == op_shardings_) continue;
        next();
        parts_.entry(entry);
      }
    }
    if (moved.valid()) {
      next();
      append_string(out_, result_key);
      out_.append(": ");
      parts_.sharding(moved);
    }
    if (!first) out_ += '}';
    if (!shardings.valid()) return;
    out_.append(", \"sharding\": ");
    parts_.attribute(shardings);
  }

  void blocks(BlockId first) {
    out_.append(", \"blocks\": [");
    ++indent_;
    for (BlockId b = first; b.valid(); b = m_.blocks[b].next_sibling) {
      line();
      out_.append("{\"arguments\": ");
      inline_list(m_.blocks[b].arguments, [&](ValueId value) { argument(value); });
      out_.append(", ");
      ops(b);
      out_ += '}';
      if (m_.blocks[b].next_sibling.valid()) out_ += ',';
    }
    --indent_;
    line();
    out_ += ']';
  }

  const Module& m_;
  bool compact_;
  std::string& out_;
  PartWriter parts_;
  WrittenNames names_;
  StringId op_shardings_;
  std::size_t indent_ = 0;
};

}  // namespace detail

SHARDPROP_INLINE std::string write_json(const Module& m, const WriteOptions& options) {
  std::string out;
  // About what an operation takes, so that the text is not copied as it grows. Room that is not
  // used costs nothing.
  constexpr std::size_t kBytesOfOp = 160;
  constexpr std::size_t kBytesOfValue = 192;
  out.reserve(m.ops.size() * kBytesOfOp + m.values.size() * kBytesOfValue);
  const detail::RoundToNearest rounding;
  detail::JsonWriter(m, options, out).module();
  out += '\n';
  return out;
}

SHARDPROP_INLINE Result<std::size_t> write_json_file(const Module& m, const std::string& path,
                                                     const WriteOptions& options) {
  return detail::replace_file(path, write_json(m, options));
}

}  // namespace shardprop
