// Cases of custom_call and composite. Neither infers types: a call says them.
#pragma once

#include "tests/ops/cases/op_case.hpp"

inline constexpr const char* kCustomCall = "stablehlo.custom_call";
inline constexpr const char* kComposite = "stablehlo.composite";

inline constexpr OpCase kCustomCallCases[] = {
    {kCustomCall, "ok", R"({"operands": ["2x3xf32"], "results": ["4xf32"],
      "attributes": {"call_target_name": "foo"}})"},
    {kCustomCall, "ok", R"({"attributes": {"api_version": 4, "backend_config": {"a": 1}}})"},
    {kCustomCall, "ok", R"({"attributes": {"backend_config": "a", "operand_layouts": [[1, 0]],
      "result_layouts": [[0]]}})"},
    {kCustomCall, "ok", R"({"operands": ["2xf32"], "results": ["!memref<2xf32>"],
      "attributes": {"call_target_name": "Pin"}})"},
    {kCustomCall, "ok", R"({"operands": ["!stablehlo.token"], "results": ["!stablehlo.token",
      "4xf32"], "attributes": {
      "operand_layouts": [[]], "result_layouts": [[], [0]]}})"},
    {kCustomCall, "ok", R"({"operands": ["4xf32"], "attributes": {"output_operand_aliases": [{
      "output_tuple_indices": [], "operand_index": 0, "operand_tuple_indices": []}]}})"},
    {kCustomCall, "i2", R"({"attributes": {"call_target_name": null}})"},
    {kCustomCall, "layouts", R"({"attributes": {"operand_layouts": [[1, 0]]}})"},
    {kCustomCall, "layouts", R"({"attributes": {"operand_layouts": [[1, 1]],
      "result_layouts": [[0]]}})"},
    {kCustomCall, "layouts", R"({"attributes": {"operand_layouts": [[1, 0], [0]],
      "result_layouts": [[0]]}})"},
    {kCustomCall, "layouts", R"({"operands": ["!stablehlo.token"],
      "attributes": {"operand_layouts": [[0]],
      "result_layouts": [[0]]}})"},
    {kCustomCall, "backend_config", R"({"attributes": {"api_version": 4, "backend_config": "a"}})"},
    {kCustomCall, "backend_config", R"({"attributes": {"backend_config": {"a": 1}}})"},
    {kCustomCall, "output_operand_aliases",
     R"({"attributes": {"output_operand_aliases": [{"operand_index": 1}]}})"},
    {kCustomCall, "output_operand_aliases",
     R"({"attributes": {"output_operand_aliases": [{"operand_index": 0}]}})"},
    {kCustomCall, "output_operand_aliases", R"({"operands": ["4xf32"],
      "attributes": {"output_operand_aliases": [{
      "output_tuple_indices": [0], "operand_index": 0}]}})"},
    {kCustomCall, "buffer", R"({"attributes": {"call_target_name": "Pin"}})"},

    {kComposite, "ok", R"({"functions": [
      {"name": "f", "private": true, "arguments": [{"name": "%a", "shape": [2], "dtype": "f32"}],
       "results": [{"shape": [2], "dtype": "f32"}], "ops": [{"op": "func.return",
      "operands": ["%a"]}]},
      {"name": "main", "arguments": [{"name": "%a", "shape": [2], "dtype": "f32"}],
       "results": [{"shape": [2], "dtype": "f32"}], "ops": [
        {"op": "stablehlo.composite", "operands": ["%a"], "results": [{"name": "%0", "shape": [2],
      "dtype": "f32"}],
         "attributes": {"name": "my.op", "decomposition": "f", "version": 1}},
        {"op": "func.return", "operands": ["%0"]}]}]})"},
    {kComposite, "c1", R"({"name": "main", "arguments": [], "results": [], "ops": [
      {"op": "stablehlo.composite", "attributes": {"name": "op", "decomposition": "main"}},
      {"op": "func.return"}]})"},
    {kComposite, "c2", R"({"name": "main", "arguments": [], "results": [], "ops": [
      {"op": "stablehlo.composite", "attributes": {"name": "my.op", "decomposition": "f"}},
      {"op": "func.return"}]})"},
    {kComposite, "c3", R"({"name": "main", "arguments": [{"name": "%a", "shape": [2],
      "dtype": "f32"}], "results": [],
      "ops": [{"op": "stablehlo.composite", "attributes": {"name": "my.op",
      "decomposition": "main"}},
      {"op": "func.return"}]})"},
    {kComposite, "c4", R"({"name": "main", "arguments": [], "results": [], "ops": [
      {"op": "stablehlo.composite", "results": [{"name": "%0", "shape": [2], "dtype": "f32"}],
       "attributes": {"name": "my.op", "decomposition": "main"}}, {"op": "func.return"}]})"},
};
