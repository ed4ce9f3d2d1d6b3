#alias = {a = 1 : i8, "b c" = [1, 2.5 : f32, true]}
!t = tensor<2xf32>
module attributes {x.a = #alias, x.b = array<i64: 1, 2>, x.c = array<i1: true>, x.d = dense<1> : tensor<2xi64>, x.e, x.f = tensor<?x2xf32>, x.g = @sym, x.h = @a::@b, x.i = #other.attr<a = [1], "x" -> {b}>, x.j = affine_map<(d0) -> (d0)>, x.k = (i32) -> i32, x.l = -3.5e-3, x.m = 0x7FF0000000000000 : f64, x.n = [], x.o = {}} {
  func.func private @callee(%arg0: !t) -> !t attributes {k = "v"} {
    return %arg0 : !t
  }
  func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = call @callee(%arg0) {mhlo.frontend_attributes = {a = "b"}} : (tensor<2xf32>) -> tensor<2xf32>
    %1 = stablehlo.custom_call @foo(%0) {api_version = 4 : i32, backend_config = {k = 1 : i32}, sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=2}, custom>} : (tensor<2xf32>) -> tensor<2xf32>
    %2 = "stablehlo.gather"(%1, %1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %2 : tensor<2xf32>
  }
}
