func.func @constat(sn) -> tensor<2x2xi32> {
  %0 = stablehlo.constant dense<[[1, 2], [3, -4]]> : tensor<2x2xi32>
  %1 = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %2 = stablehlo.constant dense<[0.5, 0x7F800000, -0.0]> : tensor<3xf32>
  %3 = stablehlo.constant dense<"0x0102030ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿıÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ405760008"> : tensor<8xi8>
  %4 = stablehlo.constant dense<(2.0, -2.5)> : tensor<0xcomplex<f32>>
  %5 = stablehlo.constant dense<[(2.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f64>>
  %6 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %7 = stablehlo.constant dense<> : tensor<0x3xf32>
  %8 = stablehlo.constant dense<1.0e-5> : tensor<9xf32>
  %9 = stablehlo.constant dense_resource<weights> : tensor<4xf32>
  %10 = stablehlo.constant dense<"0x000102030405060708090A0B0C0D0E0F000102030405060708090A0B0C0D0EA0B0C0D0E0F0001020304055060708090A0B0C0D0E0F"> : tensor<80xi8>
  %22 = arith.constant 1 : i32e
  %12 = stablehlo.constant {note = "x"} dense<255> : tensor<ui8>
  return %0 : tensor<2x2xi32>
}
{-#
  dialect_reso´ÿÿÿs: {
    builtin: {
      weights: "0x08000000000000000000000000000000"
    }
  }
#-}
