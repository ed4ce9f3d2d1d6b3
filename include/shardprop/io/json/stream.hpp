// Converts a document while it is being parsed. An operation is built as soon as its object ends,
// so that the tape holds no more than one operation at a time, given the usual order of fields:
// `meshes` before `functions`, `name` and `arguments` before `ops`, and `op`, `operands` and
// `results` before `blocks`. What comes in another order is kept on the tape until the object
// around it ends.
//
// A list or object that is converted piece by piece is a frame; everything else goes to the tape
// whole.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fmt/core.h"
#include "shardprop/io/json/context.hpp"
#include "shardprop/io/json/read_func.hpp"
#include "shardprop/io/json/read_op.hpp"

namespace shardprop::detail {

constexpr bool is_list_frame(FrameKind kind) {
  return kind == FrameKind::kFunctions || kind == FrameKind::kOps || kind == FrameKind::kBlocks;
}

constexpr const ObjectSpec& object_spec(FrameKind kind) {
  switch (kind) {
    case FrameKind::kFunction:
      return kFunctionObject;
    case FrameKind::kOp:
      return kOpObject;
    case FrameKind::kBlock:
      return kBlockObject;
    default:
      return kModuleObject;
  }
}

// The events of a document. Each returns false when reading must stop.
class JsonStream {
 public:
  explicit JsonStream(ReadContext& c)
      : c_(c), max_depth_(std::min(c.options.max_depth, kMaxJsonDepth)) {}

  bool scalar(JsonKind kind, std::uint64_t payload) { return add(c_.tape.add(kind, payload)); }
  bool string(std::string_view value) { return add(c_.tape.add_string(value)); }

  bool key(std::string_view name) {
    const Field field = find_field(name);
    const NodeId key = c_.tape.add_key(field, name);
    if (!open_.empty()) {
      c_.tape.count_item(open_.back());
      return true;
    }
    Frame& frame = top();
    frame.field = accept_key(c_, key, object_spec(frame.kind), frame.fields) ? field : Field::kNone;
    return !c_.stopped;
  }

  bool start_object() {
    if (!deeper()) return false;
    if (open_.empty() && c_.frames.empty()) {
      push_frame(FrameKind::kModule);
      return true;
    }
    if (open_.empty() && is_list_frame(top().kind)) {
      const FrameKind kind = top().kind;
      push_frame(kind == FrameKind::kFunctions ? FrameKind::kFunction
                 : kind == FrameKind::kOps     ? FrameKind::kOp
                                               : FrameKind::kBlock);
      return true;
    }
    open(JsonKind::kObject);
    return true;
  }

  bool start_list() {
    if (!deeper()) return false;
    if (open_.empty() && !c_.frames.empty() && begin_list()) return true;
    open(JsonKind::kList);
    return true;
  }

  // The innermost list or object that has begun.
  NodeId here() const { return open_.empty() ? kHere : open_.back(); }

  bool end_container() {
    --depth_;
    if (open_.empty()) {
      end_frame();
      return !c_.stopped;
    }
    const NodeId container = open_.back();
    open_.pop_back();
    c_.tape.close(container);
    return open_.empty() ? value_ended(container) : true;
  }

 private:
  Frame& top() { return c_.frames.back(); }

  bool deeper() {
    if (++depth_ <= max_depth_) return true;
    report(c_, here(), "json.too_deep",
           fmt::format("lists and objects nest more than {} deep", max_depth_),
           "flatten the document");
    c_.stopped = true;
    return false;
  }

  void open(JsonKind kind) {
    if (!open_.empty() && c_.tape.kind(open_.back()) == JsonKind::kList)
      c_.tape.count_item(open_.back());
    open_.push_back(c_.tape.open(kind));
  }

  // A value that is neither a list nor an object was put on the tape.
  bool add(NodeId value) {
    if (open_.empty()) return value_ended(value);
    if (c_.tape.kind(open_.back()) == JsonKind::kList) c_.tape.count_item(open_.back());
    return true;
  }

  // A value that stands directly in a frame is on the tape whole.
  bool value_ended(NodeId value) {
    if (c_.frames.empty()) {
      report_kind(c_, value, "the document", "an object");
      return false;
    }
    Frame& frame = top();
    if (is_list_frame(frame.kind)) {
      ++frame.items;
      report_kind(c_, value, item_name(frame.kind), "an object");
      c_.tape.rewind(frame.mark);
    } else if (frame.field != Field::kNone) {
      frame.fields.set(frame.field, value);
      if (frame.field == Field::kMeshes) read_meshes(c_, value);
    }
    return !c_.stopped;
  }

  static constexpr std::string_view item_name(FrameKind kind) {
    return kind == FrameKind::kFunctions ? "a function"
           : kind == FrameKind::kOps     ? "an operation"
                                         : "a block";
  }

