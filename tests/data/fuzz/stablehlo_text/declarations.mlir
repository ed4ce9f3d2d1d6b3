module @m {
  func.func private @declared(tensor<2xf32> {a.b = 1 : i32}, i32) -> (tensor<2xf32>, i32 {a.c})
  func.func @empty() {
    return
  }
  "func.func"() <{function_type = (i32) -> (), sym_name = "generic", sym_visibility = "private", arg_attrs = [{x.y = "z"}]}> ({
  ^bb0(%arg0: i32):
    "func.return"() : () -> ()
  }) {k = 1 : i64} : () -> ()
  func.func nested @nested(%a: i32) {
    "test.multi"(%a) : (i32) -> ()
    %0, %1:2 = "test.multi"(%a) : (i32) -> (i32, i32, i32)
    "test.use"(%0, %1#0, %1#1) {sdy.sharding = #sdy.sharding_per_value<[]>} : (i32, i32, i32) -> ()
    return
  }
}
