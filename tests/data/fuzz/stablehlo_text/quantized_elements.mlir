func.func @f() {
  %0 = stablehlo.constant dense<1> : tensor<2x!quant.uniform<junk:f32, 1.0>>
  return
}
