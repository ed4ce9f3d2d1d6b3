// The scan of plain documents gives the events of nlohmann's parser, or gives up; it never accepts
// what that parser refuses.
#include "shardprop/io/json/scan.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "examples/models/small_graphs.hpp"
#include "nlohmann/json.hpp"
#include "shardprop/io/json_writer.hpp"
#include "shardprop/ops/standard_ops.hpp"
#include "tests/catch.hpp"

namespace shardprop::test::json_scan_cases {
namespace {

using detail::JsonKind;
using detail::JsonScan;
using detail::ScanEnd;

// Writes the events down.
struct Recorder {
  std::string events;
  std::size_t stop_after = 0;  // events; 0: never
  std::size_t count = 0;

  bool note(std::string_view what, std::string_view text) {
    events.append(what).append(text) += '\n';
    return ++count != stop_after;
  }
  bool scalar(JsonKind kind, std::uint64_t payload) {
    return note("scalar ", std::to_string(static_cast<int>(kind)) + " " + std::to_string(payload));
  }
  bool string(std::string_view text) { return note("string ", text); }
  bool key(std::string_view text) { return note("key ", text); }
  bool start_object() { return note("{", ""); }
  bool start_list() { return note("[", ""); }
  bool end_container() { return note("end", ""); }
};

// The same from nlohmann's parser.
struct RecorderSax {
  using Json = nlohmann::json;
  Recorder& out;

  bool null() { return out.scalar(JsonKind::kNull, 0); }
  bool boolean(bool value) { return out.scalar(JsonKind::kBool, value ? 1 : 0); }
  bool number_integer(std::int64_t value) {
    return out.scalar(JsonKind::kInt, static_cast<std::uint64_t>(value));
  }
  bool number_unsigned(std::uint64_t value) {
    return out.scalar(value >> 63 ? JsonKind::kUint : JsonKind::kInt, value);
  }
  bool number_float(double value, const std::string&) {
    return out.scalar(JsonKind::kFloat, std::bit_cast<std::uint64_t>(value));
  }
  bool string(std::string& text) { return out.string(text); }
  bool binary(Json::binary_t&) { return false; }
  bool start_object(std::size_t) { return out.start_object(); }
  bool key(std::string& text) { return out.key(text); }
  bool end_object() { return out.end_container(); }
  bool start_array(std::size_t) { return out.start_list(); }
  bool end_array() { return out.end_container(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) {
    return false;
  }
};

std::optional<std::string> scanned(std::string_view text) {
  Recorder recorder;
  if (JsonScan(text, recorder).run() != ScanEnd::kDone) return std::nullopt;
  return recorder.events;
}

std::optional<std::string> parsed(std::string_view text) {
  Recorder recorder;
  RecorderSax sax{recorder};
  if (!nlohmann::json::sax_parse(text.data(), text.data() + text.size(), &sax)) return std::nullopt;
  return recorder.events;
}

// The document `text`, and whether the scan takes it; true if it agrees with the parser.
bool agrees(const std::string& text) {
  const auto found = scanned(text);
  return !found || found == parsed(text);
}

}  // namespace

TEST_CASE("json scan: plain documents have the events of the parser", "[io]") {
  for (const std::string text : {
           "{}",
           "[]",
           " [ ] ",
           "{\"a\": 1}",
           "[1, -2, 0, -0, 123456789012345678]",
           "[1.5, -0.25e3, 1E-2, 0.0, 1e+2]",
           "[true, false, null]",
           "\"alone\"",
           "7",
           "{\"a\": {\"b\": [[], {}]}, \"c\": \"\"}",
           "\"a long text of more than eight bytes, twice\"",
           "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]",
           "\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00 behind\"",
           "\"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80\"",
           "\"del \x7F\"",
           "\r\n\t[ 1 ,\n 2 ]\n",
       }) {
    INFO(text);
    CHECK(scanned(text).has_value());
    CHECK(scanned(text) == parsed(text));
  }
}

TEST_CASE("json scan: what is no JSON, or seldom, is left to the parser", "[io]") {
  for (const std::string text : {
           "",
           " ",
           "{",
           "[",
           "]",
           "{\"a\"}",
           "{\"a\":}",
           "{\"a\" 1}",
           "{a: 1}",
           "[1,]",
           "{\"a\": 1,}",
           "[,]",
           "[1 2]",
           "{\"a\": 1 \"b\": 2}",
           "{\"a\": 1]",
           "[1}",
           "[1] 2",
           "[1]]",
           "01",
           "-",
           "1.",
           ".5",
           "1e",
           "1e+",
           "+1",
           "nul",
           "truex",
           "\"",
           "\"a",
           "\"\\x\"",
           "\"\\u12\"",
           "\"\\u12G4\"",
           "\"\\ud83d\"",
           "\"\\ude00\"",
           "\"\\ud83d\\u0041\"",
           "\"\n\"",
           "\"\x01\"",
           "\"\xC0\x80\"",
           "\"\xED\xA0\x80\"",
           "\"\xF5\x80\x80\x80\"",
           "\"\xE2\x82\"",
           "\xEF\xBB\xBF[]",
           "1234567890123456789012",
           "1e999",
           "NaN",
           "// c\n1",
           "'a'",
       }) {
    INFO(text);
    CHECK_FALSE(scanned(text).has_value());
  }
}

TEST_CASE("json scan: an event that returns false ends it", "[io]") {
  for (std::size_t events = 1; events <= 6; ++events) {
    Recorder recorder;
    recorder.stop_after = events;
    CHECK(JsonScan(std::string_view("{\"a\": [1, \"x\"]}"), recorder).run() == ScanEnd::kStopped);
    CHECK(recorder.count == events);
  }
}

TEST_CASE("json scan: damaged documents are never taken for others", "[io]") {
  const Result<Module> m = models::random_dag(standard_ops(), 12);
  REQUIRE(m);
  const std::string whole = write_json(*m);
  REQUIRE(scanned(whole).has_value());
  CHECK(scanned(whole) == parsed(whole));
  models::Random random(7);
  constexpr std::string_view kBytes = "\"\\{}[],:0-1eE.+ \n\tux\x01\x80\xC3";
  for (int round = 0; round < 3000; ++round) {
    std::string text = whole;
    const std::size_t edits = 1 + random.below(3);
    for (std::size_t i = 0; i < edits; ++i) {
      const std::size_t at = random.below(text.size());
      const char byte = kBytes[random.below(kBytes.size())];
      switch (random.below(3)) {
        case 0:
          text[at] = byte;
          break;
        case 1:
          text.insert(at, 1, byte);
          break;
        default:
          text.erase(at, 1 + random.below(4));
      }
    }
    if (agrees(text)) continue;
    INFO(text);
    FAIL("the scan and the parser differ");
  }
}

}  // namespace shardprop::test::json_scan_cases
