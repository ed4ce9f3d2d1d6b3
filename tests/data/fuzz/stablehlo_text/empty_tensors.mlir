func.func @main() {
  %0 = stablehlo.constant dense<[[]]> : tensor<1x0xf32>
  %1 = stablehlo.constant dense<> : tensor<1x0xf32>
  %2 = stablehlo.constant dense<5.0> : tensor<1x0xf32>
  return
}
