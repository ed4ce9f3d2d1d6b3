func.func @f() {
  %0 = stablehlo.constant() {value = dense<[1, -2]> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8:f32, 1.0:3>>
  %1 = stablehlo.constant() {value = dense<200> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<u8<1:255>:f32, 1.0>>
  %2 = "stablehlo.constant"() <{value = dense<1> : tensor<2xi4>}> : () -> tensor<2x!quant.any<i4<-8:7>>>
  %3 = stablehlo.constant() {value = dense_resource<r> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8<-127:127>:f32:0, {1.0, 2.0:3}>>
  %4 = stablehlo.constant() {value = dense<"0x0102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F40414243444546"> : tensor<70xi8>} : () -> tensor<70x!quant.uniform<i8:f32, 1.0>>
  return
}
