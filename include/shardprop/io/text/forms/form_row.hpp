// A row of the tables of pretty forms; text_form.hpp says what a notation is.
#pragma once

#include <string_view>

namespace shardprop::detail {

struct FormRow {
  std::string_view op;
  std::string_view notation;
};

}  // namespace shardprop::detail
