// A value or none, as std::optional is one, with the same names. A type of its own since a
// std::optional costs the compiler several times as much for each type of value.
#pragma once

#include <cassert>
#include <new>

namespace shardprop {

struct Nullopt {};
inline constexpr Nullopt nullopt;  // NOLINT(readability-identifier-naming): as in std

template <class T>
class Optional {
 public:
  using value_type = T;

  constexpr Optional() : none_() {}
  constexpr Optional(Nullopt) : none_() {}
  constexpr Optional(T value) : value_(static_cast<T&&>(value)), has_value_(true) {}
  constexpr Optional(const Optional& other) : none_() {
    if (other.has_value_) emplace(other.value_);
  }
  constexpr Optional(Optional&& other) noexcept : none_() {
    if (other.has_value_) emplace(static_cast<T&&>(other.value_));
  }
  Optional& operator=(const Optional& other) {
    if (this == &other) return *this;
    reset();
    if (other.has_value_) emplace(other.value_);
    return *this;
  }
  Optional& operator=(Optional&& other) noexcept {
    if (this == &other) return *this;
    reset();
    if (other.has_value_) emplace(static_cast<T&&>(other.value_));
    return *this;
  }
  constexpr ~Optional() {
    if (has_value_) value_.~T();
  }

  template <class... Args>
  constexpr T& emplace(Args&&... args) {
    reset();
    new (&value_) T(static_cast<Args&&>(args)...);
    has_value_ = true;
    return value_;
  }
  constexpr void reset() {
    if (has_value_) value_.~T();
    has_value_ = false;
  }

  constexpr bool has_value() const { return has_value_; }
  constexpr explicit operator bool() const { return has_value_; }
  constexpr T& operator*() & {
    assert(has_value_);
    return value_;
  }
  constexpr const T& operator*() const& {
    assert(has_value_);
    return value_;
  }
  constexpr T&& operator*() && {
    assert(has_value_);
    return static_cast<T&&>(value_);
  }
  constexpr T* operator->() { return &**this; }
  constexpr const T* operator->() const { return &**this; }
  constexpr T value_or(T other) const { return has_value_ ? value_ : other; }

  friend constexpr bool operator==(const Optional& a, const Optional& b) {
    return a.has_value_ == b.has_value_ && (!a.has_value_ || a.value_ == b.value_);
  }

 private:
  union {
    T value_;
    char none_;
  };
  bool has_value_ = false;
};

}  // namespace shardprop
