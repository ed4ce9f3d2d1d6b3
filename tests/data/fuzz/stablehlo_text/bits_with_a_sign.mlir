func.func @f() {
  %0 = stablehlo.constant dense<-0x1> : tensor<f32>
  return
}
