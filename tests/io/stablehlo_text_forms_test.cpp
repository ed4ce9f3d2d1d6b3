// Operations in pretty form, in generic form and as JSON: all three say the same, and the pretty
// form is what is written. The table is tests/data/text/forms.txt.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "shardprop/io/json_reader.hpp"
#include "shardprop/io/json_writer.hpp"
#include "shardprop/io/stablehlo_text.hpp"
#include "shardprop/ops/standard_ops.hpp"
#include "tests/catch.hpp"
#include "tests/io/text_support.hpp"

namespace shardprop::test::stablehlo_text_forms_cases {
namespace {

using Json = nlohmann::json;

struct Form {
  std::string op;
  std::string args;
  std::string pretty;
  std::string generic;
  std::string json;
};

std::string behind(const std::string& line, std::string_view word) {
  return line.size() > word.size() ? line.substr(word.size() + 1) : std::string();
}

// The entries of the table, which end with their `json` line.
std::vector<Form> read_forms() {
  std::ifstream in(std::filesystem::path(SHARDPROP_SOURCE_DIR) / "tests/data/text/forms.txt");
  std::vector<Form> out;
  Form form;
  std::string* open = nullptr;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line.starts_with("  ")) {
      if (!open->empty()) *open += '\n';
      *open += line.substr(2);
    } else if (line.starts_with("op ")) {
      form.op = behind(line, "op");
    } else if (line.starts_with("args")) {
      form.args = behind(line, "args");
    } else if (line.starts_with("json ")) {
      form.json = behind(line, "json");
      out.push_back(std::move(form));
      form = Form();
    } else {
      open = line == "pretty" ? &form.pretty : &form.generic;
    }
  }
  return out;
}

std::string program(const std::string& args, const std::string& ops) {
  return "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\nfunc.func @f(" + args + ") {\n" + ops +
         "\nreturn\n}\n";
}

Module read(const std::string& args, const std::string& ops) {
  Result<Module> m = read_stablehlo_text(owned_text(program(args, ops)));
  INFO(ops);
  if (!m) FAIL(to_string(m.errors()));
  return std::move(*m);
}

// The first operation called `name` of a list of operations of the JSON graph.
Json find_op(const Json& ops, const std::string& name) {
  for (const Json& op : ops) {
    if (op["op"] == name) return op;
  }
  return Json();
}

// `ops` as lines of the body of a function.
std::string indented(const std::string& ops) {
  std::string out = "\n    ";
  for (char c : ops) {
    out += c;
    if (c == '\n') out += "    ";
  }
  return out + "\n";
}

std::string written(const Module& m, const TextWriteOptions& options = {}) {
  const Result<std::string> text = write_stablehlo_text(m, options);
  if (!text) FAIL(to_string(text.errors()));
  return *text;
}

TEST_CASE("the pretty and the generic form of an operation are the same operation") {
  const std::vector<Form> forms = read_forms();
  REQUIRE(forms.size() > 150);
  for (const Form& form : forms) {
    const Module pretty = read(form.args, form.pretty);
    const Module generic = read(form.args, form.generic);
    INFO(form.pretty << "\n" << form.generic);
    CHECK(first_difference(meaning_of(pretty), meaning_of(generic)) == "");
  }
}

TEST_CASE("the JSON graph has the attributes of an operation that was read as text") {
  for (const Form& form : read_forms()) {
    const Json graph = Json::parse(write_json(read(form.args, form.pretty)));
    INFO(form.pretty);
    const Json op = find_op(graph["functions"][0]["ops"], form.op);
    REQUIRE(op.is_object());
    CHECK(op.value("attributes", Json::object()) == Json::parse(form.json));
  }
}

TEST_CASE("an operation is written in its pretty form") {
  for (const Form& form : read_forms()) {
    const std::string text = written(read(form.args, form.pretty));
    INFO(text);
    CHECK(text.find(indented(form.pretty)) != std::string::npos);
  }
}

