func.func nested @f() attributes {sym_visibility = "nested"}
