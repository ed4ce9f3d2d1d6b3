"sdy.mesh"() <{mesh = #sdy.mesh<["x"=2]>, sym_name = "m", a = 1 : i64}> {a = 2 : i64} : () -> ()
