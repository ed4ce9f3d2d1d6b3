func.func @main() {
  %0 = stablehlo.constant dense<"0x0102030405060708#junk"> : tensor<8xi8private>
  %1 = stablehlo.constant dense<"0x01"> : tensor<i8private>
  %2 = stablehlo.constant dense<["0x01", "0x7"]> : tensor<2xi8private>
  %3 = stablehlo.constant dense<["0x01", "0x7"]> : tensor<2x!tf.string>
  return
}
