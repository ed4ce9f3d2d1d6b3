// Diagnostics as a person reads them: `file:line:column: error[code]: what`, the line with a caret,
// and what to do.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "examples/cli/json_place.hpp"
#include "fmt/core.h"
#include "shardprop/io/text/excerpt.hpp"
#include "shardprop/support/diagnostic.hpp"

namespace shardprop::cli {

// A text that places are in, and what it is called.
struct SourceText {
  std::string name;
  std::string_view text;
};
using SourceTexts = std::vector<SourceText>;  // the program's is the first

namespace detail {

// The offset of the line, after `from`, on which `start` stands alone at its beginning and `then`
// somewhere after it; none where no line or several fit.
inline std::size_t only_line(std::string_view text, std::size_t from, std::string_view start,
                             std::string_view then) {
  std::size_t found = std::string_view::npos;
  for (std::size_t at = text.find(start, from); at != std::string_view::npos;
       at = text.find(start, at + 1)) {
    const std::size_t line = text.rfind('\n', at) + 1;
    const bool begins = text.substr(line, at - line).find_first_not_of(" \t") == std::string::npos;
    const std::string_view rest = text.substr(at, text.find('\n', at) - at);
    if (!begins || rest.find(then) == std::string_view::npos) continue;
    if (found != std::string_view::npos) return std::string_view::npos;
    found = at;
  }
  return found;
}

// Where the text has what `place` names: a JSON pointer or, in MLIR text, an argument of a function
// or the result of an operation; unchanged where that is not found for sure.
inline Place located(Place place, std::string_view text) {
  if (place.line != 0 || !place.file.empty()) return place;
  if (!place.pointer.empty()) return with_json_line(std::move(place), text);
  if (!place.value.starts_with('%')) return place;
  const std::size_t func = text.find(fmt::format("@{}(", place.function));
  if (place.function.empty() || func == std::string_view::npos) return place;
  const std::size_t end = std::min(text.find("func.func ", func), text.size());
  const std::string_view body = text.substr(0, end);
  std::size_t at = std::string_view::npos;
  if (place.operation.empty()) {
    at = body.find(place.value + ":", func);
  } else {
    const std::string name = place.value.substr(0, place.value.find('#'));
    const std::string operation = place.operation.substr(place.operation.find('.') + 1);
    at = only_line(body, func, name + (name == place.value ? " =" : ":"), operation);
  }
  if (at == std::string_view::npos) return place;
  const std::string_view before = text.substr(0, at);
  place.line = static_cast<std::uint32_t>(std::ranges::count(before, '\n') + 1);
  place.column = static_cast<std::uint32_t>(at - (before.rfind('\n') + 1) + 1);
  return place;
}

inline const SourceText* source_of(const Place& place, const SourceTexts& sources) {
  if (place.file.empty()) return sources.empty() ? nullptr : &sources.front();
  const auto at =
      std::ranges::find_if(sources, [&](const SourceText& s) { return s.name == place.file; });
  return at == sources.end() ? nullptr : &*at;
}

}  // namespace detail

// Lines, each with its end.
inline std::string diagnostic_text(const Diagnostic& d, const SourceTexts& sources,
                                   bool colour = false) {
  const SourceText* source = detail::source_of(d.place, sources);
  const Place place = source ? detail::located(d.place, source->text) : d.place;
  std::string out = source ? source->name : place.file;
  if (place.line != 0)
    out += fmt::format("{}{}:{}", out.empty() ? "" : ":", place.line, place.column);
  if (!out.empty()) out += ": ";
  const std::string_view severity = d.severity == Severity::kError     ? "error"
                                    : d.severity == Severity::kWarning ? "warning"
                                                                       : "note";
  const char* start = d.severity == Severity::kError ? "\033[1;31m" : "\033[1;33m";
  out +=
      fmt::format("{}{}{}[{}]: ", colour ? start : "", severity, colour ? "\033[0m" : "", d.code);
  Place where = place;
  where.file.clear();
  where.line = 0;
  const std::string in = to_string(where);
  out += fmt::format("{}{}{}\n", in, in.empty() ? "" : ": ", d.message);
  if (const std::string shown = source ? excerpt(source->text, place) : ""; !shown.empty())
    out += shown + "\n";
  if (!d.hint.empty()) out += fmt::format("  help: {}\n", d.hint);
  return out;
}

inline void print_diagnostics(const Diagnostics& diagnostics, const SourceTexts& sources = {}) {
  const bool colour = isatty(STDERR_FILENO) != 0;
  for (const Diagnostic& d : diagnostics)
    fmt::print(stderr, "{}", diagnostic_text(d, sources, colour));
}

// Of the command line itself.
inline void print_error(std::string_view message) { fmt::print(stderr, "error: {}\n", message); }

}  // namespace shardprop::cli
