sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f() {
%0 = "arith.constant"() <{value = 2.249999e401 : f49}> : () -> f32
return
}
