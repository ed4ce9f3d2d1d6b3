// Errors are values. A diagnostic says what is wrong by a stable code, where it is (function,
// operation, value; JSON pointer or line and column), and what to do. The library never prints
// diagnostics; the caller decides.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/core.h"

namespace shardprop {

enum class Severity : std::uint8_t { kError, kWarning, kNote };

// Where something is. Every field is optional: empty text and line 0 mean "not known".
struct Place {
  std::string function;    // name without '@'
  std::string operation;   // name of the operation, e.g. stablehlo.add
  std::string value;       // name of a value, e.g. %3
  std::string pointer;     // JSON pointer (RFC 6901) into the document that was read
  std::uint32_t line = 0;  // 1-based
  std::uint32_t column = 0;
  std::string file = {};  // of line and column, where they are not those of the program

  friend bool operator==(const Place&, const Place&) = default;
};

struct Diagnostic {
  std::string code;  // stable, `room.snake_case`, e.g. sharding.unknown_axis
  std::string message;
  std::string hint = {};  // what to do; may be empty
  Place place = {};
  Severity severity = Severity::kError;

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

using Diagnostics = std::vector<Diagnostic>;

inline bool has_errors(const Diagnostics& all) {
  for (const Diagnostic& d : all) {
    if (d.severity == Severity::kError) return true;
  }
  return false;
}

// The place as a reader sees it: `@main, stablehlo.add %3, at /functions/0/ops/2`.
inline std::string to_string(const Place& place) {
  std::string out;
  auto add = [&](std::string_view separator, const std::string& text) {
    if (!out.empty()) out += separator;
    out += text;
  };
  if (!place.file.empty()) out = place.file;
  if (place.line != 0) add(":", fmt::format("{}:{}", place.line, place.column));
  if (!place.function.empty()) add(", ", fmt::format("@{}", place.function));
  if (!place.operation.empty()) add(", ", place.operation);
  if (!place.value.empty()) add(place.operation.empty() ? ", " : " ", place.value);
  if (!place.pointer.empty()) add(", at ", place.pointer);
  return out;
}

// One line for the error, and one more if there is a hint:
//   error[code] place: message
//     help: hint
inline std::string to_string(const Diagnostic& d) {
  const std::string_view severity = d.severity == Severity::kError     ? "error"
                                    : d.severity == Severity::kWarning ? "warning"
                                                                       : "note";
  const std::string place = to_string(d.place);
  std::string out =
      fmt::format("{}[{}] {}{}{}", severity, d.code, place, place.empty() ? "" : ": ", d.message);
  if (!d.hint.empty()) out += "\n  help: " + d.hint;
  return out;
}

inline std::string to_string(const Diagnostics& all) {
  std::string out;
  for (const Diagnostic& d : all) out += to_string(d) + "\n";
  return out;
}

}  // namespace shardprop
