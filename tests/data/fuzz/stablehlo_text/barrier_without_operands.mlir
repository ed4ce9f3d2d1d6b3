func.func @f() {
  %0 = "stablehlo.optimization_barrier"() : () -> tensor<2xf32>
  stablehlo.optimization_barrier()
  return
}