  void push_frame(FrameKind kind) {
    Frame frame;
    frame.kind = kind;
    frame.mark = c_.tape.mark();
    frame.errors_before = c_.error_count;
    if (!c_.frames.empty()) {
      Frame& around = top();
      frame.func = around.func;
      frame.block = around.block;
      frame.op = around.op;
      if (is_list_frame(kind)) {
        frame.field = around.field;
      } else {
        frame.number = around.items++;
      }
    }
    c_.frames.push_back(frame);
  }

  // Enters the list that is the value of the field at hand, if what it depends on was read; false
  // to put it on the tape.
  bool begin_list() {
    Frame& frame = top();
    const ObjectFields& fields = frame.fields;
    if (frame.kind == FrameKind::kModule && frame.field == Field::kFunctions) {
      return fields.has(Field::kMeshes) && enter(FrameKind::kFunctions);
    }
    if (frame.kind == FrameKind::kFunction && frame.field == Field::kOps) {
      if (!fields.has(Field::kName) || !fields.has(Field::kArguments)) return false;
      frame.func = begin_func(c_, fields, kHere);
      frame.block = c_.m.funcs[frame.func].body;
      // The arguments are in the module now; thousands of them would stay on the tape to the end.
      const NodeId arguments = fields[Field::kArguments];
      frame.fields.move_down(arguments, c_.tape.empty_list(arguments));
      return enter(FrameKind::kOps);
    }
    if (frame.kind == FrameKind::kOp && frame.field == Field::kBlocks) {
      if (!fields.has(Field::kOp) || !fields.has(Field::kOperands) || !fields.has(Field::kResults))
        return false;
      frame.op = begin_op(c_, fields, kHere, frame.block);
      c_.open_ops.push_back(frame.op);
      return enter(FrameKind::kBlocks);
    }
    if (frame.kind == FrameKind::kBlock && frame.field == Field::kOps) {
      if (!fields.has(Field::kArguments)) return false;
      frame.block = begin_block(c_, fields, frame.op);
      return enter(FrameKind::kOps);
    }
    return false;
  }

  bool enter(FrameKind list) {
    top().begun = true;
    top().fields.set(top().field, kHere);
    c_.tape.drop_key();  // its value will not follow
    push_frame(list);
    return true;
  }

  void end_frame() {
    Frame& frame = top();
    switch (frame.kind) {
      case FrameKind::kModule:
        end_module(frame.fields);
        break;
      case FrameKind::kFunction:
        end_func(frame);
        break;
      case FrameKind::kOp:
        end_op(frame);
        break;
      case FrameKind::kBlock:
        end_block(frame);
        break;
      case FrameKind::kBlocks:
        c_.open_ops.pop_back();
        break;
      case FrameKind::kFunctions:
      case FrameKind::kOps:
        break;
    }
    c_.tape.rewind(frame.mark);
    c_.frames.pop_back();
  }

  void end_module(const ObjectFields& fields) {
    if (!require_fields(c_, kHere, kModuleObject, fields)) return;
    if (fields.has(Field::kAttributes)) {
      const AttrId attributes = read_attributes(c_, fields[Field::kAttributes]);
      c_.m.attributes = attributes;
    }
    if (!top().begun) read_functions(c_, fields[Field::kFunctions]);
  }

  void end_func(Frame& frame) {
    if (!frame.begun) {
      if (require_fields(c_, kHere, kFunctionObject, frame.fields))
        read_whole_func(c_, frame.fields, kHere);
      return;
    }
    if (c_.error_count == frame.errors_before) finish_block(c_, frame.block, kHere);
    finish_func(c_, frame.fields, frame.func);
  }

  void end_op(Frame& frame) {
    const ObjectFields& fields = frame.fields;
    if (!frame.begun) {
      frame.op = begin_op(c_, fields, kHere, frame.block);
      if (fields.has(Field::kBlocks)) read_blocks(c_, fields[Field::kBlocks], frame.op);
    }
    finish_op(c_, fields, kHere, frame.op, frame.errors_before);
  }

  void end_block(Frame& frame) {
    if (!require_fields(c_, kHere, kBlockObject, frame.fields)) return;
    if (!frame.begun) {
      frame.block = begin_block(c_, frame.fields, frame.op);
      read_ops(c_, frame.fields[Field::kOps], frame.block);
    }
    if (c_.error_count == frame.errors_before) finish_block(c_, frame.block, kHere);
  }

  ReadContext& c_;
  std::size_t max_depth_;
  std::size_t depth_ = 0;
  std::vector<NodeId> open_;  // lists and objects on the tape that have not ended
};

}  // namespace shardprop::detail
