// A value, or the diagnostics that explain why there is none. It works with exceptions switched
// off.
#pragma once

#include <cassert>
#include <cstdlib>
#include <optional>
#include <utility>

#include "shardprop/support/diagnostic.hpp"

namespace shardprop {

// To ask for the value of a result that has errors stops the program: there is nothing to go on with.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Diagnostic error) { errors_.push_back(std::move(error)); }
  Result(Diagnostics errors) : errors_(std::move(errors)) {}

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  T& operator*() & {
    need_value();
    return *value_;
  }
  const T& operator*() const& {
    need_value();
    return *value_;
  }
  // For a temporary result, such as what a call returns: the value itself, so that a loop over it
  // is safe.
  T operator*() && {
    need_value();
    return std::move(*value_);
  }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }

  // The errors; the result must not be ok.
  const Diagnostics& errors() const {
    assert(!ok());
    return errors_;
  }
  Diagnostics& errors() {
    assert(!ok());
    return errors_;
  }

 private:
  void need_value() const {
    if (!ok()) [[unlikely]]
      std::abort();
  }

  // Not a std::variant, which takes the compiler three times as long for each `T`.
  std::optional<T> value_;
  Diagnostics errors_;
};

}  // namespace shardprop
