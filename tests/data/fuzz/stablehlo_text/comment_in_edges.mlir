func.func @f() attributes {sdy.edges = #sdy.propagation_edges<[{step-0 = [{"x" = // from ( to
    operand-0->[result-0], "a  ,->b" = operand-1 ->[result-0,result-1]}]}]>} {
  return
}
