!t = HIGH
func.func private @f(tensor<2xf32> {a = #stablehlo<precision !t>})
