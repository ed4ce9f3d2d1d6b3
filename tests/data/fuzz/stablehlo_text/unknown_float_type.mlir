sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f() {
%cst = stablehlo.constant dense<0xFF800000> : tensor<f65>
return
}
