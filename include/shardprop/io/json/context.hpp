// What the JSON reader works on: the module so far, the tape, where in the document it is, and the
// diagnostics.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/io/common/sharding_check.hpp"
#include "shardprop/io/common/value_name_map.hpp"
#include "shardprop/io/json/field.hpp"
#include "shardprop/io/json/options.hpp"
#include "shardprop/io/json/tape.hpp"
#include "shardprop/ir/module.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop::detail {

// Where the values of an object's fields are on the tape.
class ObjectFields {
 public:
  bool has(Field field) const { return (seen_ & bit(field)) != 0; }
  NodeId operator[](Field field) const {
    assert(has(field));
    return nodes_[static_cast<std::size_t>(field)];
  }
  void set(Field field, NodeId value) {
    seen_ |= bit(field);
    nodes_[static_cast<std::size_t>(field)] = value;
  }
  FieldSet seen() const { return seen_; }
  // Follows the nodes after `node` that move `count` places down.
  void move_down(NodeId node, std::uint32_t count) {
    for (std::size_t i = 0; i < kFieldCount; ++i) {
      const bool seen = (seen_ & bit(static_cast<Field>(i))) != 0;
      if (seen && nodes_[i] != kHere && nodes_[i] > node) nodes_[i] -= count;
    }
  }

 private:
  FieldSet seen_ = 0;
  std::array<NodeId, kFieldCount> nodes_;
};

// A list or object of the document that is converted piece by piece instead of being put on the
// tape whole. The fields of such an object that are not converted yet stand on the tape as key,
// value, key, value, ... from `mark` on.
enum class FrameKind : std::uint8_t { kModule, kFunctions, kFunction, kOps, kOp, kBlocks, kBlock };

struct Frame {
  FrameKind kind;
  Field field =
      Field::kNone;  // of a list: its name; of an object: the field whose value comes next
  JsonTape::Mark mark;
  std::uint32_t number = 0;       // of an object: its place in the list around it
  std::uint32_t items = 0;        // of a list: how many have begun
  std::size_t errors_before = 0;  // of an object: how many errors there were when it began
  bool begun = false;  // of an object: its list of functions, blocks or operations has begun
  FuncId func;
  BlockId block;
  OpId op;
  ObjectFields fields;
};

struct ReadContext {
  Module m;
  const ReadOptions& options;
  JsonTape tape;
  std::vector<Frame> frames;
  Diagnostics out;
  std::size_t error_count = 0;
  bool stopped = false;  // the document cannot be read on, or there are too many diagnostics

  // Of the function that is being read.
  FuncId func;
  std::size_t errors_before_func = 0;
  ValueNameMap<ValueId> names;
  std::vector<std::uint8_t> block_closed;  // by BlockId: its values are not visible any more
  std::vector<OpId> open_ops;              // operations whose regions are being read
  StringId op_name;                        // of the operation that is being read

  std::vector<std::uint8_t> func_defined;  // by StringId of a name
  ShardingCheck sharding_check;

  explicit ReadContext(const ReadOptions& o) : options(o) {}
};

inline void append_pointer_token(std::string& out, std::string_view token) {
  out += '/';
  for (char c : token) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
}

// The path of the frames up to number `last`.
inline std::string frame_path(const std::vector<Frame>& frames, std::size_t last) {
  std::string out;
  for (std::size_t i = 0; i <= last && i < frames.size(); ++i) {
    const Frame& frame = frames[i];
    switch (frame.kind) {
      case FrameKind::kModule:
        break;
      case FrameKind::kFunctions:
      case FrameKind::kOps:
      case FrameKind::kBlocks:
        append_pointer_token(out, field_name(frame.field));
        break;
      case FrameKind::kFunction:
      case FrameKind::kOp:
      case FrameKind::kBlock:
        append_pointer_token(out, std::to_string(frame.number));
        break;
    }
  }
  return out;
}

// Steps from the members in [at, end) down to `node`; a key has the path of its value.
inline void append_member_path(const JsonTape& tape, NodeId at, NodeId end, NodeId node,
                               std::string& out);

inline void append_path_within(const JsonTape& tape, NodeId value, NodeId node, std::string& out) {
  if (value >= node) return;
  if (tape.kind(value) == JsonKind::kObject) {
    return append_member_path(tape, tape.first(value), tape.end(value), node, out);
  }
  std::size_t number = 0;
  for (NodeId item : tape.items(value)) {
    if (node < tape.next(item)) {
      append_pointer_token(out, std::to_string(number));
      return append_path_within(tape, item, node, out);
    }
    ++number;
  }
}

inline void append_member_path(const JsonTape& tape, NodeId at, NodeId end, NodeId node,
                               std::string& out) {
  while (at < end) {
    const NodeId value = at + 1;
    const NodeId next = value < end ? tape.next(value) : end;
    if (node < next || next >= end) {
      append_pointer_token(out, tape.text(at));
      if (value < end) append_path_within(tape, value, node, out);
      return;
    }
    at = next;
  }
}

// The JSON pointer of a node, or of the innermost frame. Costs as much as walking the tape; for
// diagnostics only.
inline std::string json_pointer(const ReadContext& c, NodeId node) {
  if (c.frames.empty()) return {};
  if (node == kHere) return frame_path(c.frames, c.frames.size() - 1);
  std::size_t frame = c.frames.size() - 1;
  while (frame > 0 && c.frames[frame].mark.nodes > node) --frame;
  std::string out = frame_path(c.frames, frame);
  const FrameKind kind = c.frames[frame].kind;
  if (kind == FrameKind::kFunctions || kind == FrameKind::kOps || kind == FrameKind::kBlocks) {
    append_pointer_token(out, std::to_string(c.frames[frame].items - 1));
    return out;
  }
  const NodeId end = frame + 1 < c.frames.size() ? c.frames[frame + 1].mark.nodes : c.tape.size();
  append_member_path(c.tape, c.frames[frame].mark.nodes, end, node, out);
  return out;
}

inline Place json_place(const ReadContext& c, NodeId node) {
  Place place;
  if (c.func.valid()) place.function = std::string(c.m.strings[c.m.funcs[c.func].name]);
  if (c.op_name.valid()) place.operation = std::string(c.m.strings[c.op_name]);
  place.pointer = json_pointer(c, node);
  return place;
}

inline void add_diagnostic(ReadContext& c, Diagnostic d) {
  const std::size_t limit = std::max<std::size_t>(1, c.options.max_diagnostics);
  if (d.severity == Severity::kError) {
    if (c.error_count < limit) c.out.push_back(std::move(d));
    if (++c.error_count >= limit) c.stopped = true;
  } else if (c.out.size() < limit) {
    c.out.push_back(std::move(d));
  }
}

inline void report(ReadContext& c, NodeId at, std::string_view code, std::string message,
                   std::string hint = {}) {
  add_diagnostic(c, {std::string(code), std::move(message), std::move(hint), json_place(c, at)});
}

// Takes over diagnostics that lower rooms made, which know no JSON pointer.
inline void report_all(ReadContext& c, NodeId at, const Diagnostics& all) {
  for (Diagnostic d : all) {
    Place place = json_place(c, at);
    place.line = d.place.line;
    place.column = d.place.column;
    if (!d.place.value.empty()) place.value = d.place.value;
    d.place = std::move(place);
    add_diagnostic(c, std::move(d));
  }
}

}  // namespace shardprop::detail
