#include "tests/conformance/compare.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace shardprop::conformance {

namespace {

using Numbering = std::unordered_map<std::string, std::size_t>;

void number_ops(const Json& ops, Numbering& numbers);

void number_values(const Json& values, Numbering& numbers) {
  for (const Json& value : values) {
    numbers.try_emplace(value.value("name", std::string()), numbers.size());
  }
}

void number_ops(const Json& ops, Numbering& numbers) {
  for (const Json& op : ops) {
    number_values(member(op, "results"), numbers);
    for (const Json& block : member(op, "blocks")) {
      number_values(member(block, "arguments"), numbers);
      number_ops(member(block, "ops"), numbers);
    }
  }
}

// Name of a value -> its number in the order of definition.
Numbering number_function(const Json& function) {
  Numbering numbers;
  number_values(member(function, "arguments"), numbers);
  number_ops(member(function, "ops"), numbers);
  return numbers;
}

Json operand_numbers(const Json& op, const Numbering& numbers) {
  Json out = Json::array();
  for (const Json& operand : member(op, "operands")) {
    const auto it = numbers.find(operand.get<std::string>());
    out.push_back(it == numbers.end() ? operand : Json(it->second));
  }
  return out;
}

Json type_of(const Json& value) { return {member(value, "shape"), member(value, "dtype")}; }

// The shardings on an operation without results: a list, or a single one.
Json op_shardings(const Json& op) {
  const Json& sharding = member(op, "sharding");
  Json out = Json::array();
  if (sharding.is_array()) {
    for (const Json& one : sharding) out.push_back(normal_sharding(one));
  } else if (is_set(sharding)) {
    out.push_back(normal_sharding(sharding));
  }
  return out;
}

std::map<std::string, const Json*> by_name(const Json& list) {
  std::map<std::string, const Json*> out;
  for (const Json& item : list) out[item.at("name").get<std::string>()] = &item;
  return out;
}

class Comparer {
 public:
  Comparison run(const Json& expected, const Json& actual) {
    compare_meshes(member(expected, "meshes"), member(actual, "meshes"));
    compare_dictionaries("attributes", member(expected, "attributes"),
                         member(actual, "attributes"));
    const Json& wanted = member(expected, "functions");
    const Json& found = member(actual, "functions");
    const auto wanted_names = by_name(wanted);
    const auto found_names = by_name(found);
    std::set<std::string> seen;
    for (const Json* functions : {&wanted, &found}) {
      for (const Json& function : *functions) {
        const std::string name = function.at("name").get<std::string>();
        if (!seen.insert(name).second) continue;
        const auto e = wanted_names.find(name);
        const auto a = found_names.find(name);
        compare_functions(name, e == wanted_names.end() ? nullptr : e->second,
                          a == found_names.end() ? nullptr : a->second);
      }
    }
    return std::move(out_);
  }

 private:
  void differ(std::string path, Json expected, Json actual) {
    out_.differences.push_back(
        {std::move(path), function_, trail_, std::move(expected), std::move(actual)});
  }

  template <class... Path>
  void check(const Json& expected, const Json& actual, fmt::format_string<Path...> path,
             Path&&... parts) {
    if (!same(expected, actual))
      differ(fmt::format(path, std::forward<Path>(parts)...), expected, actual);
  }

  void compare_meshes(const Json& expected, const Json& actual) {
    const auto wanted = by_name(expected);
    const auto found = by_name(actual);
    std::set<std::string> names;
    for (const auto* meshes : {&wanted, &found}) {
      for (const auto& mesh : *meshes) names.insert(mesh.first);
    }
    for (const std::string& name : names) {
      const auto e = wanted.find(name);
      const auto a = found.find(name);
      check(e == wanted.end() ? Json(kAbsent) : normal_mesh(*e->second),
            a == found.end() ? Json(kAbsent) : normal_mesh(*a->second), "meshes[{}]", name);
    }
  }

  void compare_dictionaries(const std::string& path, const Json& expected, const Json& actual) {
    if (expected == actual) return;
    std::set<std::string> keys;
    for (const Json* dictionary : {&expected, &actual}) {
      for (const auto& item : dictionary->items()) keys.insert(item.key());
    }
    const auto value = [](const Json& dictionary, const std::string& key) {
      return dictionary.contains(key) ? normal_value(dictionary[key]) : Json(kAbsent);
    };
    for (const std::string& key : keys)
      check(value(expected, key), value(actual, key), "{}.{}", path, key);
  }

