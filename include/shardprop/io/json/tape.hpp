// A JSON value as a flat list of nodes in document order, 16 bytes each, with all text in one
// arena. The reader keeps on it only what it cannot convert yet: normally one operation, at worst
// (`ops` before `arguments`) a whole document.
//
// A list is its node and then its items; an object is its node and then key, value, key, value, ...
// A list or object knows how many nodes it spans, so that stepping over a value is O(1).
//
// Worked example: {"a": [1, 2]} is object(span 5) key("a") list(span 3) int(1) int(2).
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shardprop/io/json/field.hpp"

namespace shardprop::detail {

enum class JsonKind : std::uint8_t {
  kNull,
  kBool,
  kInt,
  kUint,
  kFloat,
  kString,
  kKey,
  kList,
  kObject
};

constexpr std::string_view kind_text(JsonKind kind) {
  switch (kind) {
    case JsonKind::kNull:
      return "null";
    case JsonKind::kBool:
      return "a boolean";
    case JsonKind::kInt:
    case JsonKind::kUint:
      return "an integer";
    case JsonKind::kFloat:
      return "a number";
    case JsonKind::kString:
    case JsonKind::kKey:
      return "a string";
    case JsonKind::kList:
      return "a list";
    case JsonKind::kObject:
      return "an object";
  }
  return "a value";
}

// A node number. `kHere` stands for the object that is being read and is not on the tape as such.
using NodeId = std::uint32_t;
inline constexpr NodeId kHere = 0xFFFFFFFFu;

struct JsonNode {
  JsonKind kind = JsonKind::kNull;
  Field field = Field::kNone;  // of a key; such a key needs no text
  std::uint32_t span =
      1;  // nodes of a list or object with all inside, 0 while it is open; of text: its bytes
  std::uint64_t payload = 0;  // the number; where the text begins; the number of items or members
};

class JsonTape {
 public:
  struct Mark {
    std::uint32_t nodes = 0;
    std::uint32_t text = 0;
  };

  Mark mark() const { return {size(), static_cast<std::uint32_t>(text_.size())}; }
  // Drops all that was added since `mark`.
  void rewind(Mark mark) {
    nodes_.resize(mark.nodes);
    text_.resize(mark.text);
    // What one large object took, such as thousands of arguments, is not kept for small ones.
    if (nodes_.capacity() > kKeptNodes && nodes_.size() < kKeptNodes / 2) nodes_.shrink_to_fit();
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  std::size_t bytes() const { return nodes_.capacity() * sizeof(JsonNode) + text_.capacity(); }

  NodeId add(JsonKind kind, std::uint64_t payload) {
    nodes_.push_back({kind, Field::kNone, 1, payload});
    return size() - 1;
  }
  NodeId add_string(std::string_view value) {
    return add_text(JsonKind::kString, Field::kNone, value);
  }
  NodeId add_key(Field field, std::string_view name) {
    return add_text(JsonKind::kKey, field, field == Field::kNone ? name : std::string_view());
  }

  // Takes back the key of a field that was added last.
  void drop_key() {
    assert(!nodes_.empty() && nodes_.back().field != Field::kNone);
    nodes_.pop_back();
  }

  // Takes the items out of a closed list; what follows moves down. Returns by how many nodes.
  std::uint32_t empty_list(NodeId list) {
    const std::uint32_t count = nodes_[list].span - 1;
    const auto first = nodes_.begin() + list + 1;
    nodes_.erase(first, first + count);
    nodes_[list].span = 1;
    nodes_[list].payload = 0;
    if (nodes_.capacity() > kKeptNodes && nodes_.size() < kKeptNodes / 2) nodes_.shrink_to_fit();
    return count;
  }

  // Opens a list or object; what is added until `close` of the same node is inside.
  NodeId open(JsonKind kind) {
    nodes_.push_back({kind, Field::kNone, 0, 0});
    return size() - 1;
  }
  void count_item(NodeId container) { ++nodes_[container].payload; }
  void close(NodeId container) { nodes_[container].span = size() - container; }

  JsonKind kind(NodeId id) const { return nodes_[id].kind; }
  bool as_bool(NodeId id) const { return nodes_[id].payload != 0; }
  std::int64_t as_int(NodeId id) const { return static_cast<std::int64_t>(nodes_[id].payload); }
  std::uint64_t as_uint(NodeId id) const { return nodes_[id].payload; }
  double as_float(NodeId id) const { return std::bit_cast<double>(nodes_[id].payload); }
  Field field(NodeId key) const { return nodes_[key].field; }
  // The text of a string or key; valid until text is added.
  std::string_view text(NodeId id) const {
    assert(kind(id) == JsonKind::kString || kind(id) == JsonKind::kKey);
    if (nodes_[id].field != Field::kNone) return field_name(nodes_[id].field);
    return std::string_view(text_).substr(nodes_[id].payload, nodes_[id].span);
  }
  // The number of items of a list or of members of an object.
  std::size_t count(NodeId id) const { return nodes_[id].payload; }

  NodeId next(NodeId id) const { return is_container(id) ? end(id) : id + 1; }
  NodeId first(NodeId container) const { return container + 1; }
  NodeId end(NodeId container) const {
    const std::uint32_t span = nodes_[container].span;
    return span == 0 ? size() : container + span;
  }

  // `for (NodeId item : tape.items(list))`
  struct Items {
    struct Iterator {
      const JsonTape* tape;
      NodeId at;
      NodeId operator*() const { return at; }
      Iterator& operator++() {
        at = tape->next(at);
        return *this;
      }
      friend bool operator!=(Iterator a, Iterator b) { return a.at != b.at; }
    };
    Iterator from;
    Iterator to;
    Iterator begin() const { return from; }
    Iterator end() const { return to; }
  };
  Items items(NodeId list) const {
    assert(kind(list) == JsonKind::kList);
    return {{this, first(list)}, {this, end(list)}};
  }

 private:
  bool is_container(NodeId id) const {
    return nodes_[id].kind == JsonKind::kList || nodes_[id].kind == JsonKind::kObject;
  }

  NodeId add_text(JsonKind kind, Field field, std::string_view value) {
    nodes_.push_back({kind, field, static_cast<std::uint32_t>(value.size()), text_.size()});
    text_.append(value);
    return size() - 1;
  }

  static constexpr std::size_t kKeptNodes = std::size_t{1} << 14;

  std::vector<JsonNode> nodes_;
  std::string text_;
};

}  // namespace shardprop::detail
