#loc = loc(unknown)
#loc2 = loc("x.py":3:4)
#al = {a = 1 : i32}
"builtin.module"() <{sym_name = "m"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2, "y"=4]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, {}], function_type = (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>, sym_name = "main", res_attrs = [{jax.result_info = "r"}]}> ({
  ^bb0(%arg0: tensor<8x32xf32> loc("arg"), %arg1: tensor<8x32xf32>):
    %0 = "stablehlo.add"(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>, foo = #al, u, z = dense<[1.5, 0.1]> : tensor<2xbf16>} : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32> loc(#loc2)
    %c = "stablehlo.constant"() <{value = dense<0x41A3FD8014000000> : tensor<4xf64>}> : () -> tensor<4xf64>
    %d = "stablehlo.constant"() <{value = dense<[1, 2, 300]> : tensor<3xi8>}> : () -> tensor<3xi8>
    %1:2 = "stablehlo.while"(%0, %arg1) ({
    ^bb0(%a: tensor<8x32xf32>, %b: tensor<8x32xf32>):
      %2 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
      "stablehlo.return"(%2) : (tensor<i1>) -> ()
    }, {
    ^bb0(%a: tensor<8x32xf32>, %b: tensor<8x32xf32>):
      "stablehlo.return"(%a, %b) : (tensor<8x32xf32>, tensor<8x32xf32>) -> ()
    }) : (tensor<8x32xf32>, tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>)
    "func.return"(%1#1) : (tensor<8x32xf32>) -> ()
  }) : () -> () loc(#loc)
}) : () -> ()
{-# dialect_resources: {} #-}
