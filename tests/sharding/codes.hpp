// The codes of diagnostics, as tests compare them.
#pragma once

#include <string>
#include <vector>

#include "shardprop/support/diagnostic.hpp"
#include "shardprop/support/result.hpp"

namespace shardprop::test {

using Codes = std::vector<std::string>;

// In order; a code whose diagnostic lacks a message or a hint is marked, so that the comparison
// fails.
inline Codes codes(const Diagnostics& all) {
  Codes out;
  for (const Diagnostic& d : all) {
    out.push_back(d.message.empty() || d.hint.empty() ? d.code + " without words" : d.code);
  }
  return out;
}

template <class T>
Codes codes(const Result<T>& result) {
  return result ? Codes() : codes(result.errors());
}

// Line and column of the first error, `1:5`.
template <class T>
std::string position(const Result<T>& result) {
  if (result) return "no error";
  const Place& place = result.errors().front().place;
  return std::to_string(place.line) + ":" + std::to_string(place.column);
}

}  // namespace shardprop::test
