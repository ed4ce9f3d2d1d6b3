// A value or the diagnostics that explain why there is none; readable with exceptions off.
#pragma once

#include <cassert>
#include <utility>
#include <variant>

#include "shardprop/support/diagnostic.hpp"

namespace shardprop {

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Diagnostic error) : state_(std::in_place_index<1>, Diagnostics{std::move(error)}) {}
  Result(Diagnostics errors) : state_(std::in_place_index<1>, std::move(errors)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& operator*() & {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  const T& operator*() const& {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  // Of a result that is about to go, such as what a call returns: the value itself, so that a loop
  // over it is safe.
  T operator*() && {
    assert(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }

  // The errors; only when not ok.
  const Diagnostics& errors() const {
    assert(!ok());
    return *std::get_if<1>(&state_);
  }
  Diagnostics& errors() {
    assert(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Diagnostics> state_;
};

}  // namespace shardprop
