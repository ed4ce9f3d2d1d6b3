// Helpers of the tests of JSON.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardprop/io/json_reader.hpp"
#include "shardprop/io/json_writer.hpp"

namespace shardprop::test {

// A module of one function `main` with argument %x of 8x32xf32 and a mesh of a=2, b=4; `ops` are
// its operations.
inline std::string module_of_ops(std::string_view ops) {
  std::string text =
      R"({"meshes": [{"name": "mesh", "axes": [{"name": "a", "size": 2}, {"name": "b", "size": 4}]}],)";
  text +=
      R"( "functions": [{"name": "main", "arguments": [{"name": "%x", "shape": [8, 32], "dtype": "f32"}],)";
  text += R"( "results": [], "ops": [)";
  return text.append(ops).append("]}]}");
}

// The same, with an operation of the given fields and a terminator.
inline std::string module_of_op(std::string_view fields) {
  return module_of_ops(std::string("{\"op\": \"stablehlo.abs\", ")
                           .append(fields)
                           .append(R"(}, {"op": "func.return"})"));
}

// The same, with the given sharding on the result of an operation.
inline std::string module_of_sharding(std::string_view sharding) {
  return module_of_op(
      std::string(
          R"("operands": ["%x"], "results": [{"name": "%0", "shape": [8, 32], "dtype": "f32", "sharding": )")
          .append(sharding)
          .append("}]"));
}

// Reads by the scan of plain documents and by the parser alone, which must give the same module or
// the same errors.
inline Result<Module> read_both_ways(std::string_view text, ReadOptions options = {}) {
  const auto outcome = [](const Result<Module>& m) {
    return m ? write_json(*m) : to_string(m.errors());
  };
  options.fast_scan = false;
  const Result<Module> parsed = read_json(text, options);
  options.fast_scan = true;
  Result<Module> scanned = read_json(text, options);
  if (outcome(parsed) != outcome(scanned))
    throw std::runtime_error("the scan and the parser differ: " + std::string(text));
  return scanned;
}

// `code pointer` of each diagnostic, empty if the text can be read.
inline std::vector<std::string> read_errors(std::string_view text,
                                            const ReadOptions& options = {}) {
  std::vector<std::string> out;
  const Result<Module> m = read_both_ways(text, options);
  if (m) return out;
  for (const Diagnostic& d : m.errors()) out.push_back(d.code + " " + d.place.pointer);
  return out;
}

// A module that must be readable.
inline Module read_or_fail(std::string_view text, const ReadOptions& options = {}) {
  Result<Module> m = read_both_ways(text, options);
  if (!m) throw std::runtime_error(to_string(m.errors()));
  return std::move(*m);
}

}  // namespace shardprop::test
