func.func @f() {
  "stablehlo.all_reduce"() {replica_groups = [[], []]} : () -> ()
  "stablehlo.all_reduce"() {replica_groups = [dense<> : tensor<2x0xi64>]} : () -> ()
  "stablehlo.convolution"() {padding = [[]]} : () -> ()
  return
}