  void compare_functions(const std::string& name, const Json* expected, const Json* actual) {
    function_ = name;
    out_.functions.push_back({.name = name});
    const std::size_t before = out_.differences.size();
    const std::string path = "@" + name;
    if (expected && actual) {
      expected_numbers_ = number_function(*expected);
      actual_numbers_ = number_function(*actual);
      const auto is_private = [](const Json* f) { return Json(is_set(member(*f, "private"))); };
      check(is_private(expected), is_private(actual), "{}.private", path);
      compare_dictionaries(path + ".attributes", member(*expected, "attributes"),
                           member(*actual, "attributes"));
      compare_values(path + ".arguments", member(*expected, "arguments"),
                     member(*actual, "arguments"));
      compare_values(path + ".results", member(*expected, "results"), member(*actual, "results"));
      compare_ops(path, 0, member(*expected, "ops"), member(*actual, "ops"));
    } else {
      differ(path, expected ? "function" : kAbsent, actual ? "function" : kAbsent);
    }
    out_.functions.back().agrees = out_.differences.size() == before;
  }

  void compare_values(const std::string& path, const Json& expected, const Json& actual) {
    if (expected.size() != actual.size()) differ(path + ".length", expected.size(), actual.size());
    for (std::size_t i = 0; i < std::min(expected.size(), actual.size()); ++i) {
      const Json& e = expected[i];
      const Json& a = actual[i];
      if (member(e, "sharding") != member(a, "sharding")) {
        check(normal_sharding(member(e, "sharding")), normal_sharding(member(a, "sharding")),
              "{}[{}].sharding", path, i);
      }
      check(type_of(e), type_of(a), "{}[{}].type", path, i);
      compare_dictionaries(fmt::format("{}[{}].attributes", path, i), member(e, "attributes"),
                           member(a, "attributes"));
    }
  }

  // After two operations of different names the rest of the block is out of step and not compared.
  void compare_ops(const std::string& path, std::size_t block, const Json& expected,
                   const Json& actual) {
    trail_.push_back({block, 0});
    const std::size_t common = std::min(expected.size(), actual.size());
    for (std::size_t i = 0; i < common; ++i) {
      trail_.back().op = i;
      const std::string at = fmt::format("{}.ops[{}]", path, i);
      const std::size_t before = out_.differences.size();
      ++out_.functions.back().ops;
      if (member(expected[i], "op") != member(actual[i], "op")) {
        differ(at + ".op", member(expected[i], "op"), member(actual[i], "op"));
        trail_.pop_back();
        return;
      }
      compare_op(at, expected[i], actual[i]);
      if (out_.differences.size() == before) ++out_.functions.back().equal_ops;
      compare_blocks(at, member(expected[i], "blocks"), member(actual[i], "blocks"));
    }
    trail_.back().op = common;
    if (expected.size() != actual.size()) {
      const Json& longer = expected.size() > actual.size() ? expected : actual;
      differ(path + ".ops.length", fmt::format("{} ops", expected.size()),
             fmt::format("{} ops (the first left over: {})", actual.size(),
                         member(longer[common], "op").get<std::string>()));
    }
    trail_.pop_back();
  }

  void compare_op(const std::string& at, const Json& expected, const Json& actual) {
    check(operand_numbers(expected, expected_numbers_), operand_numbers(actual, actual_numbers_),
          "{}.operands", at);
    check(member(expected, "sharding_rule"), member(actual, "sharding_rule"), "{}.sharding_rule",
          at);
    compare_values(at + ".results", member(expected, "results"), member(actual, "results"));
    check(op_shardings(expected), op_shardings(actual), "{}.sharding", at);
    compare_dictionaries(at + ".attributes", member(expected, "attributes"),
                         member(actual, "attributes"));
  }

  void compare_blocks(const std::string& at, const Json& wanted, const Json& found) {
    if (wanted.size() != found.size()) differ(at + ".blocks.length", wanted.size(), found.size());
    for (std::size_t i = 0; i < std::min(wanted.size(), found.size()); ++i) {
      const std::string path = fmt::format("{}.blocks[{}]", at, i);
      compare_values(path + ".arguments", member(wanted[i], "arguments"),
                     member(found[i], "arguments"));
      compare_ops(path, i, member(wanted[i], "ops"), member(found[i], "ops"));
    }
  }

  Comparison out_;
  std::string function_;
  OpTrail trail_;
  Numbering expected_numbers_;
  Numbering actual_numbers_;
};

}  // namespace

std::size_t Comparison::agreeing_functions() const {
  return static_cast<std::size_t>(std::count_if(functions.begin(), functions.end(),
                                                [](const FunctionMatch& f) { return f.agrees; }));
}

Comparison compare(const Json& expected, const Json& actual) {
  return Comparer().run(expected, actual);
}

const Json* find_function(const Json& graph, const std::string& name) {
  for (const Json& function : member(graph, "functions")) {
    if (member(function, "name") == name) return &function;
  }
  return nullptr;
}

const Json* find_op(const Json& function, const OpTrail& trail) {
  const Json* op = nullptr;
  for (OpStep step : trail) {
    const Json* block = &function;
    if (op) {
      const Json& blocks = member(*op, "blocks");
      if (step.block >= blocks.size()) return nullptr;
      block = &blocks[step.block];
    }
    const Json& ops = member(*block, "ops");
    if (step.op >= ops.size()) return nullptr;
    op = &ops[step.op];
  }
  return op;
}

}  // namespace shardprop::conformance
