#loc1 = loc("a"ÿ)
#loc = loc(unknown)
module {
  func.func @f(%arg0: tensor<2xf32> loc("a"), %arg1: tensor<2xf32> loc(#loc1)) -> tensor<2xf32> {
     } loc(#loc2)
} loc(#loc)
#loc2 = loc("f.p#stablehlo.game"(;loc2))
