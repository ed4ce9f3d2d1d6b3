func.func @f() {
  %0 = stablehlo.constant dense<"0x0000803F000000400000803F00000040"> : tensor<2xcomplex<f32>>
  %1 = stablehlo.constant dense<"0x0000803F000000400000803F000000400000803F000000400000803F000000400000803F000000400000803F00000040"> : tensor<70xcomplex<f32>>
  %2 = stablehlo.constant dense<"0x0000803F00000040"> : tensor<70xcomplex<f32>>
  "x.y"() {a = dense<"0x0000803F00000040"> : tensor<70xcomplex<f32>>} : () -> ()
  return
}
