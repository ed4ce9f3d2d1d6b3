func.func @f() {
  %0 = stablehlo.constant dense<[1, 2] and more> : tensor<2xi32>
  return
}
