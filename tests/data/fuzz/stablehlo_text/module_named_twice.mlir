module @a attributes {sym_name = "b"} {
}
