// nlohmann's parser alone, with events that are ignored. The time of reading is compared with it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "nlohmann/json.hpp"

namespace shardprop::bench {

// Takes every event and keeps nothing.
struct NullSax {
  using Json = nlohmann::json;
  bool null() { return true; }
  bool boolean(bool) { return true; }
  bool number_integer(Json::number_integer_t) { return true; }
  bool number_unsigned(Json::number_unsigned_t) { return true; }
  bool number_float(Json::number_float_t, const std::string&) { return true; }
  bool string(std::string&) { return true; }
  bool binary(Json::binary_t&) { return true; }
  bool start_object(std::size_t) { return true; }
  bool key(std::string&) { return true; }
  bool end_object() { return true; }
  bool start_array(std::size_t) { return true; }
  bool end_array() { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) {
    return false;
  }
};

inline bool parse_only(std::string_view text) {
  NullSax sax;
  return nlohmann::json::sax_parse(text.data(), text.data() + text.size(), &sax);
}

}  // namespace shardprop::bench