TEST_CASE("an operation that was read as JSON is the same and has the same pretty form") {
  for (const Form& form : read_forms()) {
    const std::string graph = write_json(read(form.args, form.pretty));
    const Result<Module> from_json = read_json(graph);
    INFO(form.pretty);
    REQUIRE(from_json);
    const Module again = [&] {
      Result<Module> m = read_stablehlo_text(owned_text(written(*from_json)));
      if (!m) FAIL(to_string(m.errors()));
      return std::move(*m);
    }();
    CHECK(first_difference(meaning_of(again), meaning_of(*from_json)) == "");
  }
}

TEST_CASE("an operation that is written in generic form is read as the same") {
  for (const Form& form : read_forms()) {
    const Module m = read(form.args, form.pretty);
    const std::string text = written(m, {.generic = true});
    INFO(text);
    const Result<Module> again = read_stablehlo_text(owned_text(text));
    if (!again) FAIL(to_string(again.errors()));
    CHECK(first_difference(meaning_of(m), meaning_of(*again)) == "");
  }
}

// Operations that StableHLO itself prints in generic form.
constexpr std::string_view kStablehloGenericOnly[] = {
    "stablehlo.all_gather",
    "stablehlo.all_reduce",
    "stablehlo.all_to_all",
    "stablehlo.async_done",
    "stablehlo.async_start",
    "stablehlo.batch_norm_grad",
    "stablehlo.batch_norm_inference",
    "stablehlo.batch_norm_training",
    "stablehlo.case",
    "stablehlo.collective_broadcast",
    "stablehlo.collective_permute",
    "stablehlo.collective_reduce",
    "stablehlo.cross-replica-sum",
    "stablehlo.dynamic_conv",
    "stablehlo.dynamic_gather",
    "stablehlo.gather",
    "stablehlo.if",
    "stablehlo.infeed",
    "stablehlo.map",
    "stablehlo.outfeed",
    "stablehlo.recv",
    "stablehlo.reduce_scatter",
    "stablehlo.reduce_window",
    "stablehlo.scatter",
    "stablehlo.select_and_scatter",
    "stablehlo.send",
    "stablehlo.sort",
    "stablehlo.torch_index_select",
    "stablehlo.triangular_solve",
};

TEST_CASE("every operation has a pretty form in the table or is known to have none") {
  std::vector<std::string> shown;
  for (const Form& form : read_forms()) {
    shown.push_back(form.op);
    for (const std::string word : {"stablehlo.return", "sdy.return"}) {
      if (form.pretty.find(word) != std::string::npos) shown.push_back(word);
    }
  }
  shown.push_back("func.return");  // ends each program above
  const auto is_shown = [&](std::string_view op) {
    return std::find(shown.begin(), shown.end(), op) != shown.end();
  };
  const OpTable table = standard_ops();
  for (const OpRow& row : table.rows()) {
    const OpDef& def = row.def;
    if (!def.name.starts_with("stablehlo.") && !def.name.starts_with("sdy.") &&
        !def.name.starts_with("func."))
      continue;
    const bool generic_only =
        std::find(std::begin(kStablehloGenericOnly), std::end(kStablehloGenericOnly), def.name) !=
        std::end(kStablehloGenericOnly);
    INFO(def.name);
    CHECK((generic_only || is_shown(def.name)));
    CHECK(generic_only == (detail::find_form_row(def.name) == nullptr));
  }
  for (const detail::FormRow& row : detail::kStablehloForms) {
    INFO(row.op);
    CHECK(is_shown(row.op));
  }
  for (const detail::FormRow& row : detail::kSdyForms) {
    INFO(row.op);
    CHECK(is_shown(row.op));
  }
}

// --- spellings that are not written any more ---

struct Older {
  std::string args;
  std::string older;
  std::string now;
};

