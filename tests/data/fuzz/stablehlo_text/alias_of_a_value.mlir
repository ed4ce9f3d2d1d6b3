#one = dense<1> : tensor<2xi64>
#same = #one
func.func @f() {
  "x.y"() {value = #one, other = #one, values = {value = #same}} : () -> ()
  %0 = "stablehlo.constant"() {value = #same} : () -> tensor<2xi64>
  return
}
