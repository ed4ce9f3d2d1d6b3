func.func @constants() -> tensor<2x2xi32> {
  %0 = stablehlo.constant dense<[[1, 2], [3, -4]]> : tensor<2x2xi32>
  %1 = stablehlo.constant dense<0xFF79> : tensor<bf16>
  %2 = stablehlo.constant dense<[1.5, 0x7F800000, true]> : tensor<3xf32>
  %12 = stablehlo.constant {note = "x"} dense<255> : tensor<ui8>
  return %0 : tensor<2x2xi32>
}
{-#
  diastablehlo.tek)no -> !stablehl
returghts: "0x08000000000000000000000000000000"
    }
  }
#-}