const Older kOlder[] = {
    {"%arg0: tensor<2x3xf32>",
     R"(%0 = "stablehlo.transpose"(%arg0) {permutation = dense<[1, 0]> : tensor<2xi64>} : (tensor<2x3xf32>) -> tensor<3x2xf32>)",
     "%0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>"},
    {"%arg0: tensor<2x3xf32>",
     "%0 = stablehlo.transpose %arg0, dims = dense<[1, 0]> : tensor<2xi64> : (tensor<2x3xf32>) -> "
     "tensor<3x2xf32>",
     "%0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>"},
    {"%arg0: tensor<2x3xf32>",
     "%0 = stablehlo.transpose %arg0, dims = array<i64: 1, 0> : (tensor<2x3xf32>) -> "
     "tensor<3x2xf32>",
     "%0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>"},
    {"%arg0: tensor<2x2xf32>",
     R"(%0 = "stablehlo.reverse"(%arg0) {dimensions = dense<1> : tensor<1xi64>} : (tensor<2x2xf32>) -> tensor<2x2xf32>)",
     "%0 = stablehlo.reverse %arg0, dims = [1] : tensor<2x2xf32>"},
    {"%arg0: tensor<f32>",
     R"(%0 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<f32>) -> tensor<2xf32>)",
     "%0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<2xf32>"},
    {"%arg0: tensor<8x8xf32>",
     R"(%0 = "stablehlo.slice"(%arg0) {start_indices = dense<0> : tensor<2xi64>, limit_indices = dense<[4, 8]> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} : (tensor<8x8xf32>) -> tensor<4x8xf32>)",
     "%0 = stablehlo.slice %arg0 [0:4, 0:8:1] : (tensor<8x8xf32>) -> tensor<4x8xf32>"},
    {"%arg0: tensor<2xf32>, %arg1: tensor<2xf32>",
     R"(%0 = stablehlo.compare EQ, %arg0, %arg1, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>)",
     R"(%0 = "stablehlo.compare"(%arg0, %arg1) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>)"},
    {"", "%0 = stablehlo.constant() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>",
     "%0 = stablehlo.constant dense<1.000000e+00> : tensor<2xf32>"},
    {"", "%0 = stablehlo.constant() <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<2xf32>",
     "%0 = stablehlo.constant dense<1.000000e+00> : tensor<2xf32>"},
    {"%arg0: tensor<2xf32>, %arg1: tensor<2xf32>",
     R"(%0 = "stablehlo.dot"(%arg0, %arg1) {precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>)",
     "%0 = stablehlo.dot %arg0, %arg1, precision = [HIGH, HIGH] : (tensor<2xf32>, tensor<2xf32>) "
     "-> tensor<f32>"},
    {"%arg0: tensor<8x8xf32>, %arg1: tensor<f32>",
     R"(%0 = "stablehlo.reduce"(%arg0, %arg1) ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): %1 = stablehlo.add %a, %b : tensor<f32> stablehlo.return %1 : tensor<f32> }) {dimensions = dense<[0, 1]> : tensor<2xi64>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>)",
     "%0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [0, 1] : "
     "(tensor<8x8xf32>, tensor<f32>) -> tensor<f32>"},
    {"%arg0: tensor<8xf32>, %arg1: tensor<f32>",
     "%0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<8xf32>, "
     "tensor<f32>) -> tensor<f32> reducer(%a: tensor<f32>, %b: tensor<f32>) { %1 = "
     "stablehlo.multiply %a, %b : tensor<f32> stablehlo.return %1 : tensor<f32> }",
     "%0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.multiply across dimensions = [0] "
     ": (tensor<8xf32>, tensor<f32>) -> tensor<f32>"},
    {"%arg0: tensor<2xf32>",
     R"(%0 = "sdy.propagation_barrier"(%arg0) {allowed_direction = 3 : i32} : (tensor<2xf32>) -> tensor<2xf32>)",
     "%0 = sdy.propagation_barrier %arg0 allowed_direction=BOTH : tensor<2xf32>"},
    {"%arg0: tensor<1x8x8x3xf32>, %arg1: tensor<3x3x3x16xf32>",
     R"(%0 = "stablehlo.convolution"(%arg0, %arg1) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, padding = dense<0> : tensor<2x2xi64>, window_reversal = array<i1: false, true>} : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> tensor<1x6x6x16xf32>)",
     "%0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, "
     "f], window = {pad = [[0, 0], [0, 0]], reverse = [0, 1]} {batch_group_count = 1 : i64, "
     "feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x16xf32>) -> "
     "tensor<1x6x6x16xf32>"},
};

