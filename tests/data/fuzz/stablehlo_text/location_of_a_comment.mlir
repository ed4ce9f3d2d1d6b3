func.func @f() {
  return loc( // nothing but this
  )
}
