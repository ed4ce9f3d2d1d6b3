func.func @f() {
  %0 = stablehlo.constant dense<-0x8009FF008001015D> : tensor<1xi63>
  return
}
