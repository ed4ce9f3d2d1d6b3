#loc1 = loc("a")
#loc = loc(unknown)
module {
  func.func @f(%arg0: tensor<2xf32> loc("a"), %arg1: tensor<2xf32> loc(#loc1)) -> tensor<2xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<2xf32> loc(#loc4)
    %1 = "other.op"(%0) ({
    ^bb0(%x: tensor<f32> loc("region")):
      "other.return"(%x) : (tensor<f32>) -> () loc(fused["b", #loc3])
    }) : (tensor<2xf32>) -> tensor<2xf32> loc(callsite(#loc1 at "f.py":3:4))
    return %1 : tensor<2xf32> loc(#loc)
  } loc(#loc2)
} loc(#loc)
#loc2 = loc("f.py":1:2)
#loc3 = loc("x \"quoted\" \0A")
#loc4 = loc("name"(#loc2))
