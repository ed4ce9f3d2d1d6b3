// Programs with collectives, which the simulated machine and the real one both run.
#pragma once

#include <string>
#include <vector>

#include "tests/run/machine_case.hpp"

namespace shardprop::test {

inline constexpr ProcessGrid kFourReplicas = {4, 1};
inline constexpr ProcessGrid kFourPartitions = {1, 4};
inline constexpr ProcessGrid kTwoByTwo = {2, 2};

// Which processes are in a group, and in which order: seen by gathering the partition's argument.
inline constexpr MachineCase kGroups[] = {
    {"groups of replicas, in their own order", kFourReplicas, "tensor<1xi64>", R"(
  %r = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[2, 0], [1, 3]]> : tensor<2x2xi64>} : (tensor<1xi64>) -> tensor<2xi64>
  return %r : tensor<2xi64>)",
     "[20, 0]; [10, 30]; [20, 0]; [10, 30]"},
    {"groups of replicas are one for each partition",
     {2, 3},
     "tensor<1xi64>",
     R"(
  %r = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<1xi64>) -> tensor<2xi64>
  return %r : tensor<2xi64>)",
     "[30, 0]; [40, 10]; [50, 20]; [30, 0]; [40, 10]; [50, 20]"},
    {"with a channel, groups of replicas have all partitions, partition by partition",
     {4, 2},
     "tensor<1xi64>",
     R"(
  %r = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[3, 1], [0, 2]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<1xi64>) -> tensor<4xi64>
  return %r : tensor<4xi64>)",
     "[0, 40, 10, 50]; [0, 40, 10, 50]; [60, 20, 70, 30]; [60, 20, 70, 30]; [0, 40, 10, 50]; "
     "[0, 40, 10, 50]; [60, 20, 70, 30]; [60, 20, 70, 30]"},
    {"global ids count partitions first",
     {2, 3},
     "tensor<1xi64>",
     R"(
  %r = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 3, 4], [5, 2, 1]]> : tensor<2x3xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<1xi64>) -> tensor<3xi64>
  return %r : tensor<3xi64>)",
     "[0, 30, 40]; [50, 20, 10]; [50, 20, 10]; [0, 30, 40]; [0, 30, 40]; [50, 20, 10]"},
    {"no groups are one of all replicas",
     {3, 1},
     "tensor<1xi64>",
     R"(
  %r = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<> : tensor<0x0xi64>} : (tensor<1xi64>) -> tensor<3xi64>
  return %r : tensor<3xi64>)",
     "[0, 10, 20]; [0, 10, 20]; [0, 10, 20]"},
    {"groups of different sizes are filled up",
     {3, 1},
     "tensor<2xi64>",
     R"(
  %r = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %s = stablehlo.add %x, %y : tensor<i64>
    stablehlo.return %s : tensor<i64>
  }) {replica_groups = dense<[[1, 2], [0, -1]]> : tensor<2x2xi64>} : (tensor<2xi64>) -> tensor<2xi64>
  return %r : tensor<2xi64>)",
     "[0, 1]; [30, 32]; [30, 32]"},
    {"exchanges with a channel are among partitions",
     {2, 2},
     "tensor<2xi64>",
     R"(
  %r = "stablehlo.all_to_all"(%a) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<2xi64>) -> tensor<2xi64>
  return %r : tensor<2xi64>)",
     "[11, 1]; [10, 0]; [31, 21]; [30, 20]"},
    {"exchanges without a channel are among replicas",
     {2, 2},
     "tensor<2xi64>",
     R"(
  %r = "stablehlo.all_to_all"(%a) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<2xi64>) -> tensor<2xi64>
  return %r : tensor<2xi64>)",
     "[21, 1]; [31, 11]; [20, 0]; [30, 10]"},
};

