func.func @f() {
  %0 = arith.constant 5 : tensor<2xi32>
  return
}
