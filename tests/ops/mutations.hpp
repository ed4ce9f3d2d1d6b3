// Small changes of a program, each of which may make it wrong: types of operands, results and block
// arguments, attributes and what they hold, numbers of operands, results and returned values. All
// of them are made, one at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace op_test {

using nlohmann::json;

class Mutator {
 public:
  // `visit` gets each changed module.
  Mutator(const json& module, std::function<void(const json&)> visit)
      : module_(module), visit_(std::move(visit)) {}

  // Changes every operation called `op` and the arguments of every function.
  void run(const std::string& op) {
    for (json& function : module_["functions"]) {
      if (function.contains("arguments")) change_values(function["arguments"]);
      change_ops(function["ops"], op);
    }
  }

 private:
  void change_ops(json& ops, const std::string& name) {
    for (json& op : ops) {
      if (op["op"] == name) change_op(op);
      if (!op.contains("blocks")) continue;
      for (json& block : op["blocks"]) change_ops(block["ops"], name);
    }
  }

  void change_op(json& op) {
    if (op.contains("operands")) change_list(op["operands"]);
    if (op.contains("results")) change_values(op["results"]);
    if (op.contains("attributes")) change_attributes(op["attributes"]);
    if (!op.contains("blocks")) return;
    for (json& block : op["blocks"]) {
      if (block.contains("arguments")) {
        change_values(block["arguments"]);
        json added = {{"name", "%added"}, {"shape", json::array()}, {"dtype", "f32"}};
        replaced(block["arguments"], [&](json& arguments) { arguments.push_back(added); });
      }
      json& last = block["ops"].back();
      if (last.contains("operands")) change_list(last["operands"]);
    }
    replaced(op["blocks"], [](json& blocks) { blocks.erase(blocks.size() - 1); });
  }

  // Visits the module with `part` as `change` makes it, and puts it back.
  template <class Change>
  void replaced(json& part, Change change) {
    const json kept = part;
    change(part);
    visit_(module_);
    part = kept;
  }

  void change_list(json& list) {
    if (list.empty()) return;
    replaced(list, [](json& l) { l.erase(l.size() - 1); });
    replaced(list, [](json& l) { l.push_back(json(l.back())); });
  }

  void change_values(json& values) {
    for (json& value : values) {
      for (const char* dtype : {"i1", "i32", "ui32", "f64", "complex<f32>"}) {
        if (value.contains("dtype")) replaced(value["dtype"], [&](json& d) { d = dtype; });
      }
      if (!value.contains("shape")) continue;
      for (std::size_t i = 0; i < value["shape"].size(); ++i) {
        for (int size : {-1, 0, 7}) replaced(value["shape"][i], [&](json& s) { s = size; });
      }
      replaced(value["shape"], [](json& s) { s.push_back(1); });
      if (!value["shape"].empty()) replaced(value["shape"], [](json& s) { s.erase(s.size() - 1); });
    }
  }

  void change_attributes(json& object) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : object.items()) keys.push_back(key);
    for (const std::string& key : keys) {
      replaced(object, [&](json& o) { o.erase(key); });
      change_attribute(object[key]);
    }
  }

  void change_attribute(json& attribute) {
    if (attribute.is_object()) return change_attributes(attribute);
    if (attribute.is_number_integer()) {
      for (int number : {-1, 0, 1, 1000}) replaced(attribute, [&](json& a) { a = number; });
    } else if (attribute.is_string()) {
      replaced(attribute, [](json& a) { a = "NONSENSE"; });
    } else if (attribute.is_boolean()) {
      replaced(attribute, [](json& a) { a = !a.get<bool>(); });
    } else if (attribute.is_array()) {
      change_list(attribute);
      for (std::size_t i = 0; i < attribute.size(); ++i) change_attribute(attribute[i]);
    }
  }

  json module_;
  std::function<void(const json&)> visit_;
};

}  // namespace op_test
