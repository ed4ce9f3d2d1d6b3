// A POSIX extended regular expression.
#pragma once

#include <regex.h>

#include <string>

namespace shardprop::conformance {

class Pattern {
 public:
  explicit Pattern(const std::string& text)
      : status_(regcomp(&compiled_, text.c_str(), REG_EXTENDED | REG_NOSUB)) {}
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
  ~Pattern() {
    if (status_ == 0) regfree(&compiled_);
  }

  // What is wrong with the expression; empty when nothing is.
  std::string error() const {
    if (status_ == 0) return "";
    char text[256];
    regerror(status_, &compiled_, text, sizeof(text));
    return text;
  }
  // True when some part of `text` matches; only without an error.
  bool matches(const std::string& text) const {
    return regexec(&compiled_, text.c_str(), 0, nullptr, 0) == 0;
  }

 private:
  regex_t compiled_ = {};
  int status_;
};

}  // namespace shardprop::conformance
