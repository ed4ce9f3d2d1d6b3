// Programs in and out without exceptions, RTTI and nlohmann/json: MLIR text both ways, and JSON out.
// Only the JSON reader needs nlohmann/json.
#include <string_view>

#include "shardprop/io/json_writer.hpp"
#include "shardprop/io/stablehlo_text.hpp"
#include "shardprop/io/text/excerpt.hpp"
#include "shardprop/io/text/file.hpp"

#ifdef NLOHMANN_JSON_VERSION_MAJOR
#error "a header of MLIR text or the JSON writer includes nlohmann/json"
#endif

// Whether a program survives; called by main.cpp.
bool text_round_trip() {
  constexpr std::string_view kText = "func.func @main(%arg0: tensor<8xf32>) {\n  return\n}\n";
  const auto m = shardprop::read_stablehlo_text(shardprop::borrowed_text(kText));
  if (!m) return false;
  const auto written = shardprop::write_stablehlo_text(*m);
  return written && written->find("@main") != std::string::npos &&
         !shardprop::write_json(*m).empty() && shardprop::excerpt(kText, {}).empty() &&
         !shardprop::open_text("no/such/file.mlir");
}
