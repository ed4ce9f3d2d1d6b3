!t = f32
#a = #x.y-
#b = #x.z<1>
func.func private @f(tensor<2xf32, #x.y- >, tensor<2xf32, #a> {a = #p.q<#a>, b = #p.q<#a #a!t>, c = #x.y<q!t, 1!t, !!t, #!t, -!t, !t->!t, "!t"!t, a#b, #b!t>})
