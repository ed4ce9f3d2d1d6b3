func.func @f() {
  %0 = stablehlo.constant() {value = dense<1> : tensor<2xi32>} : () -> tensor<3xf32>
  return
}