inline constexpr MachineCase kExchanges[] = {
    {"all_gather of two operands along dimension 1",
     {2, 1},
     "tensor<2x2xi64>",
     R"(
  %b = stablehlo.negate %a : tensor<2x2xi64>
  %r:2 = "stablehlo.all_gather"(%a, %b) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x2xi64>, tensor<2x2xi64>) -> (tensor<2x4xi64>, tensor<2x4xi64>)
  return %r#0, %r#1 : tensor<2x4xi64>, tensor<2x4xi64>)",
     "[[0, 1, 10, 11], [2, 3, 12, 13]], [[0, -1, -10, -11], [-2, -3, -12, -13]]; "
     "[[0, 1, 10, 11], [2, 3, 12, 13]], [[0, -1, -10, -11], [-2, -3, -12, -13]]"},
    {"all_to_all splits along one dimension and joins along the other",
     {3, 1},
     "tensor<3x2xi64>",
     R"(
  %b = stablehlo.negate %a : tensor<3x2xi64>
  %r:2 = "stablehlo.all_to_all"(%a, %b) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 3 : i64, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<3x2xi64>, tensor<3x2xi64>) -> (tensor<1x6xi64>, tensor<1x6xi64>)
  return %r#0, %r#1 : tensor<1x6xi64>, tensor<1x6xi64>)",
     "[[0, 1, 10, 11, 20, 21]], [[0, -1, -10, -11, -20, -21]]; "
     "[[2, 3, 12, 13, 22, 23]], [[-2, -3, -12, -13, -22, -23]]; "
     "[[4, 5, 14, 15, 24, 25]], [[-4, -5, -14, -15, -24, -25]]"},
    {"collective_permute sends along pairs; who gets nothing has zeros", kFourPartitions,
     "tensor<2xi64>", R"(
  %r = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[3, 0], [0, 1], [1, 3]]> : tensor<3x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<2xi64>) -> tensor<2xi64>
  return %r : tensor<2xi64>)",
     "[30, 31]; [0, 1]; [0, 0]; [10, 11]"},
    {"collective_permute without a channel is among replicas", kTwoByTwo, "tensor<1xi64>", R"(
  %r = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<1xi64>) -> tensor<1xi64>
  return %r : tensor<1xi64>)",
     "[20]; [30]; [0]; [0]"},
    {"collective_broadcast sends what the first of a group has; others get zeros", kFourReplicas,
     "tensor<2xi64>", R"(
  %r = "stablehlo.collective_broadcast"(%a) {replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>} : (tensor<2xi64>) -> tensor<2xi64>
  return %r : tensor<2xi64>)",
     "[0, 0]; [20, 21]; [20, 21]; [0, 0]"},
    {"collective_broadcast with roots that the program computes, one per operand",
     {3, 1},
     "tensor<1xi64>",
     R"(
  %b = stablehlo.negate %a : tensor<1xi64>
  %k = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
  %r:2 = "stablehlo.collective_broadcast"(%a, %b, %k) {replica_groups = dense<[[2, 1, 0]]> : tensor<1x3xi64>, has_dynamic_root = true} : (tensor<1xi64>, tensor<1xi64>, tensor<2xi32>) -> (tensor<1xi64>, tensor<1xi64>)
  return %r#0, %r#1 : tensor<1xi64>, tensor<1xi64>)",
     "[0], [-10]; [0], [-10]; [0], [-10]"},
};

// `[[3, 1], [2, 0]]`: processes of `count` in two groups, the last ones first.
inline std::string two_groups(std::size_t count) {
  std::string groups[2];
  for (std::size_t i = count; i-- > 0;)
    groups[i % 2] += (groups[i % 2].empty() ? "" : ", ") + std::to_string(i);
  return fmt::format("dense<[[{}], [{}]]> : tensor<2x{}xi64>", groups[1], groups[0], count / 2);
}

// Programs of floats, in which the order of sums shows, for 2, 4, 6, ... partitions. @main takes
// tensors of any numbers.
inline std::vector<std::string> float_programs(std::size_t count) {
  const std::string groups = two_groups(count);
  const std::string channel =
      "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids";
  const auto region = [](std::string_view op, std::string_view type) {
    return fmt::format(R"(({{
  ^bb0(%x: tensor<{1}>, %y: tensor<{1}>):
    %s = stablehlo.{0} %x, %y : tensor<{1}>
    stablehlo.return %s : tensor<{1}>
  }}))",
                       op, type);
  };
  std::vector<std::string> out;
  for (std::string_view type : {"f32", "bf16", "f64", "complex<f32>"}) {
    for (std::string_view op : {"add", "multiply"}) {
      out.push_back(machine_case_text(
          fmt::format("tensor<5x{}>", type),
          fmt::format("%r = \"stablehlo.all_reduce\"(%a) {} {{replica_groups = {}, {}}} : "
                      "(tensor<5x{}>) -> tensor<5x{}>\n  return %r : tensor<5x{}>",
                      region(op, type), groups, channel, type, type, type)));
    }
  }
  const std::string row = fmt::format("tensor<3x{}xf32>", count);
  out.push_back(machine_case_text(
      row, fmt::format("%r = \"stablehlo.reduce_scatter\"(%a) {} {{scatter_dimension = 1 : i64, "
                       "replica_groups = {}, {}}} : ({}) -> tensor<3x2xf32>\n  return %r : "
                       "tensor<3x2xf32>",
                       region("add", "f32"), groups, channel, row)));
  // A sum in each round of a loop, of what the neighbour had.
  std::string ring;
  for (std::size_t i = 0; i < count; ++i)
    ring += fmt::format("{}[{}, {}]", i == 0 ? "" : ", ", i, (i + 1) % count);
  out.push_back(machine_case_text("tensor<4xf32>",
                                  fmt::format(R"(
  %z = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<5> : tensor<i32>
  %r:2 = stablehlo.while(%i = %z, %v = %a) : tensor<i32>, tensor<4xf32>
   cond {{
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }} do {{
    %w = "stablehlo.collective_permute"(%v) {{source_target_pairs = dense<[{0}]> : tensor<{1}x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}} : (tensor<4xf32>) -> tensor<4xf32>
    %t = "stablehlo.all_reduce"(%w) {2} {{replica_groups = {3}, {4}}} : (tensor<4xf32>) -> tensor<4xf32>
    %u = stablehlo.sine %t : tensor<4xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %u : tensor<i32>, tensor<4xf32>
  }}
  return %r#1 : tensor<4xf32>)",
                                              ring, count, region("add", "f32"), groups, channel)));
  return out;
}

}  // namespace shardprop::test
