!t = i32
!q = !quant.uniform<i8:f32, 2.0>
!v = tuple<!t, !q>
#a = #x.y<!t, "!t">
#b = [#a, #x.z<#a>]
func.func @f(%arg0: tensor<2x!q>, %arg1: tensor<2xf32, #a>, %arg2: tuple<!v, !t>) {
  "x.y"() {a = 1 : !t, b = dense<0> : tensor<2x!q>, c = "s" : !t, d = !t, e = (!t) -> !v, f = #b, g = #x.y<!t>,
           h = dense_resource<r> : tensor<2x!q>, i = sparse<0, 1> : tensor<2x!q>, j = [!t, #a]} : () -> ()
  return
}