TEST_CASE("older spellings are read as what is written now") {
  for (const Older& row : kOlder) {
    INFO(row.older);
    CHECK(first_difference(meaning_of(read(row.args, row.older)),
                           meaning_of(read(row.args, row.now))) == "");
  }
}

TEST_CASE("an attribute that an operation does not know keeps its text") {
  const std::string op =
      "%0 = stablehlo.abs %arg0 {dimension = 3 : i32, lower = dense<0> : tensor<2xi64>} : "
      "tensor<2xf32>";
  const std::string text = written(read("%arg0: tensor<2xf32>", op));
  CHECK(text.find(indented(op)) != std::string::npos);
}

TEST_CASE("a number that its type would change has no pretty form") {
  for (const std::string op : {R"(%0 = "arith.constant"() <{value = true}> : () -> i0)",
                               R"(%0 = "arith.constant"() <{value = 300 : i64}> : () -> i8)",
                               R"(%0 = "arith.constant"() <{value = 0.1 : f64}> : () -> bf16)"}) {
    const Module m = read("", op);
    const std::string text = written(m);
    INFO(text);
    CHECK(text.find("\"arith.constant\"") != std::string::npos);
    const Result<Module> again = read_stablehlo_text(owned_text(text));
    REQUIRE(again);
    CHECK(first_difference(meaning_of(m), meaning_of(*again)) == "");
  }
}

// --- errors ---

struct Wrong {
  std::string args;
  std::string ops;
  std::string code;
  std::string said;  // part of the message
};

const Wrong kWrong[] = {
    {"%arg0: tensor<2xf32>",
     "%0 = stablehlo.transpose %arg0, dim = [0] : (tensor<2xf32>) -> tensor<2xf32>", "text.syntax",
     "'dims'"},
    {"%arg0: tensor<2xf32>", "%0 = stablehlo.add %arg0, %arg0 : tensor<3xf32>",
     "text.operand_types", "operand 0"},
    {"%arg0: tensor<2xf32>", "%0 = stablehlo.slice %arg0 [0] : (tensor<2xf32>) -> tensor<2xf32>",
     "text.syntax", "':'"},
    {"%arg0: tensor<2xf32>, %arg1: tensor<f32>",
     "%0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.divide across dimensions = [0] : "
     "(tensor<2xf32>, tensor<f32>) -> tensor<f32>",
     "text.reduce", "stablehlo.add"},
    {"%arg0: tensor<2xf32>", "%0 = stablehlo.reduce_precision %arg0, format = m2e2 : tensor<2xf32>",
     "text.syntax", "e5m10"},
    {"%arg0: tensor<2xf32>",
     "%0 = stablehlo.convolution(%arg0, %arg0) dim_numbers = [b, b, f]x[0, i, o]->[b, 0, f], "
     "window = {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>",
     "text.syntax", "each once"},
    {"%arg0: tensor<2xf32>",
     R"(%0 = "stablehlo.gather"(%arg0, %arg0) {dimension_numbers = #stablehlo.gather<offset = [0]>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>)",
     "text.syntax", "a field of #stablehlo.gather"},
    {"%arg0: tensor<2xf32>, %arg1: tensor<2xf32>",
     "%0 = stablehlo.complex %arg0, %arg1 : tensor<2xf32>", "text.type", "complex"},
    {"%arg0: tensor<2xf32>", "%0 = stablehlo.unheard_of %arg0 : tensor<2xf32>", "text.unknown_form",
     "no known notation"},
};

TEST_CASE("a form that is not kept says what was expected") {
  for (const Wrong& row : kWrong) {
    INFO(row.ops);
    const Result<Module> m = read_stablehlo_text(owned_text(program(row.args, row.ops)));
    REQUIRE(!m);
    CHECK(m.errors()[0].code == row.code);
    CHECK(m.errors()[0].message.find(row.said) != std::string::npos);
    CHECK(m.errors()[0].place.line == 3);
  }
}

}  // namespace
}  // namespace shardprop::test::stablehlo_text_forms_cases
