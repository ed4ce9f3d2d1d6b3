func.func @f() {
  %0 = stablehlo.constant dense<"0x8F"> : tensor<2xf6E2M3FN>
  %1 = stablehlo.constant dense<"0xFFFF8F"> : tensor<3xf6E3M2FN>
  %2 = stablehlo.constant dense<"0xFF00FFFF"> : tensor<2xtf32>
  %3 = stablehlo.constant dense<0xFF> : tensor<f6E2M3FN>
  return
}
