"builtin.module"() <{a = 1 : i64}> ({}) {a = 2 : i64} : () -> ()
