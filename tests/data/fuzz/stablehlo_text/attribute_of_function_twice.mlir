"func.func"() <{sym_name = "f", function_type = () -> (), a = 1 : i64}> ({}) {a = 2 : i64} : () -> ()
