func.func @main(%a: tensor<8xf32>) {
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<5> : tensor<1x0xi64>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<> : tensor<1x0xi64>} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[]]> : tensor<1x0xi64>} : (tensor<8xf32>) -> tensor<8xf32>
  %3 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[]> : tensor<1x0xi64>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}
func.func @f() attributes {a = dense<5> : tensor<1x0xi64>, b = dense<5> : tensor<1x2xi64>, c = dense<5> : tensor<1x1x1x1x1x1xi64>} {
  return
}
