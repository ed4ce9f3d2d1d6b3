// Definitions of pass_call.hpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "shardprop/pipeline/pass_call.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop {

namespace detail {

inline std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Splits at `separator` outside of braces and single quotes.
inline std::vector<std::string_view> split_outside(std::string_view text,
                                                   std::string_view separators) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\'') quoted = !quoted;
    if (quoted) continue;
    if (c == '{') ++depth;
    if (c == '}') --depth;
    if (depth != 0 || separators.find(c) == std::string_view::npos) continue;
    parts.push_back(trim(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  parts.push_back(trim(text.substr(begin)));
  return parts;
}

inline Diagnostic pipeline_syntax(std::string_view part, std::string_view expected) {
  return {"pipeline.syntax", fmt::format("cannot read '{}': {}", part, expected),
          "write passes as name{option=value option=value},name"};
}

// The options between the braces of one pass; separated by spaces or commas.
inline Result<PassCall> parse_pass_call(std::string_view text) {
  PassCall call;
  const std::size_t open = text.find('{');
  call.name = std::string(trim(text.substr(0, open)));
  if (call.name.empty()) return pipeline_syntax(text, "a pass's name is missing");
  if (open == std::string_view::npos) return call;
  if (text.back() != '}') return pipeline_syntax(text, "'}' is missing");
  for (std::string_view option :
       split_outside(text.substr(open + 1, text.size() - open - 2), ", ")) {
    if (option.empty()) continue;
    const std::size_t equals = option.find('=');
    if (equals == std::string_view::npos || equals == 0)
      return pipeline_syntax(option, "an option is name=value");
    std::string_view value = option.substr(equals + 1);
    if (value.size() >= 2 && value.front() == '\'' && value.back() == '\'')
      value = value.substr(1, value.size() - 2);
    call.options.emplace_back(std::string(option.substr(0, equals)), std::string(value));
  }
  return call;
}

}  // namespace detail

SHARDPROP_INLINE Result<std::vector<PassCall>> parse_pipeline(std::string_view text) {
  std::vector<PassCall> calls;
  for (std::string_view part : detail::split_outside(text, ",")) {
    Result<PassCall> call = detail::parse_pass_call(part);
    if (!call) return call.errors();
    calls.push_back(std::move(*call));
  }
  return calls;
}

SHARDPROP_INLINE std::string to_string(const PassCall& call) {
  std::string out = call.name;
  for (std::size_t i = 0; i < call.options.size(); ++i) {
    out +=
        fmt::format("{}{}={}", i == 0 ? "{" : " ", call.options[i].first, call.options[i].second);
  }
  return call.options.empty() ? out : out + "}";
}

}  // namespace shardprop
