#loc1 = loc("a//b" // a comment )
)
func.func @f(%arg0: tensor<2xf32> loc("x" // another
)) {
  "x.y"() : () -> () loc("z" // and one more ) loc(
  )
  return loc(#loc1)
}
