func.func @f() {
  %0 = stablehlo.constant dense<"Größe über alles, \0A ein Text von vielen Zeichen äöü"> : tensor<80x!tf.string>
  %1 = stablehlo.constant dense<"0x0102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F20"> : tensor<80xi4>
  return
}
