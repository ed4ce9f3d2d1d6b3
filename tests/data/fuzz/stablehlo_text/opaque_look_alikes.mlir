func.func @f() attributes {sdy.note = {opaque = "]"}} {
  "x.y"() {a = {opaque = "(["}, b = [{opaque = "5 : i64"}], c = {opaque = #x.y<1>}} : () -> ()
  "stablehlo.all_reduce"() {replica_groups = {opaque = "<"}} : () -> ()
  return
}
