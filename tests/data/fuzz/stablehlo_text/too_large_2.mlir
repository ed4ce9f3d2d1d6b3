sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f() {
%cst = arith.constant 40014.05e7017777777777777777 : v32
return
}
