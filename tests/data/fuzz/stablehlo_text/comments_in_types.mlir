func.func private @f(tensor<2xf32, // no encoding "<
>, tensor<2x // an element
f32>, tensor<2x!x.y<a // ) "<
>, #x.encoding>, tensor<2x!x.y<"<,">, "enc">, tuple<i32 // ) >
>)
