func.func @f(%arg0: tensor<2xf32> {sdy.note = array<f32: 1.23456789e11>, sdy.size = array<ui64: 18446744073709551615>}) {
  "stablehlo.transpose"() {permutation = array<f32: 1.23456789e11>} : () -> ()
  "stablehlo.transpose"() {permutation = dense<1.23456789e11> : tensor<1xf32>} : () -> ()
  "stablehlo.transpose"() {permutation = array<ui64: 18446744073709551615>} : () -> ()
  "stablehlo.transpose"() {permutation = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name = "x", size = 2>]>, axes = []>} : () -> ()
  "stablehlo.iota"() {iota_dimension = 1.23456789e11 : f32} : () -> ()
  "stablehlo.reduce_precision"() {mantissa_bits = 3000000000 : i64} : () -> ()
  "stablehlo.batch_norm_training"() {epsilon = 0.12345678901234567} : () -> ()
  "stablehlo.batch_norm_training"() {epsilon = 5 : index} : () -> ()
  "stablehlo.batch_norm_training"() {epsilon = -9223372036854775808 : i64} : () -> ()
  "stablehlo.batch_norm_training"() {epsilon = 0x7FF0000000000000 : f64} : () -> ()
  "stablehlo.batch_norm_training"() {epsilon = "0x12"} : () -> ()
  "stablehlo.batch_norm_training"() {epsilon = 1.23456789e11 : f32} : () -> ()
  "x.y"() {a = 18446744073709551615, b = [9223372036854775808], c = 0xFFFFFFFFFFFFFFFF} : () -> ()
  %0 = arith.constant 123456789000.0 : f4E2M1FN
  %1 = "arith.constant"() <{value = 123456789000.0 : f32}> : () -> f32
  return
}
