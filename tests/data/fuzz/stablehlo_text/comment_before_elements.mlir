func.func @f() {
  %0 = stablehlo.constant dense< // a list of more than 64
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4,
       5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]> : tensor<70xi32>
  %1 = stablehlo.constant dense< // bytes
      "0x01"> : tensor<70xi8>
  %2 = stablehlo.constant dense< // one value
      1> : tensor<70xi8>
  %3 = stablehlo.constant dense< // nothing
      > : tensor<0xi8>
  return
}
